/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/summary.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/rng.h"

#define RESAMPLES 2000

double sample_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

double sample_variance(const double *x, size_t n)
{
	double mean = sample_mean(x, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (double)(n - 1);
}

void sample_sort(double *x, size_t n)
{
	gsl_sort(x, 1, n);
}

double sorted_quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

double t_point(double df)
{
	return gsl_cdf_tdist_Pinv(0.975, df);
}

/* Largest k with P(Binomial(n, 1/2) < k) <= 0.025; 0 where there is none. */
static size_t median_rank(size_t n)
{
	double half = (double)n / 2;
	/* Start below the normal approximation, which is within a few ranks of the answer. */
	size_t k = half > sqrt((double)n) + 2 ? (size_t)(half - sqrt((double)n)) - 2 : 0;

	while (gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)n) <= 0.025)
		k++;
	return k;
}

int summarise(const double *x, size_t n, struct summary *ret)
{
	_cleanup_free_ double *sorted = NULL;
	size_t k;

	*ret = (struct summary){ .n = n, .min = NAN, .max = NAN, .sd = NAN };
	ret->mean = ret->median = estimate_none(n);
	if (n == 0)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, x, n * sizeof(*sorted));
	sample_sort(sorted, n);
	ret->min = sorted[0];
	ret->max = sorted[n - 1];
	ret->mean = estimate_of(sample_mean(x, n), NAN, n);
	ret->median = estimate_of(sorted_quantile(sorted, n, 0.5), NAN, n);
	if (n < 2)
		return 0;
	ret->sd = sqrt(sample_variance(x, n));
	ret->mean =
		estimate_of(ret->mean.value, t_point((double)n - 1) * ret->sd / sqrt((double)n), n);
	k = median_rank(n);
	if (k > 0) {
		ret->median.low = sorted[k - 1];
		ret->median.high = sorted[n - k];
	}
	return 0;
}

double statistic_mean(double *x, size_t n)
{
	return sample_mean(x, n);
}

double statistic_median(double *x, size_t n)
{
	sample_sort(x, n);
	return sorted_quantile(x, n, 0.5);
}

int summary_bootstrap(const double *x, size_t n, double (*statistic)(double *x, size_t n),
		      uint64_t seed, struct estimate *ret)
{
	_cleanup_free_ double *resample = NULL, *value = NULL;
	struct rng rng;

	*ret = estimate_none(n);
	if (n < 3)
		return 0;
	resample = malloc(n * sizeof(*resample));
	value = malloc(RESAMPLES * sizeof(*value));
	if (!resample || !value)
		return -ENOMEM;
	memcpy(resample, x, n * sizeof(*resample));
	ret->value = statistic(resample, n);
	ret->status = STATUS_MEASURED;
	rng_init(&rng, seed, 0);
	for (size_t b = 0; b < RESAMPLES; b++) {
		for (size_t i = 0; i < n; i++)
			resample[i] = x[rng_below(&rng, n)];
		value[b] = statistic(resample, n);
	}
	sample_sort(value, RESAMPLES);
	ret->low = sorted_quantile(value, RESAMPLES, 0.025);
	ret->high = sorted_quantile(value, RESAMPLES, 0.975);
	return 0;
}

void summary_batch_means(const double *x, size_t n, struct estimate *ret)
{
	double mean[30];
	size_t batches = (size_t)sqrt((double)n), length;

	*ret = estimate_none(n);
	if (n < 16)
		return;
	if (batches > 30)
		batches = 30;
	length = n / batches;
	/* What does not fill a batch is left out at the start, which is the least settled part. */
	for (size_t i = 0; i < batches; i++)
		mean[i] = sample_mean(x + n - (batches - i) * length, length);
	*ret = estimate_of(sample_mean(x, n),
			   t_point((double)batches - 1) *
				   sqrt(sample_variance(mean, batches) / (double)batches),
			   n);
}
