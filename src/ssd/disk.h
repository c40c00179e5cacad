/* SPDX-License-Identifier: MIT */
/*
 * disk.h - a simulated hard disk as a library, in virtual time: the drive that does not depend on its state.
 *
 * Arm: a seek takes a + b sqrt(d) up to a third of the stroke and grows linearly beyond (Ruemmler and Wilkes,
 * "An introduction to disk drive modeling", 1994), through the three figures that data sheets give. Platters:
 * the angle follows from the clock, so that rotational waits are exact. Zones: tracks hold less towards the
 * middle. Skew and head switches are folded into the sustained rates, so that a zone is one spiral.
 *
 * Reads wait in a queue and the one that the heads reach first is served, less a bonus for age; the drive
 * reads on behind each. Writes are done when they are in the cache, which is written back in elevator order.
 * What is served next is decided when the arm is free, so a completion is only known when the clock gets
 * there: commands are given by disk_submit() and come back from disk_next().
 *
 * Units are 4 KiB, times integer nanoseconds that never go back. Nothing is allocated after disk_new().
 */
#ifndef ASSAY_SSD_DISK_H
#define ASSAY_SSD_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/param.h"

#define DISK_UNIT_BYTES 4096u
#define DISK_WAITING_MAX 65536u /* commands at the drive and at the host together */

struct disk_config {
	uint64_t capacity_bytes, seed;
	uint32_t rpm, heads, zones;
	uint64_t outer_bytes_per_s, inner_bytes_per_s;
	struct {
		uint64_t track_ns, average_ns, full_ns, write_ns;
	} seek;
	uint64_t overhead_ns;
	struct {
		uint64_t bytes, write_bytes, readahead_bytes, delay_ns;
		uint32_t segments;
	} cache;
	struct {
		uint32_t queue;
		uint64_t read_unit_ns, write_unit_ns, command_ns;
	} link;
	double age_weight;
};

extern const struct param disk_params[];

/* As ssd_config_check() and ssd_config_scale(); scaled, a stroke takes as long and has fewer tracks. */
int disk_config_check(const struct disk_config *cfg, const char **ret_name, struct err *err);
int disk_config_scale(struct disk_config *cfg, uint64_t capacity_bytes, struct err *err);

enum disk_op { DISK_READ, DISK_WRITE, DISK_FLUSH };

struct disk_command {
	enum disk_op op;
	uint32_t unit, units;
	void *tag; /* the caller's, given back */
};

struct disk_done {
	void *tag;
	uint64_t start_ns, done_ns; /* when it got a place at the drive, when it was done */
};

/* Counters since the disk was made or purged; dirty_units is a level. */
struct disk_stats {
	uint64_t read_units, write_units; /* of the host */
	uint64_t media_write_units;	  /* written to the platters */
	uint64_t merged_units;		  /* overwritten while they were in the cache */
	uint64_t dirty_units;		  /* in the cache now */
	uint64_t hit_reads, media_reads;  /* commands served from memory, from the platters */
	uint64_t destages;		  /* pieces of cache written back */
	uint64_t seek_ns, rotate_ns, transfer_ns; /* what the mechanics did */
	uint64_t link_busy_ns;
};

struct disk;

int disk_new(struct disk **ret, const struct disk_config *cfg, struct err *err);
void disk_free(struct disk *disk); /* NULL is fine */
/* Forget the caches and the counters; there is nothing else to forget. No command may be at the disk. */
void disk_purge(struct disk *disk);

/* At most DISK_WAITING_MAX may be under way. */
void disk_submit(struct disk *disk, uint64_t now_ns, const struct disk_command *c);
/* The next completion at or before until_ns, in order; decides nothing at until_ns or later. */
bool disk_next(struct disk *disk, uint64_t until_ns, struct disk_done *ret);
/* Nothing is under way until now_ns: the cache is written back. */
void disk_idle(struct disk *disk, uint64_t now_ns);

/* Commands with a place at the drive now, and the sum of the times since they got it. */
uint32_t disk_in_flight(const struct disk *disk, uint64_t now_ns, uint64_t *ret_ns);
const struct disk_config *disk_get_config(const struct disk *disk);
void disk_get_stats(const struct disk *disk, struct disk_stats *ret);
uint64_t disk_memory_bytes(const struct disk *disk);

#endif
