/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-group.h - the phases of a run that measured the same thing, and what they have in common.
 *
 * A sample is one phase. Mean, spread and best are over samples; quantiles of latency come from all
 * operations of the group in one histogram.
 */
#ifndef ASSAY_REPORT_TERMINAL_GROUP_H
#define ASSAY_REPORT_TERMINAL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "data/phase.h"
#include "store/store.h"

double student_975(uint64_t freedom); /* 97.5 % quantile of Student's t; NAN for 0 */

struct stat_sum {
	uint64_t n;
	double mean, m2, max; /* B. P. Welford, Technometrics 4 (1962): m2 is the sum of squares */
};

void stat_sum_add(struct stat_sum *s, double value);
double stat_sum_mean(const struct stat_sum *s); /* NAN where there is none */
double stat_sum_sd(const struct stat_sum *s);	/* of a sample; NAN below 2 */
double
stat_sum_half95(const struct stat_sum *s); /* half the 95 % interval (Student); NAN below 2 */

/* What the phases of one repeat did together. */
struct repeat_sum {
	unsigned repeat;
	uint64_t bytes;
	double seconds;
};

DEFINE_VEC(repeats, struct repeat_sum);

struct group {
	char label[48];
	char load[48];	  /* "SEQ1M Q8T1" */
	double level_pct; /* NAN: does not apply */
	bool down;	  /* on the way down a fill ladder (the key has a part "down") */
	bool read;	  /* else write */
	struct stat_sum mbps, iops, lat_us;
	uint32_t notes;		      /* of any of the phases */
	double asked_depth;	      /* QD x T */
	struct stat_sum device_depth; /* as the device counts */
	double device_depth_max;      /* 0: not known */
	uint64_t bytes, errors;
	double seconds;
	struct repeats repeats;
	struct flow flow; /* all operations */
};

DEFINE_VEC(group_list, struct group *);

/* In the order in which they first appear; a phase that reads and writes gives two. */
int groups_collect(struct store *store, const char *run_id, struct group_list *ret,
		   struct err *err);
void groups_free(struct group_list *groups);
/* NULL where there is none. `label` NULL: any. */
const struct group *groups_find(const struct group_list *groups, const char *label,
				double level_pct, bool down, bool read);
/* False for what only prepares: "prepare", and a bench's "region" and "warmup" with whatever tag. */
bool group_is_result(const struct group *group);
/* MB/s of each repeat as a whole: bytes by time, over chunks that follow each other. */
struct stat_sum group_repeats_mbps(const struct group *group);

#endif
