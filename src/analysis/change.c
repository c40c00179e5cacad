/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/change.h"

#include "analysis/summary.h"

/* Variance of a mean and its degrees of freedom. */
struct error {
	double variance, df;
};

static void errors(const double *a, size_t n_a, const double *b, size_t n_b, struct error *ret_a,
		   struct error *ret_b)
{
	double var_a = n_a > 1 ? sample_variance(a, n_a) : sample_variance(b, n_b);
	double var_b = n_b > 1 ? sample_variance(b, n_b) : var_a;

	*ret_a = (struct error){ var_a / (double)n_a, (double)(n_a > 1 ? n_a : n_b) - 1 };
	*ret_b = (struct error){ var_b / (double)n_b, (double)(n_b > 1 ? n_b : n_a) - 1 };
}

void change_ratio(const double *reference, size_t n_reference, const double *x, size_t n_x,
		  struct estimate *ret)
{
	struct error a, b;
	double mean_a, mean_b, ratio, df, t, g, root, total;

	*ret = estimate_none(n_reference + n_x);
	if (n_reference == 0 || n_x == 0)
		return;
	mean_a = sample_mean(reference, n_reference);
	mean_b = sample_mean(x, n_x);
	ratio = mean_b / mean_a;
	if (!isfinite(ratio))
		return;
	*ret = estimate_of(ratio, NAN, n_reference + n_x);
	if (n_reference < 2 && n_x < 2)
		return;
	errors(reference, n_reference, x, n_x, &a, &b);
	/* Variance of mean_b - ratio mean_a. */
	total = b.variance + ratio * ratio * a.variance;
	if (!(total > 0)) {
		ret->low = ret->high = ratio;
		return;
	}
	/* One variance shared by both groups is one estimate, not two that would average out. */
	if (n_reference < 2 || n_x < 2)
		df = a.df;
	else
		df = total * total /
		     (b.variance * b.variance / b.df + pow(ratio * ratio * a.variance, 2) / a.df);
	t = t_point(df);
	/* All r with (mean_b - r mean_a)^2 <= t^2 (var_b + r^2 var_a): between the roots if g < 1. */
	g = t * t * a.variance / (mean_a * mean_a);
	if (g >= 1)
		return;
	root = t / fabs(mean_a) * sqrt(b.variance * (1 - g) + ratio * ratio * a.variance);
	ret->low = (ratio - root) / (1 - g);
	ret->high = (ratio + root) / (1 - g);
}

void change_pct(const double *reference, size_t n_reference, const double *x, size_t n_x,
		struct estimate *ret)
{
	change_ratio(reference, n_reference, x, n_x, ret);
	ret->value = 100 * (ret->value - 1);
	ret->low = 100 * (ret->low - 1);
	ret->high = 100 * (ret->high - 1);
}
