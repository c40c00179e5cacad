/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "data/flow.h"

/* Every value lies in its bucket, buckets follow each other without gap, and the middle is within 0.8 %. */
static void buckets(void **state)
{
	struct rng rng;

	(void)state;
	for (uint32_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_bucket(histogram_low(i)), i);
		assert_int_equal(histogram_bucket(histogram_low(i + 1) - 1), i);
	}
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	rng_init(&rng, 1, 1);
	for (int i = 0; i < 100000; i++) {
		uint64_t value = rng_u64(&rng) >> rng_below(&rng, 63);
		double middle = (double)histogram_middle(histogram_bucket(value));

		assert_true(middle <= (double)value * 1.008 + 0.5);
		assert_true(middle >= (double)value * 0.992 - 0.5);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Quantiles of a sample against the sorted sample itself. */
static void quantiles(void **state)
{
	static uint64_t values[20000];
	struct flow *flow = calloc(1, sizeof(*flow));
	struct rng rng;

	(void)state;
	assert_non_null(flow);
	rng_init(&rng, 2, 1);
	for (int i = 0; i < 20000; i++) {
		values[i] = (uint64_t)rng_exp(&rng, 80000);
		flow_record(flow, values[i], 4096);
	}
	qsort(values, 20000, sizeof(*values), compare);
	for (double q = 0.001; q < 1; q += 0.0137) {
		double exact = (double)values[(int)(q * 20000 + 0.999999) - 1];

		assert_true((double)flow_quantile(flow, q) <= exact * 1.009 + 1);
		assert_true((double)flow_quantile(flow, q) >= exact * 0.991 - 1);
	}
	assert_int_equal(flow_quantile(flow, 1), values[19999]);
	assert_int_equal(flow->ops, 20000);
	free(flow);
}

/* Adding two flows is the same as recording everything in one; clearing leaves all zeros. */
static void add_and_clear(void **state)
{
	struct flow *a = calloc(3, sizeof(*a)), *b = a + 1, *both = a + 2;
	struct rng rng;

	(void)state;
	assert_non_null(a);
	rng_init(&rng, 3, 1);
	for (int i = 0; i < 5000; i++) {
		uint64_t value = rng_below(&rng, 1000000000);

		flow_record(i % 3 ? a : b, value, 512);
		flow_record(both, value, 512);
	}
	flow_add(a, b);
	assert_memory_equal(a, both, sizeof(*a));
	flow_clear(a);
	flow_clear(both);
	for (size_t i = 0; i < sizeof(*a); i++)
		assert_int_equal(((const char *)a)[i], 0);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(add_and_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
