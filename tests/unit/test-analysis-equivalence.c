/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/equivalence.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

struct rates {
	double equivalent, different, covered;
};

/* Shares of 4000 runs of n repeats each whose means are as 1 to `ratio`, noise in per cent, margin 2 %. */
static struct rates rates(double ratio, size_t n, double noise_pct)
{
	unsigned equivalent = 0, different = 0, covered = 0, runs = 4000;
	double a[32], b[32];
	struct rng rng;

	rng_init(&rng, n, (uint64_t)(1e6 * ratio));
	for (unsigned run = 0; run < runs; run++) {
		struct equivalence e;

		for (size_t i = 0; i < n; i++) {
			a[i] = 500 * (1 + noise_pct / 100 * normal(&rng));
			b[i] = 500 * ratio * (1 + noise_pct / 100 * normal(&rng));
		}
		equivalence_test(a, n, b, n, 0.02, &e);
		assert_int_equal(e.status, STATUS_MEASURED);
		equivalent += e.word == EQUIVALENCE_EQUIVALENT;
		different += e.word == EQUIVALENCE_DIFFERENT;
		covered += e.ratio.low <= ratio && e.ratio.high >= ratio;
	}
	return (struct rates){ 100. * equivalent / runs, 100. * different / runs,
			       100. * covered / runs };
}

static void show(const char *what, size_t n, struct rates r)
{
	printf("# %s, %zu repeats: equivalent %.1f %%, different %.1f %%, interval holds %.1f %%\n",
	       what, n, r.equivalent, r.different, r.covered);
	assert_true(r.covered >= 94 && r.covered <= 97.5);
}

/* Either word is seldom wrong, and found where it is true and there are enough repeats. */
static void error_rates(void **state)
{
	static const size_t sizes[] = { 3, 5, 10, 20 };

	(void)state;
	for (size_t s = 0; s < 4; s++) {
		size_t n = sizes[s];
		struct rates at = rates(1.02, n, 1), below = rates(1 / 1.02, n, 1), same, far;

		show("at +2 %, noise 1 %", n, at);
		show("at -2 %, noise 1 %", n, below);
		assert_true(at.equivalent <= 3.3 && at.different <= 3.3);
		assert_true(below.equivalent <= 3.3 && below.different <= 3.3);
		same = rates(1, n, 1);
		show("the same, noise 1 %", n, same);
		assert_true(same.different <= 0.3);
		far = rates(1.05, n, 1);
		show("5 % apart, noise 1 %", n, far);
		assert_true(far.equivalent <= 0.1);
		if (n >= 10)
			assert_true(same.equivalent >= 90 && far.different >= 90);
		/* Noise never makes equal. */
		same = rates(1, n, 10);
		show("the same, noise 10 %", n, same);
		assert_true(same.equivalent <= 0.5 && same.different <= 5);
	}
}

static void words(void **state)
{
	static const double a[] = { 100, 101, 99, 100 }, b[] = { 100.5, 100.4, 100.6, 100.5 };
	static const double c[] = { 80, 81, 79, 80 }, zero[] = { 1, -1, 1, -1 };
	struct equivalence e, back;

	(void)state;
	equivalence_test(a, 4, b, 4, 0.02, &e);
	assert_int_equal(e.word, EQUIVALENCE_EQUIVALENT);
	assert_near(e.ratio.value, 1.005, 1e-12);
	assert_true(e.margin_needed > 0.005 && e.margin_needed < 0.02);
	/* Just at the margin it needs, and just below. */
	equivalence_test(a, 4, b, 4, e.margin_needed * (1 + 1e-9), &back);
	assert_int_equal(back.word, EQUIVALENCE_EQUIVALENT);
	equivalence_test(a, 4, b, 4, e.margin_needed * (1 - 1e-9), &back);
	assert_int_equal(back.word, EQUIVALENCE_UNDECIDED);
	/* Either way round the same is said. */
	equivalence_test(b, 4, a, 4, 0.02, &back);
	assert_int_equal(back.word, EQUIVALENCE_EQUIVALENT);
	assert_near(back.margin_needed, e.margin_needed, 1e-3);
	equivalence_test(a, 4, c, 4, 0.02, &e);
	assert_int_equal(e.word, EQUIVALENCE_DIFFERENT);
	equivalence_test(c, 4, a, 4, 0.02, &e);
	assert_int_equal(e.word, EQUIVALENCE_DIFFERENT);
	/* One against several borrows their scatter; two alone say nothing, nor does what may be zero. */
	equivalence_test(a, 4, c, 1, 0.02, &e);
	assert_int_equal(e.word, EQUIVALENCE_DIFFERENT);
	equivalence_test(a, 1, b, 1, 0.02, &e);
	assert_int_equal(e.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(e.word, EQUIVALENCE_UNDECIDED);
	assert_true(isnan(e.margin_needed));
	equivalence_test(zero, 4, a, 4, 0.02, &e);
	assert_int_equal(e.status, STATUS_NOT_IDENTIFIABLE);
	equivalence_test(NULL, 0, a, 4, 0.02, &e);
	assert_int_equal(e.status, STATUS_NOT_IDENTIFIABLE);
	/* Without any scatter the ratio is what it is. */
	equivalence_test((const double[]){ 4, 4 }, 2, (const double[]){ 4, 4 }, 2, 0.001, &e);
	assert_int_equal(e.word, EQUIVALENCE_EQUIVALENT);
	assert_near(e.margin_needed, 0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_rates),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
