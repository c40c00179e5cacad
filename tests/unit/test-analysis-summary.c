/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/change.h"
#include "analysis/linear.h"
#include "analysis/little.h"
#include "analysis/summary.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

/* The first ten of Student's own data (extra hours of sleep): values from any textbook on them. */
static const double sleep_a[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };

static void known_summary(void **state)
{
	struct summary s;
	double one = 5;

	(void)state;
	assert_int_equal(summarise(sleep_a, 10, &s), 0);
	assert_near(s.mean.value, 0.75, 1e-12);
	assert_near(s.sd, 1.789010, 1e-6);
	assert_near(s.mean.low, -0.5297804, 1e-6);
	assert_near(s.mean.high, 2.0297804, 1e-6);
	assert_near(s.median.value, 0.35, 1e-12);
	/* Ten samples: the second smallest and the second largest, 97.9 %. */
	assert_near(s.median.low, -1.2, 1e-12);
	assert_near(s.median.high, 3.4, 1e-12);
	assert_near(s.min, -1.6, 0);
	assert_near(s.max, 3.7, 0);

	assert_int_equal(summarise(NULL, 0, &s), 0);
	assert_int_equal(s.mean.status, STATUS_NOT_IDENTIFIABLE);
	assert_true(isnan(s.min));
	assert_int_equal(summarise(&one, 1, &s), 0);
	assert_int_equal(s.mean.status, STATUS_MEASURED);
	assert_near(s.mean.value, 5, 0);
	assert_true(isnan(s.mean.low) && isnan(s.sd) && isnan(s.median.low));
	/* Five samples cannot bound a median at 95 %, six can by their extremes. */
	assert_int_equal(summarise(sleep_a, 5, &s), 0);
	assert_true(isnan(s.median.low));
	assert_int_equal(summarise(sleep_a, 6, &s), 0);
	assert_near(s.median.low, -1.6, 0);
	assert_near(s.median.high, 3.4, 0);
}

/* Ranks of the median's interval for n = 6..: published table of order statistics for 95 %. */
static void median_ranks(void **state)
{
	static const struct {
		int n, low;
	} table[] = { { 6, 1 },	 { 8, 1 },   { 9, 2 },	 { 12, 3 },  { 20, 6 },
		      { 25, 8 }, { 30, 10 }, { 40, 14 }, { 50, 18 }, { 100, 40 } };
	double x[4000];
	struct summary s;

	(void)state;
	for (int i = 0; i < 4000; i++)
		x[i] = i + 1;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(summarise(x, (size_t)table[i].n, &s), 0);
		assert_near(s.median.low, table[i].low, 1e-9);
		assert_near(s.median.high, table[i].n + 1 - table[i].low, 1e-9);
	}
	assert_int_equal(summarise(x, 4000, &s), 0);
	assert_near(s.median.low, 2000.5 - 1.96 * sqrt(1000), 2);
}

/* AR(1) with mean 10. */
static void autocorrelated(double *x, size_t n, double correlation, struct rng *rng)
{
	double e = normal(rng);

	for (size_t i = 0; i < n; i++) {
		x[i] = 10 + e;
		e = correlation * e + sqrt(1 - correlation * correlation) * normal(rng);
	}
}

/* Intervals hold the truth about as often as they say. */
static void coverage(void **state)
{
	unsigned mean = 0, median = 0, bootstrap = 0, batch = 0, naive = 0, runs = 400;
	static double x[2000];
	struct rng rng;

	(void)state;
	rng_init(&rng, 6, 6);
	for (unsigned run = 0; run < runs; run++) {
		struct summary s;
		struct estimate e;

		for (int i = 0; i < 25; i++)
			x[i] = exp(0.3 * normal(&rng));
		assert_int_equal(summarise(x, 25, &s), 0);
		median += s.median.low <= 1 && s.median.high >= 1;
		mean += s.mean.low <= exp(0.045) && s.mean.high >= exp(0.045);
		if (run < 100) {
			assert_int_equal(summary_bootstrap(x, 25, statistic_mean, run, &e), 0);
			bootstrap += e.low <= exp(0.045) && e.high >= exp(0.045);
		}
		autocorrelated(x, 2000, 0.8, &rng);
		summary_batch_means(x, 2000, &e);
		batch += e.low <= 10 && e.high >= 10;
		assert_int_equal(summarise(x, 2000, &s), 0);
		naive += s.mean.low <= 10 && s.mean.high >= 10;
	}
	assert_true(mean > 0.91 * runs && mean < 0.98 * runs);
	assert_true(median > 0.93 * runs && median < runs);
	assert_true(bootstrap >= 86 && bootstrap < 100);
	assert_true(batch > 0.91 * runs && batch < 0.985 * runs);
	/* What batch means are for: the interval for independent samples is wrong half of the time. */
	assert_true(naive < 0.6 * runs);
}

