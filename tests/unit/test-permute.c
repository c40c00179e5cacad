/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/permute.h"
#include "base/rng.h"
#include "base/zipf.h"

/* Chi-square of counts that should all be equal, as a standard normal deviate (Wilson and Hilferty). */
static double deviate(const uint32_t *count, size_t cells)
{
	double sum = 0, chi2 = 0, k = (double)cells - 1;

	for (size_t i = 0; i < cells; i++)
		sum += count[i];
	for (size_t i = 0; i < cells; i++)
		chi2 += pow(count[i] - sum / (double)cells, 2) / (sum / (double)cells);
	return (cbrt(chi2 / k) - (1 - 2 / (9 * k))) / sqrt(2 / (9 * k));
}

static void assert_bijective(uint64_t n, uint64_t seed)
{
	uint8_t *seen = calloc(n, 1);
	struct permute p;

	assert_non_null(seen);
	permute_init(&p, n, seed);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = permute_at(&p, i);

		assert_true(x < n);
		assert_int_equal(seen[x], 0);
		seen[x] = 1;
	}
	free(seen);
}

static void bijective(void **state)
{
	struct rng rng;

	(void)state;
	for (uint64_t n = 1; n < 600; n++)
		assert_bijective(n, n % 7);
	for (unsigned bits = 10; bits <= 21; bits++) {
		assert_bijective((1ull << bits) - 1, bits);
		assert_bijective(1ull << bits, bits);
		assert_bijective((1ull << bits) + 1, bits);
	}
	rng_init(&rng, 1, 1);
	for (int i = 0; i < 50; i++)
		assert_bijective(1 + rng_below(&rng, 200000), rng_u64(&rng));
}

/* Large n cannot be walked through: no collision among a million places, all below n. */
static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void large(void **state)
{
	static const uint64_t sizes[] = { 1ull << 32, (1ull << 40) + 1, PERMUTE_N_MAX - 1,
					  PERMUTE_N_MAX };
	static uint64_t values[1000000];

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint32_t cell[1024] = { 0 };
		struct permute p;

		permute_init(&p, sizes[s], 3);
		for (uint64_t i = 0; i < 1000000; i++) {
			values[i] = permute_at(&p, i);
			assert_true(values[i] < sizes[s]);
			cell[(unsigned __int128)values[i] * 1024 / sizes[s]]++;
		}
		assert_true(fabs(deviate(cell, 1024)) < 5);
		qsort(values, 1000000, sizeof(*values), compare_u64);
		for (int i = 1; i < 1000000; i++)
			assert_true(values[i] != values[i - 1]);
	}
}

/* Over seeds each of the n! orders of a few numbers is as frequent as any other. */
static void all_orders(void **state)
{
	(void)state;
	for (unsigned n = 2; n <= 6; n++) {
		static uint32_t count[720];
		unsigned orders = 1;

		for (unsigned i = 2; i <= n; i++)
			orders *= i;
		memset(count, 0, sizeof(count));
		for (uint64_t seed = 0; seed < orders * 200ull; seed++) {
			unsigned order = 0, value[6];
			struct permute p;

			permute_init(&p, n, seed);
			for (unsigned i = 0; i < n; i++) {
				unsigned smaller = 0;

				value[i] = (unsigned)permute_at(&p, i);
				for (unsigned j = 0; j < i; j++)
					smaller += value[j] < value[i];
				order = order * (i + 1) + smaller;
			}
			count[order]++;
		}
		assert_true(fabs(deviate(count, orders)) < 5);
	}
}

/*
 * What a drive would notice: where the next address lies relative to this one, the one half a span later,
 * and the same place in the order of the next seed. Each pair falls evenly on 64 x 64 cells; distances
 * between neighbours are even too; there are about as many fixed points and runs as in a random order.
 */
static void no_structure(void **state)
{
	static const uint64_t sizes[] = { 65536, 100000, 262144, 1048576, 300007, 2929687 };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		static uint32_t next[4096], half[4096], seed[4096], step[1024];
		uint64_t n = sizes[s], ascents = 0, adjacent = 0, fixed = 0;
		struct permute p, q;

		memset(next, 0, sizeof(next));
		memset(half, 0, sizeof(half));
		memset(seed, 0, sizeof(seed));
		memset(step, 0, sizeof(step));
		permute_init(&p, n, 100 + s);
		permute_init(&q, n, 101 + s);
		for (uint64_t i = 0; i + 1 < n; i++) {
			uint64_t x = permute_at(&p, i), y = permute_at(&p, i + 1);

			next[x * 64 / n * 64 + y * 64 / n]++;
			half[x * 64 / n * 64 + permute_at(&p, (i + n / 2) % n) * 64 / n]++;
			seed[x * 64 / n * 64 + permute_at(&q, i) * 64 / n]++;
			step[(y + n - x) % n * 1024 / n]++;
			ascents += y > x;
			adjacent += y == x + 1;
			fixed += x == i;
		}
		/* Marginals are exactly even, so chi-square falls a little short: one-sided limits. */
		assert_true(deviate(next, 4096) < 4.5);
		assert_true(deviate(half, 4096) < 4.5);
		assert_true(deviate(seed, 4096) < 4.5);
		assert_true(fabs(deviate(step, 1024)) < 4.5);
		assert_true(fabs((double)ascents - (double)n / 2) < 5 * sqrt((double)n / 12));
		assert_true(adjacent < 10);
		assert_true(fixed < 10);
	}
}

