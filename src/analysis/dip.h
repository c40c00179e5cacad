/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dip.h - how far is a sample from any distribution with one mode?
 *
 * The dip is the largest distance between the sample's distribution function and the unimodal one that comes
 * closest to it (J. A. and P. M. Hartigan, "The dip test of unimodality", Ann. Stat. 13, 1985; algorithm after
 * P. M. Hartigan, AS 217, Appl. Stat. 34, 1985): 1 / (2n) for equal distances, at most 1/4. Among unimodal
 * distributions the uniform one has the largest dips, so that a p value against it holds for all of them.
 */
#ifndef ASSAY_ANALYSIS_DIP_H
#define ASSAY_ANALYSIS_DIP_H

#include <stddef.h>

/* The dip of n > 0 sorted numbers into *ret. -ENOMEM as usual. */
int dip_statistic(const double *sorted, size_t n, double *ret);

#endif