static void bootstrap_details(void **state)
{
	struct estimate a, b;

	(void)state;
	assert_int_equal(summary_bootstrap(sleep_a, 10, statistic_median, 1, &a), 0);
	assert_int_equal(summary_bootstrap(sleep_a, 10, statistic_median, 1, &b), 0);
	assert_true(a.value == b.value && a.low == b.low && a.high == b.high);
	assert_near(a.value, 0.35, 1e-12);
	assert_true(a.low >= -1.6 && a.low < 0.35 && a.high > 0.35 && a.high <= 3.7);
	assert_int_equal(summary_bootstrap(sleep_a, 2, statistic_median, 1, &a), 0);
	assert_int_equal(a.status, STATUS_NOT_IDENTIFIABLE);
	summary_batch_means(sleep_a, 10, &a);
	assert_int_equal(a.status, STATUS_NOT_IDENTIFIABLE);
}

/* Anscombe's first set: slope 0.5000909 (se 0.1179055), intercept 3.0000909 (se 1.1247468), sd 1.236603. */
static void known_line(void **state)
{
	static const double x[] = { 10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5 };
	static const double y[] = { 8.04, 6.95, 7.58,  8.81, 8.33, 9.96,
				    7.24, 4.26, 10.84, 4.82, 5.68 };
	double weight[11], t = 2.2621572;
	struct line l, w;

	(void)state;
	line_fit(x, y, NULL, 11, &l);
	assert_near(l.slope.value, 0.5000909, 1e-7);
	assert_near(l.intercept.value, 3.0000909, 1e-7);
	assert_near(l.residual_sd, 1.236603, 1e-6);
	assert_near(l.slope.high - l.slope.value, t * 0.1179055, 1e-6);
	assert_near(l.intercept.high - l.intercept.value, t * 1.1247468, 1e-5);
	/* A weight of two everywhere changes no line. */
	for (int i = 0; i < 11; i++)
		weight[i] = 2;
	line_fit(x, y, weight, 11, &w);
	assert_near(w.slope.value, l.slope.value, 1e-12);
	assert_near(w.slope.high, l.slope.high, 1e-12);
	/* No weight for a point is as good as no point. */
	for (int i = 0; i < 11; i++)
		weight[i] = i < 10;
	line_fit(x, y, weight, 11, &w);
	line_fit(x, y, NULL, 10, &l);
	assert_near(w.slope.value, l.slope.value, 1e-12);
	assert_near(w.intercept.value, l.intercept.value, 1e-12);
	line_fit(x, y, NULL, 2, &l);
	assert_int_equal(l.slope.status, STATUS_MEASURED);
	assert_true(isnan(l.slope.low));
	line_fit(x, y, NULL, 1, &l);
	assert_int_equal(l.slope.status, STATUS_NOT_IDENTIFIABLE);
	line_fit(weight, y, NULL, 10, &l);
	assert_int_equal(l.slope.status, STATUS_NOT_IDENTIFIABLE);
}

/* A fifth of the points far off: Theil-Sen keeps the line, least squares does not; intervals cover. */
static void robust_line(void **state)
{
	static const size_t sizes[] = { 20, 100, 3000 };
	struct line l;
	double x[3000], y[3000];

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		unsigned slope = 0, intercept = 0, moved = 0, runs = s == 2 ? 60 : 200;

		for (uint64_t run = 0; run < runs; run++) {
			size_t n = sizes[s];
			struct rng rng;

			rng_init(&rng, run, s);
			for (size_t i = 0; i < n; i++) {
				x[i] = 100 * rng_double(&rng);
				y[i] = 20 + 0.1 * x[i] + normal(&rng);
			}
			assert_int_equal(line_fit_robust(x, y, n, &l), 0);
			slope += l.slope.low <= 0.1 && l.slope.high >= 0.1;
			intercept += l.intercept.low <= 20 && l.intercept.high >= 20;
			for (size_t i = 0; i < n; i += 5)
				y[i] -= 500 * x[i] / 100;
			assert_int_equal(line_fit_robust(x, y, n, &l), 0);
			assert_near(l.slope.value, 0.1, n < 100 ? 0.35 : 0.06);
			line_fit(x, y, NULL, n, &l);
			moved += l.slope.value < -0.1;
		}
		assert_true(moved > 0.7 * runs);
		assert_true(slope >= 0.9 * runs);
		assert_true(intercept >= 0.9 * runs);
	}
	assert_int_equal(line_fit_robust(x, y, 2, &l), 0);
	assert_int_equal(l.slope.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(line_fit_robust(x, y, 0, &l), 0);
	assert_int_equal(l.slope.status, STATUS_NOT_IDENTIFIABLE);
	for (int i = 0; i < 10; i++)
		x[i] = 4;
	assert_int_equal(line_fit_robust(x, y, 10, &l), 0);
	assert_int_equal(l.slope.status, STATUS_NOT_IDENTIFIABLE);
}

