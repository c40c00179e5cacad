/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wear, bit errors, levelling, refresh and calibration of the simulated drive. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/ssd.h"

#define S_NS 1000000000ull
#define DAY_NS (86400 * S_NS)

/* 32 MiB of TLC on two dies in 110 superblocks of 96 units; SLC timings matter to none of this. */
static const char small[] =
	"capacity=32MiB geometry.channels=2 geometry.dies=2 geometry.planes=2 "
	"geometry.page_units=1 geometry.superblock_units=96 geometry.superblocks=110 "
	"nand.program_units=12 buffer=64 wear.endurance=100000 wear.endurance_variation=0 "
	"wear.variation=0";

struct drive {
	struct ssd *ssd;
	uint32_t units;
	uint64_t now;
	int error; /* of the last command */
};

static struct drive make(const char *more)
{
	struct ssd_config cfg = { 0 };
	struct drive d = { 0 };
	char copy[2048], *save = NULL;
	struct err err = { 0 };

	param_defaults(ssd_params, &cfg);
	snprintf(copy, sizeof(copy), "%s %s", small, more);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		if (param_set(ssd_params, &cfg, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
	if (ssd_new(&d.ssd, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	d.units = (uint32_t)(cfg.capacity_bytes / SSD_UNIT_BYTES);
	return d;
}

static void give(struct drive *d, bool read, uint32_t unit, uint32_t n)
{
	struct ssd_times t;

	if (read)
		ssd_read(d->ssd, d->now, unit, n, &t);
	else
		ssd_write(d->ssd, d->now, unit, n, NULL, &t);
	d->now = t.done_ns;
	d->error = t.error;
}

/* Units [0, n) in pieces of 16. Returns how many commands failed. */
static unsigned pass(struct drive *d, bool read, uint32_t n)
{
	unsigned ret = 0;

	for (uint32_t unit = 0; unit < n; unit += 16) {
		give(d, read, unit, n - unit < 16 ? n - unit : 16);
		ret += d->error != 0;
	}
	return ret;
}

static struct ssd_stats stats_of(const struct drive *d)
{
	struct ssd_stats ret;

	ssd_get_stats(d->ssd, &ret);
	return ret;
}

/* Retries of reading all of it once. */
static double retries(struct drive *d)
{
	uint64_t before = stats_of(d).retries;

	pass(d, true, d->units);
	return (double)(stats_of(d).retries - before);
}

static void close_drive(struct drive *d)
{
	struct err err = { 0 };

	if (ssd_check(d->ssd, &err) < 0)
		fail_msg("%s", err.text);
	ssd_free(d->ssd);
}

/* So many retry steps that a page's error rate is nearly linear in them, and no other cause. */
#define ONLY_EPSILON                                                                               \
	"wear.alpha=0 wear.beta=0 wear.gamma=0 ecc.hard_rber=2e-3 ecc.retry_steps=8 "              \
	"ecc.retry_gain=1.1 ecc.soft_rber=0.5 ecc.page_variation=0.3 "

static double retries_at(const char *epsilon, const char *cross, double read_at_c)
{
	char text[512];
	struct drive d;
	double ret;

	snprintf(text, sizeof(text),
		 ONLY_EPSILON "wear.temperature=25 wear.epsilon=%s wear.cross_temperature=%s",
		 epsilon, cross);
	d = make(text);
	pass(&d, false, d.units);
	ssd_set_temperature(d.ssd, read_at_c);
	ret = retries(&d);
	close_drive(&d);
	return ret;
}

/*
 * Data written at 25 C and read at 55 C: which growth of the error rate without any change of temperature gives as
 * many retries? That is the coefficient, found without looking into the drive.
 */
static void cross_temperature(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = { { "0.004", 0.004 }, { "0.01", 0.01 }, { "0.02", 0.02 } };
	const double swing_k = 30;

	(void)state;
	assert_true(retries_at("1.4e-3", "0", 25) > 100);
	assert_true(retries_at("1.4e-3", "0", 55) == retries_at("1.4e-3", "0", 25));
	/* Read where they were written, they do not suffer. */
	assert_true(retries_at("1.4e-3", "0.01", 25) == retries_at("1.4e-3", "0", 25));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double hot = retries_at("1.4e-3", cases[i].text, 55), low = 0, high = 0.05, found;
		double cold = retries_at("1.4e-3", cases[i].text, -5);

		assert_true(cold == hot); /* the difference counts, not its sign */
		for (int k = 0; k < 12; k++) {
			double middle = (low + high) / 2;
			char epsilon[32];

			snprintf(epsilon, sizeof(epsilon), "%.9f", 1.4e-3 * (1 + middle * swing_k));
			if (retries_at(epsilon, "0", 25) < hot)
				low = middle;
			else
				high = middle;
		}
		found = (low + high) / 2;
		print_message("# coefficient %g, found %.4f\n", cases[i].value, found);
		assert_true(fabs(found / cases[i].value - 1) < 0.2);
	}
}

/* A drive whose heat is modelled is as warm as that says: reading warms it, and what was written cold reads worse. */
static void heated(void **state)
{
	struct drive d =
		make(ONLY_EPSILON
		     "wear.epsilon=1.4e-3 wear.cross_temperature=0.01 heat.r1=40 heat.tau1=20s "
		     "heat.active=1.5 heat.limit1=120 heat.limit2=140");
	double first, last;
	uint64_t from;

	(void)state;
	pass(&d, false, d.units);
	first = retries(&d);
	from = d.now;
	while (d.now < from + 100 * S_NS)
		pass(&d, true, d.units / 8);
	assert_true(stats_of(&d).temperature_c > 80);
	last = retries(&d);
	assert_true(last > first * 1.5);
	/* After a rest it is as cold as it was. */
	ssd_idle(d.ssd, d.now += 1000 * S_NS);
	assert_true(retries(&d) < first * 1.1);
	close_drive(&d);
}

/* The shares of pages that need a retry and soft decoding are those of the normal law. */
static void shares(void **state)
{
	struct drive d = make("wear.alpha=0 wear.beta=0 wear.gamma=0 wear.epsilon=2e-3 "
			      "ecc.hard_rber=2.4e-3 ecc.retry_steps=1 ecc.retry_gain=1.2 "
			      "ecc.soft_rber=0.5 ecc.page_variation=0.3");
	double pages, retried, soft;
	struct ssd_stats s;

	(void)state;
	pass(&d, false, d.units);
	pass(&d, true, d.units);
	s = stats_of(&d);
	pages = d.units; /* of one unit */
	retried = 0.5 * erfc(log(1.2) / 0.3 / sqrt(2));
	soft = 0.5 * erfc(log(1.44) / 0.3 / sqrt(2));
	assert_true(fabs((double)s.retries / pages - retried) < 0.02);
	assert_true(fabs((double)s.soft_decodes / pages - soft) < 0.015);
	assert_int_equal(s.uncorrectable, 0);
	close_drive(&d);
}

/* A page that needs retries holds its die for tR, transfer and decoding of each. */
static void cost(void **state)
{
	static const char base[] =
		"wear.epsilon=2e-3 wear.alpha=0 wear.beta=0 wear.gamma=0 ecc.page_variation=0 "
		"ecc.retry_gain=1.5 ecc.retry=30us ecc.soft=70us ecc.soft_reads=5 nand.read=50us "
		"channel.unit=10us ecc.soft_rber=0.5 ";
	static const struct {
		const char *more;
		uint64_t extra_ns;
	} cases[] = {
		{ "ecc.hard_rber=3e-3 ecc.retry_steps=3", 0 },
		{ "ecc.hard_rber=1.5e-3 ecc.retry_steps=3", 90000 },
		{ "ecc.hard_rber=1e-3 ecc.retry_steps=3", 2 * 90000 },
		{ "ecc.hard_rber=4e-4 ecc.retry_steps=3", 3 * 90000 + 5 * 60000 + 70000 },
		{ "ecc.hard_rber=4e-4 ecc.retry_steps=0", 5 * 60000 + 70000 },
	};
	uint64_t first = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[512];
		struct drive d;
		uint64_t from;

		snprintf(text, sizeof(text), "%s%s", base, cases[i].more);
		d = make(text);
		pass(&d, false, d.units);
		from = d.now += S_NS;
		give(&d, true, 5, 1);
		if (!i)
			first = d.now - from;
		assert_int_equal(d.now - from, first + cases[i].extra_ns);
		close_drive(&d);
	}
}

/* Cycles, age and reads each make reading harder. */
static void causes(void **state)
{
	static const char ecc[] =
		"ecc.hard_rber=2.2e-3 ecc.retry_steps=8 ecc.retry_gain=1.1 ecc.soft_rber=0.5 ";
	char text[512];
	double last = -1;
	struct drive d;

	(void)state;
	for (unsigned cycles = 0; cycles <= 3000; cycles += 1000) {
		double now;

		snprintf(text, sizeof(text), "%swear.initial=%u", ecc, cycles);
		d = make(text);
		pass(&d, false, d.units);
		now = retries(&d);
		assert_true(now > last);
		last = now;
		close_drive(&d);
	}
	snprintf(text, sizeof(text), "%swear.initial=500", ecc);
	d = make(text);
	pass(&d, false, d.units);
	last = retries(&d);
	for (int month = 0; month < 3; month++) {
		double now;

		ssd_idle(d.ssd, d.now += 30 * DAY_NS);
		now = retries(&d);
		assert_true(now > last * 1.05);
		last = now;
	}
	/* Written anew it is young again. */
	pass(&d, false, d.units);
	assert_true(retries(&d) < last / 2);
	/* 100 reads a page add 3.73e-9 x 500^0.33 x 100^1.71 = 7.6e-5; only where they were read. */
	last = retries(&d);
	for (int k = 0; k < 400; k++)
		pass(&d, true, d.units / 4);
	assert_true(retries(&d) > last * 1.1);
	close_drive(&d);
}

/* What soft decoding does not correct fails, each time, until it is written again; also after it was moved. */
static void lost(void **state)
{
	struct drive d = make("wear.epsilon=2e-3 wear.alpha=0 wear.beta=0 wear.gamma=0 "
			      "ecc.hard_rber=2.2e-3 ecc.retry_steps=1 ecc.retry_gain=1.2 "
			      "ecc.soft_rber=4e-3 ecc.page_variation=0.3");
	uint32_t bad = UINT32_MAX, failed = 0;
	struct ssd_stats s;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, 1);
	pass(&d, false, d.units);
	for (uint32_t unit = 0; unit < d.units; unit++) {
		give(&d, true, unit, 1);
		if (!d.error)
			continue;
		assert_int_equal(d.error, -EIO);
		failed++;
		bad = unit;
	}
	/* ln 2 / 0.3 = 2.31 standard deviations: 1 % */
	assert_true(failed > d.units / 200 && failed < d.units / 50);
	s = stats_of(&d);
	assert_int_equal(s.uncorrectable, failed);
	assert_int_equal(s.unreadable_units, 0);
	give(&d, true, bad, 1);
	assert_int_equal(d.error, -EIO);
	/* Collection moves everything about. */
	for (uint32_t k = 0; k < 20 * d.units; k++) {
		uint32_t unit = (uint32_t)rng_below(&rng, d.units - 1);

		give(&d, false, unit < bad ? unit : unit + 1, 1);
	}
	give(&d, true, bad, 1);
	assert_int_equal(d.error, -EIO);
	s = stats_of(&d);
	assert_true(s.gc_units > d.units);
	assert_true(s.unreadable_units > 0);
	give(&d, false, bad, 1);
	assert_int_equal(d.error, 0);
	pass(&d, false, d.units);
	assert_int_equal(stats_of(&d).unreadable_units, 0);
	close_drive(&d);
}

/* A drive that was used before it was made has the cycles of that use. */
static void used(void **state)
{
	struct drive d = make("aged=100 wear.initial=50 ecc.hard_rber=3e-3");
	struct ssd_stats s = stats_of(&d);
	double cycles = (double)s.erases / 110;

	(void)state;
	assert_true(cycles > 80);
	assert_true(fabs(s.pe_mean - 50 - cycles) < 1);
	/* Each superblock takes as many more as it is used more. */
	for (int k = 0; k < 100; k++)
		pass(&d, false, d.units);
	s = stats_of(&d);
	assert_true(fabs(s.pe_mean - 50 - (double)s.erases / 110) < 1);
	assert_int_equal(s.retired_superblocks, 0);
	close_drive(&d);
	d = make("aged=20000 wear.endurance=3000");
	assert_true(stats_of(&d).wear_pct > 99.9 && stats_of(&d).wear_pct < 100.1);
	close_drive(&d);
}

/* Blocks that fail are taken out one by one; when the spare is gone the drive takes no more writes. */
static void retirement(void **state)
{
	struct drive d = make("wear.endurance=300 wear.endurance_variation=0.2 ecc.soft_rber=0.5");
	uint64_t last = 0;
	struct ssd_stats s;

	(void)state;
	for (int k = 0; k < 1000; k++) {
		unsigned failed = pass(&d, false, d.units);

		s = stats_of(&d);
		assert_true(s.retired_superblocks >= last);
		last = s.retired_superblocks;
		assert_true(failed == 0 || s.read_only);
		if (s.read_only)
			break;
	}
	assert_true(s.read_only);
	/* 110 superblocks, 86 for the data, 4 + 3 for collection: 17 may go, the 18th is the end. */
	assert_int_equal(s.retired_superblocks, 18);
	assert_true(s.pe_mean > 150 && s.pe_mean < 300);
	assert_true(s.pe_min <= s.pe_mean && s.pe_mean <= s.pe_max);
	assert_true(fabs(s.wear_pct - s.pe_mean / 3) < 1e-9);
	give(&d, false, 0, 1);
	assert_int_equal(d.error, -EIO);
	give(&d, true, 0, 1);
	assert_int_equal(d.error, 0);
	close_drive(&d);
}

/* An erase in pSLC mode wears less. */
static void pslc(void **state)
{
	double mean[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct drive d =
			make(k ? "pslc.program_units=4 pslc.static=1MiB wear.pslc_factor=1"
			       : "pslc.program_units=4 pslc.static=1MiB wear.pslc_factor=0");

		for (int i = 0; i < 400; i++) {
			pass(&d, false, 128);
			ssd_idle(d.ssd, d.now += S_NS);
		}
		mean[k] = stats_of(&d).pe_mean;
		close_drive(&d);
	}
	assert_true(mean[0] > 0 && mean[1] > 2 * mean[0]);
}

/* One half never changes: its superblocks wear only where levelling moves the data. */
static void levelling(void **state)
{
	static const char *const ways[] = {
		"", "wear.level_spread=20 refresh.rate=200MB",
		"wear.level_spread=20 refresh.rate=200MB wear.level_free=least"
	};
	double spread[3];
	uint64_t moved[3];

	(void)state;
	for (int way = 0; way < 3; way++) {
		struct drive d = make(ways[way]);
		struct ssd_stats s;

		pass(&d, false, d.units);
		for (int k = 0; k < 400; k++)
			pass(&d, false, d.units / 2);
		s = stats_of(&d);
		spread[way] = s.pe_max - s.pe_min;
		moved[way] = s.level_units;
		close_drive(&d);
	}
	assert_true(spread[0] > 200 && moved[0] == 0);
	assert_true(spread[1] < 40 && spread[2] < 40);
	assert_true(moved[1] > 0 && moved[2] > 0);
}

/* Old data are rewritten in idle time at the rate, once; their age begins anew. */
static void refresh(void **state)
{
	struct drive d = make("refresh.days=30 refresh.rate=4096B");
	struct ssd_stats s;
	uint64_t from;

	(void)state;
	pass(&d, false, d.units);
	from = d.now;
	ssd_idle(d.ssd, d.now = from + 29 * DAY_NS);
	assert_int_equal(stats_of(&d).refresh_units, 0);
	/* The tick of the 31st day finds them; an hour of a unit a second later 3600 positions were seen. */
	ssd_idle(d.ssd, d.now = from + 32 * DAY_NS);
	s = stats_of(&d);
	assert_true(s.refresh_units > d.units - 2 * 96 && s.refresh_units <= d.units);
	ssd_idle(d.ssd, d.now = from + 58 * DAY_NS);
	assert_int_equal(stats_of(&d).refresh_units, s.refresh_units);
	ssd_idle(d.ssd, d.now = from + 66 * DAY_NS);
	assert_true(stats_of(&d).refresh_units > s.refresh_units + d.units / 2);
	close_drive(&d);
}

/* Under load too, at the expense of the host; and by error rate. */
static void refresh_under_load(void **state)
{
	struct drive d = make("refresh.rber=1.9e-3 refresh.rate=8MB wear.initial=1000 "
			      "ecc.hard_rber=8e-3");
	struct ssd_stats s;
	uint64_t from;
	double seconds;

	(void)state;
	pass(&d, false, d.units);
	assert_int_equal(stats_of(&d).refresh_units, 0);
	ssd_idle(d.ssd, d.now += 10 * 3600 * S_NS);
	from = d.now;
	/* At 1000 cycles fresh data have 2e-3; ten hours add 5 %, 100 days as much again. */
	while (d.now < from + 2 * S_NS)
		give(&d, true, (uint32_t)(rng_mix(d.now) % d.units), 1);
	assert_int_equal(stats_of(&d).refresh_units, 0);
	ssd_idle(d.ssd, d.now += 100 * DAY_NS);
	s = stats_of(&d);
	assert_true(s.refresh_units > 0);
	close_drive(&d);

	d = make("refresh.days=1.5 refresh.rate=2MB");
	pass(&d, false, d.units);
	/* The tick of the second day, which finds them, comes during reads. */
	ssd_idle(d.ssd, d.now = 2 * DAY_NS - S_NS / 100);
	assert_int_equal(stats_of(&d).refresh_units, 0);
	from = d.now;
	while (d.now < from + S_NS)
		give(&d, true, (uint32_t)(rng_mix(d.now) % d.units), 1);
	seconds = (double)(d.now - from) / 1e9;
	s = stats_of(&d);
	assert_true((double)s.refresh_units > 2e6 / 4096 * seconds * 0.8);
	assert_true((double)s.refresh_units < 2e6 / 4096 * seconds * 1.1);
	close_drive(&d);
}

/* Every 10 ms all dies are held for 2 ms: one read at a time, one of each meets it and waits. */
static void calibration(void **state)
{
	struct drive d = make("calibration.every=10ms calibration.pause=2ms");
	struct ssd_stats s;
	unsigned slow = 0, n = 0;
	uint64_t most = 0, from;

	(void)state;
	pass(&d, false, d.units);
	from = d.now += S_NS;
	while (d.now < from + 10 * S_NS) {
		uint64_t begin = d.now;

		give(&d, true, (uint32_t)(rng_mix(d.now) % d.units), 1);
		most = d.now - begin > most ? d.now - begin : most;
		slow += d.now - begin > 300000;
		n++;
		d.now += rng_mix(n) % 1500000; /* rests, so that the reads fall anywhere */
	}
	assert_true(most > 1900000 && most < 2300000);
	s = stats_of(&d);
	assert_true(s.calibrations >= 1100 && s.calibrations <= 1400); /* 1 s of rest and filling */
	assert_true(slow >= 990 && slow <= 1010);
	close_drive(&d);
}

/* Where it is off there is none, and the same calls give the same with it: on every compiler this very number. */
static void deterministic(void **state)
{
	struct drive d = make("wear.endurance=0");
	uint64_t hash[2] = { 0, 0 };

	(void)state;
	pass(&d, false, d.units);
	assert_true(isnan(stats_of(&d).wear_pct));
	assert_int_equal(stats_of(&d).retired_superblocks, 0);
	close_drive(&d);
	for (int k = 0; k < 2; k++) {
		d = make("wear.endurance=3000 wear.initial=2500 wear.variation=0.3 "
			 "wear.endurance_variation=0.1 ecc.hard_rber=4e-3 refresh.days=0.5 "
			 "wear.level_spread=5 calibration.every=50ms");
		for (uint32_t i = 0; i < 60000; i++) {
			uint64_t what = rng_mix(i);

			give(&d, what & 1, (uint32_t)(what >> 8) % (d.units - 8),
			     1 + (what >> 4) % 8);
			if (i % 2000 == 0)
				ssd_idle(d.ssd, d.now += DAY_NS / 4);
			hash[k] = rng_mix(hash[k] ^ d.now);
		}
		assert_true(stats_of(&d).retries > 1000 && stats_of(&d).refresh_units > 0);
		close_drive(&d);
	}
	assert_int_equal(hash[0], hash[1]);
	assert_int_equal(hash[0], 0x13ae6b8b0d749e65);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cross_temperature),
		cmocka_unit_test(heated),
		cmocka_unit_test(shares),
		cmocka_unit_test(cost),
		cmocka_unit_test(causes),
		cmocka_unit_test(lost),
		cmocka_unit_test(used),
		cmocka_unit_test(retirement),
		cmocka_unit_test(pslc),
		cmocka_unit_test(levelling),
		cmocka_unit_test(refresh),
		cmocka_unit_test(refresh_under_load),
		cmocka_unit_test(calibration),
		cmocka_unit_test(deterministic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
