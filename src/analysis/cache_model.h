/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache_model.h - is a drive's fast cache of fixed size, a share of the free space, or both?
 *
 *	S = S0		S = k free		S = S0 + k free
 *
 * from pairs of free space at the knee and bytes written until it. Least squares on relative residuals
 * (weights 1 / S^2: a knee is known to some per cent of itself), compared by
 * BIC = n ln(RSS / n) + p ln n (G. Schwarz, "Estimating the dimension of a model", Ann. Stat. 6, 1978).
 * "Both" is chosen where it beats the better of the simpler two by more than 6, each of its parts differs from
 * zero at 1 % (t) and makes at least 5 % of the cache at one end of the ladder; otherwise the better of these,
 * if it beats the other by more than 6 and its part differs from zero beside the other's. A negative part is
 * not a cache, so that such a model is never chosen. Levels where no knee
 * was reached say only that the cache was larger than what was written: leave them out.
 */
#ifndef ASSAY_ANALYSIS_CACHE_MODEL_H
#define ASSAY_ANALYSIS_CACHE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/estimate.h"

#define CACHE_PAIRS_MIN 4 /* at three different free spaces or more */

enum cache_kind {
	CACHE_UNKNOWN, /* not identifiable between the models */
	CACHE_FIXED,
	CACHE_SHARE,
	CACHE_BOTH,
};

struct cache_model {
	enum cache_kind kind;
	enum verdict_status status; /* MEASURED only where the kind is known */
	/*
	 * Of the model that was chosen: S0 is exactly 0 for CACHE_SHARE, the share for CACHE_FIXED. For
	 * CACHE_UNKNOWN those of "both", so that one sees what is undecided.
	 */
	struct estimate fixed_bytes;
	struct estimate share_of_free;	       /* 0 to 1 */
	double bic_fixed, bic_share, bic_both; /* NAN where a model does not apply */
	double delta_bic; /* of the chosen model to the one it had to beat; to the second best if UNKNOWN */
	double residual_pct; /* sd of the relative residuals */
};

/* Pairs with a free space or knee that is not positive and finite are left out. */
int cache_model_fit(const double *free_bytes, const double *knee_bytes, size_t n,
		    struct cache_model *ret);

#endif
