/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saturate_trace.h - the random writes of one repeat as one series over time; private to this folder.
 *
 * Time and bytes count from the first random write. What lies between two rounds (the queue runs empty) is
 * not in it.
 */
#ifndef ASSAY_EXPERIMENT_SATURATE_TRACE_H
#define ASSAY_EXPERIMENT_SATURATE_TRACE_H

#include "base/vec.h"
#include "experiment/saturate.h"

/* About a second, or a window where these are longer. */
struct second {
	double at_s, length_s; /* since the first random write */
	double at_bytes;       /* written before */
	double iops;
};

/* A whole round after the first. */
struct sat_round {
	double end_bytes, iops;
};

DEFINE_VEC(seconds, struct second);
DEFINE_VEC(sat_rounds, struct sat_round);

struct saturate_trace {
	struct series fine; /* of the first round */
	struct seconds seconds;
	struct sat_rounds rounds;
	double length_s, bytes;
};

int saturate_trace_load(struct saturate_trace *t, const struct run_ctx *ctx,
			const struct saturate_params *p, unsigned repeat);
void saturate_trace_release(struct saturate_trace *t);

/* All of it as windows of equal length, at most `most` of them. */
int saturate_trace_coarse(const struct saturate_trace *t, size_t most, struct series *ret);

/* How long the writes went on at `iops` or more: until the first second below it, and altogether. */
struct saturate_hold {
	double until_s, above_s;
	bool ended; /* false: it was never below */
};
struct saturate_hold saturate_trace_hold(const struct saturate_trace *t, double iops);

/* Index of the second that holds a moment; the last one where it is later. */
size_t saturate_trace_find(const struct saturate_trace *t, double at_s);

#endif
