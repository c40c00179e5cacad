/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong in a simulated drive, what its writes carry, and what a power cut leaves of them. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/ssd.h"

#define UNITS 4096u /* 16 MiB */
#define CUTS "fault.cut_every=900TB"

static const char small[] =
	"capacity=16MiB geometry.channels=2 geometry.dies=2 geometry.planes=2 "
	"geometry.page_units=1 geometry.superblock_units=96 geometry.superblocks=80 "
	"nand.program_units=12 pslc.program_units=4 buffer=32 pslc.static=512KiB pslc.share=0.1";

/* The small drive with changes behind it. */
static struct ssd *make(const char *more)
{
	struct ssd_config cfg;
	struct err err = { 0 };
	struct ssd *ret = NULL;
	char text[2048], *save = NULL;

	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	snprintf(text, sizeof(text), "%s %s", small, more);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

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

static struct ssd_times write_tag(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n,
				  uint32_t tag, bool fua)
{
	struct ssd_data data = { .ratio = 1, .tag = tag, .fua = fua };
	struct ssd_times t;

	ssd_write(ssd, now, unit, n, &data, &t);
	return t;
}

/* Every version of every unit, as a host would know them. */
struct version {
	uint32_t tag;	   /* 0: discarded */
	uint64_t given_ns; /* when it was written ... */
	uint64_t done_ns;  /* ... and when that was acknowledged */
};

struct host {
	struct ssd *ssd;
	struct version *version[UNITS];
	uint32_t versions[UNITS];
	int64_t durable[UNITS]; /* of these, the newest that cannot be lost; -1: none */
	uint32_t tags;
};

static void remember(struct host *h, uint32_t unit, uint32_t tag, const struct ssd_times *t,
		     uint64_t now)
{
	uint32_t n = h->versions[unit];

	if ((n & (n - 1)) == 0) {
		h->version[unit] =
			realloc(h->version[unit], (n ? 2 * n : 1) * sizeof(struct version));
		assert_non_null(h->version[unit]);
	}
	h->version[unit][h->versions[unit]++] = (struct version){ tag, now, t->done_ns };
}

/* A flush (or FUA, for one command) that was done at `until` covers all that was acknowledged before it was given. */
static void settle(struct host *h, uint32_t unit, uint64_t given_ns)
{
	for (int64_t i = h->durable[unit] + 1; i < h->versions[unit]; i++)
		if (h->version[unit][i].done_ns <= given_ns)
			h->durable[unit] = i;
}

/* What is read must be a version that is not older than the durable one. */
static void verify_all(struct host *h, bool all_acknowledged, uint64_t now)
{
	for (uint32_t unit = 0; unit < UNITS; unit++) {
		uint32_t tag = ssd_tag(h->ssd, unit);
		bool found;

		if (all_acknowledged)
			settle(h, unit, now);
		found = tag == 0 && h->durable[unit] < 0; /* there was nothing before */
		for (int64_t i = h->durable[unit] < 0 ? 0 : h->durable[unit];
		     i < h->versions[unit] && !found; i++)
			found = h->version[unit][i].tag == tag;
		if (!found)
			fail_msg("unit %u reads %u, of %u versions from %d on", unit, tag,
				 h->versions[unit], (int)h->durable[unit]);
		/* What is there now is where history goes on. */
		free(h->version[unit]);
		h->version[unit] = NULL;
		h->versions[unit] = 0;
		h->durable[unit] = -1;
		if (tag) {
			remember(h, unit, tag, &(struct ssd_times){ 0 }, 0);
			h->durable[unit] = 0;
		}
	}
}

static uint64_t host_op(struct host *h, struct rng *rng, uint64_t now)
{
	uint32_t unit = (uint32_t)rng_below(rng, rng_below(rng, 2) ? UNITS : UNITS / 8);
	uint32_t n = 1 + (uint32_t)rng_below(rng, rng_below(rng, 4) ? 6 : 60);
	uint64_t what = rng_below(rng, 100);
	struct ssd_times t = { 0 };

	if (n > UNITS - unit)
		n = UNITS - unit;
	if (what < 80) {
		bool fua = what < 5;
		uint32_t tag = ++h->tags;

		t = write_tag(h->ssd, now, unit, n, tag, fua);
		for (uint32_t i = 0; i < n; i++) {
			remember(h, unit + i, tag, &t, now);
			if (fua) /* waited for, see below */
				h->durable[unit + i] = (int64_t)h->versions[unit + i] - 1;
		}
		return fua ? t.done_ns : now;
	}
	if (what < 84) {
		ssd_trim(h->ssd, now, unit, n, &t);
		for (uint32_t i = 0; i < n; i++)
			remember(h, unit + i, 0, &t, now);
		return now;
	}
	if (what < 95) {
		ssd_read(h->ssd, now, unit, n, &t);
		return now;
	}
	ssd_flush(h->ssd, now, &t);
	for (uint32_t u = 0; u < UNITS; u++)
		settle(h, u, now);
	return t.done_ns; /* the host waits for it */
}

/*
 * Random streams, power cuts at any moment: conservation holds, what was flushed or written through is there, and
 * what was not is there or an older version is. Returns how much was lost.
 */
static uint64_t cut_stream(const char *drive, uint64_t seed, bool protected)
{
	static struct host h;
	uint64_t now = 0, lost;
	struct rng rng;

	memset(&h, 0, sizeof(h));
	h.ssd = make(drive);
	rng_init(&rng, seed, 77);
	for (uint32_t unit = 0; unit < UNITS; unit++)
		h.durable[unit] = -1;
	for (int cut = 0; cut < 40; cut++) {
		uint64_t ops = 1 + rng_below(&rng, 60);

		for (uint64_t i = 0; i < ops; i++) {
			now = host_op(&h, &rng, now);
			now += rng_below(&rng, 4) ? rng_below(&rng, 200000)
						  : rng_below(&rng, 5000000);
		}
		if (rng_below(&rng, 5) == 0)
			now += 2000000000;
		ssd_power_cut(h.ssd, now);
		check(h.ssd);
		verify_all(&h, protected, now);
		now += rng_below(&rng, 2) ? 0 : 10000000000;
	}
	lost = stats_of(h.ssd).reverted_units;
	assert_int_equal(stats_of(h.ssd).power_cuts, 40);
	ssd_free(h.ssd);
	for (uint32_t unit = 0; unit < UNITS; unit++)
		free(h.version[unit]);
	return lost;
}

static void power_cuts(void **state)
{
	static const char *const drives[] = {
		"",
		"pslc.static=0B pslc.share=0",
		"pslc.full=fold pslc.idle_delay=1us pslc.idle_rate=1GB",
		"pslc.reclaim=true pslc.reclaim_valid=60",
		"gc.low=12 geometry.superblocks=90 buffer=512",
		("campaign.every=1MiB campaign.copy=512KiB campaign.start=4KiB "
		 "campaign.slice_units=3"),
		"content.compress=true",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(drives) / sizeof(*drives); i++) {
		uint64_t lost = 0;

		for (uint64_t seed = 1; seed <= 3; seed++) {
			snprintf(text, sizeof(text), "%s content.tags=true " CUTS, drives[i]);
			lost += cut_stream(text, seed, false);
			snprintf(text, sizeof(text),
				 "%s content.tags=true buffer.protected=true " CUTS, drives[i]);
			assert_int_equal(cut_stream(text, seed, true), 0);
		}
		assert_true(lost > 0);
	}
}

/* What a cut takes is what the programs had not reached, and the old version is back. */
static void old_version(void **state)
{
	struct ssd *ssd = make("content.tags=true pslc.static=0B pslc.share=0 " CUTS);
	struct ssd_times t;

	(void)state;
	write_tag(ssd, 0, 0, 24, 1, false);
	ssd_flush(ssd, 1000000, &t);
	t = write_tag(ssd, t.done_ns, 0, 24, 2, false);
	assert_int_equal(ssd_tag(ssd, 5), 2);
	t = write_tag(ssd, t.done_ns, 100, 3, 3, false); /* never written before */
	ssd_power_cut(ssd, t.done_ns);
	assert_int_equal(ssd_tag(ssd, 5), 1);
	assert_int_equal(ssd_tag(ssd, 23), 1);
	assert_int_equal(ssd_tag(ssd, 101), 0);
	assert_int_equal(stats_of(ssd).reverted_units, 27);
	assert_int_equal(stats_of(ssd).mapped_units, 24);
	check(ssd);
	/* The drive is back after fault.cut_time, not before. */
	ssd_read(ssd, t.done_ns, 0, 1, &t);
	assert_true(t.done_ns > 3000000000);
	/* Written and left alone long enough for the program: nothing is lost. */
	t = write_tag(ssd, t.done_ns, 200, 12, 4, false);
	ssd_power_cut(ssd, t.done_ns + 1000000000);
	assert_int_equal(ssd_tag(ssd, 200), 4);
	assert_int_equal(stats_of(ssd).reverted_units, 27);
	ssd_free(ssd);
}

/* FUA waits for the program, a write does not; a protected buffer needs neither FUA nor flush to wait. */
static void write_through(void **state)
{
	static const char *const drives[] = { "buffer.protected=false", "buffer.protected=true" };
	uint64_t plain[2], fua[2], flush[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		char text[128];
		struct ssd *ssd;
		struct ssd_times t;

		snprintf(text, sizeof(text), "pslc.static=0B pslc.share=0 %s", drives[i]);
		ssd = make(text);
		t = write_tag(ssd, 0, 0, 3, 0, false);
		plain[i] = t.done_ns;
		t = write_tag(ssd, 1000000000, 10, 3, 0, true);
		fua[i] = t.done_ns - 1000000000;
		write_tag(ssd, 2000000000, 20, 3, 0, false);
		ssd_flush(ssd, 2000100000, &t);
		flush[i] = t.done_ns - 2000100000;
		check(ssd);
		ssd_free(ssd);
	}
	assert_true(plain[0] < 100000 && plain[0] == plain[1]);
	assert_true(fua[0] > 1700000 && fua[0] < 2000000 && fua[1] < 100000);
	assert_true(flush[0] > 1600000 && flush[0] < 2000000 && flush[1] < 100000);
}

/* Tags go with the data through collection, folding and compaction. */
static void tags_on(const char *drive, struct ssd_stats *sum)
{
	struct ssd *ssd = make(drive);
	static uint32_t expected[UNITS];
	uint64_t now = 0;
	struct ssd_stats s;
	struct rng rng;

	memset(expected, 0, sizeof(expected));
	rng_init(&rng, 3, 3);
	for (uint32_t i = 1; i <= 20000; i++) {
		uint32_t unit = (uint32_t)rng_below(&rng, i % 3 ? 500 : UNITS - 8), n = 1 + i % 8;
		uint32_t tag = i % 50 ? i : 0;

		if (i % 90 == 0) {
			struct ssd_times t;

			ssd_trim(ssd, now, unit, n, &t);
			tag = 0;
		} else {
			now = write_tag(ssd, now, unit, n, tag, false).done_ns;
		}
		for (uint32_t k = 0; k < n; k++)
			expected[unit + k] = tag;
	}
	for (uint32_t unit = 0; unit < UNITS; unit++)
		assert_int_equal(ssd_tag(ssd, unit), expected[unit]);
	s = stats_of(ssd);
	sum->gc_units += s.gc_units;
	sum->fold_units += s.fold_units;
	sum->compact_units += s.compact_units;
	sum->campaign_units += s.campaign_units;
	ssd_free(ssd);
}

static void tags(void **state)
{
	struct ssd_stats sum = { 0 };

	(void)state;
	tags_on("content.tags=true pslc.full=fold", &sum);
	tags_on("content.tags=true pslc.reclaim=true pslc.reclaim_valid=60", &sum);
	tags_on("content.tags=true pslc.static=0B pslc.share=0 content.compress=true "
		"campaign.every=2MiB campaign.copy=1MiB campaign.start=4KiB campaign.slice_units=3",
		&sum);
	assert_true(sum.gc_units > 1000 && sum.fold_units > 1000 && sum.compact_units > 1000 &&
		    sum.campaign_units > 1000);
}

/* Each kind of failure comes as often as it was asked for, and takes its time. */
static void failures(void **state)
{
	struct ssd *ssd = make("fault.read_error=0.05 fault.late=0.02 fault.late_by=5s "
			       "fault.bad_start=4MiB fault.bad_length=1MiB link.kind=pcie "
			       "link.queue=4096");
	uint64_t now = 0;
	unsigned errors = 0, late = 0, bad = 0;

	(void)state;
	for (uint32_t i = 0; i < 8000; i++) {
		uint32_t unit = i * 37 % UNITS;
		struct ssd_times t;

		ssd_read(ssd, now, unit, 1, &t);
		if (unit >= 1024 && unit < 1280) {
			assert_int_equal(t.error, -EIO);
			bad++;
		} else {
			assert_true(t.error == 0 || t.error == -EIO);
			errors += t.error != 0;
		}
		assert_true(t.error == 0 || t.done_ns - now >= 100000000);
		late += t.done_ns - now >= 5000000000;
		now += 10000000000;
	}
	assert_true(bad > 400);
	assert_in_range(errors, 300, 450); /* 5 % of 7500: 375, sd 19 */
	assert_in_range(late, 110, 210);   /* 2 % of 8000: 160, sd 13 */
	assert_int_equal(stats_of(ssd).read_errors, errors + bad);
	assert_int_equal(stats_of(ssd).late_commands, late);
	check(ssd);
	ssd_free(ssd);
}

/* A command that never comes back keeps its place for a minute: with one place the drive then does nothing else. */
static void stuck(void **state)
{
	struct ssd *ssd = make("fault.stuck=0.01 link.kind=usb-bot link.queue=1 link.trim=false");
	uint64_t now = 0, never = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct ssd_times t, next;

		ssd_write(ssd, now, i, 1, NULL, &t);
		if (t.done_ns != UINT64_MAX) {
			now = t.done_ns;
			continue;
		}
		never++;
		ssd_read(ssd, now, 0, 1, &next);
		assert_true(next.start_ns == t.start_ns + 60000000000);
		now = next.start_ns + 1000000000;
	}
	assert_in_range(never, 8, 40);
	check(ssd);
	ssd_free(ssd);
}

