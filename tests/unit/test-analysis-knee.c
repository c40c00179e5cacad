/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/knee.h"
#include "analysis/segment.h"
#include "base/rng.h"

#define WINDOW_NS 100000000ull

/* A drive that writes at one rate until so many bytes, then at the next, with AR(1) noise and stalls. */
struct drive {
	unsigned windows;
	double knee_bytes[3]; /* 0 ends the list */
	double mbps[4];
	double sd, correlation;
	double stall_share; /* of windows that reach a tenth of the rate only */
};

static struct series run_drive(const struct drive *d, uint64_t seed)
{
	struct series s = { 0 };
	struct rng rng;
	double done = 0, e;
	unsigned level = 0;

	rng_init(&rng, seed, 99);
	e = rng_normal_pair(&rng).a;
	for (unsigned i = 0; i < d->windows; i++) {
		double left = 1, bytes = 0, factor = exp(d->sd * e);
		struct point p = { .start_ns = i * WINDOW_NS, .length_ns = WINDOW_NS };

		if (rng_double(&rng) < d->stall_share)
			factor *= 0.1;
		e = d->correlation * e +
		    sqrt(1 - d->correlation * d->correlation) * rng_normal_pair(&rng).a;
		while (left > 0) {
			double rate = d->mbps[level] * 1e6 * 0.1 * factor;
			double room = level < 3 && d->knee_bytes[level] > 0
					      ? d->knee_bytes[level] - done
					      : INFINITY;

			if (rate * left < room) {
				bytes += rate * left;
				done += rate * left;
				break;
			}
			bytes += room;
			done += room;
			left -= room / rate;
			level++;
		}
		p.write_bytes = (uint64_t)bytes;
		p.write_ops = p.write_bytes >> 20;
		assert_int_equal(series_push(&s, p), 0);
	}
	return s;
}

static struct knee find(const struct drive *d, uint64_t seed)
{
	struct series s = run_drive(d, seed);
	struct knee knee;

	assert_int_equal(knee_find(&s, seed, &knee), 0);
	series_release(&s);
	return knee;
}

/* Flat series of every kind of noise, stalls in some: at most 5 % have a knee, whatever sd and correlation. */
static void flat(void **state)
{
	static const double sds[] = { 0, 0.005, 0.02, 0.05, 0.1 };
	static const double correlations[] = { 0, 0.3, 0.6, 0.8, 0.9 };
	static const unsigned lengths[] = { 20, 60, 150, 600 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (size_t j = 0; j < 5; j++) {
			unsigned found = 0, runs = 0;

			for (size_t l = 0; l < 4; l++) {
				struct drive d = { .windows = lengths[l],
						   .mbps = { 406 },
						   .sd = sds[i],
						   .correlation = correlations[j],
						   .stall_share = l % 2 ? 0.02 : 0 };

				for (uint64_t seed = 0; seed < 40; seed++, runs++)
					found += find(&d, seed).status != KNEE_NONE;
			}
			if (found * 20 > runs)
				fail_msg("sd %.3f, correlation %.1f: %u of %u", sds[i],
					 correlations[j], found, runs);
		}
	}
}

/* Planted knees, windows with 2 % noise and some stalls: found, within a window, inside the interval. */
static void planted(void **state)
{
	static const double drops[] = { 0.08, 0.12, 0.2, 0.44, 0.8 };

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		double drop = drops[i / 2];
		struct drive d = { .windows = 160,
				   .mbps = { 406, 406 * (1 - drop) },
				   .sd = 0.02,
				   .correlation = i % 2 ? 0.3 : 0,
				   .stall_share = 0.01 };
		unsigned found = 0, near = 0, covered = 0, runs = 60;

		for (uint64_t seed = 0; seed < runs; seed++) {
			struct rng rng;
			struct knee knee;

			rng_init(&rng, seed, 5);
			d.knee_bytes[0] = 0.5e9 + rng_double(&rng) * 3e9;
			knee = find(&d, seed);
			if (knee.status != KNEE_MEASURED)
				continue;
			found++;
			near += fabs(knee.bytes.value - d.knee_bytes[0]) <= 406e5;
			covered += knee.bytes.low <= d.knee_bytes[0] &&
				   knee.bytes.high >= d.knee_bytes[0];
			assert_true(fabs(knee.before_mbps / 406 - 1) < 0.03);
			assert_true(fabs(knee.rest_mbps / d.mbps[1] - 1) < 0.02);
		}
		if (found * 100 < runs * 99 || near * 100 < runs * (drop < 0.1 ? 93 : 98) ||
		    covered * 100 < runs * 88)
			fail_msg("drop %.2f: found %u, near %u, covered %u of %u", drop, found,
				 near, covered, runs);
	}
}

