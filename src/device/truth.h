/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * truth.h - what a simulated drive knows of itself. Only store, report and tests may include this: an
 * experiment that could see it would not measure.
 */
#ifndef ASSAY_DEVICE_TRUTH_H
#define ASSAY_DEVICE_TRUTH_H

#include <stdint.h>

/* A sample of the truth series; all counters since the drive was made. */
struct truth {
	uint64_t at_ns; /* drive's clock since the start of the run */
	uint64_t host_written_bytes, host_read_bytes;
	uint64_t nand_written_bytes; /* host + GC + folding + refresh + map */
	uint64_t gc_copied_bytes, folded_bytes, refreshed_bytes;
	uint64_t cache_used_bytes,
		cache_limit_bytes; /* pSLC: data held, and how much it may hold now */
	uint64_t free_superblocks;
	uint64_t erases;
	uint64_t mapping_misses; /* look-ups of map pages that were not cached */
	double alpha_eff;	 /* physical / logical units of the main pool, as GC sees it */
	double die_busy_share;	 /* since the sample before, 0 to 1 */
	double link_busy_share;
	double temperature_c; /* NAN: not modelled */
	char binding
		[16]; /* the resource that bound most since the sample before: "link", "die", ... */
	char activity[64]; /* besides the host's work: "none", "folding", "gc", "throttling", ... */
};

#endif
