/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * equivalence.h - are two results the same within a margin?
 *
 * That a difference is not significant does not say that there is none. Two one-sided tests do (D. J.
 * Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
 * equivalence of average bioavailability", J. Pharmacokin. Biopharm. 15, 1987): the ratio of means is shown
 * to be neither below 1 / (1 + margin) nor above 1 + margin, which is the same distance either way, by its whole
 * interval (change.h) lying between. As all intervals here are of 95 %, each of both tests is at 2.5 %, stricter
 * than the customary 5 %. "Different" is shown as well: the whole interval is outside. So
 * "equivalent" is said wrongly in at most 2.5 % of cases (at the margin itself), "different" in at most 2.5 % to
 * either side. All else is undecided and asks for more
 * repeats, never for a wider margin, which is to be fixed before measuring.
 *
 * Assumes what change.h does: independent, roughly normal repeats.
 */
#ifndef ASSAY_ANALYSIS_EQUIVALENCE_H
#define ASSAY_ANALYSIS_EQUIVALENCE_H

#include <stddef.h>

#include "analysis/estimate.h"

enum equivalence_word {
	EQUIVALENCE_UNDECIDED,
	EQUIVALENCE_EQUIVALENT,
	EQUIVALENCE_DIFFERENT,
};

struct equivalence {
	enum equivalence_word word;
	struct estimate ratio; /* of x to the reference */
	/* The smallest margin at which they would be equivalent, as a share; NAN without an interval. */
	double margin_needed;
	/*
	 * NOT_IDENTIFIABLE where there is no interval: below two samples in both groups together with one in
	 * each, or where the reference could be zero or the ratio is not positive.
	 */
	enum verdict_status status;
};

/* margin > 0, as a share: 0.02 for 2 %. */
void equivalence_test(const double *reference, size_t n_reference, const double *x, size_t n_x,
		      double margin, struct equivalence *ret);

#endif
