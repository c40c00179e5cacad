/* SPDX-License-Identifier: MIT */
/*
 * zipf.h - random ranks whose probability falls as (rank + 1) ^ -theta, without tables.
 *
 * Rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", ACM TOMACS 6, 1996): exact for every n and theta, about 1.1 draws a
 * value whatever n. Rank 0 is the most popular. Plain data: may be copied and shared between threads.
 */
#ifndef ASSAY_BASE_ZIPF_H
#define ASSAY_BASE_ZIPF_H

#include <stdint.h>

#include "base/rng.h"

#define ZIPF_N_MAX (1ull << 40)
#define ZIPF_THETA_MAX 4.0

struct zipf {
	uint64_t n;
	double theta;
	double h_first,
		h_last; /* integral of the density at 1.5, minus the weight of rank 0; and at n + 0.5 */
	double accept; /* x closer than this below its rank needs no further check */
};

/* n from 1 to ZIPF_N_MAX, theta from 0 (uniform) to ZIPF_THETA_MAX. */
void zipf_init(struct zipf *z, uint64_t n, double theta);

/* A rank in [0, n). */
uint64_t zipf_next(const struct zipf *z, struct rng *rng);

#endif
