/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary.h - a sample in a few numbers, each with an interval, and the small tools that the other analyses
 * share.
 *
 * Which interval when: the mean's t interval for independent, roughly normal repeats; the median's, from
 * order statistics, for independent repeats of any distribution; the bootstrap where the statistic is odd;
 * batch means for the windows of one run, which are not independent (methods: T. Hoefler and R. Belli,
 * "Scientific benchmarking of parallel computing systems", SC 2015).
 */
#ifndef ASSAY_ANALYSIS_SUMMARY_H
#define ASSAY_ANALYSIS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"

struct summary {
	uint64_t n;
	double min, max; /* NAN where n is 0, and so below */
	double sd;	 /* with n - 1; NAN below two samples */
	/*
	 * mean +- t(0.975, n-1) sd / sqrt(n); no interval below two samples. Assumes independence, and
	 * normality where n is small.
	 */
	struct estimate mean;
	/*
	 * The interval between order statistics k and n+1-k, k the largest with P(Binomial(n, 1/2) < k) <=
	 * 0.025 (W. J. Conover, "Practical nonparametric statistics", 3.2): at least 95 % for any
	 * distribution. No interval below six samples, which cannot give 95 %.
	 */
	struct estimate median;
};

int summarise(const double *x, size_t n, struct summary *ret);

/*
 * Percentile bootstrap of any statistic (B. Efron and R. Tibshirani, "An introduction to the bootstrap",
 * ch. 13), 2000 resamples. `statistic` gets the resample, in no order, and may change it. Independent samples
 * assumed; too narrow for n below about 10. Not identifiable below three samples.
 */
int summary_bootstrap(const double *x, size_t n, double (*statistic)(double *x, size_t n),
		      uint64_t seed, struct estimate *ret);

/* Statistics for summary_bootstrap(). */
double statistic_mean(double *x, size_t n);
double statistic_median(double *x, size_t n);

/*
 * Mean of a stationary, autocorrelated series: about sqrt(n) batches of equal length, at most 30, a t
 * interval over their means (L. W. Schmeiser, "Batch size effects in the analysis of simulation output",
 * Oper. Res. 30, 1982). Assumes that correlation dies out within a batch. The value is the mean of all; not
 * identifiable below 16 points.
 */
void summary_batch_means(const double *x, size_t n, struct estimate *ret);

/* Shared tools. Means and variances of n > 0 (> 1) numbers, the variance by deviations from the mean. */
double sample_mean(const double *x, size_t n);
double sample_variance(const double *x, size_t n);
/* Sort ascending; quantile of sorted numbers, linear between order statistics (Hyndman and Fan, type 7). */
void sample_sort(double *x, size_t n);
double sorted_quantile(const double *sorted, size_t n, double q);
/* Two-sided 95 % point of Student's t; df > 0, need not be whole. */
double t_point(double df);

#endif
