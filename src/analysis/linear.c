/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>

#include "analysis/summary.h"
#include "base/cleanup.h"

#define ALL_PAIRS_MAX 1500

void line_fit(const double *x, const double *y, const double *weight, size_t n, struct line *ret)
{
	double sum = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0, rss = 0, slope, variance, t;

	*ret = (struct line){ estimate_none(n), estimate_none(n), NAN };
	for (size_t i = 0; i < n; i++) {
		double w = weight ? weight[i] : 1;

		sum += w;
		mean_x += w * x[i];
		mean_y += w * y[i];
	}
	mean_x /= sum;
	mean_y /= sum;
	for (size_t i = 0; i < n; i++) {
		double w = weight ? weight[i] : 1;

		xx += w * (x[i] - mean_x) * (x[i] - mean_x);
		xy += w * (x[i] - mean_x) * (y[i] - mean_y);
	}
	if (n < 2 || !(xx > 0))
		return;
	slope = xy / xx;
	ret->slope = estimate_of(slope, NAN, n);
	ret->intercept = estimate_of(mean_y - slope * mean_x, NAN, n);
	if (n < 3)
		return;
	for (size_t i = 0; i < n; i++) {
		double e = y[i] - mean_y - slope * (x[i] - mean_x);

		rss += (weight ? weight[i] : 1) * e * e;
	}
	variance = rss / (double)(n - 2);
	t = t_point((double)n - 2);
	ret->residual_sd = sqrt(variance);
	ret->slope = estimate_of(slope, t * sqrt(variance / xx), n);
	ret->intercept = estimate_of(ret->intercept.value,
				     t * sqrt(variance * (1 / sum + mean_x * mean_x / xx)), n);
}

/* Median of y - slope x; scratch holds n. */
static double intercept_at(const double *x, const double *y, size_t n, double slope,
			   double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = y[i] - slope * x[i];
	sample_sort(scratch, n);
	return sorted_quantile(scratch, n, 0.5);
}

/* Slopes of pairs whose x differ, into slope, which has room; returns how many. */
static size_t pair_slopes(const double *x, const double *y, const size_t *order, size_t n,
			  double *slope)
{
	size_t pairs = 0;

	if (n > ALL_PAIRS_MAX) {
		for (size_t i = 0; i < n / 2; i++) {
			size_t a = order[i], b = order[i + (n + 1) / 2];

			if (x[b] > x[a])
				slope[pairs++] = (y[b] - y[a]) / (x[b] - x[a]);
		}
		return pairs;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (x[i] < x[j] || x[i] > x[j])
				slope[pairs++] = (y[i] - y[j]) / (x[i] - x[j]);
	return pairs;
}

/* Half the number of slopes between the ends of Sen's interval, without the correction for equal x. */
static double rank_half_width(size_t n, size_t pairs)
{
	double m = (double)n;

	/* Disjoint pairs are independent: a sign test on them. */
	if (n > ALL_PAIRS_MAX)
		return 1.96 * sqrt((double)pairs) / 2;
	return 1.96 * sqrt(m * (m - 1) * (2 * m + 5) / 18) / 2;
}

int line_fit_robust(const double *x, const double *y, size_t n, struct line *ret)
{
	size_t room = n > ALL_PAIRS_MAX ? n / 2 : n * (n > 0 ? n - 1 : 0) / 2, pairs;
	_cleanup_free_ double *slope = malloc((room + 1) * sizeof(*slope));
	_cleanup_free_ double *scratch = malloc((n + 1) * sizeof(*scratch));
	_cleanup_free_ size_t *order = malloc((n + 1) * sizeof(*order));
	double half, last;

	*ret = (struct line){ estimate_none(n), estimate_none(n), NAN };
	if (!slope || !scratch || !order)
		return -ENOMEM;
	if (n < 3)
		return 0;
	gsl_sort_index(order, x, 1, n);
	pairs = pair_slopes(x, y, order, n, slope);
	if (pairs == 0)
		return 0;
	sample_sort(slope, pairs);
	ret->slope = estimate_of(sorted_quantile(slope, pairs, 0.5), NAN, n);
	ret->intercept = estimate_of(intercept_at(x, y, n, ret->slope.value, scratch), NAN, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(y[i] - ret->intercept.value - ret->slope.value * x[i]);
	sample_sort(scratch, n);
	ret->residual_sd = 1.4826 * sorted_quantile(scratch, n, 0.5);
	half = rank_half_width(n, pairs);
	last = (double)(pairs - 1);
	if (n < 5 || last / 2 - half < 0)
		return 0;
	ret->slope.low = sorted_quantile(slope, pairs, (last / 2 - half) / last);
	ret->slope.high = sorted_quantile(slope, pairs, (last / 2 + half) / last);
	for (int end = 0; end < 2; end++) {
		double s = end ? ret->slope.high : ret->slope.low;
		double width = 1.2533 * 1.96 * ret->residual_sd / sqrt((double)n);
		double at = intercept_at(x, y, n, s, scratch);

		ret->intercept.low = fmin(end ? ret->intercept.low : INFINITY, at - width);
		ret->intercept.high = fmax(end ? ret->intercept.high : -INFINITY, at + width);
	}
	return 0;
}
