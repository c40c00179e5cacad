/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/kendall.h"
#include "base/cleanup.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))
#define DRIVES_MAX 40

static void plain(const double *x, size_t n, struct estimate *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = estimate_of(x[i], NAN, 1);
}

static struct estimate tau(const double *x, const double *y, size_t n)
{
	struct estimate a[DRIVES_MAX], b[DRIVES_MAX], ret;

	plain(x, n, a);
	plain(y, n, b);
	assert_int_equal(kendall_compare(a, b, n, NULL, &ret), 0);
	return ret;
}

/* By hand: signs of pairs. */
static void known_values(void **state)
{
	static const double up[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const double down[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	/* Ten in two orders, counted elsewhere: 21 pairs alike, 24 the other way round. */
	static const double first_order[] = { 7, 4, 3, 10, 6, 2, 9, 8, 1, 5 };
	static const double second_order[] = { 5, 7, 3, 10, 1, 9, 6, 2, 8, 4 };
	/* Ties: of 6 pairs each orders 5, and 4 are ordered by both, all alike. */
	static const double a[] = { 1, 1, 2, 3 }, b[] = { 1, 2, 2, 3 };
	struct estimate t = tau(up, up, 8);

	(void)state;
	assert_near(t.value, 1, 1e-12);
	assert_near(t.high, 1, 0);
	assert_true(t.low > 0.5 && t.low < 1);
	t = tau(up, down, 8);
	assert_near(t.value, -1, 1e-12);
	assert_near(t.low, -1, 0);
	assert_true(t.high > -1 && t.high < -0.5);
	t = tau(first_order, second_order, 10);
	assert_near(t.value * 45, -3, 1e-9);
	assert_true(t.low < -0.4 && t.high > 0.3);
	t = tau(a, b, 4);
	assert_near(t.value, 4.0 / 5, 1e-12);
	assert_true(isnan(t.low));
}

static void properties(void **state)
{
	double x[20], y[20], z[20];
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, 2);
	for (int run = 0; run < 100; run++) {
		struct estimate t, u;

		for (int i = 0; i < 20; i++) {
			x[i] = normal(&rng);
			y[i] = x[i] + 2 * normal(&rng);
			z[i] = exp(3 * y[i]);
		}
		t = tau(x, y, 20);
		u = tau(y, x, 20);
		assert_near(t.value, u.value, 1e-12);
		assert_true(t.low < t.value && t.value < t.high && t.low >= -1 && t.high <= 1);
		/* Only the order matters; turned round it is the negative. */
		u = tau(x, z, 20);
		assert_near(t.value, u.value, 1e-12);
		for (int i = 0; i < 20; i++)
			z[i] = -y[i];
		u = tau(x, z, 20);
		assert_near(t.value, -u.value, 1e-12);
		assert_near(t.low, -u.high, 1e-12);
	}
}

/* In how many of `runs` fleets of n drives, whose normal scores are correlated by rho, the interval holds `truth`. */
static unsigned holds(size_t n, double rho, double truth, unsigned runs, double *ret_width)
{
	double x[DRIVES_MAX], y[DRIVES_MAX];
	unsigned covered = 0;

	*ret_width = 0;
	for (uint64_t seed = 0; seed < runs; seed++) {
		struct estimate t;
		struct rng rng;

		rng_init(&rng, seed, n * 10 + (uint64_t)(100 * rho));
		for (size_t i = 0; i < n; i++) {
			x[i] = normal(&rng);
			y[i] = rho * x[i] + sqrt(1 - rho * rho) * normal(&rng);
		}
		t = tau(x, y, n);
		covered += t.low <= truth && t.high >= truth;
		*ret_width += (t.high - t.low) / runs;
	}
	return covered;
}

/* Normal scores correlated by rho have tau = 2 / pi asin(rho). */
static void coverage(void **state)
{
	static const size_t sizes[] = { 6, 8, 12, 20, 40 };
	static const double correlations[] = { 0, 0.5, 0.8, 0.95 };
	unsigned runs = 1000;

	(void)state;
	for (size_t s = 0; s < 5; s++)
		for (size_t c = 0; c < 4; c++) {
			double rho = correlations[c], truth = 2 / M_PI * asin(rho), width;
			unsigned covered = holds(sizes[s], rho, truth, runs, &width);

			printf("# %zu drives, tau %.2f: the interval holds it in %.1f %%, mean "
			       "width %.2f\n",
			       sizes[s], truth, 100. * covered / runs, width);
			assert_true(covered >= 0.9 * runs);
		}
}

/* A fleet whose peak says nothing about its steady state: tau below 0.3, and the pairs it is seen by. */
static void fleet(void **state)
{
	/* MB/s at the start and after hours: 1, 3 and 5 have large caches in front of slow flash. */
	static const double peak[] = { 500, 560, 480, 600, 520, 590, 450, 540 };
	static const double steady[] = { 400, 90, 380, 60, 410, 80, 350, 420 };
	_cleanup_(contradictions_release) struct contradictions pairs = { 0 };
	struct estimate a[8], b[8], t;
	size_t expected = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		a[i] = estimate_of(peak[i], 5, 5);
		b[i] = estimate_of(steady[i], 12, 5);
	}
	assert_int_equal(kendall_compare(a, b, 8, &pairs, &t), 0);
	printf("# fleet: tau %.2f in [%.2f, %.2f], %zu contradictions\n", t.value, t.low, t.high,
	       pairs.n);
	assert_true(t.value < 0.3);
	for (size_t k = 0; k < pairs.n; k++) {
		size_t i = pairs.items[k].better_by_a, j = pairs.items[k].better_by_b;

		assert_true(peak[i] - 5 > peak[j] + 5 && steady[i] + 12 < steady[j] - 12);
	}
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			expected += peak[i] - peak[j] > 10 && steady[j] - steady[i] > 24;
	assert_int_equal(pairs.n, expected);
	/* What overlaps in one method contradicts nothing. */
	for (int i = 0; i < 8; i++)
		a[i] = estimate_of(peak[i], 80, 5);
	contradictions_release(&pairs);
	assert_int_equal(kendall_compare(a, b, 8, &pairs, &t), 0);
	assert_int_equal(pairs.n, 0);
}

