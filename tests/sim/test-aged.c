/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A drive that is opened as used against one that really was: write amplification right after, and how full its
 * superblocks are.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "drive.h"
#include "ssd/state.h"

/* Larger than the miniature that aged= writes, in both directions. */
#define SUPERBLOCKS 1536u
#define SB_UNITS 1536u

static void config_text(char *text, size_t size, double op, const char *more)
{
	/* Usable superblocks: without the free reserve (4) and the two open ones. */
	uint64_t units = (uint64_t)((double)(SUPERBLOCKS - 6) * SB_UNITS / (1 + op));

	snprintf(text, size,
		 "capacity=%lluB geometry.dies=2 geometry.channels=2 geometry.superblock_units=%u "
		 "geometry.superblocks=%u %s",
		 (unsigned long long)units * SSD_UNIT_BYTES, SB_UNITS, SUPERBLOCKS, more);
}

static void check(const struct ssd *ssd)
{
	struct err err = { 0 };

	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
}

/* Random writes of so many drive writes. Returns their amplification. */
static double amplification(struct ssd *ssd, double drive_writes, struct closed *c, struct rng *rng)
{
	uint64_t n = (uint64_t)(ssd->units * drive_writes);
	struct ssd_stats was, is;

	ssd_get_stats(ssd, &was);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *slot = closed_next(c);
		struct ssd_times t;

		ssd_write(ssd, c->now_ns, (uint32_t)rng_below(rng, ssd->units), 1, NULL, &t);
		*slot = t.done_ns;
	}
	ssd_get_stats(ssd, &is);
	return (double)(is.nand_units - was.nand_units) /
	       (double)(is.host_write_units - was.host_write_units);
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Deciles of the valid counts of closed superblocks, as shares. */
static void deciles(const struct ssd *ssd, double *ret)
{
	uint32_t *key = calloc(ssd->superblocks, sizeof(*key)), n = 0;

	assert_non_null(key);
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++)
		if (ssd->sb_state[sb] == SB_MAIN)
			key[n++] = ssd->key[sb];
	qsort(key, n, sizeof(*key), by_value);
	for (uint32_t i = 0; i <= 10; i++) {
		uint32_t at = (n - 1) * i / 10;

		ret[i] = (double)key[at] / ssd->sb_units;
	}
	free(key);
}

static void compare(double op, double drive_writes, const char *more)
{
	struct closed ca = { .depth = 32 }, cr = { .depth = 32 };
	double a, r, aged_at[11], real_at[11];
	struct ssd *aged, *real;
	struct ssd_stats sa, sr;
	struct rng rng;
	char text[512], option[128];

	snprintf(option, sizeof(option), "aged=%g %s", drive_writes, more);
	config_text(text, sizeof(text), op, option);
	aged = drive_new(text);
	check(aged);
	config_text(text, sizeof(text), op, more);
	real = drive_new(text);
	drive_fill(real, &cr);
	rng_init(&rng, 11, 0);
	amplification(real, drive_writes, &cr, &rng);
	deciles(aged, aged_at);
	deciles(real, real_at);
	ssd_get_stats(aged, &sa);
	ssd_get_stats(real, &sr);
	a = amplification(aged, 0.1, &ca, &rng);
	r = amplification(real, 0.1, &cr, &rng);
	printf("# OP %.0f %%, %g drive writes, %s: A %.3f, really written %.3f (%+.2f %%); copied "
	       "%.3f, "
	       "really %.3f\n",
	       op * 100, drive_writes, more, a, r, (a / r - 1) * 100,
	       (double)sa.gc_units / aged->units, (double)sr.gc_units / real->units);
	assert_true(fabs(a / r - 1) < 0.02);
	/* The first and the last are single superblocks. */
	for (int i = 1; i < 10; i++)
		if (fabs(aged_at[i] - real_at[i]) > 0.02)
			fail_msg("decile %d is %.4f, really %.4f", i, aged_at[i], real_at[i]);
	assert_true(sa.host_write_units == sr.host_write_units);
	assert_true(fabs((double)sa.gc_units / (double)sr.gc_units - 1) < 0.03);
	check(aged);
	ssd_free(aged);
	ssd_free(real);
}

static void steady(void **state)
{
	(void)state;
	compare(0.07, 2, "gc.policy=greedy");
	compare(0.28, 3, "gc.policy=greedy");
	compare(0.28, 6, "gc.policy=greedy");
	/* Little spare: the miniature stops before it was written over so often. */
	compare(0.025, 2, "gc.policy=greedy");
}

static void on_the_way(void **state)
{
	(void)state;
	compare(0.07, 0.5, "gc.policy=greedy");
	compare(0.28, 0.5, "gc.policy=greedy");
	compare(0.28, 1, "gc.policy=greedy");
}

static void other_policies(void **state)
{
	(void)state;
	compare(0.07, 2, "gc.policy=fifo");
	compare(0.28, 2, "gc.policy=d-choices");
}

/* Every kind of drive stands where it should: conserved, the cache empty, wear alike, the same for a seed. */
static void kinds(void **state)
{
	static const char *const more[] = {
		"aged=2",
		"aged=0.05",
		"aged.days=30 aged.bytes_per_day=5GB",
		"aged=2 pslc.static=64MiB pslc.share=0.1",
		"aged=2 gc.pacing=batch gc.high=20",
		"aged=2 gc.mixed=true",
		"aged=3 wear.endurance=3000",
		"aged=2 campaign.every=1GB campaign.copy=64MiB",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		struct closed c = { .depth = 4 };
		struct ssd_stats s, again;
		struct ssd *ssd, *twin;
		struct rng rng;
		char text[512];

		config_text(text, sizeof(text), 0.15, more[i]);
		ssd = drive_new(text);
		twin = drive_new(text);
		check(ssd);
		assert_memory_equal(ssd->not_l2p, twin->not_l2p, ssd->units * sizeof(uint32_t));
		ssd_free(twin);
		ssd_get_stats(ssd, &s);
		assert_true(s.mapped_units == ssd->units && s.cache_used_units == 0);
		assert_true(s.host_write_units > ssd->units);
		rng_init(&rng, 5, 5);
		amplification(ssd, 0.3, &c, &rng);
		check(ssd);
		if (ssd->has_wear)
			assert_true(ssd->wear.cycles[0] > WEAR_CYCLE);
		ssd_purge(ssd);
		check(ssd);
		ssd_get_stats(ssd, &again);
		assert_int_equal(again.mapped_units, 0);
		ssd_free(ssd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady),
		cmocka_unit_test(on_the_way),
		cmocka_unit_test(other_policies),
		cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