/* Without noise the place is exact, also inside a window, and so is the time. */
static void exact(void **state)
{
	struct drive d = { .windows = 100, .mbps = { 400, 200 } };

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct knee knee;
		double bytes = 1e9 + i * 7.77e6;

		d.knee_bytes[0] = bytes;
		knee = find(&d, 1);
		assert_int_equal(knee.status, KNEE_MEASURED);
		assert_true(fabs(knee.bytes.value - bytes) < 1e5);
		assert_true(knee.bytes.low <= bytes + 1e5 && knee.bytes.high >= bytes - 1e5);
		assert_true(knee.bytes.high - knee.bytes.low < 1e6);
		assert_true(fabs(knee.at_s - bytes / 4e8) < 1e-3);
		assert_true(fabs(knee.before_mbps - 400) < 0.5);
		assert_true(fabs(knee.after_mbps - 200) < 0.5);
	}
}

/* Fast, medium, slow: the first of two knees, and the level up to the second. */
static void two_knees(void **state)
{
	struct drive d = { .windows = 300,
			   .mbps = { 400, 250, 100 },
			   .knee_bytes = { 2e9, 4e9 },
			   .sd = 0.02,
			   .stall_share = 0.01 };

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct knee knee = find(&d, seed);

		assert_int_equal(knee.status, KNEE_MEASURED);
		assert_true(fabs(knee.bytes.value - 2e9) < 4e7);
		assert_true(fabs(knee.after_mbps - 250) < 5);
		assert_true(knee.rest_mbps < 110);
	}
}

/* A pause of a second that ends is no knee; the real one behind it is found. */
static void pause(void **state)
{
	struct drive d = { .windows = 200,
			   .mbps = { 400, 150, 400, 200 },
			   .knee_bytes = { 1e9, 1.15e9, 4e9 },
			   .sd = 0.02 };

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct knee knee = find(&d, seed);

		assert_int_equal(knee.status, KNEE_MEASURED);
		assert_true(fabs(knee.bytes.value - 4e9) < 4e7);
	}
	d.knee_bytes[2] = 0;
	for (uint64_t seed = 0; seed < 40; seed++)
		assert_int_equal(find(&d, seed).status, KNEE_NONE);
}

/* One window that is slow, or two, anywhere: no knee, also where nothing else varies. */
static void slow_window(void **state)
{
	struct drive d = { .windows = 60, .mbps = { 400 } };

	(void)state;
	for (unsigned at = 0; at < 60; at++) {
		for (unsigned n = 1; n <= 2; n++) {
			struct series s = run_drive(&d, 1);
			struct knee knee;

			for (unsigned i = at; i < at + n && i < 60; i++)
				s.items[i].write_bytes /= 10;
			assert_int_equal(knee_find(&s, 1, &knee), 0);
			assert_int_equal(knee.status, KNEE_NONE);
			s.items[at].write_bytes = 0;
			assert_int_equal(knee_find(&s, 1, &knee), 0);
			assert_int_equal(knee.status, KNEE_NONE);
			series_release(&s);
		}
	}
}

