/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include <stdbool.h>

#include "analysis/sawtooth.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

#define OPS 20000

/* The source's: ramps from 25 to 250 us, spikes of 50 to 300 ms; in ns. */
struct plan {
	double period, noise, bend; /* bend: exponent of the place in the ramp */
	double jitter;		    /* of distances, share of the period */
	double low, high, spike_low, spike_high;
};

static const struct plan plain = { 500, 0.05, 1, 0, 25e3, 250e3, 50e6, 300e6 };

/* What was planted: places and heights of spikes, and what the ramps' ends are on average without noise. */
struct truth {
	size_t at[OPS], n;
	double heights[OPS], low, high;
};

static double ramp_at(const struct plan *p, double place)
{
	return p->low + (p->high - p->low) * pow(fmax(place, 0), p->bend);
}

static void planted(double *x, size_t n, const struct plan *p, struct truth *t, struct rng *rng)
{
	double start = -p->period * rng_double(rng), length = p->period, first = NAN, last = NAN;

	t->n = 0;
	t->low = t->high = 0;
	for (size_t i = 0; i < n; i++) {
		double place = ((double)i - start) / length;

		if (place >= 1) {
			x[i] = p->spike_low * pow(p->spike_high / p->spike_low, rng_double(rng));
			t->heights[t->n] = x[i];
			t->at[t->n++] = i;
			if (t->n > 1) {
				t->low += first;
				t->high += last;
			}
			start += length;
			length = p->period * (1 + p->jitter * normal(rng));
			first = ramp_at(p, ((double)i + 1 - start) / length);
			continue;
		}
		last = ramp_at(p, place);
		x[i] = last * exp(p->noise * normal(rng));
	}
	t->low /= (double)t->n - 1;
	t->high /= (double)t->n - 1;
}

static void shuffle(double *x, size_t n, struct rng *rng)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = rng_below(rng, i + 1);
		double swap = x[i];

		x[i] = x[j];
		x[j] = swap;
	}
}

static double median(double *x, size_t n)
{
	sample_sort(x, n);
	return sorted_quantile(x, n, 0.5);
}

static bool contains(const struct estimate *e, double x)
{
	return e->low <= x * (1 + 1e-9) && e->high >= x * (1 - 1e-9);
}

/* What was planted comes out: every spike, and no other, at its place. */
static void planted_found(void **state)
{
	static const struct plan plans[] = {
		{ 500, 0.05, 1, 0, 25e3, 250e3, 50e6, 300e6 },
		{ 500, 0.2, 1, 0, 25e3, 250e3, 50e6, 300e6 },
		{ 333.3, 0.3, 1.5, 0, 20e3, 200e3, 5e6, 50e6 },
		{ 60, 0.1, 1, 0, 30e3, 300e3, 50e6, 300e6 },
		{ 1500, 0.2, 1, 0.1, 25e3, 250e3, 10e6, 20e6 },
		{ 400, 0.1, 0.7, 0.05, 100e3, 150e3, 1e6, 1.2e6 },
	};
	static double x[OPS];
	static struct truth t;

	(void)state;
	for (size_t k = 0; k < sizeof(plans) / sizeof(*plans); k++) {
		const struct plan *p = &plans[k];
		unsigned found = 0, spikes = 0, period = 0, ends = 0, covered[3] = { 0 }, runs = 20;
		double worst = 0;

		for (uint64_t seed = 0; seed < runs; seed++) {
			_cleanup_(spikes_release) struct spikes seen = { 0 };
			struct sawtooth s;
			struct rng rng;
			double low, high;

			rng_init(&rng, seed, k);
			planted(x, OPS, p, &t, &rng);
			assert_int_equal(sawtooth_find(x, OPS, seed, &seen, &s), 0);
			found += s.found;
			if (seen.n == t.n && memcmp(seen.items, t.at, t.n * sizeof(*t.at)) == 0)
				spikes++;
			assert_int_equal(s.spikes_n, seen.n);
			low = fabs(s.ramp_low.value / t.low - 1);
			high = fabs(s.ramp_high.value / t.high - 1);
			period += fabs(s.period_ops.value / p->period - 1) < 0.02 + p->jitter;
			ends += low < 0.05 && high < 0.05;
			worst = fmax(worst, fmax(low, high));
			covered[0] += contains(&s.period_ops, p->period);
			covered[1] += contains(&s.ramp_low, t.low);
			covered[2] += contains(&s.ramp_high, t.high);
			if (seen.n == t.n)
				assert_near(s.spike_median, median(t.heights, t.n),
					    1e-6 * s.spike_median);
		}
		printf("# every %.1f ops, noise %.0f %%, bend %.1f, jitter %.0f %%: found %u of "
		       "%u, every spike "
		       "%u, period %u, ends %u (worst %.1f %%); covered: period %u, low %u, high "
		       "%u\n",
		       p->period, 100 * p->noise, p->bend, 100 * p->jitter, found, runs, spikes,
		       period, ends, 100 * worst, covered[0], covered[1], covered[2]);
		assert_true(found == runs && spikes == runs && period == runs);
		assert_true(ends * 20 >= runs * (p->noise < 0.25 ? 19 : 17));
		/* A ramp that begins steeper than any line is met less well. */
		assert_true(covered[1] >= (p->bend < 1 ? 0.6 : 0.85) * runs);
		assert_true(covered[2] >= 0.8 * runs);
		assert_true(covered[0] * 10 >= runs * 9);
	}
}

