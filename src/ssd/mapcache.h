/* SPDX-License-Identifier: MIT */
/*
 * mapcache.h - the part of the mapping table that a drive without (enough) DRAM has at hand.
 *
 * The table is in map pages: 4 KiB of 4-byte entries map 1024 units, 4 MiB of addresses. `map.pages` of them
 * are cached, the least recently used goes first. A page that is not there is fetched, and where a changed one
 * has to go it is written back before: both take a lane, `map.lanes` of which work at a time. A page that is
 * changed as a whole need not be fetched. A host memory buffer is a larger cache whose hits cost `map.hit`.
 *
 * Every command looks up each map page it touches once. So do the units that the drive moves by itself, each
 * map page once for each superblock that is emptied: the firmware sorts what it moves. One look-up for each
 * unit instead would charge a drive that was written in order, whose victims lie in few map pages, the price of
 * one that was written at random.
 *
 * The table is kept in superblocks of its own, outside of geometry.superblocks; what is written there counts
 * as programmed (map_units).
 */
#ifndef ASSAY_SSD_MAPCACHE_H
#define ASSAY_SSD_MAPCACHE_H

#include <stdbool.h>
#include <stdint.h>

struct ssd;

#define MAP_LANES_MAX 16u

struct mapcache {
	uint32_t span_units; /* units that a map page maps */
	uint32_t pages;	     /* map pages of the drive */
	uint32_t slots;	     /* of them in the cache at most; 0: all in DRAM */
	uint32_t used;
	uint32_t newest, oldest; /* slots; NONE where empty */
	uint32_t *slot_of;	 /* by map page; NONE: not cached */
	uint32_t *page_of;	 /* by slot */
	uint32_t *newer, *older; /* by slot: the list in the order of use */
	bool *dirty;		 /* by slot */
	uint32_t *seen;		 /* by map page: the last emptied superblock that touched it ... */
	uint32_t epoch;		 /* ... as a running number */
	uint64_t lane_ns[MAP_LANES_MAX]; /* free from */
};

/* Nothing cached, lanes free from the present on. */
void mapcache_reset(struct ssd *ssd);

/*
 * A command touches [unit, unit + n) at t; `change`: it changes the entries. Returns when they are at hand. Only
 * where the drive has a cache.
 */
uint64_t mapcache_command(struct ssd *ssd, uint32_t unit, uint32_t n, bool change, uint64_t t);

/* Another superblock begins to be emptied. */
static inline void mapcache_next_victim(struct mapcache *m)
{
	m->epoch++;
}

/* n units, complemented, are moved out of it at t. */
void mapcache_move(struct ssd *ssd, const uint32_t *not_unit, uint32_t n, uint64_t t);

#endif