/* Windows hold whole requests of 1 MiB, which alone makes them differ by some per cent. */
static void whole_requests(void **state)
{
	for (int with_knee = 0; with_knee < 2; with_knee++) {
		struct drive d = { .windows = 150, .mbps = { 406, 230 } };

		(void)state;
		d.knee_bytes[0] = with_knee ? 3.01e9 : 0;
		for (int i = 0; i < 20; i++) {
			struct series s;
			struct knee knee;
			double carry = 0;

			d.mbps[0] = 400 + i * 0.73;
			s = run_drive(&d, 1);
			for (size_t j = 0; j < s.n; j++) {
				double bytes = (double)s.items[j].write_bytes + carry;

				s.items[j].write_bytes = (uint64_t)(bytes / 1048576) * 1048576;
				carry = bytes - (double)s.items[j].write_bytes;
			}
			assert_int_equal(knee_find(&s, 1, &knee), 0);
			assert_int_equal(knee.status, with_knee ? KNEE_MEASURED : KNEE_NONE);
			assert_true(!with_knee || fabs(knee.bytes.value - 3.01e9) < 5e6);
			series_release(&s);
		}
	}
}

/* The time axis and the unit of bytes do not matter; a quarter of an hour at 100 ms and longer works too. */
static void scales(void **state)
{
	struct drive d = {
		.windows = 160, .mbps = { 400, 300 }, .knee_bytes = { 2e9 }, .sd = 0.02
	};
	struct series s = run_drive(&d, 3);
	struct knee a, b;

	(void)state;
	assert_int_equal(knee_find(&s, 1, &a), 0);
	assert_int_equal(knee_find(&s, 1, &b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	for (size_t i = 0; i < s.n; i++) {
		s.items[i].start_ns *= 10;
		s.items[i].length_ns *= 10;
		s.items[i].write_bytes *= 16;
	}
	assert_int_equal(knee_find(&s, 1, &b), 0);
	assert_true(fabs(b.bytes.value / 16 - a.bytes.value) < 1e4);
	assert_true(fabs(b.at_s / 10 - a.at_s) < 1e-3);
	series_release(&s);
	for (unsigned n = 9000; n <= 90000; n *= 10) {
		d.windows = n;
		d.sd = 0.05;
		d.knee_bytes[0] = 0.31 * n * 4e7;
		a = find(&d, n);
		assert_int_equal(a.status, KNEE_MEASURED);
		assert_true(fabs(a.bytes.value - d.knee_bytes[0]) < 8e7);
	}
}

static void too_little(void **state)
{
	struct drive d = { .windows = 11, .mbps = { 400, 100 }, .knee_bytes = { 2e8 } };
	struct series s = { 0 };
	struct knee knee;

	(void)state;
	assert_int_equal(knee_find(&s, 1, &knee), 0);
	assert_int_equal(knee.status, KNEE_NOT_IDENTIFIABLE);
	assert_true(isnan(knee.bytes.value));
	assert_int_equal(find(&d, 1).status, KNEE_NOT_IDENTIFIABLE);
	d.windows = 13;
	assert_int_equal(find(&d, 1).status, KNEE_MEASURED);
	d.windows = 100;
	s = run_drive(&d, 1);
	for (size_t i = 0; i < s.n; i++)
		s.items[i].write_bytes = 0;
	assert_int_equal(knee_find(&s, 1, &knee), 0);
	assert_int_equal(knee.status, KNEE_NOT_IDENTIFIABLE);
	series_release(&s);
	/* A last window that is short does not count. */
	d = (struct drive){ .windows = 13, .mbps = { 400 } };
	s = run_drive(&d, 1);
	s.items[12].length_ns = 1000;
	s.items[12].write_bytes = 1;
	assert_int_equal(knee_find(&s, 1, &knee), 0);
	assert_int_equal(knee.status, KNEE_NONE);
	assert_int_equal(knee.windows, 12);
	series_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat),	      cmocka_unit_test(planted),
		cmocka_unit_test(exact),      cmocka_unit_test(two_knees),
		cmocka_unit_test(pause),      cmocka_unit_test(slow_window),
		cmocka_unit_test(scales),     cmocka_unit_test(whole_requests),
		cmocka_unit_test(too_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
