/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * change.h - by how many per cent one group of repeats differs from another.
 *
 * The interval is Fieller's for the ratio of two independent means (E. C. Fieller, "Some problems in interval
 * estimation", JRSS B 16, 1954), variances not assumed equal, degrees of freedom by Welch and Satterthwaite
 * at the estimated ratio. Assumes independent, roughly normal repeats. Whether these are repeats within one
 * run or of whole runs is for the caller to know and to say.
 */
#ifndef ASSAY_ANALYSIS_CHANGE_H
#define ASSAY_ANALYSIS_CHANGE_H

#include <stddef.h>

#include "analysis/estimate.h"

/*
 * mean(x) / mean(reference), with n the number of all samples. A group of one sample borrows the other's
 * variance (then the variances are assumed equal); two groups of one give a value without an interval. An
 * interval that is not bounded, since the reference could be zero, is left out too. Not identifiable: an
 * empty group, or a reference whose mean is zero.
 */
void change_ratio(const double *reference, size_t n_reference, const double *x, size_t n_x,
		  struct estimate *ret);

/* The same as a change in per cent: 100 (ratio - 1). */
void change_pct(const double *reference, size_t n_reference, const double *x, size_t n_x,
		struct estimate *ret);

#endif
