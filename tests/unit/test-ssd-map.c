/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/ssd.h"

/* 16 MiB, TLC, no cache: 4096 units in 64 map pages of 64 units, 8 of them cached. */
static const char small[] =
	"capacity=16MiB geometry.channels=2 geometry.dies=2 geometry.planes=2 "
	"geometry.page_units=1 "
	"geometry.superblock_units=96 geometry.superblocks=56 nand.program_units=12 buffer=1024 "
	"pslc.program_units=4 fw.read=0ns fw.write=0ns map.page_units=64 map.pages=8 map.lanes=2 "
	"map.fetch=100us map.writeback=50us";

static struct ssd *make(const char *more)
{
	char text[1024], *save = NULL;
	struct ssd_config cfg = { 0 };
	struct err err = { 0 };
	struct ssd *ret = NULL;

	param_defaults(ssd_params, &cfg);
	snprintf(text, sizeof(text), "%s %s", small, more);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		if (param_set(ssd_params, &cfg, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
	if (ssd_new(&ret, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

static void check(const struct ssd *ssd)
{
	struct err err = { 0 };

	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
}

static struct ssd_stats stats_of(const struct ssd *ssd)
{
	struct ssd_stats ret;

	ssd_get_stats(ssd, &ret);
	return ret;
}

static uint64_t write_at(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n)
{
	struct ssd_times t;

	ssd_write(ssd, now, unit, n, NULL, &t);
	return t.done_ns;
}

/* The least recently used page goes, and only a changed one is written back. */
static void least_recently_used(void **state)
{
	struct ssd *ssd = make("");
	struct ssd_stats s;
	struct ssd_times t;
	uint64_t now = 0;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		now = write_at(ssd, now, i * 64, 1);
	now = write_at(ssd, now, 0, 1);	    /* page 1 is now the oldest */
	ssd_read(ssd, now, 20 * 64, 1, &t); /* takes its place: written back */
	ssd_read(ssd, t.done_ns, 0, 1, &t); /* still there */
	ssd_read(ssd, t.done_ns, 20 * 64, 1, &t);
	s = stats_of(ssd);
	assert_int_equal(s.map_misses, 9);
	assert_int_equal(s.map_hits, 3);
	assert_int_equal(s.map_units, 1);
	ssd_read(ssd, t.done_ns, 64, 1, &t); /* page 1 is fetched again, page 2 goes */
	for (uint32_t i = 30; i < 38; i++)   /* the other changed ones go, and what was only read */
		ssd_read(ssd, t.done_ns, i * 64, 1, &t);
	s = stats_of(ssd);
	assert_int_equal(s.map_misses, 9 + 1 + 8);
	assert_int_equal(s.map_units, 8);
	check(ssd);
	ssd_free(ssd);
}

/* Each map page that a command touches is looked up once; one that is changed as a whole is not fetched. */
static void commands(void **state)
{
	struct ssd *ssd = make("link.write_unit=0ns link.write_command=0ns");

	(void)state;
	assert_true(write_at(ssd, 0, 64, 128) < 100000); /* pages 1 and 2, whole */
	assert_int_equal(stats_of(ssd).map_misses, 2);
	/* Half of page 3, page 4, one unit of 5: two fetches on two lanes. */
	assert_int_equal(write_at(ssd, 1000000, 3 * 64 + 32, 32 + 64 + 1), 1100000);
	assert_int_equal(stats_of(ssd).map_misses, 5);
	/* Two more fetches, two at a time: three in a row take two turns. */
	write_at(ssd, 2000000, 10 * 64, 1);
	write_at(ssd, 2000000, 11 * 64, 1);
	assert_int_equal(write_at(ssd, 2000000, 12 * 64, 1), 2200000);
	ssd_free(ssd);
}

/* Uniform random writes are bound by the lanes: fetch and write-back for each miss. */
static void bound_by_lanes(void **state)
{
	struct ssd *ssd = make("link.kind=pcie link.queue=64 nand.program=100us "
			       "nand.read=0ns nand.erase=0ns channel.unit=0ns map.moves=false");
	uint64_t done[16] = { 0 }, now = 0;
	struct ssd_stats s;
	struct rng rng;
	double want;
	const int n = 20000;

	(void)state;
	rng_init(&rng, 1, 0);
	for (int i = 0; i < n; i++) {
		unsigned first = 0;

		for (unsigned k = 1; k < 16; k++)
			if (done[k] < done[first])
				first = k;
		now = done[first] > now ? done[first] : now;
		done[first] = write_at(ssd, now, (uint32_t)rng_below(&rng, 4096), 1);
	}
	s = stats_of(ssd);
	assert_int_equal(s.map_hits + s.map_misses, n);
	/* 8 of 64 pages hit. */
	assert_true(s.map_misses > n * 86 / 100 && s.map_misses < n * 89 / 100);
	want = ((double)s.map_misses * 100e3 + (double)s.map_units * 50e3) / 2;
	printf("# %.0f, lanes %.0f ns a write\n", (double)now / n, want / n);
	assert_true((double)now > 0.99 * want && (double)now < 1.01 * want);
	check(ssd);
	ssd_free(ssd);
}

/* What the drive moves by itself looks a map page up once for each superblock, not once for each unit. */
static void moves(void **state)
{
	struct ssd_stats s[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ssd *ssd = make(i ? "prefill=sequential map.moves=true"
					 : "prefill=sequential map.moves=false");
		uint64_t now = 0;

		/* Every second unit, in order: victims are half valid, of two map pages each. */
		for (uint32_t unit = 0; unit < 4096; unit += 2)
			now = write_at(ssd, now, unit, 1);
		s[i] = stats_of(ssd);
		check(ssd);
		ssd_free(ssd);
	}
	assert_int_equal(s[0].gc_units, s[1].gc_units);
	assert_true(s[0].gc_units > 500);
	assert_int_equal(s[0].map_hits + s[0].map_misses, 2048);
	assert_true(s[1].map_hits + s[1].map_misses > 2048 + s[1].gc_units / 48);
	assert_true(s[1].map_hits + s[1].map_misses < 2048 + s[1].gc_units / 10);
}

/* A host memory buffer: enough pages, each hit at a price. */
static void hits_cost(void **state)
{
	struct ssd *ssd = make("map.pages=64 map.hit=2us link.read_command=0ns link.read_unit=0ns");
	struct ssd_times t;

	(void)state;
	ssd_read(ssd, 0, 100, 1, &t);
	assert_int_equal(t.done_ns, 100000);
	ssd_read(ssd, 1000000, 101, 1, &t);
	assert_int_equal(t.done_ns - 1000000, 2000);
	ssd_free(ssd);
}

/* A drive that was full before: as if written in order, at no time and no cost; a purge makes it new. */
static void prefill(void **state)
{
	static const char *const capacities[] = { "capacity=16MiB", "capacity=16756736B",
						  "capacity=16711680B" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		char more[128];
		struct ssd *ssd;
		struct ssd_stats s;
		uint32_t units;

		snprintf(more, sizeof(more),
			 "%s prefill=sequential pslc.static=384KiB geometry.superblocks=70",
			 capacities[i]);
		ssd = make(more);
		check(ssd);
		s = stats_of(ssd);
		units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);
		assert_int_equal(s.mapped_units, units);
		assert_int_equal(s.written_units, units);
		assert_true(s.prefill_units >= units && s.prefill_units < units + 12);
		assert_int_equal(s.nand_units + s.host_write_units + s.erases, 0);
		for (uint32_t unit = 0; unit < 2 * units; unit++)
			write_at(ssd, 1000000ull * unit, unit * 37 % units, 1);
		check(ssd);
		assert_true(stats_of(ssd).gc_units > 0);
		ssd_purge(ssd);
		check(ssd);
		assert_int_equal(stats_of(ssd).mapped_units, 0);
		ssd_free(ssd);
	}
}

/* Random streams of all operations leave everything in its place. */
static void conservation(void **state)
{
	static const char *const drives[] = {
		"",
		"map.pages=1 prefill=sequential",
		("prefill=sequential pslc.static=384KiB geometry.superblocks=64 pslc.full=fold "
		 "pslc.fold_share=1.5 pslc.fold_low=128KiB pslc.idle_rate=10MB"),
	};

	(void)state;
	for (size_t d = 0; d < sizeof(drives) / sizeof(*drives); d++) {
		struct ssd *ssd = make(drives[d]);
		uint64_t now = 0;
		struct rng rng;

		rng_init(&rng, d + 1, 0);
		for (int i = 0; i < 4000; i++) {
			uint32_t n = 1 + (uint32_t)rng_below(&rng, 150);
			uint32_t unit = (uint32_t)rng_below(&rng, 4096 - n + 1);
			uint64_t what = rng_below(&rng, 20);
			struct ssd_times t = { .done_ns = now };

			if (what < 12)
				ssd_write(ssd, now, unit, n, NULL, &t);
			else if (what < 15)
				ssd_read(ssd, now, unit, n, &t);
			else if (what < 17)
				ssd_trim(ssd, now, unit, n, &t);
			else if (what < 18)
				ssd_flush(ssd, now, &t);
			else if (what < 19)
				ssd_idle(ssd, now);
			else if (!rng_below(&rng, 50))
				ssd_purge(ssd);
			assert_true(t.done_ns >= now);
			now = t.done_ns + rng_below(&rng, 2) * rng_below(&rng, 2000000000);
			check(ssd);
		}
		assert_true(stats_of(ssd).map_units > 0);
		ssd_free(ssd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_recently_used), cmocka_unit_test(commands),
		cmocka_unit_test(bound_by_lanes),      cmocka_unit_test(moves),
		cmocka_unit_test(hits_cost),	       cmocka_unit_test(prefill),
		cmocka_unit_test(conservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
