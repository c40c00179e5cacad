/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Links hold their queue, and reads that suspend programs wait as long as the closed form says.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/ssd.h"

static void assert_between(const char *what, double x, double low, double high)
{
	if (!(x >= low && x <= high))
		fail_msg("%s: %g is not between %g and %g", what, x, low, high);
}

static void configure(struct ssd_config *cfg, const char *text)
{
	char copy[1024], *save = NULL;
	struct err err = { 0 };

	memset(cfg, 0, sizeof(*cfg));
	param_defaults(ssd_params, cfg);
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		if (param_set(ssd_params, cfg, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
}

static struct ssd *make(const char *text)
{
	struct ssd_config cfg;
	struct err err = { 0 };
	struct ssd *ret = NULL;

	configure(&cfg, text);
	if (ssd_new(&ret, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

#define DEPTH 64u
#define READS 20000u

struct span {
	uint64_t start_ns, done_ns;
};

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The most commands at the drive at once, and Little's: rate x time at the drive. */
static unsigned most_at_once(struct span *s, unsigned n, double *ret_mean)
{
	unsigned most = 0;
	double sum = 0;

	qsort(s, n, sizeof(*s), by_start);
	for (unsigned i = 0; i < n; i++) {
		unsigned here = 1;

		sum += (double)(s[i].done_ns - s[i].start_ns);
		/* Those that came before and are still there; they began at most DEPTH places earlier. */
		for (unsigned k = i > 2 * DEPTH ? i - 2 * DEPTH : 0; k < i; k++)
			here += s[k].done_ns > s[i].start_ns;
		most = here > most ? here : most;
	}
	*ret_mean = sum / (double)(s[n - 1].done_ns - s[0].start_ns);
	return most;
}

/* 64 random reads and writes in flight at the host: the drive never sees more than its link carries. */
static void queues(void **state)
{
	static const struct {
		const char *text;
		unsigned queue;
	} links[] = { { "link.kind=usb-bot link.queue=1 link.trim=false", 1 },
		      { "link.kind=usb-uas link.queue=16", 16 },
		      { "link.kind=sata link.queue=32", 32 },
		      { "link.kind=pcie link.queue=48", 48 } };
	static struct span span[READS];

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		struct ssd *ssd = make(links[i].text);
		uint64_t done[DEPTH] = { 0 }, now = 0;
		struct rng rng;
		double mean;

		rng_init(&rng, 1, 0);
		for (uint32_t unit = 0; unit < 1 << 17; unit += 256) {
			struct ssd_times t;

			ssd_write(ssd, now, unit, 256, NULL, &t);
			now = t.done_ns;
		}
		for (unsigned k = 0; k < DEPTH; k++)
			done[k] = now;
		for (unsigned n = 0; n < READS; n++) {
			unsigned k = 0;
			struct ssd_times t;

			for (unsigned j = 1; j < DEPTH; j++)
				k = done[j] < done[k] ? j : k;
			now = done[k];
			if (rng_below(&rng, 4))
				ssd_read(ssd, now, (uint32_t)rng_below(&rng, 1 << 17), 1, &t);
			else
				ssd_write(ssd, now, (uint32_t)rng_below(&rng, 1 << 17), 1, NULL,
					  &t);
			done[k] = t.done_ns;
			span[n] = (struct span){ t.start_ns, t.done_ns };
		}
		assert_int_equal(most_at_once(span, READS, &mean), links[i].queue);
		assert_between(links[i].text, mean, 0.97 * links[i].queue, links[i].queue * 1.005);
		ssd_free(ssd);
	}
}

/* UAS is half duplex like SATA, and passes TRIM where the bridge does. */
static void uas(void **state)
{
	struct ssd *ssd = make("link.kind=usb-uas link.queue=16 link.trim=true");
	struct ssd_times t;
	struct ssd_stats s;

	(void)state;
	ssd_write(ssd, 0, 0, 64, NULL, &t);
	ssd_trim(ssd, t.done_ns, 0, 64, &t);
	ssd_get_stats(ssd, &s);
	assert_int_equal(s.mapped_units, 0);
	ssd_free(ssd);
}

static void refusals(void **state)
{
	static const char *const wrong[] = { "link.kind=sata link.queue=33",
					     "link.kind=usb-bot link.queue=2 link.trim=false" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct ssd_config cfg;
		const char *name = NULL;

		configure(&cfg, wrong[i]);
		assert_true(ssd_config_check(&cfg, &name, NULL) < 0);
		assert_string_equal(name, "link.queue");
	}
}

/* SATA 3 and 6 Gb/s, as unit times: the rate of a sequential read is the link's. */
static void generations(void **state)
{
	static const struct {
		const char *text;
		double mbps;
	} links[] = { { "link.read_unit=15us link.read_command=0ns", 273 },
		      { "link.read_unit=7300ns link.read_command=0ns", 561 } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char text[160];
		struct ssd *ssd;
		struct ssd_times t = { 0 };
		uint64_t begin, last[4];

		snprintf(text, sizeof(text),
			 "%s geometry.dies=32 geometry.superblock_units=3072 fw.readahead=256",
			 links[i].text);
		ssd = make(text);
		for (uint32_t unit = 0; unit < 1 << 16; unit += 256)
			ssd_write(ssd, t.done_ns, unit, 256, NULL, &t);
		begin = t.done_ns + 1000000000;
		for (unsigned k = 0; k < 4; k++)
			last[k] = begin;
		for (uint32_t unit = 0, k = 0; unit < 1 << 16; unit += 256, k++) {
			ssd_read(ssd, last[k % 4], unit, 256, &t);
			last[k % 4] = t.done_ns;
		}
		assert_between(links[i].text, 65536.0 * 4096 * 1e3 / (double)(t.done_ns - begin),
			       links[i].mbps * 0.98, links[i].mbps * 1.005);
		ssd_free(ssd);
	}
}

/*
 * One die that programs all the time, and a read now and then. Without suspending, a read waits for the rest of a
 * program, half of tPROG on average; with it, for the suspend alone, unless the program is nearly done. The program
 * pays: suspend, read and resume.
 */
#define T_PROG 1000000.0
#define T_READ 50000.0
#define SUSPEND 20000.0
#define RESUME 30000.0
#define EVERY 5000000.0

struct outcome {
	double read_ns, writes_per_s;
	uint64_t suspends, reads;
};

static void busy_die(const char *more, struct outcome *ret)
{
	char text[512];
	struct ssd *ssd;
	struct rng rng;
	uint64_t done[8] = { 0 }, read_ns = 0, next, begin = 0;
	uint32_t unit = 0, writes = 0;
	struct ssd_stats s;

	snprintf(text, sizeof(text),
		 "capacity=1GiB geometry.dies=1 geometry.channels=1 geometry.planes=1 "
		 "geometry.page_units=4 "
		 "geometry.superblock_units=1024 geometry.superblocks=270 nand.program_units=4 "
		 "nand.program=1ms "
		 "nand.read=50us nand.erase=0ns link.kind=pcie link.queue=64 fw.read=0ns "
		 "fw.write=0ns buffer=64 "
		 "channel.unit=0ns link.read_unit=0ns link.write_unit=0ns link.read_command=0ns "
		 "link.write_command=0ns %s",
		 more);
	ssd = make(text);
	rng_init(&rng, 7, 0);
	memset(ret, 0, sizeof(*ret));
	for (uint32_t first = 0; first < 256; first += 4) {
		struct ssd_times t;

		ssd_write(ssd, 0, first, 4, NULL, &t);
	}
	next = 400000000;
	while (ret->reads < 5000) {
		unsigned k = 0;
		struct ssd_times t;

		for (unsigned i = 1; i < 8; i++)
			k = done[i] < done[k] ? i : k;
		if (next < done[k]) {
			/* An address of the first units, which have long been in flash. */
			ssd_read(ssd, next, (uint32_t)rng_below(&rng, 256), 1, &t);
			begin = begin ? begin : next;
			writes = ret->reads ? writes : 0;
			read_ns += t.done_ns - next;
			ret->reads++;
			next += (uint64_t)(EVERY / 2) + rng_below(&rng, (uint64_t)EVERY);
			continue;
		}
		ssd_write(ssd, done[k], 256 + unit, 4, NULL, &t);
		unit = (unit + 4) % 200000;
		done[k] = t.done_ns;
		writes++;
	}
	ssd_get_stats(ssd, &s);
	ret->suspends = s.suspends;
	ret->read_ns = (double)read_ns / (double)ret->reads;
	ret->writes_per_s = writes / ((double)(next - begin) / 1e9);
	ssd_free(ssd);
}

static void program_suspend(void **state)
{
	struct outcome off, on, never;
	double rate = 1e9 / EVERY, share;

	(void)state;
	busy_die("", &off);
	assert_int_equal(off.suspends, 0);
	/* The read itself also holds the programs up: rate x tR of the time there is none to wait for. */
	assert_between("without", off.read_ns, (T_READ + T_PROG / 2) * 0.97,
		       (T_READ + T_PROG / 2) * 1.01);
	assert_between("writes without", off.writes_per_s,
		       0.99 * 1e9 / T_PROG * (1 - rate * T_READ / 1e9),
		       1.01 * 1e9 / T_PROG * (1 - rate * T_READ / 1e9));

	busy_die("suspend.program=20us suspend.resume=30us", &on);
	/* In the last tSUSP of a program a read waits for its end, half of that on average. */
	assert_between("with", on.read_ns, (T_READ + SUSPEND) * 0.97, (T_READ + SUSPEND) * 1.01);
	share = 1 - rate * (SUSPEND + T_READ + RESUME) / 1e9;
	assert_between("writes with", on.writes_per_s, 0.99 * 1e9 / T_PROG * share,
		       1.01 * 1e9 / T_PROG * share);
	assert_between("suspends", (double)on.suspends / (double)on.reads, 0.95, 1);

	/* An erase time alone changes nothing here, where nothing is erased. */
	busy_die("suspend.erase=20us", &never);
	assert_int_equal(never.suspends, 0);
	assert_true(never.read_ns == off.read_ns);
}

/* A limit of suspends bounds how long a program can be held up: the reads behind it wait for its end. */
static void suspend_limit(void **state)
{
	uint64_t worst[2] = { 0, 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct ssd *ssd = make(i ? "geometry.dies=4 suspend.program=20us suspend.max=2"
					 : "geometry.dies=4 suspend.program=20us suspend.max=1000");
		struct ssd_times t = { 0 };
		uint64_t now, most = 0;

		/* Long done, then one more program on each die, and a stream of reads at it. */
		for (uint32_t unit = 0; unit < 4096; unit += 256)
			ssd_write(ssd, t.done_ns, unit, 256, NULL, &t);
		now = t.done_ns + 1000000000;
		ssd_write(ssd, now, 8192, 96, NULL, &t);
		now = t.done_ns + 300000;
		for (unsigned n = 0; n < 100; n++) {
			ssd_read(ssd, now, n * 24 % 3072, 1, &t);
			if (t.done_ns - now > most)
				most = t.done_ns - now;
			now = t.done_ns;
		}
		worst[i] = most;
		ssd_free(ssd);
	}
	assert_true(worst[0] < 300000);
	assert_true(worst[1] > 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues),	   cmocka_unit_test(uas),
		cmocka_unit_test(refusals),	   cmocka_unit_test(generations),
		cmocka_unit_test(program_suspend), cmocka_unit_test(suspend_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