/* After so many bytes, or at a time, nothing works any more. */
static void drop_off(void **state)
{
	struct ssd *ssd = make("fault.drop_after=1MiB");
	struct ssd_times t;
	uint64_t now = 0, at;

	(void)state;
	for (uint32_t i = 0; i < 256; i++) {
		ssd_write(ssd, now, i, 1, NULL, &t);
		assert_int_equal(t.error, 0);
		now = t.done_ns;
	}
	assert_int_equal(ssd_broken(ssd, &at), 0);
	ssd_read(ssd, now, 0, 1, &t);
	assert_int_equal(t.error, -ENODEV);
	assert_int_equal(ssd_broken(ssd, &at), -ENODEV);
	assert_int_equal(at, now);
	ssd_flush(ssd, now + 5, &t);
	assert_int_equal(t.error, -ENODEV);
	assert_true(t.done_ns > now);
	check(ssd);
	ssd_free(ssd);

	ssd = make("fault.drop_at=10ms fault.late=1 fault.late_by=20ms");
	ssd_write(ssd, 0, 0, 1, NULL, &t); /* in flight then */
	assert_int_equal(t.error, -ENODEV);
	assert_int_equal(t.done_ns, 10000000);
	ssd_read(ssd, 11000000, 0, 1, &t);
	assert_int_equal(t.error, -ENODEV);
	assert_int_equal(ssd_broken(ssd, &at), -ENODEV);
	assert_int_equal(at, 10000000);
	ssd_free(ssd);
}

