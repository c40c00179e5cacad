/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write amplification under uniform random writes, every address valid, by policy: T1 greedy, T2 fifo, T3 random
 * and d choices; several seeds. And cost-benefit, which has no closed form, between greedy and fifo.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "theory.h"

#define B 64u /* units a superblock */

#define SEEDS 3

static const double ops[] = { 0.07, 0.125, 0.28, 0.50 };

static void same(double value, double published)
{
	assert_true(fabs(value - published) < 0.0006 * published);
}

/* The forms themselves against published and independently computed values, so that a slip cannot hide. */
static void forms(void **state)
{
	(void)state;
	same(theory_random(1.07), 15.29);
	same(theory_fifo(1.3), 2.364); /* Xiang and Kurkoski 2011: 2.36 */
	same(theory_fifo(1.07), 7.817);
	same(theory_fifo(1.125), 4.680);
	same(theory_fifo(1.28), 2.481);
	same(theory_fifo(1.5), 1.716);
	same(theory_greedy(1.07, 64), 7.010);
	same(theory_greedy(1.125, 128), 4.528);
	same(theory_greedy(1.28, 256), 2.461);
	same(theory_greedy(1.5, 1024), 1.714);
	same(theory_choices(1.125, 128, 1), 9.000);
	same(theory_choices(1.125, 128, 2), 6.267);
	same(theory_choices(1.125, 128, 5), 4.957);
	same(theory_choices(1.125, 128, 20), 4.572);
	same(theory_choices(1.28, 64, 3), 2.866);
	same(theory_choices(1.28, 64, 10), 2.471);
	same(theory_choices(1.07, 128, 30), 7.439);
	same(theory_hot_cold_fifo(1.125, 0.8, 0.2), 5.037);
	same(theory_hot_cold_fifo(1.28, 0.9, 0.1), 3.296);
	same(theory_hot_cold_greedy(1.125, 128, 0.9, 0.1), 5.489);
	same(theory_hot_cold_greedy(1.28, 128, 0.8, 0.2), 2.777);
	same(theory_trim_used(0.2), 0.75);
}

static struct theory_run uniform(double op, uint64_t seed, const char *more)
{
	struct theory_load load = { .before = 4, .measured = 4, .seed = seed };
	struct ssd *ssd = theory_drive(op, B, seed, more);
	struct theory_run ret = theory_run(ssd, &load);

	ssd_free(ssd);
	assert_true(fabs(ret.alpha / (1 + op) - 1) < 0.001);
	return ret;
}

static void greedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct theory_run r = uniform(ops[i], seed, "gc.policy=greedy");
			char what[64];

			snprintf(what, sizeof(what), "greedy, OP %.1f %%", ops[i] * 100);
			theory_near(what, r.wa, theory_greedy(r.alpha, B), 1);
		}
}

static void fifo(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct theory_run r = uniform(ops[i], seed, "gc.policy=fifo");
			char what[64];

			snprintf(what, sizeof(what), "fifo, OP %.1f %%", ops[i] * 100);
			theory_near(what, r.wa, theory_fifo(r.alpha), 1);
		}
}

static void choices(void **state)
{
	static const unsigned d[] = { 2, 3, 5, 10, 20 };

	(void)state;
	for (size_t i = 1; i < 3; i++)
		for (size_t k = 0; k < sizeof(d) / sizeof(*d); k++) {
			char what[64], more[64];
			struct theory_run r;

			snprintf(more, sizeof(more), "gc.policy=d-choices gc.choices=%u", d[k]);
			r = uniform(ops[i], d[k], more);
			snprintf(what, sizeof(what), "%u choices, OP %.1f %%", d[k], ops[i] * 100);
			theory_near(what, r.wa, theory_choices(r.alpha, B, d[k]), 1);
		}
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct theory_run r = uniform(0.28, seed, "gc.policy=random");

		theory_near("random, OP 28.0 %", r.wa, theory_random(r.alpha), 1);
	}
}

/* Age times gain sees more than fifo and less than greedy, where all units are alike. */
static void cost_benefit(void **state)
{
	struct theory_run r = uniform(0.125, 1, "gc.policy=cost-benefit");
	double low = theory_greedy(r.alpha, B), high = theory_fifo(r.alpha);

	(void)state;
	printf("# cost-benefit, OP 12.5 %%: %.4f, greedy %.4f, fifo %.4f\n", r.wa, low, high);
	assert_true(r.wa > low * 0.99 && r.wa < high * 1.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),   cmocka_unit_test(greedy),	   cmocka_unit_test(fifo),
		cmocka_unit_test(choices), cmocka_unit_test(cost_benefit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