static void deterministic(void **state)
{
	struct permute p, q;

	(void)state;
	permute_init(&p, 29296875, 1);
	permute_init(&q, 29296875, 1);
	assert_memory_equal(&p, &q, sizeof(p));
	/* Recorded: an order must never change, since stored runs are compared byte for byte. */
	assert_int_equal(permute_at(&p, 0), 15017655);
	assert_int_equal(permute_at(&p, 1), 1499969);
	assert_int_equal(permute_at(&p, 29296874), 10721177);
}

/* Against exact probabilities: ranks in cells of at least 50 expected draws, chi-square over all of them. */
static double zipf_deviate(uint64_t n, double theta, int draws)
{
	uint32_t *count = calloc(n, sizeof(*count));
	double total = 0, chi2 = 0, expected = 0, cells = -1;
	struct zipf z;
	struct rng rng;
	uint64_t seen = 0;

	assert_non_null(count);
	zipf_init(&z, n, theta);
	rng_init(&rng, (uint64_t)(theta * 1000), n);
	for (int i = 0; i < draws; i++) {
		uint64_t rank = zipf_next(&z, &rng);

		assert_true(rank < n);
		count[rank]++;
	}
	for (uint64_t k = n; k >= 1; k--)
		total += pow((double)k, -theta);
	for (uint64_t k = n; k >= 1; k--) {
		expected += draws * pow((double)k, -theta) / total;
		seen += count[k - 1];
		if (expected < 50 && k > 1)
			continue;
		chi2 += pow((double)seen - expected, 2) / fmax(expected, 1e-9);
		cells++;
		expected = 0;
		seen = 0;
	}
	free(count);
	if (cells < 1)
		return 0;
	return (cbrt(chi2 / cells) - (1 - 2 / (9 * cells))) / sqrt(2 / (9 * cells));
}

static void zipf_frequencies(void **state)
{
	static const double thetas[] = { 0,    1e-9, 0.2,      0.5, 0.99, 1 - 1e-10, 1.0,
					 1.01, 1.2,  1.999999, 2,   3.3,  4 };
	static const uint64_t sizes[] = { 2, 3, 10, 1000, 100000 };

	(void)state;
	for (size_t t = 0; t < sizeof(thetas) / sizeof(*thetas); t++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			assert_true(zipf_deviate(sizes[s], thetas[t], 200000) < 4);
}

/*
 * n too large for a count: the share of draws below a rank against sum and integral
 * (Euler-Maclaurin: sum_1^m k^-t = sum_1^1000 + integral, to 1e-6 with the half-term).
 */
static double partial_sum(double m, double theta)
{
	double sum = 0, a = 1000.5, b = m + 0.5;

	for (int k = 1; k <= 1000; k++)
		sum += pow(k, -theta);
	return sum +
	       (theta == 1 ? log(b / a) : (pow(b, 1 - theta) - pow(a, 1 - theta)) / (1 - theta));
}

static void zipf_large(void **state)
{
	static const double thetas[] = { 0.5, 0.99, 1, 1.2, 3 };
	double n = 0x1p40;

	(void)state;
	for (size_t t = 0; t < sizeof(thetas) / sizeof(*thetas); t++) {
		struct zipf z;
		struct rng rng;
		int below[4] = { 0 }, draws = 200000;
		static const double marks[] = { 2000, 1e6, 1e9, 3e11 };

		zipf_init(&z, ZIPF_N_MAX, thetas[t]);
		rng_init(&rng, 7, t);
		for (int i = 0; i < draws; i++) {
			double rank = (double)zipf_next(&z, &rng);

			for (int m = 0; m < 4; m++)
				below[m] += rank < marks[m];
		}
		for (int m = 0; m < 4; m++) {
			double p = partial_sum(marks[m], thetas[t]) / partial_sum(n, thetas[t]);

			assert_true(fabs(below[m] - draws * p) < 5 * sqrt(draws * p * (1 - p)) + 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bijective),	 cmocka_unit_test(large),
		cmocka_unit_test(all_orders),	 cmocka_unit_test(no_structure),
		cmocka_unit_test(deterministic), cmocka_unit_test(zipf_frequencies),
		cmocka_unit_test(zipf_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
