/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "device/model.h"
#include "drive.h"

#define AHEAD 64u

struct ssd *model_drive(const char *text)
{
	char copy[512], *save = NULL, *name;
	struct model *m = NULL;
	struct err err = { 0 };
	struct ssd *ret = NULL;
	int r;

	snprintf(copy, sizeof(copy), "%s", text);
	name = strtok_r(copy, ",", &save);
	r = model_load(&m, name, NULL, &err);
	for (char *word; r == 0 && (word = strtok_r(NULL, ",", &save));) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		r = model_set(m, word, equals + 1, &err);
	}
	if (r == 0)
		r = model_check(m, &err);
	if (r == 0)
		r = ssd_new(&ret, &m->config, &err);
	model_free(m);
	if (r < 0)
		fail_msg("%s", err.text);
	return ret;
}

uint32_t *random_seconds(struct ssd *ssd, const struct random_load *load)
{
	uint32_t *ret = calloc(load->seconds, sizeof(*ret)), unit[AHEAD];
	uint64_t end = (uint64_t)load->seconds * NS_PER_S;
	struct closed c = { .depth = load->depth };
	struct rng rng;

	assert_non_null(ret);
	rng_init(&rng, load->seed, 0);
	for (unsigned i = 0; i < AHEAD; i++)
		unit[i] = (uint32_t)rng_below(&rng, load->span_units);
	for (uint64_t n = 0;; n++) {
		uint64_t *slot = closed_next(&c);
		struct ssd_times t;

		if (c.now_ns >= end)
			return ret;
		ssd_write(ssd, c.now_ns, unit[n % AHEAD], 1, NULL, &t);
		unit[n % AHEAD] = (uint32_t)rng_below(&rng, load->span_units);
		ssd_prefetch(ssd, unit[n % AHEAD]);
		*slot = t.done_ns;
		if (t.done_ns < end)
			ret[t.done_ns / NS_PER_S]++;
	}
}

double series_mean(const uint32_t *x, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += x[i];
	return sum / (to - from);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *means(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width, uint32_t *ret_n)
{
	uint32_t n = (to - from) / width;
	double *ret = calloc(n, sizeof(*ret));

	assert_non_null(ret);
	for (uint32_t i = 0; i < n; i++)
		ret[i] = series_mean(x, from + i * width, from + (i + 1) * width);
	*ret_n = n;
	return ret;
}

double series_median(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width)
{
	uint32_t n;
	double *all = means(x, from, to, width, &n), ret;

	qsort(all, n, sizeof(*all), compare);
	ret = n % 2 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
	free(all);
	return ret;
}

double series_variation(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width)
{
	uint32_t n;
	double *all = means(x, from, to, width, &n), mean = 0, square = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += all[i] / n;
	for (uint32_t i = 0; i < n; i++)
		square += (all[i] - mean) * (all[i] - mean) / (n - 1);
	free(all);
	return sqrt(square) / mean;
}

double series_least(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width,
		    uint32_t *ret_end)
{
	double least = INFINITY;

	for (uint32_t i = from; i + width <= to; i++) {
		double mean = series_mean(x, i, i + width);

		if (mean < least) {
			least = mean;
			*ret_end = i + width;
		}
	}
	return least;
}

/* Highest line of the periodogram over the sum of all. */
static double line_share(const uint32_t *x, uint32_t n, double mean, uint32_t first, uint32_t last)
{
	double sum = 0, top = 0;

	for (uint32_t k = first; k <= last; k++) {
		/* Goertzel: one line of the discrete Fourier transform. */
		double c = 2 * cos(2 * M_PI * k / n), s1 = 0, s2 = 0, power;

		for (uint32_t i = 0; i < n; i++) {
			double s = (double)x[i] - mean + c * s1 - s2;

			s2 = s1;
			s1 = s;
		}
		power = s1 * s1 + s2 * s2 - c * s1 * s2;
		sum += power;
		top = fmax(top, power);
	}
	return top / sum;
}

static double autocovariance(const uint32_t *x, uint32_t n, double mean, uint32_t lag)
{
	double sum = 0;

	for (uint32_t i = 0; i + lag < n; i++)
		sum += ((double)x[i] - mean) * ((double)x[i + lag] - mean);
	return sum / (n - lag);
}

double series_period(const uint32_t *x, uint32_t from, uint32_t to, uint32_t least, uint32_t most,
		     double *ret_p)
{
	uint32_t n = to - from, first = n / most + 1, last = n / least, ret = 0, lag = 1;
	double mean = series_mean(x, from, to), best = 0, lines = last - first + 1;

	*ret_p = lines * pow(1 - line_share(x + from, n, mean, first, last), lines - 1);
	while (lag < most && autocovariance(x + from, n, mean, lag) > 0)
		lag++;
	for (lag = lag > least ? lag : least; lag <= most; lag++) {
		double r = autocovariance(x + from, n, mean, lag);

		if (r > best) {
			best = r;
			ret = lag;
		}
	}
	return ret;
}
