/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/cache_model.h"

/* Knees of a drive at levels from `from_pct` to 95 % of 120 GB, with relative noise. */
static struct cache_model fit(double fixed, double share, double noise, double from_pct,
			      uint64_t seed)
{
	double space[32], knee[32];
	struct cache_model ret;
	size_t n = 0;
	struct rng rng;

	rng_init(&rng, seed, 41);
	for (double pct = from_pct; pct <= 95; pct += 5) {
		space[n] = 120e9 * (1 - pct / 100);
		knee[n] = (fixed + share * space[n]) * (1 + noise * normal(&rng));
		n++;
	}
	assert_int_equal(cache_model_fit(space, knee, n, &ret), 0);
	return ret;
}

/*
 * Fixed only, share only, both: told apart in every one of hundreds of runs with 1 % noise, S0 within 5 % (10 %
 * where it is half of the smallest cache), k within 0.01.
 */
static void identified(void **state)
{
	static const struct {
		double fixed, share;
		enum cache_kind kind;
		double within; /* of S0 */
	} drives[] = {
		{ 6e9, 0, CACHE_FIXED, 0.05 },	    { 0.5e9, 0, CACHE_FIXED, 0.05 },
		{ 0, 0.10, CACHE_SHARE, 0.05 },	    { 0, 0.03, CACHE_SHARE, 0.05 },
		{ 1.6e9, 0.067, CACHE_BOTH, 0.05 }, { 1.6e9, 0.10, CACHE_BOTH, 0.05 },
		{ 12e9, 0.08, CACHE_BOTH, 0.05 },   { 0.6e9, 0.09, CACHE_BOTH, 0.1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drives) / sizeof(*drives); i++) {
		unsigned fixed_covered = 0, share_covered = 0, runs = 200;

		for (uint64_t seed = 0; seed < runs; seed++) {
			struct cache_model m =
				fit(drives[i].fixed, drives[i].share, 0.01, 50, seed);

			if (m.kind != drives[i].kind)
				fail_msg("drive %zu, seed %d: kind %d, delta BIC %g", i, (int)seed,
					 m.kind, m.delta_bic);
			assert_int_equal(m.status, STATUS_MEASURED);
			assert_true(m.delta_bic > 6);
			assert_true(fabs(m.fixed_bytes.value - drives[i].fixed) <=
				    drives[i].within * drives[i].fixed);
			assert_true(fabs(m.share_of_free.value - drives[i].share) <= 0.01);
			fixed_covered += m.fixed_bytes.low <= drives[i].fixed &&
					 m.fixed_bytes.high >= drives[i].fixed;
			share_covered += m.share_of_free.low <= drives[i].share &&
					 m.share_of_free.high >= drives[i].share;
			assert_true(m.residual_pct > 0.2 && m.residual_pct < 2);
		}
		if (fixed_covered * 100 < runs * 90 || share_covered * 100 < runs * 90)
			fail_msg("drive %zu: intervals cover %u and %u of %u", i, fixed_covered,
				 share_covered, runs);
	}
}

/* What the data do not say is not said: no wrong model for noise of any size. */
static void undecided(void **state)
{
	unsigned wrong = 0, unknown = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		/* Levels between 80 and 95 % only and 20 % noise: nothing can be told. */
		struct cache_model m = fit(1.6e9, 0.067, 0.2, 80, seed);

		unknown += m.kind == CACHE_UNKNOWN;
		wrong += m.kind == CACHE_SHARE || m.kind == CACHE_FIXED;
		if (m.kind == CACHE_UNKNOWN)
			assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	}
	assert_true(unknown > 150);
	assert_true(wrong < 10);
}

static void edges(void **state)
{
	double space[] = { 100e9, 80e9, 60e9, 40e9, 20e9, 10e9 };
	double knee[] = { 10e9, 8e9, 6e9, 4e9, 2e9, 1e9 };
	double against[] = { 1e9, 2e9, 4e9, 6e9, 8e9, 10e9 };
	double with_gaps[] = { 10e9, NAN, 6e9, 0, 2e9, 1e9 };
	double same[] = { 50e9, 50e9, 50e9, 50e9, 20e9, 20e9 };
	struct cache_model m;

	(void)state;
	/* An exact share. */
	assert_int_equal(cache_model_fit(space, knee, 6, &m), 0);
	assert_int_equal(m.kind, CACHE_SHARE);
	assert_true(fabs(m.share_of_free.value - 0.1) < 1e-12);
	assert_true(fabs(m.fixed_bytes.value) < 1e-12);
	/* Pairs without a knee are left out. */
	assert_int_equal(cache_model_fit(space, with_gaps, 6, &m), 0);
	assert_int_equal(m.kind, CACHE_SHARE);
	assert_int_equal(m.share_of_free.n, 4);
	/* Too few, or at too few free spaces. */
	assert_int_equal(cache_model_fit(space, knee, 3, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(m.kind, CACHE_UNKNOWN);
	assert_int_equal(cache_model_fit(same, knee, 6, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(cache_model_fit(space, knee, 0, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	/* A knee that grows as space shrinks is no cache of these kinds. */
	assert_int_equal(cache_model_fit(space, against, 6, &m), 0);
	assert_int_equal(m.kind, CACHE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identified),
		cmocka_unit_test(undecided),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
