/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steady.h - has a series stopped changing, and since when?
 *
 * Two rules that see different things. SNIA's is the one that results of others can be compared with, and looks at
 * five rounds only; truncation looks at all there is and says where the tail begins. Neither sees an oscillation
 * within a round.
 */
#ifndef ASSAY_ANALYSIS_STEADY_H
#define ASSAY_ANALYSIS_STEADY_H

#include <stddef.h>

#include "analysis/estimate.h"

#define STEADY_ROUNDS 5u
#define STEADY_RANGE_MAX 0.20 /* (most - least) / mean of the window */
#define STEADY_SLOPE_MAX 0.10 /* |slope| of the least-squares line x 4 rounds / mean */

struct steady {
	/* MEASURED: a window was steady; NOT_REACHED: none of them; NOT_IDENTIFIABLE: too few rounds */
	enum verdict_status status;
	size_t first; /* round with which the first steady window begins, else that of the last window */
	/* of that window */
	double mean;
	double range, slope; /* in parts of the mean, as the limits are */
};

/*
 * SNIA Solid State Storage Performance Test Specification 2.0.1, steady state: in a window of five rounds the
 * largest and smallest differ by at most 20 % of the mean, and the best line through them rises or falls by at
 * most 10 % of it from the first to the last. `earliest` is the first round a window may end with.
 */
void steady_rounds(const double *y, size_t n, size_t earliest, struct steady *ret);

/*
 * Where the transient ends: MSER-5 (K. P. White, "An effective truncation heuristic for bias reduction in
 * simulation output", Simulation 69, 1997). Of all truncations d of the means of five values each the one with
 * the smallest variance of the mean of what is left, sum (y - mean)^2 / (n - d)^2. *ret is the first value kept.
 * NOT_IDENTIFIABLE where that is in the second half, or below 40 values: the series is too short to say.
 */
enum verdict_status steady_truncate(const double *x, size_t n, size_t *ret);

#endif
