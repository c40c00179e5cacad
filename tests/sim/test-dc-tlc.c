/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model dc-tlc-960g, scaled down: steady amplification as theory has it for 28 % of over-provisioning, one
 * speed without a cache, and flushes that cost nothing (docs/models/dc-tlc-960g.md).
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "theory.h"

#define SCALED "dc-tlc-960g,capacity=8000000000B"

static void steady(void **state)
{
	struct ssd *ssd = model_drive(SCALED);
	struct theory_load load = { .before = 3, .measured = 2, .seed = 1 };
	struct theory_run r = theory_run(ssd, &load);

	(void)state;
	theory_near("usable over mapped", r.alpha, 1.28, 1);
	theory_near("A", r.wa,
		    theory_greedy(r.alpha, ssd_get_config(ssd)->geometry.superblock_units), 1);
	ssd_free(ssd);
}

/* The first seconds on a new drive are no faster than what comes after: there is no cache to fill. */
static void one_speed(void **state)
{
	struct ssd *ssd = model_drive("dc-tlc-960g,capacity=32000000000B");
	uint32_t units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES),
		 third = units / 192 * 64;
	struct closed c = { .depth = 32 };
	double rate[3];
	uint64_t start = 0;

	(void)state;
	for (uint32_t unit = 0, k = 0; k < 3; k++) {
		for (; unit < (k + 1) * third; unit += 64) {
			uint64_t *slot = closed_next(&c);
			struct ssd_times t;

			ssd_write(ssd, c.now_ns, unit, 64, NULL, &t);
			*slot = t.done_ns;
		}
		rate[k] = third / (double)(c.now_ns - start);
		start = c.now_ns;
	}
	printf("# thirds of the drive: %.0f, %.0f, %.0f MB/s\n", rate[0] * 4096e3, rate[1] * 4096e3,
	       rate[2] * 4096e3);
	/* The buffer's 16 MiB come first. */
	for (int k = 1; k < 3; k++)
		assert_true(fabs(rate[k] / rate[0] - 1) < 0.02);
	ssd_free(ssd);
}

static double flush_us(const char *drive)
{
	struct ssd *ssd = model_drive(drive);
	double sum = 0;
	uint64_t now = 0;

	for (uint32_t i = 0; i < 200; i++) {
		struct ssd_times t;

		ssd_write(ssd, now, i * 7, 1, NULL, &t);
		now = t.done_ns;
		ssd_flush(ssd, now, &t);
		sum += (double)(t.done_ns - now) / 1e3;
		now = t.done_ns;
	}
	ssd_free(ssd);
	return sum / 200;
}

static void flush_is_free(void **state)
{
	double with = flush_us(SCALED), without = flush_us(SCALED ",buffer.protected=false");

	(void)state;
	printf("# flush behind each write: %.1f us; unprotected %.1f us\n", with, without);
	assert_true(with < 10);
	assert_true(without > 1000); /* a program */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady),
		cmocka_unit_test(one_speed),
		cmocka_unit_test(flush_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
