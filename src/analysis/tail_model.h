/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tail_model.h - how does something grow as a drive or a cache fills up?
 *
 *	y = a exp(b u)		y = a u^b		y = a + b / (1 - u)
 *
 * over the occupancy u in [0, 1): exponential, power, and what cleaning costs where free space runs out: the write
 * amplification of uniform writes is about 1 / (2 (1 - u)) (R. Agarwal and M. Marrow, "A closed-form expression for
 * write amplification in NAND flash", IEEE Globecom Workshops 2010). All are fitted by least squares on ln y, since
 * such a quantity is known to some per cent of itself; the first two are lines there, the third is found by
 * Gauss-Newton steps, halved until they gain and a + b / (1 - u) is positive at all u.
 *
 * They are compared by AICc = n ln(RSS / n) + 2 k + 2 k (k + 1) / (n - k - 1) (C. M. Hurvich and C.-L. Tsai,
 * "Regression and time series model selection in small samples", Biometrika 76, 1989). All three have k = 3 with the
 * scatter. The best one is named if the next is TAIL_DELTA_MIN or more behind it: the data are then 33 times
 * likelier under the best, and whichever is true, another one reaches that in less than one case of twenty
 * (docs/analysis.md). Where residuals of the best follow each other in the order of u, none of the three describes
 * the data, and none is named: von Neumann's ratio of their successive differences is below what 1 % of
 * independent ones have (J. von Neumann, "Distribution of the ratio of the mean square successive difference to the
 * variance", Ann. Math. Stat. 12, 1941).
 *
 * Assumes independent relative errors of one size. Not identifiable: below TAIL_LEVELS_MIN points, or at
 * fewer than five different u, or where the models are as good as each other, as any are where y hardly grows.
 */
#ifndef ASSAY_ANALYSIS_TAIL_MODEL_H
#define ASSAY_ANALYSIS_TAIL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/estimate.h"

#define TAIL_LEVELS_MIN 8u
#define TAIL_DELTA_MIN 7.

enum tail_kind {
	TAIL_EXPONENTIAL,
	TAIL_POWER,
	TAIL_CLEANING, /* a + b / (1 - u) */
	TAIL_KINDS,
	TAIL_UNKNOWN = TAIL_KINDS,
};

struct tail_fit {
	struct estimate a, b; /* t intervals from the curvature at the best */
	double aicc;	      /* NAN where the model does not apply */
	double residual_pct;  /* sd of ln y about it, in per cent */
};

struct tail_model {
	enum verdict_status status; /* MEASURED only where the kind is known */
	enum tail_kind kind;
	enum tail_kind best; /* also where it does not win clearly; TAIL_UNKNOWN without any fit */
	double delta_aicc;   /* of the best to the second */
	double neumann;	     /* of the best one's residuals; about 2 where it fits */
	bool none_fits;
	struct tail_fit fit[TAIL_KINDS];
	size_t n; /* points in use */
};

/*
 * Points in any order. Left out are those with u outside (0, 1), where one of the models has no value, and those
 * whose y is not positive and finite.
 */
int tail_model_fit(const double *u, const double *y, size_t n, struct tail_model *ret);

#endif
