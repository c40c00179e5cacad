/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segment.h - where the level of a noisy, autocorrelated series changes. The method is described in knee.h.
 */
#ifndef ASSAY_ANALYSIS_SEGMENT_H
#define ASSAY_ANALYSIS_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/vec.h"

DEFINE_VEC(cuts, size_t);

struct noise {
	double sd;	    /* of one value about its level */
	double correlation; /* of neighbours, 0 to 0.95 */
};

/* Noise from differences: not moved by a few steps. {0, 0} below 4 values. scratch holds n. */
struct noise segment_noise(const double *y, size_t n, double *scratch);

/* Pull values that stand out from the median of their 11 neighbours by over 3 sd in to that limit, in place. */
int segment_clean(double *y, size_t n, struct noise *ret_noise);

/* How many values segment_find() takes together: 1 below a thousand. */
size_t segment_bin(size_t n);

/*
 * Cut y into pieces of at least `shortest` values whose means differ more than chance explains, 1 % for each
 * cut. ret begins with 0 and ends with n; each other item is the first value of a piece.
 */
int segment_find(const double *y, size_t n, size_t shortest, uint64_t seed, struct cuts *ret);

/* Two independent standard normal numbers (the polar method of G. Marsaglia). */
struct normal_pair {
	double a, b;
};
struct normal_pair rng_normal_pair(struct rng *rng);

#endif
