/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated hard disk against closed forms, the ideal drive, and both under random streams.
 *
 * The disk is the one of models/momentus-7200-500g.yaml: 11 ms average seek, 7200 rpm, 105 to 50 MB/s.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/model.h"
#include "ssd/disk.h"
#include "ssd/ideal.h"

#define SEEDS 5
#define MS 1e6

static void assert_between(double x, double low, double high)
{
	if (!(x >= low && x <= high))
		fail_msg("%g is not between %g and %g", x, low, high);
}

static struct disk *disk_of(const char *model, const char *name, const char *value)
{
	struct err err = { 0 };
	struct model *m = NULL;
	struct disk *ret = NULL;

	if (model_load(&m, model, NULL, &err) < 0)
		fail_msg("%s", err.text);
	if (name && model_set(m, name, value, &err) < 0)
		fail_msg("%s", err.text);
	if (disk_new(&ret, &m->disk, &err) < 0)
		fail_msg("%s", err.text);
	model_free(m);
	return ret;
}

static struct disk *momentus(void)
{
	return disk_of("momentus-7200-500g", NULL, NULL);
}

static uint32_t units_of(const struct disk *d)
{
	return (uint32_t)(disk_get_config(d)->capacity_bytes / DISK_UNIT_BYTES);
}

static void give(struct disk *d, uint64_t now, enum disk_op op, uint32_t unit, uint32_t n)
{
	disk_submit(d, now, &(struct disk_command){ op, unit, n, NULL });
}

struct loop {
	enum disk_op op;
	unsigned depth;
	uint32_t units;	      /* of a command */
	uint32_t first, span; /* where */
	bool random;
	uint64_t seed, commands;
	/* out */
	uint64_t begin_ns, end_ns, latency_ns_max;
};

/* A closed loop of one kind of command; returns commands per second. */
static double run_loop(struct disk *d, struct loop *l)
{
	struct rng rng;
	uint32_t places = l->span / l->units, at = 0;
	uint64_t given = 0, now = l->begin_ns;

	rng_init(&rng, l->seed, 0);
	for (uint64_t done = 0; done < l->commands;) {
		struct disk_done r;

		while (given < l->commands && given - done < l->depth) {
			uint32_t place =
				l->random ? (uint32_t)rng_below(&rng, places) : at++ % places;

			give(d, now, l->op, l->first + place * l->units, l->units);
			given++;
		}
		assert_true(disk_next(d, UINT64_MAX, &r));
		assert_true(r.done_ns >= now);
		now = r.done_ns;
		if (now - r.start_ns > l->latency_ns_max)
			l->latency_ns_max = now - r.start_ns;
		done++;
	}
	l->end_ns = now;
	return (double)l->commands / ((double)(now - l->begin_ns) / 1e9);
}

static double mbps(double per_s, uint32_t units)
{
	return per_s * units * DISK_UNIT_BYTES / MS;
}

/* One at a time, a read takes the average seek, half a turn and the overhead. */
static void test_random_reads_one_at_a_time(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct disk *d = momentus();
		const struct disk_config *cfg = disk_get_config(d);
		struct loop l = { DISK_READ, 1, 1, 0, units_of(d), true, seed, 20000, 0, 0, 0 };
		double want =
			(double)cfg->seek.average_ns + 30e9 / cfg->rpm + (double)cfg->overhead_ns;

		assert_between(1e9 / run_loop(d, &l) / want, 0.97, 1.03);
		disk_free(d);
	}
}

/* NCQ: 32 to choose from give 1.8 to 2.5 times as many, 130 to 150 a second here, and none waits for ever. */
static void test_queue_gain(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct disk *d = momentus();
		struct loop one = { DISK_READ, 1, 1, 0, units_of(d), true, seed, 5000, 0, 0, 0 },
			    many = one;
		double slow = run_loop(d, &one), fast;

		many.depth = 32;
		many.commands = 20000;
		many.begin_ns = one.end_ns;
		fast = run_loop(d, &many);
		assert_between(fast / slow, 1.8, 2.5);
		assert_between(fast, 130, 150);
		assert_true(many.latency_ns_max < 2000000000);
		disk_free(d);
	}
}

/* The bonus for age is what bounds the longest wait. */
static void test_ageing(void **state)
{
	struct disk *aged = momentus(), *greedy = disk_of("momentus-7200-500g", "ncq.age", "0");
	struct loop a = { DISK_READ, 32, 1, 0, units_of(aged), true, 1, 50000, 0, 0, 0 }, g = a;

	(void)state;
	run_loop(aged, &a);
	run_loop(greedy, &g);
	assert_true(2 * a.latency_ns_max < g.latency_ns_max);
	disk_free(aged);
	disk_free(greedy);
}

