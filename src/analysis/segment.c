/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/segment.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"
#include "base/cleanup.h"

#define SIMULATED 299
#define EXCEED_MAX 2 /* of SIMULATED: with the data's own, 3 of 300 */
#define BINS_MAX 1000
#define HALF_WINDOW 5

struct normal_pair rng_normal_pair(struct rng *rng)
{
	for (;;) {
		double u = 2 * rng_double(rng) - 1, v = 2 * rng_double(rng) - 1;
		double s = u * u + v * v;

		if (s > 0 && s < 1) {
			double scale = sqrt(-2 * log(s) / s);

			return (struct normal_pair){ u * scale, v * scale };
		}
	}
}

/*
 * Mean square of the differences at a distance, as that of a normal sample: the largest tenth, and in a short
 * series as many as two steps make, are left out, which the factor makes up for.
 */
static double difference_square(const double *y, size_t n, size_t distance, double *scratch)
{
	size_t m = n - distance, drop = m / 10 > 2 * distance ? m / 10 : 2 * distance;
	double keep = (double)(m > 2 * drop ? m - drop : (m + 1) / 2), share = keep / (double)m;
	double z = gsl_cdf_ugaussian_Pinv((1 + share) / 2), sum = 0;

	for (size_t i = 0; i < m; i++)
		scratch[i] = pow(y[i + distance] - y[i], 2);
	sample_sort(scratch, m);
	for (size_t i = 0; i < (size_t)keep; i++)
		sum += scratch[i];
	return sum / keep / (1 - 2 * z * gsl_ran_ugaussian_pdf(z) / share);
}

struct noise segment_noise(const double *y, size_t n, double *scratch)
{
	struct noise noise = { 0, 0 };
	double d1, d2;

	if (n < 4)
		return noise;
	d1 = difference_square(y, n, 1, scratch);
	d2 = difference_square(y, n, 2, scratch);
	if (!(d1 > 0))
		return noise;
	noise.correlation = fmin(fmax(d2 / d1 - 1, 0), 0.95);
	noise.sd = sqrt(d1 / 2 / (1 - noise.correlation));
	return noise;
}

int segment_clean(double *y, size_t n, struct noise *ret_noise)
{
	_cleanup_free_ double *clean = malloc((n + 1) * sizeof(double));
	_cleanup_free_ double *scratch = malloc((n + 1) * sizeof(double));

	if (!clean || !scratch)
		return -ENOMEM;
	*ret_noise = segment_noise(y, n, scratch);
	for (size_t i = 0; i < n; i++) {
		size_t low = i > HALF_WINDOW ? i - HALF_WINDOW : 0;
		size_t high = i + HALF_WINDOW < n ? i + HALF_WINDOW + 1 : n;
		double window[2 * HALF_WINDOW + 1], median, limit = 3 * ret_noise->sd;

		memcpy(window, y + low, (high - low) * sizeof(double));
		sample_sort(window, high - low);
		median = sorted_quantile(window, high - low, 0.5);
		clean[i] = fmin(fmax(y[i], median - limit), median + limit);
	}
	memcpy(y, clean, n * sizeof(double));
	*ret_noise = segment_noise(y, n, scratch);
	return 0;
}

/* The split of y with the largest squared difference of means over its variance, and that quotient. */
struct split {
	double statistic;
	size_t at;
};

static struct split best_split(const double *y, size_t n, size_t shortest)
{
	struct split best = { 0, 0 };
	double total = 0, left = 0;

	for (size_t i = 0; i < n; i++)
		total += y[i];
	for (size_t j = 1; j + shortest <= n; j++) {
		double difference, statistic;

		left += y[j - 1];
		if (j < shortest)
			continue;
		difference = left / (double)j - (total - left) / (double)(n - j);
		statistic = difference * difference * (double)j * (double)(n - j) / (double)n;
		if (statistic > best.statistic)
			best = (struct split){ statistic, j };
	}
	return best;
}

/* Variance of a mean of n correlated values, times n. Never zero: steps below 0.1 % are no steps. */
static double mean_variance(struct noise noise)
{
	double sd = fmax(noise.sd, 1e-3);

	return sd * sd * (1 + noise.correlation) / (1 - noise.correlation);
}

/*
 * Would a flat series with this correlation show such a split? The simulated series estimate their noise as
 * the data did, so that the error of that estimate is in the comparison.
 */
static bool is_real(const struct split *split, size_t n, size_t shortest, struct noise noise,
		    struct rng *rng, double *room)
{
	double statistic = split->statistic / mean_variance(noise);
	double *y = room, *scratch = room + n + 1;
	double innovation = sqrt(1 - noise.correlation * noise.correlation);
	unsigned exceed = 0;

	/* No series exceeds the 10 % point of its asymptotic distribution so rarely. */
	if (statistic < 7)
		return false;
	for (unsigned b = 0; b < SIMULATED && exceed <= EXCEED_MAX; b++) {
		double e = rng_normal_pair(rng).a;
		struct noise simulated;

		for (size_t i = 0; i < n; i += 2) {
			struct normal_pair pair = rng_normal_pair(rng);

			y[i] = e;
			y[i + 1] = e = noise.correlation * e + innovation * pair.a;
			e = noise.correlation * e + innovation * pair.b;
		}
		simulated = segment_noise(y, n, scratch);
		exceed += best_split(y, n, shortest).statistic / mean_variance(simulated) >=
			  statistic;
	}
	return exceed <= EXCEED_MAX;
}

size_t segment_bin(size_t n)
{
	return n / BINS_MAX + 1;
}

/* Means of `width` values each. */
static size_t bin(const double *y, size_t n, size_t width, double *ret)
{
	size_t bins = n / width;

	for (size_t i = 0; i < bins; i++)
		ret[i] = sample_mean(y + i * width, i + 1 < bins ? width : n - i * width);
	return bins;
}

static int compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

int segment_find(const double *y, size_t n, size_t shortest, uint64_t seed, struct cuts *ret)
{
	size_t width = segment_bin(n), m;
	_cleanup_free_ double *binned = malloc((n + 1) * sizeof(double));
	_cleanup_free_ double *room = malloc((2 * n + 4) * sizeof(double));
	struct noise noise;
	struct rng rng;

	if (!binned || !room)
		return -ENOMEM;
	m = bin(y, n, width, binned);
	noise = segment_noise(binned, m, room);
	rng_init(&rng, seed, 0);
	if (cuts_push(ret, 0) < 0 || cuts_push(ret, m) < 0)
		return -ENOMEM;
	/* A piece that has been split is looked at again from its start; one that has not is left behind. */
	for (size_t i = 0; i + 1 < ret->n;) {
		/* A value next to a cut may hold some of both sides: it would look like a short piece. */
		size_t low = ret->items[i] + (i > 0);
		size_t high = ret->items[i + 1] - (i + 2 < ret->n);
		struct split split = { 0, 0 };

		if (high >= low + 2 * shortest)
			split = best_split(binned + low, high - low, shortest);
		if (split.at == 0 || !is_real(&split, high - low, shortest, noise, &rng, room)) {
			i++;
			continue;
		}
		if (cuts_push(ret, low + split.at) < 0)
			return -ENOMEM;
		qsort(ret->items, ret->n, sizeof(*ret->items), compare_sizes);
	}
	for (size_t i = 0; i < ret->n; i++)
		ret->items[i] = ret->items[i] == m ? n : ret->items[i] * width;
	return 0;
}
