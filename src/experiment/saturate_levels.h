/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saturate_levels.h - the levels of hours of random writes; private to this folder.
 *
 * The first plateau ends at the knee of the throughput (knee.h). What follows is looked at in blocks, each with the
 * median of its seconds: bursts that fill less than half of a block do not count, slow swings do.
 *
 *  - Levels: where the blocks' medians change by more than chance (segment.h); neighbours that differ by less than
 *    a tenth are one. A slow rise is one level, too.
 *  - Trough: the run of blocks around the lowest one that stay a tenth or more below the last level, taken as the
 *    median of the second half. It must be two blocks long, and none behind it half as long: a low that comes back
 *    is a swing. Its ends are moved to the second at which the two sides differ most.
 *  - The tail begins behind all of that; without a trough also where the medians have no transient left (steady.h).
 */
#ifndef ASSAY_EXPERIMENT_SATURATE_LEVELS_H
#define ASSAY_EXPERIMENT_SATURATE_LEVELS_H

#include <stdbool.h>

#include "analysis/estimate.h"
#include "analysis/knee.h"
#include "experiment/saturate_trace.h"

#define SATURATE_BLOCK_S 50.0  /* as S4's figure is read: means of 50 s */
#define SATURATE_LEVEL_MIN 0.1 /* difference of two levels, of the higher */

struct level {
	double from_s, to_s, from_bytes, to_bytes;
	struct estimate iops; /* mean over the level, bursts and all; batch means */
	double median_iops;   /* of its blocks */
};

DEFINE_VEC(level_list, struct level);

struct saturate_levels {
	struct knee cliff;
	struct level_list
		list; /* in the order of time; the first is the plateau where there is a cliff */
	bool has_trough;
	struct level trough;
	struct estimate trough_typical; /* median of its blocks: short bursts do not count */
	double tail_s;			/* where the last level begins and no transient is left */
};

int saturate_levels_find(struct saturate_levels *ret, const struct saturate_trace *t,
			 uint64_t seed);
void saturate_levels_release(struct saturate_levels *levels);

/* Mean over [from_s, to_s) with an interval by batch means of its seconds. */
int saturate_mean(const struct saturate_trace *t, double from_s, double to_s, struct estimate *ret);

#endif
