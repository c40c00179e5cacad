/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/periodic.h"

#include <errno.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/segment.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define SIGNIFICANT 0.01
#define FOLD_MAX 256u
#define PARTS_MAX 8u
#define PART_SHARE 0.7

static void take_trend_out(const double *x, size_t n, double *ret)
{
	double mean = sample_mean(x, n), middle = ((double)n - 1) / 2, slope = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double t = (double)i - middle;

		slope += t * (x[i] - mean);
		squares += t * t;
	}
	slope /= squares;
	for (size_t i = 0; i < n; i++)
		ret[i] = x[i] - mean - slope * ((double)i - middle);
}

/* Room for transforms: `size`, a power of two, is at least twice the values. */
struct room {
	double *r; /* the autocorrelation by lag, after correlate() */
	size_t size;
};

/* Autocorrelation of n values by the power spectrum. */
static bool correlate(const double *y, size_t n, struct room *to)
{
	double *room = to->r, power;
	size_t size = to->size;

	memcpy(room, y, n * sizeof(*y));
	memset(room + n, 0, (size - n) * sizeof(*y));
	gsl_fft_real_radix2_transform(room, 1, size);
	room[0] *= room[0];
	room[size / 2] *= room[size / 2];
	for (size_t i = 1; i < size / 2; i++) {
		room[i] = room[i] * room[i] + room[size - i] * room[size - i];
		room[size - i] = 0;
	}
	gsl_fft_halfcomplex_radix2_inverse(room, 1, size);
	power = room[0];
	if (!(power > 0))
		return false;
	for (size_t i = 0; i < n; i++)
		room[i] /= power;
	return true;
}

/* The highest peak behind the first zero; 0: there is none. */
static size_t highest_peak(const double *r, size_t n)
{
	size_t lag = 1, best = 0, last = n / 3;

	while (lag < last && r[lag] > 0)
		lag++;
	for (; lag < last; lag++)
		if (r[lag] > r[lag - 1] && r[lag] >= r[lag + 1] && (!best || r[lag] > r[best]))
			best = lag;
	return best;
}

static void shuffle(double *x, size_t n, struct rng *rng)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = rng_below(rng, i);
		double swap = x[i - 1];

		x[i - 1] = x[k];
		x[k] = swap;
	}
}

/*
 * Share of series that have as high a peak although they cannot have a period: y is a times its neighbour and
 * something new; the new is put in another order. Stops where it is no longer of interest.
 */
static int significance(const double *y, size_t n, const struct periodic *found, uint64_t seed,
			struct room *room, double *ret)
{
	_cleanup_free_ double *other = malloc((n + 1) * sizeof(*other));
	_cleanup_free_ double *news = malloc((n + 1) * sizeof(*news));
	double a = fmin(fmax(room->r[1], 0), 0.999);
	unsigned exceed = 0, done = 0;
	struct rng rng;

	if (!other || !news)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		news[i] = i ? y[i] - a * y[i - 1] : y[0] * sqrt(1 - a * a);
	rng_init(&rng, seed, 0);
	for (;
	     done < PERIODIC_SURROGATES && (1 + exceed) <= SIGNIFICANT * (1 + PERIODIC_SURROGATES);
	     done++) {
		double e = y[rng_below(&rng, n)];
		size_t at;

		shuffle(news, n, &rng);
		for (size_t i = 0; i < n; i++)
			other[i] = e = a * e + news[i];
		take_trend_out(other, n, other);
		if (!correlate(other, n, room))
			continue;
		at = highest_peak(room->r, n);
		exceed += at && room->r[at] >= found->peak;
	}
	*ret = (1.0 + exceed) / (1.0 + done);
	return 0;
}

/* The lag of the highest value within a quarter of a period around `near`. */
static size_t peak_near(const double *r, size_t n, double near, double period)
{
	size_t low = (size_t)(near - period / 4), high = (size_t)(near + period / 4) + 1;
	size_t best = low;

	if (high >= n)
		return 0;
	for (size_t i = low; i <= high; i++)
		if (r[i] > r[best])
			best = i;
	return best == low || best == high ? 0 : best;
}

