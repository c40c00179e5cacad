/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saturate_measure.h - what one repeat of hours of random writes comes to; private to this folder.
 */
#ifndef ASSAY_EXPERIMENT_SATURATE_MEASURE_H
#define ASSAY_EXPERIMENT_SATURATE_MEASURE_H

#include "analysis/periodic.h"
#include "analysis/steady.h"
#include "experiment/saturate_levels.h"

enum saturate_value {
	HOLD_S,
	PLATEAU_IOPS,
	TROUGH_IOPS,
	STEADY_IOPS,
	STEADY_FROM_S,
	OSCILLATION_PERIOD_S,
	OSCILLATION_BYTES,
	OSCILLATION_PCT,
	PLATEAU_OVER_LAST,
	SATURATE_VALUES,
};

/* Of one repeat. */
struct saturation {
	struct saturate_trace trace;
	struct saturate_levels levels;
	struct steady steady;
	struct estimate value[SATURATE_VALUES];
	struct estimate last; /* mean of the tail, steady or not */
	struct periodic period;
};

/* Of a repeat without random writes, levels.list is empty. 0 or -ENOMEM. */
int saturate_measure(struct saturation *s, const struct run_ctx *ctx,
		     const struct saturate_params *p, unsigned repeat);
void saturate_measure_release(struct saturation *s);

#endif