/* Streams go at the rate of their zone, in both directions, at any depth, and zones fall from edge to edge. */
static void test_zones(void **state)
{
	static const enum disk_op ops[] = { DISK_READ, DISK_WRITE };
	static const unsigned depths[] = { 1, 4, 32 };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct disk *d = momentus();
		struct loop l = {
			ops[i % 2], depths[i / 2], 32, 0, 1 << 20, false, 1, 8192, 0, 0, 0
		};
		double before = 1e9, rate;

		for (uint32_t zone = 0; zone < 16; zone++) {
			l.first = (uint32_t)((uint64_t)units_of(d) * zone / 16);
			rate = mbps(run_loop(d, &l), 32);
			l.begin_ns = l.end_ns;
			assert_true(rate < before * 1.01);
			before = rate;
			if (zone == 0)
				assert_between(rate, 105 * 0.97, 105 * 1.03);
		}
		l.first = units_of(d) - l.span;
		assert_between(mbps(run_loop(d, &l), 32), 50 * 0.97, 50 * 1.03);
		disk_free(d);
	}
}

/* A track passes in one turn and the spiral never misses one: 1 GiB costs a single rotational wait. */
static void test_stream_is_exact(void **state)
{
	struct disk *d = momentus();
	struct loop l = { DISK_READ, 4, 64, 0, 1 << 18, false, 1, 4096, 0, 0, 0 };
	struct disk_stats s;

	(void)state;
	run_loop(d, &l);
	disk_get_stats(d, &s);
	assert_true(s.rotate_ns < 60000000000u / 7200);
	assert_int_equal(s.seek_ns, 0);
	disk_free(d);
}

/* The negative control: what was written before does not matter. */
static void test_no_memory(void **state)
{
	double first = 0;

	(void)state;
	for (unsigned fill = 0; fill < 3; fill++) {
		struct disk *d = momentus();
		struct loop w = {
			DISK_WRITE, 4, 256, 0, units_of(d), fill == 2, 3, 40000, 0, 0, 0
		};
		struct loop r = { DISK_READ, 1, 1, 0, units_of(d), true, 1, 20000, 0, 0, 0 };
		double rate;

		if (fill)
			run_loop(d, &w);
		disk_idle(d, w.end_ns + 10000000000u);
		r.begin_ns = w.end_ns + 10000000000u;
		rate = run_loop(d, &r);
		first = fill ? first : rate;
		assert_between(rate / first, 0.99, 1.01);
		disk_free(d);
	}
}

/* A burst that fits the cache is done at the speed of the link; what is beyond goes at that of the platters. */
static void test_write_cache(void **state)
{
	struct disk *d = momentus();
	const struct disk_config *cfg = disk_get_config(d);
	uint32_t fits = (uint32_t)(cfg->cache.write_bytes / DISK_UNIT_BYTES);
	struct loop l = { DISK_WRITE, 8, 16, 0, fits, false, 1, fits / 16, 0, 0, 0 };
	struct disk_done r;
	struct disk_stats s;

	(void)state;
	assert_between(1e9 * DISK_UNIT_BYTES / (double)cfg->link.write_unit_ns /
			       (run_loop(d, &l) * 16 * DISK_UNIT_BYTES),
		       0.99, 1.15);
	/* A flush waits for all of it: half a turn and 80 ms at 105 MB/s, less what went on meanwhile. */
	give(d, l.end_ns, DISK_FLUSH, 0, 0);
	assert_true(disk_next(d, UINT64_MAX, &r));
	disk_get_stats(d, &s);
	assert_int_equal(s.dirty_units, 0);
	assert_int_equal(s.media_write_units, fits);
	assert_between((double)r.done_ns / MS, 80 * 0.9, 80 * 1.3);
	disk_free(d);
}

/* Random writes: the elevator saves most of the seek, so that the disk takes more of them than reads. */
static void test_random_writes(void **state)
{
	struct disk *d = momentus();
	struct loop w = { DISK_WRITE, 1, 1, 0, units_of(d), true, 1, 20000, 0, 0, 0 };
	double rate = run_loop(d, &w);

	(void)state;
	assert_between(rate, 100, 250);
	disk_free(d);
}

