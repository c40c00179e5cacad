/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * linear.h - a straight line through points (x, y).
 */
#ifndef ASSAY_ANALYSIS_LINEAR_H
#define ASSAY_ANALYSIS_LINEAR_H

#include <stddef.h>

#include "analysis/estimate.h"

struct line {
	struct estimate slope, intercept;
	double residual_sd; /* with n - 2; NAN below three points */
};

/*
 * Least squares with weights (NULL: all 1), t intervals with n - 2 degrees of freedom: assumes independent
 * errors of variance proportional to 1 / weight. Two points give a line without intervals; fewer, or all at
 * one x, are not identifiable.
 */
void line_fit(const double *x, const double *y, const double *weight, size_t n, struct line *ret);

/*
 * Theil-Sen: the median of the slopes between all pairs, the intercept the median of y - slope x; not moved
 * by up to 29 % of outliers (P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau",
 * JASA 63, 1968, whose rank interval it has for the slope). The intercept's interval is what the
 * residuals' median leaves at either end of the slope's. residual_sd is 1.4826 times the median absolute
 * residual. Above 1500 points the pairs are (i, i + n/2) in the order of x (Theil's incomplete method). Not
 * identifiable below three points or at one x; no intervals below five.
 */
int line_fit_robust(const double *x, const double *y, size_t n, struct line *ret);

#endif
