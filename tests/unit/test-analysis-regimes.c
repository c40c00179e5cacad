/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/regimes.h"

static double level(int i)
{
	static const double levels[S0_LEVELS] = { 0,  5,  10, 15, 20, 25, 30, 35, 40, 46, 51,
						  56, 61, 66, 71, 76, 81, 86, 91, 96, 99 };

	return levels[i];
}

/* A ladder of 21 levels with repeats. */
struct ladder {
	int repeats;
	double breaks[3]; /* 0 ends the list */
	double intercept[4], slope[4];
	double sd;
};

static struct regimes find(const struct ladder *l, uint64_t seed)
{
	double x[S0_LEVELS * 5], y[S0_LEVELS * 5];
	struct regimes ret;
	size_t n = 0;
	struct rng rng;

	rng_init(&rng, seed, 31);
	for (int i = 0; i < S0_LEVELS; i++) {
		int piece = 0;

		while (piece < 3 && l->breaks[piece] > 0 && level(i) > l->breaks[piece])
			piece++;
		for (int r = 0; r < l->repeats; r++) {
			x[n] = level(i);
			y[n++] = l->intercept[piece] + l->slope[piece] * level(i) +
				 l->sd * normal(&rng);
		}
	}
	assert_int_equal(regimes_find(x, y, n, seed, &ret), 0);
	return ret;
}

/* Straight lines, level or steep, with any noise: at most 5 % have a break. */
static void straight(void **state)
{
	static const double slopes[] = { 0, -0.5, 3 };

	(void)state;
	for (int repeats = 1; repeats <= 3; repeats += 2) {
		for (int i = 0; i < 3; i++) {
			struct ladder l = { .repeats = repeats,
					    .intercept = { 406 },
					    .slope = { slopes[i] },
					    .sd = 1 + i };
			unsigned found = 0, runs = 200;

			for (uint64_t seed = 0; seed < runs; seed++)
				found += find(&l, seed + 1000 * (uint64_t)i).segments != 1;
			if (found * 20 > runs)
				fail_msg("repeats %d, slope %g: %u of %u", repeats, slopes[i],
					 found, runs);
		}
	}
}

/* Finds one break in `runs` seeds of the ladder at least so often, in per cent: one, near, covered. */
static void assert_one_break(const struct ladder *l, unsigned one_pct, unsigned near_pct)
{
	unsigned one = 0, near = 0, covered = 0, runs = 50;

	for (uint64_t seed = 0; seed < runs; seed++) {
		struct regimes r = find(l, seed);

		if (r.segments != 2)
			continue;
		one++;
		near += fabs(r.breaks[0].value - l->breaks[0]) <= 6;
		covered += r.breaks[0].low <= l->breaks[0] && r.breaks[0].high >= l->breaks[0];
	}
	if (one * 100 < runs * one_pct || near * 100 < runs * near_pct || covered * 100 < runs * 90)
		fail_msg("at %g: one %u, near %u, covered %u of %u", l->breaks[0], one, near,
			 covered, runs);
}

/* A step of five sd, and a bend of two sd a level: one break, within a step of the ladder. */
static void one_break(void **state)
{
	static const double at[] = { 12, 44, 48, 90 };

	(void)state;
	for (int repeats = 1; repeats <= 3; repeats += 2) {
		for (int i = 0; i < 4; i++) {
			struct ladder l = { .repeats = repeats,
					    .breaks = { at[i] },
					    .intercept = { 400, 360 },
					    .sd = 8 };

			assert_one_break(&l, 94, 85);
			if (i == 0 || i == 3)
				continue;
			l.intercept[1] = 400 + 3.2 * at[i];
			l.slope[1] = -3.2;
			/* Near a bend both lines say nearly the same: two levels apart will do. */
			assert_one_break(&l, 94, repeats == 1 ? 70 : 94);
		}
	}
}