/* Shuffled, the same latencies are none; nor are ramps and spikes that have nothing to do with each other. */
static void controls(void **state)
{
	static const double periods[] = { 20, 60, 500, 2000 };
	static double x[OPS];
	static struct truth t;
	struct sawtooth s;

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		unsigned shuffled = 0, regular = 0, rising = 0, flat = 0, random = 0, runs = 40;

		for (uint64_t seed = 0; seed < runs; seed++) {
			struct plan p = plain;
			struct rng rng;

			rng_init(&rng, seed, 20 + k);
			p.period = periods[k];
			p.noise = 0.2;
			planted(x, OPS, &p, &t, &rng);
			shuffle(x, OPS, &rng);
			assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
			shuffled += s.found;
			regular += s.p_period <= 0.05;
			rising += s.p_ramp <= 0.05;
			/* Regular spikes on level ground. */
			p.high = p.low;
			planted(x, OPS, &p, &t, &rng);
			assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
			flat += s.found;
			/* Spikes anywhere in ramps that go on. */
			for (size_t i = 0; i < OPS; i++)
				x[i] = rng_double(&rng) * periods[k] < 1
					       ? 1e8
					       : 5e4 * (1 + (double)(i % 700) / 700);
			assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
			random += s.found;
		}
		printf("# every %.0f ops: shuffled %u of %u (p <= 0.05: period %u, ramp %u), "
		       "without ramps %u, spikes "
		       "anywhere %u\n",
		       periods[k], shuffled, runs, regular, rising, flat, random);
		assert_true(shuffled * 20 <= runs && flat * 20 <= runs && random * 20 <= runs);
		/* 5 and 7 % of 400 runs: with so few it may be some more. */
		assert_true(regular * 20 <= 3 * runs && rising * 20 <= 3 * runs);
	}
}

/* Noise with long tails has no spikes to speak of, ramps without spikes are none. */
static void no_spikes(void **state)
{
	static double x[OPS];
	unsigned spikes = 0, exponential = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct sawtooth s;
		struct rng rng;

		rng_init(&rng, seed, 30);
		for (int i = 0; i < OPS; i++)
			x[i] = 1e5 * exp(0.5 * normal(&rng));
		assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
		assert_false(s.found);
		spikes += s.spikes_n > 0;
		for (int i = 0; i < OPS; i++)
			x[i] = rng_exp(&rng, 1e5);
		assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
		assert_false(s.found);
		exponential += s.spikes_n > 0;
		for (int i = 0; i < OPS; i++)
			x[i] = 25e3 + 225e3 * (i % 500) / 500;
		assert_int_equal(sawtooth_find(x, OPS, seed, NULL, &s), 0);
		assert_int_equal(s.spikes_n, 0);
	}
	printf("# spikes in noise: log-normal %u, exponential %u of 30\n", spikes, exponential);
	assert_true(spikes <= 2 && exponential <= 2);
}

static void edges(void **state)
{
	static double x[OPS];
	static struct truth t;
	_cleanup_(spikes_release) struct spikes seen = { 0 };
	struct sawtooth s;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, 1);
	planted(x, OPS, &plain, &t, &rng);
	assert_int_equal(sawtooth_find(x, 255, 1, NULL, &s), 0);
	assert_int_equal(s.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(sawtooth_find(NULL, 0, 1, NULL, &s), 0);
	assert_int_equal(s.status, STATUS_NOT_IDENTIFIABLE);
	/* Five spikes are no period, but they are spikes. */
	assert_int_equal(sawtooth_find(x, t.at[4] + 20, 1, &seen, &s), 0);
	assert_int_equal(s.status, STATUS_MEASURED);
	assert_int_equal(s.spikes_n, 5);
	assert_int_equal(seen.items[4], t.at[4]);
	assert_false(s.found);
	assert_int_equal(s.period_ops.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(s.ramp_low.status, STATUS_MEASURED);
	/* Several operations that wait for one event are one spike. */
	for (int i = 0; i < 20; i++) {
		x[t.at[i] + 1] = x[t.at[i]] / 2;
		x[t.at[i] + 3] = x[t.at[i]] / 3;
	}
	assert_int_equal(sawtooth_find(x, OPS, 1, NULL, &s), 0);
	assert_true(s.found);
	assert_near(s.period_ops.value, 500, 0.1);
	/* All the same. */
	for (int i = 0; i < OPS; i++)
		x[i] = 5;
	assert_int_equal(sawtooth_find(x, OPS, 1, NULL, &s), 0);
	assert_int_equal(s.status, STATUS_MEASURED);
	assert_false(s.found);
	assert_int_equal(s.ramp_low.status, STATUS_NOT_IDENTIFIABLE);
	assert_true(isnan(s.spike_max));
	x[7] = 0;
	assert_int_equal(sawtooth_find(x, OPS, 1, NULL, &s), 0);
	assert_int_equal(s.status, STATUS_NOT_IDENTIFIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_found),
		cmocka_unit_test(controls),
		cmocka_unit_test(no_spikes),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