/* fault.cut_every: the command that meets the cut fails, and the drive comes back. */
static void cut_by_itself(void **state)
{
	struct ssd *ssd = make("content.tags=true fault.cut_every=1MiB");
	uint64_t now = 0, failed = 0, at;

	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct ssd_times t = write_tag(ssd, now, i % UNITS, 1, i + 1, false);

		if (t.error) {
			assert_int_equal(t.error, -EIO);
			assert_int_equal(ssd_broken(ssd, &at), -EIO);
			assert_int_equal(at, now);
			failed++;
		}
		now = t.done_ns;
	}
	assert_int_equal(failed, 7); /* 2000 units of 4 KiB are 7.8 MiB */
	assert_int_equal(stats_of(ssd).power_cuts, 7);
	assert_true(stats_of(ssd).reverted_units > 0);
	check(ssd);
	ssd_free(ssd);
}

/* Everything that can go wrong at once, on hot, compressing, worn drives: the books stay right, time goes on. */
static void conservation(void **state)
{
	static const char *const drives[] = {
		"",
		("pslc.full=fold heat.r1=20 heat.tau1=1s heat.limit1=35 heat.limit2=40 "
		 "heat.hysteresis=2 heat.rate1=20MB heat.rate2=1MB content.compress=true"),
		"pslc.static=0B pslc.share=0 gc.mixed=true content.tags=true",
		"pslc.reclaim=true pslc.reclaim_valid=60 wear.rated=3000 wear.endurance=3000",
		"link.kind=usb-bot link.queue=1 link.trim=false",
	};
	static const char faults[] = "fault.read_error=0.05 fault.late=0.05 fault.stuck=0.002 "
				     "fault.cut_every=700KiB fault.cut_time=1ms "
				     "fault.drop_after=60MiB";

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(drives) / sizeof(*drives); i++) {
		const char *drive = drives[i / 3];
		char text[1024];
		struct ssd *ssd;
		struct rng rng;
		uint64_t now = 0;
		unsigned gone = 0;

		snprintf(text, sizeof(text), "%s %s seed=%zu", drive, faults, i);
		ssd = make(text);
		rng_init(&rng, i, 4);
		for (int k = 0; k < 2500; k++) {
			uint32_t unit = (uint32_t)rng_below(&rng, UNITS - 64);
			uint32_t n = 1 + (uint32_t)rng_below(&rng, 64);
			struct ssd_data data = { .ratio = rng_double(&rng),
						 .tag = 1 + (uint32_t)k,
						 .fua = rng_below(&rng, 20) == 0 };
			uint64_t what = rng_below(&rng, 100);
			struct ssd_times t = { .start_ns = now, .done_ns = now };

			if (what < 60)
				ssd_write(ssd, now, unit, n, &data, &t);
			else if (what < 85)
				ssd_read(ssd, now, unit, n, &t);
			else if (what < 92 && ssd_get_config(ssd)->link.trim)
				ssd_trim(ssd, now, unit, n, &t);
			else
				ssd_flush(ssd, now, &t);
			assert_true(t.start_ns >= now && t.done_ns >= t.start_ns);
			assert_true(!t.error || t.error == -EIO || t.error == -ENODEV);
			gone += t.error == -ENODEV;
			check(ssd);
			if (rng_below(&rng, 2) && t.done_ns != UINT64_MAX)
				now = t.done_ns;
			else
				now += rng_below(&rng, rng_below(&rng, 9) ? 300000 : 3000000000);
		}
		assert_true(gone > 0); /* the end of each: nothing answers any more */
		assert_true(stats_of(ssd).power_cuts > 10);
		assert_true(i / 3 != 1 || stats_of(ssd).throttled_ns > 0);
		ssd_free(ssd);
	}
}