/* A narrow peak between two lags is shared out to both. */
static double mass(const double *r, size_t at)
{
	return r[at - 1] + r[at] + r[at + 1];
}

/*
 * The highest peak may be that of a multiple, where a period that is no whole number of values meets one: take
 * the smallest part of it that stands out nearly as far.
 */
static size_t fundamental(const double *r, size_t n, size_t best)
{
	for (size_t parts = PARTS_MAX; parts > 1; parts--) {
		double part = (double)best / (double)parts;
		size_t at = part >= 4 ? peak_near(r, n, part, part) : 0;

		if (at && mass(r, at) >= PART_SHARE * mass(r, best))
			return at;
	}
	return best;
}

/* Distances of the peaks at multiples. */
static void measure(const double *r, size_t n, size_t first, struct periodic *ret)
{
	double period = (double)first, sum = period, squares = period * period;
	size_t last = first, k = 1;

	for (;;) {
		size_t at = peak_near(r, n * 2 / 3, period * (double)(k + 1), period);
		double distance = (double)at - (double)last;
		/* What is left of the series at a lag bounds its correlation. */
		double room = 1 - (double)at / (double)n;

		if (!at || r[at] < 0.5 * r[first] * room)
			break;
		sum += distance;
		squares += distance * distance;
		last = at;
		k++;
		period = (double)last / (double)k;
	}
	ret->period = estimate_of(period, NAN, (uint64_t)((double)n / period));
	if (k > 1) {
		double variance = fmax(squares - sum * sum / (double)k, 0) / (double)(k - 1);
		/* A peak is known to the value: a uniform error of half a value at either end of the row. */
		double error = sqrt(variance / (double)k + 1.0 / 6 / (double)(k * k));

		ret->period = estimate_of(period, t_point((double)(k - 1)) * error,
					  (uint64_t)((double)n / period));
	}
}

/* The mean repetition, from least to most, over the mean. */
static double amplitude(const double *x, size_t n, double period)
{
	double sum[FOLD_MAX] = { 0 }, least = INFINITY, most = -INFINITY;
	uint64_t count[FOLD_MAX] = { 0 };
	unsigned bins = period < FOLD_MAX ? (unsigned)fmax(period, 2) : FOLD_MAX;

	for (size_t i = 0; i < n; i++) {
		double turn = (double)i / period;
		unsigned bin = (unsigned)((turn - floor(turn)) * bins);

		sum[bin < bins ? bin : bins - 1] += x[i];
		count[bin < bins ? bin : bins - 1]++;
	}
	for (unsigned i = 0; i < bins; i++) {
		if (!count[i])
			continue;
		least = fmin(least, sum[i] / (double)count[i]);
		most = fmax(most, sum[i] / (double)count[i]);
	}
	return (most - least) / fabs(sample_mean(x, n));
}

int periodic_find(const double *x, size_t n, uint64_t seed, struct periodic *ret)
{
	_cleanup_free_ double *y = malloc((n + 1) * sizeof(*y)), *values = NULL;
	struct room room = { .size = 1 };
	size_t at;
	int r;

	*ret = (struct periodic){ STATUS_NOT_IDENTIFIABLE, estimate_none(n), 1, NAN, NAN };
	if (n < PERIODIC_MIN)
		return 0;
	while (room.size < 2 * n)
		room.size *= 2;
	room.r = values = malloc(room.size * sizeof(*values));
	if (!y || !values)
		return -ENOMEM;
	take_trend_out(x, n, y);
	if (sample_variance(y, n) <= 1e-18 * pow(sample_mean(x, n), 2) || !correlate(y, n, &room))
		return 0;
	ret->status = STATUS_NOT_REACHED;
	at = highest_peak(room.r, n);
	if (at < 2)
		return 0;
	ret->peak = room.r[at];
	measure(room.r, n, fundamental(room.r, n, at), ret);
	r = significance(y, n, ret, seed, &room, &ret->p);
	if (r < 0)
		return r;
	if (ret->p > SIGNIFICANT) {
		ret->period = estimate_none(n);
		return 0;
	}
	ret->status = STATUS_MEASURED;
	ret->amplitude = amplitude(x, n, ret->period.value);
	return 0;
}
