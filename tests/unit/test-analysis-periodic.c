/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planted periods are found within 2 %, of whatever form; what has none is said to have one in at most one of
 * twenty, be it white or correlated; the interval holds the truth.
 */
#include "test.h"

#include "analysis.h"

#include "analysis/periodic.h"

#define N 1500
#define RUNS 40

enum form { SINE, SAWTOOTH, BURSTS, FORMS };
static const char *const form_names[] = { "sine", "sawtooth", "bursts" };

static double shape(enum form form, double turn)
{
	turn -= floor(turn);
	if (form == SINE)
		return sin(2 * M_PI * turn);
	if (form == SAWTOOTH)
		return 2 * turn - 1;
	return turn < 0.03 ? 12 : 0; /* 3 % of the time at many times the level */
}

static void planted(void **state)
{
	static double x[N];
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, 0);
	for (int form = 0; form < FORMS; form++) {
		unsigned found = 0, near = 0, held = 0;

		for (int run = 0; run < RUNS; run++) {
			double period = 20 + 180 * (double)run / RUNS, phase = rng_double(&rng);
			struct periodic p;

			for (int i = 0; i < N; i++)
				x[i] = 10 + shape((enum form)form, i / period + phase) +
				       0.2 * normal(&rng);
			assert_int_equal(periodic_find(x, N, (uint64_t)run, &p), 0);
			if (p.status != STATUS_MEASURED)
				continue;
			found++;
			near += fabs(p.period.value / period - 1) < 0.02;
			held += period >= p.period.low && period <= p.period.high;
			assert_true(p.amplitude > 0.1);
		}
		printf("# %s: %u of %d found, %u within 2 %%, %u intervals hold it\n",
		       form_names[form], found, RUNS, near, held);
		assert_true(found >= RUNS - 1);
		assert_true(near >= RUNS * 95 / 100);
		assert_true(held >= RUNS * 85 / 100);
	}
}

/* No period: white, correlated, with a trend, with steps of level, with rare stalls. */
static void none(void **state)
{
	static const double correlations[] = { 0, 0.5, 0.9 };
	static double x[N];
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, 0);
	for (unsigned c = 0; c < 3; c++) {
		double a = correlations[c];
		unsigned found = 0;

		for (int run = 0; run < RUNS; run++) {
			struct periodic p;
			double e = normal(&rng);

			for (int i = 0; i < N; i++) {
				e = a * e + sqrt(1 - a * a) * normal(&rng);
				x[i] = 100 + e + 0.001 * i * (run % 2);
			}
			assert_int_equal(periodic_find(x, N, (uint64_t)run, &p), 0);
			found += p.status == STATUS_MEASURED;
		}
		printf("# correlation %.1f: %u of %d have a period\n", a, found, RUNS);
		assert_true(found <= RUNS / 20);
	}
	unsigned found = 0;

	for (int run = 0; run < RUNS; run++) {
		struct periodic p;

		for (int i = 0; i < N; i++)
			x[i] = 100 + normal(&rng) - (rng_below(&rng, 40) ? 0 : 60);
		assert_int_equal(periodic_find(x, N, (uint64_t)run, &p), 0);
		found += p.status == STATUS_MEASURED;
	}
	printf("# stalls at random: %u of %d have a period\n", found, RUNS);
	assert_true(found <= RUNS / 20);
}

static void nothing_to_find(void **state)
{
	static double x[N];
	struct periodic p;

	(void)state;
	for (int i = 0; i < N; i++)
		x[i] = 42;
	assert_int_equal(periodic_find(x, N, 1, &p), 0);
	assert_int_equal(p.status, STATUS_NOT_IDENTIFIABLE);
	for (int i = 0; i < N; i++)
		x[i] = 42 + i; /* a trend alone is no period either */
	assert_int_equal(periodic_find(x, N, 1, &p), 0);
	assert_int_not_equal(p.status, STATUS_MEASURED);
	assert_int_equal(periodic_find(x, PERIODIC_MIN - 1, 1, &p), 0);
	assert_int_equal(p.status, STATUS_NOT_IDENTIFIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted),
		cmocka_unit_test(none),
		cmocka_unit_test(nothing_to_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