/* Drives that are equal but for noise contradict each other no more than their intervals allow. */
static void false_contradictions(void **state)
{
	unsigned runs = 2000, false_pairs = 0;

	(void)state;
	for (uint64_t seed = 0; seed < runs; seed++) {
		_cleanup_(contradictions_release) struct contradictions pairs = { 0 };
		struct estimate a[2], b[2], t;
		struct rng rng;

		rng_init(&rng, seed, 70);
		for (int i = 0; i < 2; i++) {
			a[i] = estimate_of(100 + normal(&rng), 1.96, 9);
			b[i] = estimate_of(100 + normal(&rng), 1.96, 9);
		}
		assert_int_equal(kendall_compare(a, b, 2, &pairs, &t), 0);
		assert_int_equal(t.status, STATUS_NOT_IDENTIFIABLE);
		false_pairs += pairs.n > 0;
	}
	printf("# contradictions between equal drives: %u of %u\n", false_pairs, runs);
	assert_true(false_pairs <= 4);
}

static void edges(void **state)
{
	static const double up[] = { 1, 2, 3, 4, 5, 6 }, same[] = { 4, 4, 4, 4, 4, 4 };
	struct estimate a[6], b[6], t;

	(void)state;
	assert_int_equal(tau(up, up, 2).status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(tau(up, same, 6).status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(tau(NULL, NULL, 0).status, STATUS_NOT_IDENTIFIABLE);
	assert_true(isnan(tau(up, up, 5).low) && !isnan(tau(up, up, 6).low));
	plain(up, 6, a);
	plain(up, 6, b);
	b[3] = estimate_none(0);
	assert_int_equal(kendall_compare(a, b, 6, NULL, &t), 0);
	assert_int_equal(t.n, 5);
	assert_near(t.value, 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(properties),
		cmocka_unit_test(coverage),
		cmocka_unit_test(fleet),
		cmocka_unit_test(false_contradictions),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
