/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/dip.h"
#include "analysis/modes.h"
#include "analysis/summary.h"

static double dip(const double *x, size_t n)
{
	double sorted[512], ret;

	assert_true(n <= 512);
	for (size_t i = 0; i < n; i++)
		sorted[i] = x[i];
	sample_sort(sorted, n);
	assert_int_equal(dip_statistic(sorted, n, &ret), 0);
	return ret;
}

/*
 * The dip by its definition, for a few points: the smallest d for which a unimodal distribution function lies
 * within d of the staircase, halved in. At point i the staircase is i / n just before and (i + 1) / n from
 * there on, which bounds the function from above and below. With the mode at a point (where it may jump),
 * left of it the greatest convex function under the upper bounds must keep above the lower ones, the same
 * must hold for the mirror image of the right, and what convexity makes of the left at the mode must not
 * exceed what it leaves to the right. Returns the least value at the mode from the left, 2 if nothing fits.
 */
static double convex_reach(const double *x, size_t n, size_t mode, double d)
{
	double reach = 0;

	for (size_t i = 0; i < mode; i++) {
		double lower = (double)(i + 1) / (double)n - d;

		for (size_t a = 0; a <= i; a++) {
			double upper = (double)a / (double)n + d;

			for (size_t b = i; b <= mode; b++) {
				double upper_b = (double)b / (double)n + d;
				double slope = a == b ? 0 : (upper_b - upper) / (x[b] - x[a]);

				if (upper + slope * (x[i] - x[a]) < lower - 1e-12)
					return 2;
			}
			if (a < i)
				reach = fmax(reach, lower + (lower - upper) / (x[i] - x[a]) *
								    (x[mode] - x[i]));
		}
		reach = fmax(reach, lower);
	}
	return reach;
}

static double dip_by_definition(const double *x, size_t n)
{
	double low = 0, high = 0.5, mirror[16];

	for (size_t i = 0; i < n; i++)
		mirror[i] = -x[n - 1 - i];
	for (int step = 0; step < 40; step++) {
		double d = (low + high) / 2;
		int fits = 0;

		for (size_t mode = 0; mode < n && !fits; mode++)
			fits = convex_reach(x, n, mode, d) +
				       convex_reach(mirror, n, n - 1 - mode, d) <=
			       1 + 1e-12;
		if (fits)
			high = d;
		else
			low = d;
	}
	return fmax(high, 0.5 / (double)n);
}

static void dip_definition(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 8, 1);
	for (int run = 0; run < 500; run++) {
		size_t n = 4 + rng_below(&rng, 9);
		double x[16], a, b;

		for (size_t i = 0; i < n; i++)
			x[i] = rng_double(&rng) + (run % 2 && rng_double(&rng) < 0.5 ? 3 : 0);
		sample_sort(x, n);
		a = dip(x, n);
		b = dip_by_definition(x, n);
		if (fabs(a - b) > 1e-6)
			fail_msg("run %d n %zu: %f, by definition %f", run, n, a, b);
	}
}

static void dip_known(void **state)
{
	double x[200], y[200];
	struct rng rng;

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = i;
	assert_true(fabs(dip(x, 100) - 1.0 / 200) < 1e-12);
	for (int i = 0; i < 100; i++)
		x[i] = 7;
	assert_true(fabs(dip(x, 100) - 1.0 / 200) < 1e-12);
	/* Two far groups of half each: close to 1/4. */
	for (int i = 0; i < 100; i++)
		x[i] = i + (i < 50 ? 0 : 1e6);
	assert_true(dip(x, 100) > 0.24 && dip(x, 100) <= 0.25);
	/* Neither scale nor direction matters. */
	rng_init(&rng, 4, 4);
	for (int run = 0; run < 100; run++) {
		for (int i = 0; i < 200; i++) {
			x[i] = normal(&rng);
			y[i] = 5 - 3 * x[i];
		}
		assert_true(fabs(dip(x, 200) - dip(y, 200)) < 1e-9);
	}
}

/* The source's table: two modes where its author saw a slowdown, none in the sequential columns. */
static void source_table(void **state)
{
	double table[S0_COLUMNS][S0_LEVELS];
	struct modes m;

	(void)state;
	s0_load(table);
	assert_int_equal(modes_find(table[S0_RND4K_WRITE], S0_LEVELS, 1, &m), 0);
	assert_int_equal(m.status, STATUS_MEASURED);
	assert_int_equal(m.modes, 2);
	assert_int_equal(m.low.n, 6);
	assert_int_equal(m.high.n, 15);
	assert_true(fabs(m.ratio.value - 0.76) < 0.005);
	assert_true(m.ratio.low > 0.70 && m.ratio.high < 0.82);
	assert_true(fabs(m.low.value - 33.20) < 0.01);
	assert_true(fabs(m.high.value - 43.68) < 0.01);
	assert_true(m.threshold > 35.69 && m.threshold < 41.26);
	assert_true(m.p_gap < 0.02);
	for (int column = S0_SEQ1M_READ; column <= S0_SEQ1M_WRITE; column++) {
		assert_int_equal(modes_find(table[column], S0_LEVELS, 1, &m), 0);
		assert_int_equal(m.modes, 1);
		assert_int_equal(m.ratio.status, STATUS_NOT_IDENTIFIABLE);
	}
}

