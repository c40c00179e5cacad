/* SPDX-License-Identifier: MIT */
/*
 * disk-cache.h - the memory of a hard disk: units that wait to be written, and what was read last.
 */
#ifndef ASSAY_SSD_DISK_CACHE_H
#define ASSAY_SSD_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_SEGMENTS_MAX 64u

struct extent {
	uint32_t unit, end;
};

/* Units to be written: extents in the order of their addresses, neither overlapping nor touching. */
struct dirty {
	struct extent *extent; /* max entries */
	uint32_t n, max, units;
};

/* Index of the first extent that ends behind the unit. */
uint32_t dirty_find(const struct dirty *d, uint32_t unit);
/* Units of [unit, end) that are in it already. */
uint32_t dirty_overlap(const struct dirty *d, uint32_t unit, uint32_t end);
/* There must be room: no more than max units in all. */
void dirty_add(struct dirty *d, uint32_t unit, uint32_t end);
/* The first n units of an extent. */
void dirty_take(struct dirty *d, uint32_t index, uint32_t n);

/* Ranges that were read, the oldest replaced first. */
struct segments {
	struct extent range[DISK_SEGMENTS_MAX];
	uint32_t n, next, units_max; /* how many, the next to be replaced, what one holds */
};

/* The last units_max units of a range are kept; one that goes on where an older one ended is one with it. */
void segments_add(struct segments *s, uint32_t unit, uint32_t end);
bool segments_hold(const struct segments *s, uint32_t unit, uint32_t end);
/* They were written to: what is kept of them is not what is on the platters. */
void segments_drop(struct segments *s, uint32_t unit, uint32_t end);

#endif
