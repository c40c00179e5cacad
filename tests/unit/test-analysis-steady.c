/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/steady.h"

/* The rule at its limits, by hand. */
static void rounds(void **state)
{
	static const double falling[] = { 1000, 500, 300, 200, 150, 130, 120, 118, 117, 116, 116 };
	static const double drifting[] = { 100, 103, 106, 109, 112, 115, 118, 121 };
	static const double swinging[] = { 100, 130, 100, 130, 100, 130, 100, 130 };
	/* Range exactly 20 % of the mean, no slope; and a hair more. */
	static const double edge[] = { 90, 110, 100, 110, 90 };
	static const double beyond[] = { 89.9, 110, 100.1, 110, 90 };
	struct steady s;

	(void)state;
	steady_rounds(falling, 4, 0, &s);
	assert_int_equal(s.status, STATUS_NOT_IDENTIFIABLE);
	steady_rounds(falling, 11, 0, &s);
	assert_int_equal(s.status, STATUS_MEASURED);
	assert_int_equal(s.first, 6); /* from 130 on: range 11.6 %, but slope 10.3 % */
	steady_rounds(drifting, 8, 0, &s);
	assert_int_equal(s.status, STATUS_NOT_REACHED);
	assert_int_equal(s.first, 3);
	assert_true(fabs(s.range - 12 / 115.0) < 1e-12);
	assert_true(fabs(s.slope - 12 / 115.0) < 1e-12);
	steady_rounds(swinging, 8, 0, &s);
	assert_int_equal(s.status, STATUS_NOT_REACHED);
	steady_rounds(edge, 5, 0, &s);
	assert_int_equal(s.status, STATUS_MEASURED);
	assert_true(fabs(s.mean - 100) < 1e-12);
	assert_true(fabs(s.slope - 0) < 1e-12);
	steady_rounds(beyond, 5, 0, &s);
	assert_int_equal(s.status, STATUS_NOT_REACHED);
}

/* Not before the round that the caller allows, however steady it was. */
static void earliest(void **state)
{
	double flat[12];
	struct steady s;

	(void)state;
	for (int i = 0; i < 12; i++)
		flat[i] = 7;
	steady_rounds(flat, 12, 0, &s);
	assert_int_equal(s.first, 0);
	steady_rounds(flat, 12, 8, &s);
	assert_int_equal(s.first, 4);
	steady_rounds(flat, 12, 12, &s);
	assert_int_equal(s.status, STATUS_NOT_REACHED);
}

/* An exponential transient with noise: the cut lies where it has sunk into the noise, in nearly all of 200. */
static void truncation(void **state)
{
	static double x[1000];
	unsigned good = 0;
	struct rng rng;
	size_t cut;

	(void)state;
	rng_init(&rng, 5, 0);
	for (int run = 0; run < 200; run++) {
		for (int i = 0; i < 1000; i++)
			x[i] = 100 + 200 * exp(-i / 20.0) + 5 * normal(&rng);
		assert_int_equal(steady_truncate(x, 1000, &cut), STATUS_MEASURED);
		/* 200 exp(-i / 20) is below 5 from 74 on, below 0.5 from 120 on. */
		good += cut >= 45 && cut <= 160;
	}
	printf("# transients cut between 45 and 160: %u of 200\n", good);
	assert_true(good >= 190);
	/* One that goes on for longer than half of the series is told as such. */
	for (int i = 0; i < 1000; i++)
		x[i] = 1000 - i;
	assert_int_equal(steady_truncate(x, 1000, &cut), STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(steady_truncate(x, 39, &cut), STATUS_NOT_IDENTIFIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds),
		cmocka_unit_test(earliest),
		cmocka_unit_test(truncation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