/* Sequential writes of one ratio, MB/s after the buffer is full. */
static double sequential_mbps(const char *more, double ratio)
{
	struct ssd_data data = { .ratio = ratio };
	struct ssd *ssd = make(more);
	struct ssd_stats s;
	uint64_t now = 0, start = 0;

	for (uint32_t i = 0; i < 20 * UNITS; i += 16) {
		struct ssd_times t;

		if (i == UNITS)
			start = now;
		ssd_write(ssd, now, i % UNITS, 16, &data, &t);
		now = t.done_ns;
	}
	check(ssd);
	s = stats_of(ssd);
	assert_true(strstr(more, "compress=true")
			    ? fabs((double)s.stored_bytes / (double)s.nand_units / 4096 - ratio) <
				      0.01
			    : s.stored_bytes == s.nand_units * 4096);
	ssd_free(ssd);
	return 19 * UNITS * 4096e-6 / ((double)(now - start) * 1e-9);
}

/* R02: the gigafile (0.661) gains at most 1 / 0.661 on a compressing drive, nothing on another. */
static void compression(void **state)
{
	static const char plain[] = "pslc.static=0B pslc.share=0 nand.erase=0ns";
	static const char packing[] = "pslc.static=0B pslc.share=0 nand.erase=0ns "
				      "content.compress=true";
	const double ratio = 160.0 / 242;
	double base = sequential_mbps(plain, 1), gain;

	(void)state;
	assert_true(fabs(sequential_mbps(plain, ratio) / base - 1) < 0.01);
	assert_true(fabs(sequential_mbps(packing, 1) / base - 1) < 0.01);
	gain = sequential_mbps(packing, ratio) / base;
	print_message("# gain of the gigafile: %.3f, bound %.3f\n", gain, 1 / ratio);
	assert_true(gain > 1.45 && gain <= 1 / ratio * 1.005);
	/* Copies cost by what they store as well: half the bytes, twice the speed, collection included. */
	gain = sequential_mbps(packing, 0.25) / base;
	assert_true(gain > 2.5 && gain <= 4.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_cuts),	 cmocka_unit_test(old_version),
		cmocka_unit_test(write_through), cmocka_unit_test(tags),
		cmocka_unit_test(failures),	 cmocka_unit_test(stuck),
		cmocka_unit_test(drop_off),	 cmocka_unit_test(cut_by_itself),
		cmocka_unit_test(compression),	 cmocka_unit_test(conservation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