/* Three regimes as the source saw them, at 45 and 90 %. */
static void three_regimes(void **state)
{
	unsigned three = 0, near = 0, runs = 40;

	(void)state;
	for (uint64_t seed = 0; seed < runs; seed++) {
		struct ladder l = {
			.repeats = 3, .breaks = { 45, 90 }, .intercept = { 406, 350, 280 }, .sd = 8
		};
		struct regimes r = find(&l, seed);

		three += r.segments == 3;
		near += r.segments >= 3 && fabs(r.breaks[0].value - 45) <= 5 &&
			fabs(r.breaks[r.segments - 2].value - 90) <= 5 && r.delta_bic > 10;
		if (r.segments != 3)
			continue;
		assert_int_equal(r.lines, 0);
		assert_true(fabs(r.regime[0].mean - 406) < 6);
		assert_true(fabs(r.regime[2].mean - 280) < 8);
		assert_true(r.regime[0].x_high < r.regime[1].x_low);
		assert_int_equal(r.regime[0].n + r.regime[1].n + r.regime[2].n, 63);
	}
	assert_true(three >= runs - 1);
	assert_true(near >= runs - 1);
}

/* The source's table: sequential writes break off at the end of the ladder, nothing else does. */
static void source_table(void **state)
{
	double table[S0_COLUMNS][S0_LEVELS];
	struct regimes r;

	(void)state;
	s0_load(table);
	for (int column = S0_SEQ1M_READ; column <= S0_RND4K_WRITE; column++) {
		assert_int_equal(regimes_find(table[S0_FILL_PCT], table[column], S0_LEVELS, 1, &r),
				 0);
		assert_int_equal(r.status, STATUS_MEASURED);
		assert_int_equal(r.segments, column == S0_SEQ1M_WRITE ? 2 : 1);
		if (column != S0_SEQ1M_WRITE)
			continue;
		assert_true(r.delta_bic > 10);
		assert_true(r.p < 0.01);
		assert_true(r.breaks[0].value > 85 && r.breaks[0].value < 98);
		assert_true(fabs(r.regime[0].slope) < 0.03);
		assert_true(r.regime[1].slope < -1);
	}
}

static void edges(void **state)
{
	double x[40], y[40];
	struct regimes r;

	(void)state;
	for (int i = 0; i < 40; i++) {
		x[i] = 39 - i;
		y[i] = 7;
	}
	assert_int_equal(regimes_find(x, y, 0, 1, &r), 0);
	assert_int_equal(r.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(regimes_find(x, y, 5, 1, &r), 0);
	assert_int_equal(r.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(r.segments, 0);
	/* Not a single difference. */
	assert_int_equal(regimes_find(x, y, 40, 1, &r), 0);
	assert_int_equal(r.segments, 1);
	assert_true(fabs(r.regime[0].mean - 7) < 1e-12);
	/* An exact line, downwards given. */
	for (int i = 0; i < 40; i++)
		y[i] = 3 + 2 * x[i];
	assert_int_equal(regimes_find(x, y, 40, 1, &r), 0);
	assert_int_equal(r.segments, 1);
	assert_true(fabs(r.regime[0].slope - 2) < 1e-9);
	assert_true(fabs(r.regime[0].intercept - 3) < 1e-9);
	/* An exact step. */
	for (int i = 0; i < 40; i++)
		y[i] = x[i] < 19.5 ? 5 : 4;
	assert_int_equal(regimes_find(x, y, 40, 1, &r), 0);
	assert_int_equal(r.segments, 2);
	assert_false(r.lines);
	assert_true(fabs(r.breaks[0].value - 19.5) < 1e-12);
	assert_true(fabs(r.breaks[0].low - 19) < 1e-12 && fabs(r.breaks[0].high - 20) < 1e-12);
	/* Many points at only three x. */
	for (int i = 0; i < 40; i++)
		x[i] = i % 3;
	assert_int_equal(regimes_find(x, y, 40, 1, &r), 0);
	assert_int_equal(r.status, STATUS_NOT_IDENTIFIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight),	 cmocka_unit_test(one_break),
		cmocka_unit_test(three_regimes), cmocka_unit_test(source_table),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
