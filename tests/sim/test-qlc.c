/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model qlc-1t, scaled to a sixteenth, written full in order without a pause: three speeds, and where one ends
 * and the next begins follows from the cache. Full, it has the fixed cache only (docs/models/qlc-1t.md).
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mix.h"
#include "random.h"

#define STEPS 200u /* of half a per cent of the drive */

static struct ssd *ssd;
static struct mix load;
static double rate[STEPS]; /* MB/s */

static uint32_t step_units(void)
{
	return (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES / STEPS) / 256 * 256;
}

static int write_full(void **state)
{
	uint32_t step;

	(void)state;
	ssd = model_drive("qlc-1t,capacity=64013096448B");
	step = step_units();
	mix_init(&load, step * STEPS, 256, false, 1);
	load.loop.depth = 8;
	/* One stream in order: each of the four workers would begin at its own quarter. */
	for (uint32_t i = 0; i < STEPS; i++) {
		uint64_t start = load.loop.now_ns;

		for (uint32_t unit = i * step; unit < (i + 1) * step; unit += 256) {
			uint64_t *slot = closed_next(&load.loop);
			struct ssd_times t;

			ssd_write(ssd, load.loop.now_ns, unit, 256, NULL, &t);
			*slot = t.done_ns;
		}
		rate[i] = (double)step * SSD_UNIT_BYTES / (double)(load.loop.now_ns - start) * 1e3;
		if (i % 10 == 0)
			printf("# %3u %%: %.0f MB/s\n", i / 2, rate[i]);
	}
	return 0;
}

static int free_drive(void **state)
{
	(void)state;
	ssd_free(ssd);
	return 0;
}

static void within(const char *what, double value, double low, double high)
{
	printf("# %s: %.3g\n", what, value);
	if (!(value >= low && value <= high))
		fail_msg("%s: %g is not in [%g, %g]", what, value, low, high);
}

static double mean_rate(uint32_t from, uint32_t to)
{
	double seconds = 0;

	for (uint32_t i = from; i < to; i++)
		seconds += 1 / rate[i];
	return (to - from) / seconds;
}

/* First step slower than a rate. */
static uint32_t slower(double mbps)
{
	for (uint32_t i = 0; i < STEPS; i++)
		if (rate[i] < mbps)
			return i;
	return STEPS;
}

static void three_levels(void **state)
{
	const struct ssd_config *cfg = ssd_get_config(ssd);
	/* What the dies program; folded for a third of it, as a cache superblock gives four times its data. */
	double direct = cfg->geometry.dies * (double)cfg->nand.program_units * SSD_UNIT_BYTES /
			(double)cfg->nand.program_ns * 1e3;
	double fixed = (double)cfg->pslc.static_bytes, kept = (double)cfg->pslc.free_kept_bytes;
	double c = (double)cfg->capacity_bytes;
	/* Exhausted where written = fixed + share x (capacity - kept - written). */
	double first = (fixed + cfg->pslc.share * (c - kept)) / (1 + cfg->pslc.share) / c;
	uint32_t a = slower(2 * direct), b = slower(0.85 * direct);

	(void)state;
	within("cache, MB/s", mean_rate(1, a - 1), 1700, 1850);
	within("its end, share of the drive", a / (double)STEPS, first - 0.011, first + 0.011);
	within("direct, MB/s", mean_rate(a + 2, b - 2), direct * 0.9, direct * 1.02);
	/* The cache holds four times its data of the flash: that is when the rest is full. */
	within("its end, share of the drive", b / (double)STEPS, 0.5, 0.75);
	within("folding, MB/s", mean_rate(b + 10, STEPS), direct * 0.68, direct * 0.78);
	within("folding, MB/s", mean_rate(b + 10, STEPS), 90, 110);
}

/* An hour later the cache is empty again, but small. */
static void full_drive(void **state)
{
	struct err err = { 0 };
	struct ssd_stats s;
	uint64_t start, bytes = 0;

	(void)state;
	mix_rest(ssd, &load, 3600ull * 1000000000);
	ssd_get_stats(ssd, &s);
	within("limit / fixed part",
	       (double)s.cache_limit_units * SSD_UNIT_BYTES /
		       (double)ssd_get_config(ssd)->pslc.static_bytes,
	       0.999, 1.01);
	start = load.loop.now_ns;
	for (uint32_t unit = 0; unit < 10 * step_units(); unit += 256) {
		uint64_t *slot = closed_next(&load.loop);
		struct ssd_times t;

		ssd_write(ssd, load.loop.now_ns, unit, 256, NULL, &t);
		*slot = t.done_ns;
		/* Until the last 64 MiB were slower than the cache. */
		if (unit % 16384 == 0 && unit) {
			if (16384.0 * SSD_UNIT_BYTES / (double)(load.loop.now_ns - start) * 1e3 <
			    900)
				break;
			bytes += 16384 * SSD_UNIT_BYTES;
			start = load.loop.now_ns;
		}
	}
	within("bytes at cache speed / fixed part",
	       (double)bytes / (double)ssd_get_config(ssd)->pslc.static_bytes, 0.8, 1.1);
	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_levels),
		cmocka_unit_test(full_drive),
	};

	return cmocka_run_group_tests(tests, write_full, free_drive);
}
