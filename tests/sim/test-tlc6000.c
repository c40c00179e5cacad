/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-tlc6000.c - the drive of S4's experiment over life: written full and read back, until it dies.
 *
 * Scaled down to 128 and 256 MB. That keeps dies, times and the share of spare; what changes is the number of
 * superblocks (351 and 701 for 2740), so that lives scatter by a per cent more, and the reserve of nine weighs
 * more in the spare.
 */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/model.h"
#include "drive.h"

#define FLEET 200

struct drive {
	struct ssd *ssd;
	struct closed loop;
	uint32_t units;
	uint32_t acceleration;
	uint32_t errors; /* of reads */
};

static struct drive drive_open(const char *capacity, uint64_t seed, uint32_t acceleration,
			       bool fleet)
{
	struct drive d = { .loop.depth = 8, .acceleration = acceleration };
	struct model *m = NULL;
	struct err err = { 0 };
	char number[2][32];
	int r;

	snprintf(number[0], sizeof(number[0]), "%llu", (unsigned long long)seed);
	snprintf(number[1], sizeof(number[1]), "%u", acceleration);
	r = model_load(&m, "tlc-6000pe", NULL, &err);
	if (r == 0)
		r = model_set(m, "capacity", capacity, &err);
	if (r == 0)
		r = model_set(m, "seed", number[0], &err);
	if (r == 0)
		r = model_set(m, "wear.acceleration", number[1], &err);
	if (r == 0 && fleet)
		r = model_set(m, "wear.drive_quality", "1", &err);
	if (r == 0 && fleet)
		r = model_set(m, "wear.drive_variation", "0.6", &err);
	if (r == 0)
		r = model_check(m, &err);
	if (r == 0)
		r = ssd_new(&d.ssd, &m->config, &err);
	if (r < 0)
		fail_msg("%s", err.text);
	d.units = (uint32_t)(m->config.capacity_bytes / SSD_UNIT_BYTES);
	model_free(m);
	return d;
}

/* The whole drive in pieces of 1 MiB, eight at a time. Returns seconds; negative: a write failed. */
static double pass(struct drive *d, bool read)
{
	uint64_t begin = d->loop.now_ns = closed_end(&d->loop);

	for (uint32_t unit = 0, n; unit < d->units; unit += n) {
		uint64_t *slot = closed_next(&d->loop);
		struct ssd_times t;

		n = d->units - unit < 256 ? d->units - unit : 256;
		if (read)
			ssd_read(d->ssd, d->loop.now_ns, unit, n, &t);
		else
			ssd_write(d->ssd, d->loop.now_ns, unit, n, NULL, &t);
		*slot = t.done_ns;
		if (t.error) {
			assert_int_equal(t.error, -EIO);
			if (!read)
				return -1;
			d->errors++;
		}
	}
	return (double)(closed_end(&d->loop) - begin) * 1e-9;
}

/* Written full `cycles` times, from where it is. False: it died. */
static bool age(struct drive *d, uint32_t cycles)
{
	for (uint32_t i = 0; i < cycles; i += d->acceleration)
		if (pass(d, false) < 0)
			return false;
	return true;
}

/* Cycles of writing it full until a write fails. */
static uint32_t life(struct drive *d)
{
	uint32_t ret = 0;

	while (age(d, d->acceleration)) {
		ret += d->acceleration;
		assert_true(ret < 200000);
	}
	return ret;
}

/* Read-back time over life, in multiples of that of the new drive, after 1000, 2000, ... 6000 cycles. */
static void read_over_life(uint64_t seed, uint32_t acceleration, double ret[6])
{
	struct drive d = drive_open("256MB", seed, acceleration, false);
	double fresh;

	assert_true(pass(&d, false) > 0);
	fresh = pass(&d, true);
	for (int k = 0; k < 6; k++) {
		assert_true(age(&d, 1000));
		ret[k] = pass(&d, true) / fresh;
	}
	assert_int_equal(d.errors, 0);
	ssd_free(d.ssd);
}

/* S4, figure 2: reading the whole drive takes three times as long towards the end of 6000 cycles. */
static void read_back(void **state)
{
	double sum = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		double x[6];

		read_over_life(seed, 10, x);
		print_message("# seed %d: x%.2f after 3000, x%.2f after 5000, x%.3f after 6000\n",
			      (int)seed, x[2], x[4], x[5]);
		for (int k = 1; k < 6; k++)
			assert_true(x[k] > x[k - 1] * 0.999);
		assert_true(x[2] < 1.05); /* it shows late */
		assert_true(fabs(x[5] / 3 - 1) < 0.05);
		sum += x[5];
	}
	assert_true(fabs(sum / 30 - 1) < 0.02);
}

/* An erase that counts as ten leaves the read-back times what they are. */
static void accelerated_reads(void **state)
{
	double one[6], ten[6];

	(void)state;
	read_over_life(1, 1, one);
	read_over_life(1, 10, ten);
	for (int k = 0; k < 6; k++)
		assert_true(fabs(ten[k] / one[k] - 1) < 0.02);
}

/* S4: more than a fifth of the tested drives died before 2000 cycles, most reach about 3000, 6000 is rare. */
static void fleet(void **state)
{
	unsigned below_2000 = 0, below_3000 = 0, above_6000 = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= FLEET; seed++) {
		struct drive d = drive_open("128MB", seed, 20, true);
		uint32_t cycles = life(&d);

		below_2000 += cycles < 2000;
		below_3000 += cycles < 3000;
		above_6000 += cycles >= 6000;
		ssd_free(d.ssd);
	}
	print_message("# of %d: %u died before 2000, %u before 3000, %u reached 6000\n", FLEET,
		      below_2000, below_3000, above_6000);
	assert_true(below_2000 > FLEET / 5);
	assert_true(below_2000 < FLEET / 3); /* most get further */
	assert_true(below_3000 > FLEET * 2 / 5 && below_3000 < FLEET * 3 / 5);
	assert_true(above_6000 > FLEET / 20 && above_6000 < FLEET / 5);
}

/* Nor does acceleration change how long a drive lives. */
static void accelerated_life(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint32_t cycles[2];

		for (int k = 0; k < 2; k++) {
			struct drive d = drive_open("128MB", seed, k ? 10 : 1, true);

			cycles[k] = life(&d);
			ssd_free(d.ssd);
		}
		print_message("# seed %d: %u cycles, accelerated %u\n", (int)seed, cycles[0],
			      cycles[1]);
		assert_true(abs((int)cycles[0] - (int)cycles[1]) <= 20);
	}
}

/* The end: writes fail, what was written can be read, and a purge does not bring the drive back. */
static void end_of_life(void **state)
{
	struct drive d = drive_open("128MB", 3, 50, true);
	struct ssd_stats s;
	struct err err = { 0 };

	(void)state;
	life(&d);
	ssd_get_stats(d.ssd, &s);
	assert_true(s.read_only);
	assert_true(s.retired_superblocks > 0 && s.retired_superblocks < 100);
	assert_true(s.mapped_units == d.units);
	if (ssd_check(d.ssd, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(pass(&d, true) > 0);
	assert_int_equal(d.errors, 0);
	ssd_purge(d.ssd);
	assert_true(pass(&d, false) < 0);
	ssd_get_stats(d.ssd, &s);
	assert_true(s.read_only && s.host_write_units == 0);
	if (ssd_check(d.ssd, &err) < 0)
		fail_msg("%s", err.text);
	ssd_free(d.ssd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_back),   cmocka_unit_test(accelerated_reads),
		cmocka_unit_test(fleet),       cmocka_unit_test(accelerated_life),
		cmocka_unit_test(end_of_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
