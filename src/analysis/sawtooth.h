/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sawtooth.h - do latencies rise in ramps that end in a spike, and how high and how long are they?
 *
 * A drive that works off what it owes in one go gets slower operation by operation and then stops for a moment.
 * Method, on the latencies of single operations in the order of time:
 *  1. A spike is an operation that takes more than SAWTOOTH_RATIO_MIN times what is usual around it, and is
 *     further above it than seven times the scatter of all (on logarithms, from their median to their 84 %
 *     quantile, which spikes do not move). Usual is the largest of the medians of the blocks before, around and
 *     behind it, of SAWTOOTH_BLOCK operations each, so that the end of a ramp is no spike. Spikes with at most
 *     SAWTOOTH_JOIN operations between them are one (others in flight wait as well), as high as its highest.
 *  2. The period is the mean distance of spikes, with its t interval. Is it a period? The relative scatter of
 *     distances must be less than that of spikes at random places, which is what shuffling leaves: of
 *     exponential distances (a Monte Carlo test, A. C. A. Hope, JRSS B 30, 1968).
 *  3. A ramp is what lies between two spikes. Its low end is its first operation and its high end its last, as
 *     lines through medians of up to eight parts of its first and of its last eighth have them; what is between may
 *     be bent. The value is the mean over ramps; its t interval is widened by twice the difference to lines through
 *     quarters, since a bend moves these more. Does it rise? Kendall's S of place and latency (M. G. Kendall, "Rank
 *     correlation methods") is computed for each ramp, and a one-sided t test over ramps says whether it is
 *     positive, whatever the correlation within them.
 *  4. It is a sawtooth if both are significant at 1 %, and the ramp's ends differ by SAWTOOTH_RISE_MIN or more.
 * Assumes that spikes are rarer than one operation in ten. Not identifiable: fewer than SAWTOOTH_VALUES_MIN
 * operations, or a latency that is not positive and finite. Ramps of fewer
 * than SAWTOOTH_RAMP_MIN operations have no ends.
 */
#ifndef ASSAY_ANALYSIS_SAWTOOTH_H
#define ASSAY_ANALYSIS_SAWTOOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"
#include "base/vec.h"

#define SAWTOOTH_VALUES_MIN 256u
#define SAWTOOTH_BLOCK 32u
#define SAWTOOTH_JOIN 2u
#define SAWTOOTH_RATIO_MIN 4.
#define SAWTOOTH_RISE_MIN 0.1 /* of the low end */
#define SAWTOOTH_P_MAX 0.01
#define SAWTOOTH_RAMP_MIN 8u
#define SAWTOOTH_SPIKES_MIN 6u /* fewer are no period */

/* Operation of each spike's highest latency. */
DEFINE_VEC(spikes, size_t);

struct sawtooth {
	enum verdict_status status; /* MEASURED, whatever was found, or NOT_IDENTIFIABLE */
	bool found;
	double p_period, p_ramp; /* 1 where there are too few spikes or ramps */
	uint64_t spikes_n;
	double spike_min, spike_median,
		spike_max; /* in the unit of the latencies; NAN without spikes */
	/* What the data give, also where it is no sawtooth; not identifiable where they give nothing. */
	struct estimate period_ops;
	struct estimate ramp_low, ramp_high;
};

/* at, if not NULL, gets the spikes' operations in ascending order; the caller releases it, also on -ENOMEM. */
int sawtooth_find(const double *lat, size_t n, uint64_t seed, struct spikes *at,
		  struct sawtooth *ret);

#endif
