/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill.h - the fill ladder, private to this folder: parameters, and what run and analysis share.
 */
#ifndef ASSAY_EXPERIMENT_FILL_H
#define ASSAY_EXPERIMENT_FILL_H

#include "base/list.h"
#include "base/param.h"
#include "experiment/bench.h"
#include "experiment/experiment.h"

#define FILL_RUNS_MAX 100

enum fill_direction { FILL_AUTO, FILL_UP, FILL_BOTH };

struct fill_params {
	char levels[PARAM_TEXT_SIZE];
	int direction;
	double chunk_pct;
	uint32_t copy_depth, runs, passes;
	uint64_t run_ns, gap_ns, region_bytes;
	char content[PARAM_TEXT_SIZE];
};

struct fill_levels {
	double pct[LIST_ITEMS_MAX];
	size_t n;
};

/* The levels, rising. -EINVAL with a sentence. */
int fill_levels_of(const struct fill_params *p, struct fill_levels *ret, struct err *err);

int fill_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
		 struct err *err);

#endif
