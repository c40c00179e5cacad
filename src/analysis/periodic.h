/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * periodic.h - does a series repeat itself, and how often?
 *
 * The statistic is the highest peak of the autocorrelation between the lag at which it first falls to zero and a
 * third of the series (three repetitions at least). Autocorrelation rather than the largest line of the spectrum,
 * since a train of short bursts has many lines, of which the first need not be the largest. The null is not only
 * white noise: the series is taken for one of first order, y = a y' + e, with the correlation of neighbours that it
 * has, and the peak must exceed those of PERIODIC_SURROGATES series made of the same e in other orders, each looked
 * through in the same way, at 1 %; their e are as uneven as those of the data, so that rare stalls are no period. A
 * straight trend is taken out first.
 *
 * The period is the mean distance of the peaks at its multiples, as long as they stand out at least half as far as the
 * first; its interval is Student's over these distances.
 */
#ifndef ASSAY_ANALYSIS_PERIODIC_H
#define ASSAY_ANALYSIS_PERIODIC_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"

#define PERIODIC_MIN 64u /* shorter series are not identifiable */
#define PERIODIC_SURROGATES 199u

struct periodic {
	/* MEASURED: it has a period; NOT_REACHED: none stands out; NOT_IDENTIFIABLE: too short, or flat */
	enum verdict_status status;
	struct estimate period; /* in values; n is how many repetitions the series holds */
	double p;    /* share of other orders with as high a peak, (1 + k) / (1 + those tried) */
	double peak; /* the autocorrelation there */
	double amplitude; /* from the least to the most of the mean repetition, over the mean of the series */
};

/* -ENOMEM as usual. n up to 2^20 takes 200 transforms of twice as many values. */
int periodic_find(const double *x, size_t n, uint64_t seed, struct periodic *ret);

#endif