static double draw(struct rng *rng, int family)
{
	double u = rng_double(rng);

	switch (family) {
	case 0:
		return normal(rng);
	case 1:
		return u;
	case 2:
		return -log(1 - u);
	case 3:
		return log(1 - u);
	case 4:
		return exp(0.5 * normal(rng));
	case 5:
		return rng_double(rng) + u; /* triangle */
	default:
		return normal(rng) /
		       sqrt((pow(normal(rng), 2) + pow(normal(rng), 2) + pow(normal(rng), 2)) /
			    3); /* Student's t, 3 degrees */
	}
}

/* One mode, whatever its shape: at most one in twenty has two. */
static void false_positives(void **state)
{
	static const size_t sizes[] = { 9, 21, 63 };

	(void)state;
	for (int family = 0; family < 7; family++) {
		for (size_t s = 0; s < 3; s++) {
			unsigned found = 0, runs = 80;

			for (uint64_t seed = 0; seed < runs; seed++) {
				struct modes m;
				struct rng rng;
				double x[64];

				rng_init(&rng, seed, (uint64_t)family);
				for (size_t i = 0; i < sizes[s]; i++)
					x[i] = 40 + 2 * draw(&rng, family);
				assert_int_equal(modes_find(x, sizes[s], seed, &m), 0);
				found += m.modes != 1;
			}
			if (found * 20 > runs)
				fail_msg("family %d, n %zu: %u of %u", family, sizes[s], found,
					 runs);
		}
	}
}

/* Two modes like the source's are found with their ratio and numbers, from some fifteen scores on. */
static void planted(void **state)
{
	static const size_t sizes[] = { 15, 21, 42, 105 };

	(void)state;
	for (size_t s = 0; s < 4; s++) {
		unsigned found = 0, right = 0, covered = 0, runs = 40;

		for (uint64_t seed = 0; seed < runs; seed++) {
			size_t n = sizes[s], slow = 0;
			struct modes m;
			struct rng rng;
			double x[128];

			rng_init(&rng, seed, 77);
			for (size_t i = 0; i < n; i++) {
				int is_slow = i % 7 < 2;

				slow += (size_t)is_slow;
				x[i] = (is_slow ? 33.2 : 43.7) * (1 + 0.03 * normal(&rng));
			}
			assert_int_equal(modes_find(x, n, seed, &m), 0);
			if (m.modes != 2)
				continue;
			found++;
			right += m.low.n == slow && fabs(m.ratio.value / 0.76 - 1) < 0.05;
			covered += m.ratio.low < 33.2 / 43.7 && m.ratio.high > 33.2 / 43.7;
		}
		if (found * 100 < runs * 95 || right * 100 < runs * 95 || covered * 100 < runs * 85)
			fail_msg("n %zu: found %u, right %u, covered %u of %u", sizes[s], found,
				 right, covered, runs);
	}
}

static void edges(void **state)
{
	double x[20] = { 1, 2, 3, 4, 5, 6, 7 };
	struct modes m;

	(void)state;
	assert_int_equal(modes_find(x, 0, 1, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(modes_find(x, 7, 1, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(m.modes, 0);
	for (int i = 0; i < 20; i++)
		x[i] = 5;
	assert_int_equal(modes_find(x, 20, 1, &m), 0);
	assert_int_equal(m.modes, 1);
	assert_true(fabs(m.low.value - 5) < 1e-12);
	/* One or two scores apart are outliers. */
	x[3] = x[11] = 1;
	assert_int_equal(modes_find(x, 20, 1, &m), 0);
	assert_int_equal(m.modes, 1);
	/* Two values and nothing between. */
	for (int i = 0; i < 20; i++)
		x[i] = i % 3 ? 5 : 4;
	assert_int_equal(modes_find(x, 20, 1, &m), 0);
	assert_int_equal(m.modes, 2);
	assert_int_equal(m.low.n, 7);
	assert_true(fabs(m.ratio.value - 0.8) < 1e-9);
	/* Two clear groups that differ by a per cent do not matter. */
	for (int i = 0; i < 20; i++)
		x[i] = (i % 2 ? 100 : 101) + i * 1e-3;
	assert_int_equal(modes_find(x, 20, 1, &m), 0);
	assert_int_equal(m.modes, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dip_definition), cmocka_unit_test(dip_known),
		cmocka_unit_test(source_table),	  cmocka_unit_test(false_positives),
		cmocka_unit_test(planted),	  cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
