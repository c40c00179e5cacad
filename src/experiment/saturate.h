/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saturate.h - hours of random writes, private to this folder: parameters, and what run and analysis share.
 *
 * The writes come in rounds, each a phase, so that a run that was killed goes on at the last whole one. The
 * first round has fine windows: the cache ends in it. A phase whose label begins with SATURATE_BEFORE or
 * SATURATE_AFTER is a run of the usual benchmark.
 */
#ifndef ASSAY_EXPERIMENT_SATURATE_H
#define ASSAY_EXPERIMENT_SATURATE_H

#include "base/param.h"
#include "experiment/bench.h"
#include "experiment/experiment.h"

#define SATURATE_LABEL "random_write"
#define SATURATE_BEFORE "before_"
#define SATURATE_AFTER "after_"
/* Never called steady before the span was written so often (SNIA PTS: preconditioning is twice the capacity). */
#define SATURATE_PASSES_MIN 2u

enum saturate_until { UNTIL_STEADY, UNTIL_TIME };

struct saturate_params {
	uint64_t for_ns, first_ns, round_ns;
	int until;
	uint64_t span_bytes; /* 0: the whole drive */
	uint32_t queue_depth, threads;
	char advertised[PARAM_TEXT_SIZE]; /* IOPS, "84k"; "0": not known */
	int cells;
	uint32_t runs, passes;
	uint64_t run_ns, gap_ns, region_bytes;
	char content[PARAM_TEXT_SIZE];
};

/* Bytes that random writes go to: a whole number of 4 KiB. */
uint64_t saturate_span_bytes(const struct saturate_params *p, const struct device_info *info);

/* Writes a second that are advertised; 0: not known. -EINVAL with a sentence. */
int saturate_advertised(const struct saturate_params *p, double *ret_iops, struct err *err);

/* -EINVAL with a sentence for content that is none. */
int saturate_bench(const struct saturate_params *p, struct bench *ret, struct err *err);

/*
 * Has a repeat shown that the drive is steady? By SNIA's rule over the means of its whole rounds, of which the last must
 * end after the span was written SATURATE_PASSES_MIN times. 1, 0 or -ENOMEM.
 */
int saturate_steady(const struct run_ctx *ctx, const struct saturate_params *p, unsigned repeat);

int saturate_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
		     struct err *err);

#endif