struct totals {
	uint64_t given, done, in_flight_max, write_units, hash;
};

/* Random commands of all kinds at random times. */
static void mixed(struct disk *d, uint64_t seed, struct totals *ret)
{
	struct rng rng;
	uint64_t now = 0, before = 0;

	rng_init(&rng, seed, 0);
	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t n = 1 + (uint32_t)rng_below(&rng, rng_below(&rng, 10) ? 16 : 600);
		uint32_t unit =
			(uint32_t)rng_below(&rng, rng_below(&rng, 2) ? 4096 : units_of(d) - n);
		uint64_t what = rng_below(&rng, 100), ns, here;
		struct disk_done r;

		give(d, now, what < 50 ? DISK_READ : what < 99 ? DISK_WRITE : DISK_FLUSH, unit, n);
		ret->given++;
		if (what >= 50 && what < 99)
			ret->write_units += n;
		now += rng_below(&rng, rng_below(&rng, 100) ? 10000000 : 5000000000u);
		while (disk_next(d, now, &r)) {
			assert_true(r.done_ns >= before && r.done_ns <= now &&
				    r.start_ns <= r.done_ns);
			before = r.done_ns;
			ret->hash = (ret->hash ^ r.done_ns) * 0x100000001b3u;
			ret->done++;
		}
		here = disk_in_flight(d, now, &ns);
		if (here > ret->in_flight_max)
			ret->in_flight_max = here;
	}
	for (struct disk_done r; disk_next(d, UINT64_MAX, &r);)
		ret->done++;
}

/* Every command comes back once, in order; the queue holds its limit; every written unit is in one place. */
static void test_conservation(void **state)
{
	static const char *const caches[] = { "8MiB", "64KiB", "0B" };

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS * 3; seed++) {
		struct disk *d = disk_of("momentus-7200-500g", "cache.write", caches[seed % 3]);
		struct disk_stats s;
		struct totals t;

		mixed(d, seed, &t);
		disk_get_stats(d, &s);
		assert_int_equal(t.done, t.given);
		assert_between((double)t.in_flight_max, 32, 32);
		assert_int_equal(s.write_units, t.write_units);
		assert_int_equal(s.write_units,
				 s.media_write_units + s.merged_units + s.dirty_units);
		disk_free(d);
	}
}

static void test_same_seed_same_times(void **state)
{
	struct totals a, b, c;
	struct disk *d[3] = { momentus(), momentus(), disk_of("momentus-7200-500g", "seed", "2") };

	(void)state;
	mixed(d[0], 1, &a);
	mixed(d[1], 1, &b);
	mixed(d[2], 1, &c);
	assert_true(a.hash == b.hash && a.hash != c.hash);
	for (unsigned i = 0; i < 3; i++)
		disk_free(d[i]);
}

static void test_refusals(void **state)
{
	static const char *const wrong[][2] = { { "seek.average", "21ms" },
						{ "rate.inner", "200MB" },
						{ "cache.write", "17MiB" },
						{ "seek.full", "0.5ms" },
						{ "cache.readahead", "1MiB" } };
	struct disk_config good, cfg;
	struct disk *d = momentus();

	(void)state;
	good = *disk_get_config(d);
	disk_free(d);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err err = { 0 };
		const char *name = NULL;

		cfg = good;
		assert_int_equal(param_set(disk_params, &cfg, wrong[i][0], wrong[i][1], &err), 0);
		assert_true(disk_config_check(&cfg, &name, &err) < 0);
		assert_string_equal(name, wrong[i][0]);
		assert_true(err.text[0]);
	}
}

static void test_ideal(void **state)
{
	struct ideal ideal = { .cfg = { 1 << 30, 1, 7300, 0 } };

	(void)state;
	assert_int_equal(ideal_command(&ideal, 100, IDEAL_WRITE, 1), 101);
	assert_int_equal(ideal_command(&ideal, 100, IDEAL_READ, 2), 100 + 2 * 7300 + 1);
	assert_int_equal(ideal_command(&ideal, 200, IDEAL_READ, 1), 100 + 3 * 7300 + 1);
	assert_int_equal(ideal_command(&ideal, 200, IDEAL_OTHER, 1), 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_reads_one_at_a_time),
		cmocka_unit_test(test_queue_gain),
		cmocka_unit_test(test_ageing),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_stream_is_exact),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_write_cache),
		cmocka_unit_test(test_random_writes),
		cmocka_unit_test(test_conservation),
		cmocka_unit_test(test_same_seed_same_times),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_ideal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
