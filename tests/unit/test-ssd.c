/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/ssd.h"

/* A small TLC drive with everything on: 2 dies, superblocks of 96 units (32 in pSLC mode), 16 MiB. */
static const char small[] =
	"capacity=16MiB geometry.channels=2 geometry.dies=2 geometry.planes=2 "
	"geometry.page_units=1 "
	"geometry.superblock_units=96 geometry.superblocks=80 nand.program_units=12 "
	"pslc.program_units=4 buffer=32 pslc.static=512KiB pslc.share=0.1";

static int configure(struct ssd_config *cfg, const char *text, struct err *err)
{
	char copy[2048], *save = NULL;

	memset(cfg, 0, sizeof(*cfg));
	param_defaults(ssd_params, cfg);
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');
		int r;

		assert_non_null(equals);
		*equals = '\0';
		r = param_set(ssd_params, cfg, word, equals + 1, err);
		if (r < 0)
			return r;
	}
	return ssd_config_check(cfg, NULL, err);
}

/* The small drive with changes behind it. */
static struct ssd *make(const char *more)
{
	struct ssd_config cfg;
	struct err err = { 0 };
	struct ssd *ret = NULL;
	char text[2048];

	snprintf(text, sizeof(text), "%s %s", small, more);
	if (configure(&cfg, text, &err) < 0 || ssd_new(&ret, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

static void check(const struct ssd *ssd)
{
	struct err err = { 0 };

	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
}

static uint32_t units_of(const struct ssd *ssd)
{
	return (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);
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

static uint64_t read_at(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n)
{
	struct ssd_times t;

	ssd_read(ssd, now, unit, n, &t);
	return t.done_ns;
}

/* Write [unit, unit + n) in pieces of 16, one after the other. */
static uint64_t write_all(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 16)
		now = write_at(ssd, now, unit + i, n - i < 16 ? n - i : 16);
	return now;
}

/* One random operation at `now`; returns when it is done. */
static uint64_t random_op(struct ssd *ssd, struct rng *rng, uint64_t now)
{
	uint32_t units = units_of(ssd), unit = (uint32_t)rng_below(rng, units);
	uint32_t n = 1 + (uint32_t)rng_below(rng, rng_below(rng, 4) ? 8 : 200);
	uint64_t what = rng_below(rng, 100);
	struct ssd_times t = { .start_ns = now, .done_ns = now };

	if (rng_below(rng, 2))
		unit %= units / 4; /* some addresses more often than others */
	if (n > units - unit)
		n = units - unit;
	if (what < 65)
		ssd_write(ssd, now, unit, n, NULL, &t);
	else if (what < 80)
		ssd_read(ssd, now, unit, n, &t);
	else if (what < 88 && ssd_get_config(ssd)->link.trim)
		ssd_trim(ssd, now, unit, n, &t);
	else if (what < 92)
		ssd_flush(ssd, now, &t);
	else if (what < 97)
		ssd_idle(ssd, now);
	else if (what < 98 && !rng_below(rng, 20))
		ssd_purge(ssd);
	assert_true(t.start_ns >= now && t.done_ns >= t.start_ns);
	return t.done_ns;
}

/* Every operation on every kind of drive leaves everything in its one place. */
static void conservation(void **state)
{
	static const char *const drives[] = {
		"",
		"pslc.full=fold",
		"pslc.full=fold pslc.fold_share=1.5 pslc.fold_low=128KiB",
		"pslc.reclaim=true pslc.reclaim_valid=60",
		"pslc.full=fold pslc.reclaim=true pslc.reclaim_valid=0",
		"pslc.basis=unwritten link.kind=usb-bot link.queue=1 link.trim=false",
		"pslc.static=0B pslc.share=0.333",
		"pslc.static=0B pslc.share=0",
		"pslc.static=1MiB pslc.share=0",
		"pslc.static=768KiB pslc.share=0.3 pslc.full=fold pslc.idle_delay=1us "
		"pslc.idle_rate=1GB",
		"campaign.every=1MiB campaign.copy=512KiB campaign.start=4KiB campaign.slice=20us "
		"campaign.slice_units=3",
		"campaign.every=2MiB campaign.copy=2MiB campaign.start=4KiB campaign.idle_rate=1GB "
		"pslc.full=fold fw.copy=10us",
		"link.kind=pcie link.queue=64 nand.planes_independent=true fw.readahead=64 "
		"fw.random_read=10us fw.random_write=10us",
		"pslc.static=0B pslc.share=0 nand.cell=slc geometry.superblocks=64 gc.low=8",
		"pslc.static=0B pslc.share=0 nand.cell=mlc geometry.superblocks=53",
		"nand.cell=qlc pslc.share=0.25 geometry.superblock_units=96 "
		"geometry.superblocks=80",
		"gc.low=12 geometry.superblocks=90",
		"wear.endurance=60 wear.endurance_variation=0.3 wear.acceleration=2",
		"wear.endurance=40 wear.level_free=least wear.level_spread=3 refresh.rate=50MB "
		"calibration.every=3ms calibration.pause=200us pslc.full=fold",
		"wear.endurance=5000 wear.initial=4500 ecc.page_variation=0.6 "
		"ecc.hard_rber=3e-3 ecc.soft_rber=8e-3 ecc.retry_steps=2 refresh.rber=6e-3 "
		"refresh.rate=1GB wear.gamma=1e-4 pslc.static=0B pslc.share=0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drives) / sizeof(*drives); i++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct ssd *ssd = make(drives[i]);
			uint64_t now = 0, last = 0;
			struct rng rng;

			rng_init(&rng, seed, i);
			for (int k = 0; k < 2500; k++) {
				uint64_t done = random_op(ssd, &rng, now);
				struct err err = { 0 };

				if (done > last)
					last = done;
				/* Back to back, overlapping, or after a rest. */
				switch (rng_below(&rng, 4)) {
				case 0:
					now = last;
					break;
				case 1:
					now += rng_below(&rng, 300000);
					break;
				case 2:
					now = last + rng_below(&rng, 3000000);
					break;
				}
				if (ssd_check(ssd, &err) < 0)
					fail_msg("'%s', seed %d, operation %d: %s", drives[i],
						 (int)seed, k, err.text);
			}
			ssd_free(ssd);
		}
}

/* ssd_check() itself must see what is wrong: the counters are compared with those of a second drive. */
static void accounting(void **state)
{
	struct ssd *ssd = make("pslc.static=0B pslc.share=0");
	uint64_t now = write_all(ssd, 0, 0, units_of(ssd));
	struct ssd_stats s = stats_of(ssd);
	struct ssd_times t;

	(void)state;
	assert_int_equal(s.host_write_units, units_of(ssd));
	assert_int_equal(s.mapped_units, units_of(ssd));
	assert_int_equal(s.gc_units, 0);
	ssd_flush(ssd, now, &t);
	s = stats_of(ssd);
	assert_int_equal(s.nand_units, s.host_write_units + s.pad_units);
	ssd_trim(ssd, t.done_ns, 100, 50, &t);
	s = stats_of(ssd);
	assert_int_equal(s.mapped_units, units_of(ssd) - 50);
	assert_int_equal(s.written_units, units_of(ssd));
	assert_int_equal(s.trim_units, 50);
	ssd_purge(ssd);
	s = stats_of(ssd);
	assert_int_equal(s.mapped_units + s.written_units + s.nand_units, 0);
	assert_int_equal(s.free_superblocks, 80);
	check(ssd);
	ssd_free(ssd);
}

/* The same calls give the same times: on every compiler this very number. */
static void deterministic(void **state)
{
	uint64_t hash[2] = { 0, 0 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		struct ssd *ssd = make("pslc.full=fold campaign.every=1MiB campaign.copy=256KiB "
				       "campaign.start=4KiB fw.copy=3us fw.readahead=32");
		struct rng rng;
		uint64_t now = 0;

		rng_init(&rng, 5, 5);
		for (int k = 0; k < 20000; k++) {
			uint64_t done = random_op(ssd, &rng, now);

			hash[round] = rng_mix(hash[round] ^ done);
			now += rng_below(&rng, 200000);
		}
		ssd_free(ssd);
	}
	assert_int_equal(hash[0], hash[1]);
	assert_int_equal(hash[0], 0xf6c3978a8153f5dc);
}

/* One command at a time, whatever was given: the second begins when the first is done. */
static void one_at_a_time(void **state)
{
	struct ssd *ssd = make("link.kind=usb-bot link.queue=1 link.trim=false");
	uint64_t done = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct ssd_times t;

		ssd_write(ssd, 0, i * 8, 8, NULL, &t);
		assert_int_equal(t.start_ns, done);
		done = t.done_ns;
	}
	ssd_free(ssd);
}

/* No more commands at the drive than its queue has places. */
static void queue_limit(void **state)
{
	struct ssd *ssd = make("link.kind=sata link.queue=5");
	struct ssd_times t[64];
	uint64_t now = write_all(ssd, 0, 0, units_of(ssd)) + 1000000000;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		ssd_read(ssd, now, i * 37, 1, &t[i]);
	for (int i = 0; i < 64; i++) {
		int at_drive = 0;

		for (int k = 0; k < 64; k++)
			at_drive += t[k].start_ns <= t[i].start_ns && t[k].done_ns > t[i].start_ns;
		assert_true(at_drive <= 5);
	}
	/* It is used to the full. */
	assert_true(t[63].start_ns < t[63].done_ns && t[4].start_ns == now && t[5].start_ns > now);
	ssd_free(ssd);
}

/* A read waits for the program in progress only, not for those behind it. */
static void read_priority(void **state)
{
	struct ssd *ssd =
		make("pslc.static=0B pslc.share=0 fw.read=0ns fw.write=0ns buffer=1024 "
		     "link.kind=pcie link.write_unit=0ns link.read_unit=0ns link.read_command=0ns "
		     "link.write_command=0ns channel.unit=0ns nand.read=50us nand.program=2ms");
	uint64_t now = write_all(ssd, 0, 0, 24), done; /* one program on each die */
	struct ssd_times t;

	(void)state;
	ssd_flush(ssd, now, &t);
	now = t.done_ns + 1000000;
	/* Twenty programs a die: 40 ms of work. */
	for (uint32_t i = 0; i < 20; i++)
		write_at(ssd, now, 480 + i * 24, 24);
	done = read_at(ssd, now + 100000, 0, 1);
	assert_int_equal(done - now, 2000000 + 50000);
	/* A second read of that die goes before the next program too. */
	done = read_at(ssd, now + 100000, 1, 1);
	assert_int_equal(done - now, 2000000 + 100000);
	ssd_flush(ssd, now + 100000, &t);
	assert_int_equal(t.done_ns - now, 20 * 2000000);
	ssd_free(ssd);
}

/* Data that wait in the buffer for the rest of their program are read from there; unwritten ones need no flash. */
static void read_without_flash(void **state)
{
	struct ssd *ssd = make("nand.read=10ms pslc.read=10ms");
	uint64_t now = write_at(ssd, 0, 0, 1);

	(void)state;
	assert_true(read_at(ssd, now, 0, 1) - now < 1000000);
	assert_true(read_at(ssd, now + 1000000, 77, 1) - now < 2000000);
	ssd_free(ssd);
}

/* Writes are done when buffered, until the buffer is full; then they go at the pace of the dies. */
static void write_buffer(void **state)
{
	struct ssd *ssd = make("pslc.static=0B pslc.share=0 buffer=96 link.write_unit=1us");
	uint64_t now = 0, fast = write_at(ssd, 0, 0, 24);

	(void)state;
	assert_true(fast < 100000); /* 1.7 ms is one program */
	for (uint32_t i = 1; i < 100; i++)
		now = write_at(ssd, now > fast ? now : fast, i * 24, 24);
	/* 100 pairs of programs on two dies, less those still in the buffer. */
	assert_true(now >= 94 * 1700000ull && now <= 102 * 1700000ull);
	ssd_free(ssd);
}

/* A sequential stream is fetched ahead of the host: only the link is left of its time. */
static void read_ahead(void **state)
{
	static const char *const drives[] = { "fw.readahead=0", "fw.readahead=64" };
	uint64_t took[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		char more[200];
		struct ssd *ssd;
		uint64_t start, now;

		snprintf(more, sizeof(more), "%s pslc.static=0B pslc.share=0 nand.read=15us",
			 drives[i]);
		ssd = make(more);
		now = start = write_all(ssd, 0, 0, 2048) + 1000000000;
		for (uint32_t u = 0; u < 2048; u += 16)
			now = read_at(ssd, now, u, 16);
		took[i] = now - start;
		ssd_free(ssd);
	}
	/* 128 commands of 16 units on the link, 7.3 us each, and 6 us of command and firmware. */
	assert_true((double)took[1] < 128 * (16 * 7300 + 6000) * 1.01);
	assert_true((double)took[0] > 128 * (16 * 7300 + 6000) * 1.2);
}

/* Random commands pay their latency, but it is not occupancy: at depth it overlaps. */
static void random_penalty(void **state)
{
	struct ssd *ssd = make("fw.random_write=1ms link.kind=pcie link.queue=64");
	uint64_t last = 0, now;

	(void)state;
	for (uint32_t i = 0; i < 16; i++)
		last = write_at(ssd, 0, 1000 + i * 50, 1);
	assert_true(last >= 1000000 && last < 2000000);
	now = write_at(ssd, last, 3000, 1);
	assert_true(now - last >= 1000000);
	assert_true(write_at(ssd, now, 3001, 1) - now < 500000); /* goes on where one ended */
	ssd_free(ssd);
}

/* How much goes to the cache before it is exhausted. */
static uint64_t cache_bytes(const char *more, uint32_t written)
{
	struct ssd *ssd = make(more);
	uint64_t now = write_all(ssd, 0, 0, written) + 3600ull * 1000000000;
	struct ssd_stats s;
	uint64_t ret = 0;

	ssd_idle(ssd, now); /* folds all but the superblock that is open */
	for (uint32_t i = 0; i < 1200; i += 4) {
		now = write_at(ssd, now, 2000 + i, 4);
		s = stats_of(ssd);
		if (s.cache_used_units > ret)
			ret = s.cache_used_units;
	}
	check(ssd);
	ssd_free(ssd);
	return ret * SSD_UNIT_BYTES;
}

/* Fixed part plus share of what was never written, to a superblock of 32 units. */
static void cache_limit(void **state)
{
	static const uint32_t written[] = { 0, 512, 1024, 2000 };
	const uint64_t block = 32 * SSD_UNIT_BYTES;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const char *more = "pslc.static=1MiB pslc.share=0.2 geometry.superblocks=90 "
				   "pslc.basis=unwritten pslc.idle_rate=1GB";
		uint64_t got = cache_bytes(more, written[i]), want;

		/* The limit falls as the cache is written: used = fixed + share x (free - used). */
		want = (uint64_t)((1048576 + 0.2 * (4096.0 - written[i]) * SSD_UNIT_BYTES) / 1.2);
		assert_true(got + block >= want && got <= want + block);
	}
	assert_int_equal(cache_bytes("pslc.static=512KiB pslc.share=0 pslc.idle_rate=1GB", 0),
			 524288);
}

/* TRIM gives cache back where unmapped counts as free, not where only unwritten does. */
static void cache_basis(void **state)
{
	static const char *const basis[] = { "pslc.basis=unmapped", "pslc.basis=unwritten" };
	uint64_t limit[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ssd *ssd = make(basis[i]);
		uint64_t fresh = stats_of(ssd).cache_limit_units;
		uint64_t now = write_all(ssd, 0, 0, units_of(ssd));
		struct ssd_times t;

		assert_int_equal(stats_of(ssd).cache_limit_units, 128);
		ssd_trim(ssd, now, 0, units_of(ssd), &t);
		limit[i] = stats_of(ssd).cache_limit_units;
		assert_int_equal(limit[i], i ? 128 : fresh);
		ssd_free(ssd);
	}
}

/*
 * A small span overwritten again and again: with reclaim it stays in the cache at A = 1, without it goes to
 * the main area as soon as the cache has been written once.
 */
static void cache_reclaim(void **state)
{
	static const char *const drives[] = {
		"pslc.static=1MiB pslc.share=0 geometry.superblocks=70 pslc.reclaim=true "
		"pslc.reclaim_valid=0",
		"pslc.static=1MiB pslc.share=0 geometry.superblocks=70 pslc.reclaim=false",
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ssd *ssd = make(drives[i]);
		uint64_t now = 0;
		struct ssd_stats s;

		for (int k = 0; k < 40; k++)
			now = write_all(ssd, now, 0, 128);
		s = stats_of(ssd);
		assert_int_equal(s.gc_units + s.fold_units + s.compact_units, 0);
		if (i == 0)
			assert_int_equal(s.cache_valid_units, 128);
		else
			assert_true(s.cache_valid_units == 0 && s.cache_used_units == 256);
		check(ssd);
		ssd_free(ssd);
	}
}

/* `fold` keeps the host in the cache at the price of a fold for each write; `direct` does not fold. */
static void cache_full(void **state)
{
	struct ssd *ssd =
		make("pslc.static=1MiB pslc.share=0 geometry.superblocks=70 pslc.full=fold");
	uint64_t now = write_all(ssd, 0, 0, 2048);
	struct ssd_stats s = stats_of(ssd);

	(void)state;
	(void)now;
	assert_true(s.fold_units >= 2048 - 256 && s.fold_units <= 2048 - 256 + 64);
	ssd_free(ssd);
	ssd = make("pslc.static=1MiB pslc.share=0 geometry.superblocks=70 pslc.full=direct");
	write_all(ssd, 0, 0, 2048);
	s = stats_of(ssd);
	assert_int_equal(s.fold_units, 0);
	assert_int_equal(s.cache_used_units, 256);
	ssd_free(ssd);
}

/* Idle time is closed form: one long rest does what many short ones do, from the delay on, at the rate. */
static void idle_folding(void **state)
{
	struct ssd_stats s[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ssd *ssd =
			make("pslc.idle_delay=500ms pslc.idle_rate=400kB pslc.static=1MiB "
			     "geometry.superblocks=70");
		uint64_t start = write_all(ssd, 0, 0, 224), end = start + 1500000000;

		ssd_idle(ssd, start + 499000000);
		assert_int_equal(stats_of(ssd).fold_units, 0);
		for (uint64_t now = start; i == 1 && now < end;) {
			now += 1234567;
			ssd_idle(ssd, now);
		}
		ssd_idle(ssd, end);
		s[i] = stats_of(ssd);
		check(ssd);
		ssd_free(ssd);
	}
	assert_int_equal(s[0].fold_units, 400000 / SSD_UNIT_BYTES);
	assert_true(s[1].fold_units + 1 >= s[0].fold_units &&
		    s[1].fold_units <= s[0].fold_units + 1);
}

/* A campaign begins after its start and phase, moves what it is to move, and takes its slices. */
static void campaign(void **state)
{
	struct ssd *ssd =
		make("pslc.static=0B pslc.share=0 campaign.every=1MiB campaign.start=16MiB "
		     "campaign.copy=384KiB campaign.slice=100us buffer=1024");
	uint64_t now = write_all(ssd, 0, 0, units_of(ssd) - 1) + 1000000000;
	uint64_t slow = 0, fast = UINT64_MAX;
	struct ssd_stats s;

	(void)state;
	assert_int_equal(stats_of(ssd).campaigns, 0);
	for (int i = 0; i < 512; i++) {
		uint64_t done = write_at(ssd, now, (uint32_t)i, 1), took = done - now;

		slow = took > slow && took < 1000000 ? took : slow;
		fast = took < fast ? took : fast;
		now = done;
	}
	s = stats_of(ssd);
	assert_true(s.campaigns >= 1 && s.campaigns <= 2);
	assert_true(s.campaign_units > 0 && s.campaign_units <= s.campaigns * 96);
	assert_int_equal(slow - fast, 100000);
	check(ssd);
	ssd_free(ssd);
}

/* A copy over the whole drive without a pause: the dynamic cache has to give its superblocks back. */
static void cache_shrinks(void **state)
{
	struct ssd *ssd = make("pslc.static=512KiB pslc.share=0.333");
	uint64_t now = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		now = write_all(ssd, now, 0, units_of(ssd));
	assert_true(stats_of(ssd).cache_limit_units == 128);
	check(ssd);
	ssd_free(ssd);
}

static void nothing_allocated(void **state)
{
	struct ssd *ssd = make("pslc.full=fold campaign.every=1MiB campaign.copy=256KiB "
			       "wear.endurance=2000 wear.initial=1500 refresh.days=1 "
			       "wear.level_spread=5 calibration.every=10ms ecc.hard_rber=2e-3");
	struct mallinfo2 before, after;
	struct rng rng;
	uint64_t now = 0;

	(void)state;
	rng_init(&rng, 9, 9);
	before = mallinfo2();
	for (int i = 0; i < 5000; i++)
		now = random_op(ssd, &rng, now);
	after = mallinfo2();
	assert_int_equal(before.uordblks, after.uordblks);
	assert_true(ssd_memory_bytes(ssd) > 4 * (units_of(ssd) + 80 * 96));
	ssd_free(ssd);
}

/* What cannot be is refused, with a sentence that names it. */
static void refused(void **state)
{
	static const struct {
		const char *more, *says;
	} cases[] = {
		{ "geometry.channels=3", "spread evenly" },
		{ "nand.program_units=9", "page of every plane" },
		{ "geometry.superblock_units=100", "program unit on every die" },
		{ "pslc.program_units=3", "pslc.program_units" },
		{ "pslc.program_units=6", "pSLC mode" },
		{ "capacity=1048577B", "multiple of 4096" },
		{ "geometry.superblocks=42", "do not hold the capacity" },
		{ "geometry.superblocks=45", "more than the spare" },
		{ "geometry.superblocks=50", "too small" },
		{ "gc.low=40", "too small" },
		{ "pslc.share=0.5", "pslc.share" },
		{ "nand.cell=slc", "one bit" },
		{ "buffer=20", "two program units" },
		{ "link.kind=usb-bot link.trim=false", "one command at a time" },
		{ "link.kind=usb-bot link.queue=1", "TRIM" },
		{ "campaign.every=1MiB campaign.copy=2MiB", "never end" },
		{ "geometry.dies=0", "out of range" },
		{ "gc.low=1", "out of range" },
		{ "nand.cell=plc", "not one of" },
		{ "pslc.statc=1MiB", "did you mean 'pslc.static'" },
		{ "nand.read=50", "unit" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ssd_config cfg;
		struct err err = { 0 };
		char text[2048];

		snprintf(text, sizeof(text), "%s %s", small, cases[i].more);
		if (configure(&cfg, text, &err) == 0)
			fail_msg("'%s' is not refused", cases[i].more);
		if (!strstr(err.text, cases[i].says))
			fail_msg("'%s': '%s' does not say '%s'", cases[i].more, err.text,
				 cases[i].says);
	}
}

/* A smaller drive of the same kind: shares stay, and there are superblocks enough. */
static void scaled(void **state)
{
	static const uint64_t sizes[] = { 1000000000ull / 4096 * 4096, 8000000000ull / 4096 * 4096,
					  960197124096ull / 4096 * 4096 };
	struct ssd_config cfg, was;
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		double raw, raw_was;

		assert_int_equal(
			configure(&cfg,
				  "capacity=120034123776B geometry.dies=4 "
				  "geometry.superblock_units=12288 geometry.superblocks=2770 "
				  "pslc.static=1600MB campaign.every=24GB campaign.copy=2500MB",
				  &err),
			0);
		was = cfg;
		assert_int_equal(ssd_config_scale(&cfg, sizes[i], &err), 0);
		if (ssd_config_check(&cfg, NULL, &err) < 0)
			fail_msg("%s", err.text);
		raw = (double)cfg.geometry.superblocks * cfg.geometry.superblock_units * 4096;
		raw_was = (double)was.geometry.superblocks * was.geometry.superblock_units * 4096;
		assert_true(cfg.geometry.superblocks >= 1000);
		assert_true(raw / (double)cfg.capacity_bytes / (raw_was / 120034123776.0) > 0.999);
		assert_true(raw / (double)cfg.capacity_bytes / (raw_was / 120034123776.0) < 1.001);
		assert_true((double)cfg.pslc.static_bytes / (double)cfg.capacity_bytes /
				    (1600e6 / 120034123776.0) >
			    0.999);
		assert_int_equal(cfg.nand.program_ns, was.nand.program_ns);
		assert_int_equal(cfg.nand.erase_ns * was.geometry.superblock_units,
				 was.nand.erase_ns * cfg.geometry.superblock_units);
	}
	assert_true(ssd_config_scale(&cfg, 4095, &err) < 0);
	assert_int_equal(ssd_config_scale(&cfg, 1000000000, &err), 0);
	assert_int_equal(cfg.capacity_bytes, 999997440);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conservation),
		cmocka_unit_test(accounting),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(queue_limit),
		cmocka_unit_test(read_priority),
		cmocka_unit_test(read_without_flash),
		cmocka_unit_test(write_buffer),
		cmocka_unit_test(read_ahead),
		cmocka_unit_test(random_penalty),
		cmocka_unit_test(cache_limit),
		cmocka_unit_test(cache_basis),
		cmocka_unit_test(cache_reclaim),
		cmocka_unit_test(cache_full),
		cmocka_unit_test(idle_folding),
		cmocka_unit_test(campaign),
		cmocka_unit_test(cache_shrinks),
		cmocka_unit_test(nothing_allocated),
		cmocka_unit_test(refused),
		cmocka_unit_test(scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
