/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * knee.h - after how many bytes does a fast plateau of writing end and a slower one begin?
 *
 * Method, on the logarithm of each window's write throughput:
 *  1. Windows that stand out from the median of their neighbours (stalls) are pulled in to it; this keeps steps.
 *  2. Noise is taken from differences of neighbours and next neighbours, of which the largest are left
 *     out, so that steps do not count as noise: with d1 and d2 their mean squares, an AR(1) process has
 *     correlation d2 / d1 - 1.
 *  3. Binary segmentation: the split with the largest difference of means is real if its statistic exceeds
 *     that of 99 % of simulated flat AR(1) series of the same length and correlation, which go through the
 *     same steps (a parametric bootstrap; cf. D. W. K. Andrews, Econometrica 61, 1993, for the asymptotics).
 *  4. The knee is the first split behind which throughput falls by KNEE_DROP_MIN or more and, in the median
 *     of all that follows, stays down: a pause after which it recovers for longer than it lasted is no knee.
 *  5. The split is moved to its most likely place among single windows; the window it lies in is divided so
 *     that its bytes are those of the two levels. The interval is from the same search over 200 simulated
 *     series with the levels, noise and correlation that were found.
 *
 * Assumes a plateau of roughly constant throughput on either side, at least KNEE_WINDOWS_MIN windows each.
 * The result is in bytes from the start of the series: the time axis moves with the throughput, bytes do not.
 */
#ifndef ASSAY_ANALYSIS_KNEE_H
#define ASSAY_ANALYSIS_KNEE_H

#include <stdint.h>

#include "analysis/estimate.h"
#include "data/series.h"

#define KNEE_DROP_MIN 0.05  /* share of the throughput: less is no knee */
#define KNEE_WINDOWS_MIN 5u /* shortest plateau */
#define KNEE_SERIES_MIN 12u /* fewer windows with a throughput do not say anything */

enum knee_status {
	KNEE_NONE, /* flat, or no lasting fall, as far as the series goes */
	KNEE_MEASURED,
	KNEE_NOT_IDENTIFIABLE, /* too few windows, or nothing written */
};

struct knee {
	enum knee_status status;
	struct estimate bytes; /* written before the knee; identifiable only where KNEE_MEASURED */
	double at_s;	       /* and seconds since the start of the series; NAN else */
	double before_mbps;    /* median level of the plateau before; without a knee, of all */
	double after_mbps; /* of the plateau that follows, up to the next change; NAN without a knee */
	double rest_mbps;		 /* of all windows behind the knee; NAN without one */
	double noise_pct;		 /* sd of a window, in per cent of its level */
	double correlation;		 /* between neighbouring windows, 0 to 0.95 */
	uint64_t windows, written_bytes; /* that were looked at */
};

/*
 * `series` is in the order of time, as a phase gives it; windows may differ in length, and a last one shorter
 * than half of the one before is left out. The seed is for the bootstrap.
 */
int knee_find(const struct series *series, uint64_t seed, struct knee *ret);

#endif
