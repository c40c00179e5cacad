/* SPDX-License-Identifier: MIT */
/*
 * With density h(x) = x^-theta and its integral H(x) = (x^(1-theta) - 1) / (1-theta), ln x at theta 1:
 * u uniform between H(1.5) - h(1) and H(n + 0.5), x = H^-1(u), k = round(x); take k if x lies close enough
 * below k, or else if u >= H(k + 0.5) - h(k). Both H and its inverse are written with expm1 and log1p so that
 * theta near 1 loses no digits.
 */
#include "base/zipf.h"

#include <assert.h>
#include <math.h>

/* (exp(x) - 1) / x and log(1 + x) / x, both 1 at 0. */
static double expm1_over(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double integral(double x, double theta)
{
	double log_x = log(x);

	return expm1_over((1 - theta) * log_x) * log_x;
}

static double integral_inverse(double u, double theta)
{
	double t = u * (1 - theta);

	/* Rounding may put t a little below the pole, where x is beyond every n. */
	if (t < -1)
		t = -1;
	return exp(log1p_over(t) * u);
}

static double density(double x, double theta)
{
	return exp(-theta * log(x));
}

void zipf_init(struct zipf *z, uint64_t n, double theta)
{
	assert(n > 0 && n <= ZIPF_N_MAX);
	assert(theta >= 0 && theta <= ZIPF_THETA_MAX);
	z->n = n;
	z->theta = theta;
	z->h_first = integral(1.5, theta) - 1;
	z->h_last = integral((double)n + 0.5, theta);
	z->accept = 2 - integral_inverse(integral(2.5, theta) - density(2, theta), theta);
}

uint64_t zipf_next(const struct zipf *z, struct rng *rng)
{
	if (z->theta == 0)
		return rng_below(rng, z->n);
	for (;;) {
		double u = z->h_last + rng_double(rng) * (z->h_first - z->h_last);
		double x = integral_inverse(u, z->theta);
		double k = floor(x + 0.5);

		if (k < 1)
			k = 1;
		if (k > (double)z->n)
			k = (double)z->n;
		if (k - x <= z->accept || u >= integral(k + 0.5, z->theta) - density(k, z->theta))
			return (uint64_t)k - 1;
	}
}
