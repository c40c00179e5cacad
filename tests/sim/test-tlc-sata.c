/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model tlc-sata-120g against figure 1 of its source (docs/models/tlc-sata-120g.md): random writes over the
 * whole drive, 26k IOPS for 50 s, less than 1k until 15 min, then 1.8k, oscillating, to 72 h. Addresses differ
 * by seed, and with them the phase of all that goes on in the background.
 *
 *	test-tlc-sata [HOURS]: the length of the longest run, 3 unless given; the source's is 72
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

#define MODEL "tlc-sata-120g"
#define SEEDS 10
#define FIRST_S 1800u /* what every seed is looked at for */

static uint32_t long_s = 3 * 3600;

struct run {
	uint32_t *x;
	struct ssd_stats stats;
};

static struct run runs[SEEDS]; /* by seed - 1; the first is the long one */

static void run(const char *drive, const struct random_load *load, struct run *ret)
{
	struct ssd *ssd = model_drive(drive);
	struct random_load l = *load;
	struct err err = { 0 };

	if (!l.span_units)
		l.span_units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);
	ret->x = random_seconds(ssd, &l);
	ssd_get_stats(ssd, &ret->stats);
	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
	ssd_free(ssd);
}

static int run_all(void **state)
{
	(void)state;
	for (int i = 0; i < SEEDS; i++)
		run(MODEL, &(struct random_load){ 0, 32, (uint64_t)i + 1, i ? FIRST_S : long_s },
		    &runs[i]);
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	for (int i = 0; i < SEEDS; i++)
		free(runs[i].x);
	return 0;
}

static void within(const char *what, int seed, double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%s, seed %d: %g is not in [%g, %g]", what, seed, value, low, high);
}

static void plateau(void **state)
{
	(void)state;
	for (int i = 0; i < SEEDS; i++) {
		const uint32_t *x = runs[i].x;
		double level = series_mean(x, 2, 45);
		uint32_t cliff = 2;

		while (cliff < FIRST_S && x[cliff] > level / 2)
			cliff++;
		printf("# seed %d: %.0f IOPS for %u s\n", i + 1, level, cliff);
		within("plateau", i + 1, level, 26000 * 0.95, 26000 * 1.05);
		within("cliff", i + 1, cliff, 47, 53);
	}
}

static void depression(void **state)
{
	(void)state;
	for (int i = 0; i < SEEDS; i++) {
		const uint32_t *x = runs[i].x;
		uint32_t at = 0;
		double least = series_least(x, 0, FIRST_S, 50, &at);
		double early = series_median(x, 100, 600, 50);
		double late = series_median(x, 900, 1800, 50);

		printf("# seed %d: least %.0f at %u s, median %.0f to 600 s, %.0f from 900 s\n",
		       i + 1, least, at, early, late);
		within("least of 50 s", i + 1, least, 600, 1000);
		within("its end", i + 1, at, 100, 300);
		within("median of 100 to 600 s", i + 1, early, 600, 1000);
		within("median of 900 to 1800 s", i + 1, late, 1100, 2000);
		assert_true(late >= 1.3 * early);
	}
}

/* To the end: no drift, and no flat line. */
static void rest(void **state)
{
	const uint32_t *x = runs[0].x;
	double mean = series_mean(x, FIRST_S, long_s), p, period;
	double cv = series_variation(x, FIRST_S, long_s, 60);
	uint32_t half = (FIRST_S + long_s) / 2;

	(void)state;
	period = series_period(x, FIRST_S, FIRST_S + 9000, 5, 600, &p);
	printf("# %.1f h: mean %.0f (%.0f, then %.0f), variation of 60 s %.2f, period %.0f s (p "
	       "%.1g)\n",
	       long_s / 3600.0, mean, series_mean(x, FIRST_S, half), series_mean(x, half, long_s),
	       cv, period, p);
	within("mean", 1, mean, 1800 * 0.9, 1800 * 1.1);
	within("second half", 1, series_mean(x, half, long_s), mean * 0.95, mean * 1.05);
	assert_true(cv >= 0.10);
	within("period", 1, period, 5, 600);
	assert_true(p < 1e-6);
}

/* Host writes and what they cost: a fold each, and collection at the little spare there is. */
static void amplification(void **state)
{
	const struct ssd_stats *s = &runs[0].stats;
	double host = (double)s->host_write_units;

	(void)state;
	printf("# for each host write %.2f folded, %.2f collected, %.2f map pages written\n",
	       (double)s->fold_units / host, (double)s->gc_units / host,
	       (double)s->map_units / host);
	within("folded", 1, (double)s->fold_units / host, 0.8, 1);
	within("collected", 1, (double)s->gc_units / host, 8, 12);
	within("map pages written", 1, (double)s->map_units / host, 0.95, 1);
}

/* What the data sheet says is true where the map fits the cache: in a small span. */
static void advertised(void **state)
{
	struct run r;
	double level;

	(void)state;
	run(MODEL, &(struct random_load){ 1u << 18, 32, 1, 10 }, &r);
	level = series_mean(r.x, 1, 10);
	printf("# in a span of 1 GiB: %.0f IOPS\n", level);
	within("advertised", 1, level, 84000 * 0.95, 84000 * 1.05);
	free(r.x);
}

/* The low and its recovery come from the drive's having been full: a new one falls once and stays there. */
static void new_drive(void **state)
{
	struct run r;
	double early, late;

	(void)state;
	run(MODEL ",prefill=none", &(struct random_load){ 0, 32, 1, 1000 }, &r);
	early = series_median(r.x, 100, 500, 50);
	late = series_median(r.x, 500, 1000, 50);
	printf("# new drive: median %.0f to 500 s, %.0f from there\n", early, late);
	assert_true(early > 2000 && late < 1.1 * early);
	free(r.x);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plateau),    cmocka_unit_test(depression),
		cmocka_unit_test(rest),	      cmocka_unit_test(amplification),
		cmocka_unit_test(advertised), cmocka_unit_test(new_drive),
	};

	if (argc > 1)
		long_s = (uint32_t)(strtod(argv[1], NULL) * 3600);
	if (long_s < FIRST_S + 9000) {
		fprintf(stderr, "test-tlc-sata: at least 3 hours\n");
		return 2;
	}
	return cmocka_run_group_tests(tests, run_all, free_all);
}