static void changes(void **state)
{
	unsigned covered = 0, single = 0, runs = 2000;
	struct estimate e;
	struct rng rng;
	double a[12], b[12];

	(void)state;
	rng_init(&rng, 12, 1);
	for (unsigned run = 0; run < runs; run++) {
		for (int i = 0; i < 12; i++) {
			a[i] = 400 + 8 * normal(&rng);
			b[i] = 360 + 20 * normal(&rng);
		}
		change_pct(a, 3, b, 12, &e);
		covered += e.low <= -10 && e.high >= -10;
		/* One sample against many of the same spread. */
		for (int i = 0; i < 12; i++)
			b[i] = 400 + 8 * normal(&rng);
		change_pct(b, 12, a, 1, &e);
		single += e.low <= 0 && e.high >= 0;
	}
	assert_true(covered > 0.93 * runs && covered < 0.975 * runs);
	assert_true(single > 0.93 * runs && single < 0.975 * runs);

	a[0] = 400;
	b[0] = 300;
	change_pct(a, 1, b, 1, &e);
	assert_near(e.value, -25, 1e-12);
	assert_true(isnan(e.low));
	change_pct(a, 0, b, 1, &e);
	assert_int_equal(e.status, STATUS_NOT_IDENTIFIABLE);
	a[0] = a[1] = 400;
	b[0] = b[1] = 300;
	change_pct(a, 2, b, 2, &e);
	assert_near(e.low, -25, 1e-12);
	assert_near(e.high, -25, 1e-12);
	a[0] = 1;
	a[1] = -1;
	change_pct(a, 2, b, 2, &e);
	assert_int_equal(e.status, STATUS_NOT_IDENTIFIABLE);
	/* A reference that could be zero bounds nothing. */
	a[0] = 5;
	change_pct(a, 2, b, 2, &e);
	assert_int_equal(e.status, STATUS_MEASURED);
	assert_true(isnan(e.low) && isnan(e.high));
}

/* The source's table: -9.3 % at 99 % against all levels below 96 %; 512 I/Os in flight in every cell. */
static void source_table(void **state)
{
	double table[S0_COLUMNS][S0_LEVELS];
	struct estimate e;
	struct little l;

	(void)state;
	s0_load(table);
	change_pct(table[S0_SEQ1M_WRITE], 19, &table[S0_SEQ1M_WRITE][20], 1, &e);
	assert_near(e.value, -9.4, 0.1);
	assert_true(e.high < -8 && e.low > -10.5);
	change_pct(table[S0_SEQ1M_WRITE], 1, &table[S0_SEQ1M_WRITE][1], 18, &e);
	assert_near(e.value, -0.2, 0.1);
	assert_true(e.low < 0 && e.high > 0);
	for (int write = 0; write < 2; write++) {
		little_concurrency(table[S0_RND4K_READ_IOPS + write],
				   table[S0_RND4K_READ_US + write], S0_LEVELS, &l);
		assert_int_equal(l.in_flight.n, 21);
		assert_near(l.in_flight.value, 508.7, 0.8);
		assert_true(l.min > 505.8 && l.max < 509.5);
		assert_true(l.in_flight.high - l.in_flight.low < 1);
	}
	table[S0_RND4K_READ_IOPS][3] = 0;
	table[S0_RND4K_READ_US][4] = NAN;
	little_concurrency(table[S0_RND4K_READ_IOPS], table[S0_RND4K_READ_US], S0_LEVELS, &l);
	assert_int_equal(l.in_flight.n, 19);
	little_concurrency(table[S0_RND4K_READ_IOPS], table[S0_RND4K_READ_US], 1, &l);
	assert_int_equal(l.in_flight.status, STATUS_MEASURED);
	assert_true(isnan(l.in_flight.low));
	little_concurrency(NULL, NULL, 0, &l);
	assert_int_equal(l.in_flight.status, STATUS_NOT_IDENTIFIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_summary), cmocka_unit_test(median_ranks),
		cmocka_unit_test(coverage),	 cmocka_unit_test(bootstrap_details),
		cmocka_unit_test(known_line),	 cmocka_unit_test(robust_line),
		cmocka_unit_test(changes),	 cmocka_unit_test(source_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
