/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "theory.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Where f(x) - what the caller compares with - changes its sign: f rises from below to above in [low, high]. */
#define STEPS 200

double theory_random(double alpha)
{
	return alpha / (alpha - 1);
}

double theory_fifo(double alpha)
{
	double x = -alpha * exp(-alpha), low = -1, high = 0;

	/* W(x) by bisection: w e^w rises in (-1, 0). */
	for (int i = 0; i < STEPS; i++) {
		double w = (low + high) / 2;

		if (w * exp(w) < x)
			low = w;
		else
			high = w;
	}
	return alpha / (alpha + low);
}

double theory_greedy(double alpha, unsigned b)
{
	_cleanup_free_ double *h = calloc(b + 2, sizeof(*h));
	double r = 1 / alpha;

	assert_non_null(h);
	for (unsigned i = 1; i < b + 2; i++)
		h[i] = h[i - 1] + 1.0 / i;
	for (unsigned m = 0; m < b; m++) {
		double down = 1 - b * r / (m + 1);
		double up = b * r * (h[b] - h[m + 1]) - (double)(b - m - 1);
		double x = up / down;

		if (fabs(down) > 1e-12 && x >= -1e-9 && x <= 1 + 1e-9)
			return b / ((double)b - (m + 1 - x));
	}
	return NAN;
}

/* The mean number of valid units where A is such that c = 1 / (A r). */
static double choices_mean(double c, unsigned b, unsigned d)
{
	double above = 0, mean = 0; /* above: t_{i+1} */

	for (unsigned i = b; i > 0; i--) {
		double low = 0, high = 1 - above;

		for (int k = 0; k < 60; k++) {
			double pi = (low + high) / 2;

			if (pow(above + pi, d) + c * i * pi < 1)
				low = pi;
			else
				high = pi;
		}
		above += low;
		mean += i * low;
	}
	return mean;
}

double theory_choices(double alpha, unsigned b, unsigned d)
{
	double low = 1, high = 2 * theory_random(alpha);

	for (int k = 0; k < 50; k++) {
		double a = (low + high) / 2;

		if (choices_mean(alpha / a, b, d) < b / alpha)
			low = a;
		else
			high = a;
	}
	return low;
}

double theory_hot_cold_fifo(double alpha, double r, double f)
{
	double low = 1, high = 500;

	for (int i = 0; i < STEPS; i++) {
		double a = (low + high) / 2;
		double is = 1 + r / expm1(r / f * alpha / a) +
			    (1 - r) / expm1((1 - r) / (1 - f) * alpha / a);

		if (is > a)
			low = a;
		else
			high = a;
	}
	return low;
}

double theory_hot_cold_greedy(double alpha, unsigned b, double r, double f)
{
	double k = 1 + 1 / (2.0 * b);

	return theory_hot_cold_fifo(k * alpha, r, f) / k;
}

double theory_trim_used(double q)
{
	return (1 - 2 * q) / (1 - q);
}

struct ssd *theory_drive(double op, unsigned b, uint64_t seed, const char *more)
{
	/* Usable: without the free reserve (4) and the two open ones. */
	uint64_t units = (uint64_t)((THEORY_SUPERBLOCKS - 6) * b / (1 + op));
	char text[1024];

	snprintf(text, sizeof(text),
		 "capacity=%lluB geometry.dies=2 geometry.channels=2 geometry.superblock_units=%u "
		 "geometry.superblocks=%u nand.program_units=8 nand.erase=0ns fw.write=0ns "
		 "seed=%llu %s",
		 (unsigned long long)units * SSD_UNIT_BYTES, b, THEORY_SUPERBLOCKS,
		 (unsigned long long)seed, more);
	return drive_new(text);
}

/* Units in use, and where each is in the list: TRIM takes one of them, a write may add one. */
struct used {
	uint32_t *list, *place, n;
};

static void used_add(struct used *u, uint32_t unit)
{
	if (u->place[unit] != UINT32_MAX)
		return;
	u->place[unit] = u->n;
	u->list[u->n++] = unit;
}

static uint32_t used_take(struct used *u, uint32_t i)
{
	uint32_t unit = u->list[i], last = u->list[--u->n];

	u->list[i] = last;
	u->place[last] = i;
	u->place[unit] = UINT32_MAX;
	return unit;
}

static uint32_t draw(const struct theory_load *load, uint32_t units, struct rng *rng)
{
	uint32_t hot = (uint32_t)(units * load->hot_units);

	if (load->span > 0)
		return (uint32_t)rng_below(rng, (uint64_t)(units * load->span));
	if (!hot)
		return (uint32_t)rng_below(rng, units);
	if (rng_double(rng) < load->hot_writes)
		return (uint32_t)rng_below(rng, hot);
	return hot + (uint32_t)rng_below(rng, units - hot);
}

struct theory_run theory_run(struct ssd *ssd, const struct theory_load *load)
{
	uint32_t units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);
	_cleanup_free_ uint32_t *list = calloc(units, sizeof(*list));
	_cleanup_free_ uint32_t *place = calloc(units, sizeof(*place));
	struct used used = { .list = list, .place = place };
	uint64_t before = (uint64_t)(units * load->before), start = 0;
	uint64_t n = before + (uint64_t)(units * load->measured);
	struct closed c = { .depth = 32 };
	struct ssd_stats was = { 0 }, is;
	struct theory_run ret;
	struct err err = { 0 };
	struct rng rng;

	assert_true(list && place);
	for (uint32_t i = 0; i < units; i++)
		list[i] = place[i] = i;
	used.n = units;
	rng_init(&rng, load->seed, 0);
	drive_fill(ssd, &c);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *slot = closed_next(&c);
		struct ssd_times t;

		if (i == before) {
			ssd_get_stats(ssd, &was);
			start = c.now_ns;
		}
		if (load->trim > 0 && rng_double(&rng) < load->trim) {
			ssd_trim(ssd, c.now_ns, used_take(&used, (uint32_t)rng_below(&rng, used.n)),
				 1, &t);
		} else {
			uint32_t unit = draw(load, units, &rng);

			used_add(&used, unit);
			ssd_write(ssd, c.now_ns, unit, 1, NULL, &t);
		}
		*slot = t.done_ns;
	}
	ssd_get_stats(ssd, &is);
	ret.wa = (double)(is.nand_units - was.nand_units) /
		 (double)(is.host_write_units - was.host_write_units);
	ret.iops = (double)(is.host_write_units - was.host_write_units) /
		   (double)(c.now_ns - start) * 1e9;
	ret.alpha = (double)is.main_units / (double)is.mapped_units;
	ret.used = (double)is.mapped_units / units;
	assert_int_equal(is.mapped_units, used.n);
	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

void theory_near(const char *what, double value, double want, double pct)
{
	printf("# %s: %.4f, closed form %.4f (%+.2f %%)\n", what, value, want,
	       (value / want - 1) * 100);
	if (!(fabs(value / want - 1) * 100 <= pct))
		fail_msg("%s: %.4f is not within %g %% of %.4f", what, value, pct, want);
}
