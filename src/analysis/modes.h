/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modes.h - do scores fall into one group or two?
 *
 * Two, if all of these agree:
 *  - a mixture of two normal distributions beats a single one by more than 6 in BIC (fitted by EM from several
 *    starts; a component's sd is kept above a twentieth of the whole sample's, so that it cannot shrink onto
 *    a point);
 *  - either the dip test (dip.h) or a gap test rejects one mode, each at 2.5 %, together at 5 %. The gap is
 *    the largest distance between neighbours that leaves at least three scores and a tenth on either side,
 *    over the larger sd of both sides; its p value is the worst of those against simulated uniform,
 *    exponential, squared uniform and log-normal (sigma 0.5) samples. Small samples need it: the dip hardly
 *    sees 6 of 21. BIC alone would find two modes in anything skewed;
 *  - the means differ by MODES_DIFFERENCE_MIN or more.
 * Assumes independent scores. What cannot be told apart from one mode is one mode.
 */
#ifndef ASSAY_ANALYSIS_MODES_H
#define ASSAY_ANALYSIS_MODES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"

#define MODES_SCORES_MIN 8	  /* fewer are not identifiable */
#define MODES_DIFFERENCE_MIN 0.02 /* of the larger mean */

struct modes {
	enum verdict_status status;
	unsigned modes; /* 1 or 2; 0 where not identifiable */
	/* Two modes: means of the scores in each, t intervals. One: both are the mean of all. */
	struct estimate low, high;
	struct estimate ratio; /* low / high, Fieller's interval; not identifiable with one mode */
	double threshold;      /* scores below it belong to the low mode; NAN with one mode */
	double delta_bic;      /* BIC(one normal) - BIC(two); NAN where all scores are equal */
	double p_dip, p_gap;   /* 1 where not computed, because delta_bic already said no */
};

int modes_find(const double *x, size_t n, uint64_t seed, struct modes *ret);

#endif
