/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * S1 (Intel SSDS002, slides 23-26): how much of a task is the drive?
 *
 * The source times a program once from a disk and once from DRAM, which stands for an infinitely fast drive; the
 * difference is the time of the drive. It finds that even the slowest SSD removes 85 % of a 7200 rpm disk's
 * time, that 85 % of what remains is not the drive, and that the fastest and the slowest SSD differ by a
 * little over 7 %. The three belong together: with D the disk's time, the slowest SSD needs 0.15 D; that is
 * 15 % of the whole task, so that the host needs 0.85 D; 7 % of the task is half of what the SSD needs.
 *
 * Here the same closed loop runs on the disk, on SSDs and on the ideal drive:
 *
 *	removed = (T disk - T ssd) / (T disk - T ideal)		of the slowest SSD: 0.85 +- 0.03
 *	differ  = (T slowest - T fastest) / T slowest		0.04 to 0.10
 *
 * The load, from a seed: ROUNDS times
 *	- small reads, one at a time, at random addresses of the drive: SMALL of them, 4 KiB (60 %) to 64 KiB,
 *	  each followed by the host's own time, uniform between 0 and 2 x THINK;
 *	- a burst of 300 to 750 MB, 20 at a time and without pauses (S1: mean depth of bursts 20): by bytes 80 %
 *	  writes of 128 KiB in pieces of 16 MiB one after the other, 20 % reads of 64 KiB at random addresses.
 * Sizes of bursts and their share of writes are the source's. SMALL and THINK are chosen so that the disk spends
 * its time and the host its own as above; an SSD's part of it all is not chosen.
 *
 * SSDs are the Intel 320 of the source and what its family and its time had: fewer dies (80 and 160 GB), and a
 * controller with a 6 Gb/s link. Every address is written before (S1). SSDs have 8 GB: dies, and with them all
 * rates, stay those of the large drive; the disk keeps its size, on which its seeks depend.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/device.h"

#define SEEDS 10
#define ROUNDS 8
#define SMALL 900
#define THINK_NS 33000000u
#define DEPTH 20
#define UNIT 4096u

struct host {
	struct device *dev;
	struct lane *lane;
	struct io io[DEPTH];
	unsigned free[DEPTH], free_n;
	struct rng rng;
	uint64_t burst_ns_max, burst_ns_min;
};

static void host_open(struct host *h, const char *drive)
{
	struct device_spec spec;
	struct lane_spec lane = { .depth = DEPTH, .length_max = 1 << 20 };
	struct err err = { 0 };

	memset(h, 0, sizeof(*h));
	if (device_spec_parse(drive, &spec, &err) < 0 || device_open(&h->dev, &spec, &err) < 0 ||
	    lane_open(&h->lane, h->dev, &lane, &err) < 0)
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < DEPTH; i++)
		h->free[h->free_n++] = i;
	h->burst_ns_min = UINT64_MAX;
}

static void host_close(struct host *h)
{
	lane_close(h->lane);
	device_close(h->dev);
}

/* Wait until no more than n are in flight. */
static void wait_for(struct host *h, unsigned n)
{
	while (DEPTH - h->free_n > n) {
		struct io *done[DEPTH];
		int k = lane_reap(h->lane, done, DEPTH, UINT64_MAX);

		assert_true(k > 0);
		for (int i = 0; i < k; i++) {
			assert_true(done[i]->result >= 0);
			h->free[h->free_n++] = (unsigned)(done[i] - h->io);
		}
	}
}

static void give(struct host *h, enum io_op op, uint64_t offset, uint32_t length)
{
	struct io *io;

	wait_for(h, DEPTH - 1);
	io = &h->io[h->free[--h->free_n]];
	*io = (struct io){ .op = op, .offset = offset, .length = length };
	assert_int_equal(lane_submit(h->lane, (struct io *const[]){ io }, 1), 1);
}

/* An address that is the same part of every drive. */
static uint64_t somewhere(struct host *h, uint64_t length)
{
	uint64_t part = rng_below(&h->rng, 1u << 30);
	uint64_t places = (h->dev->info.span_bytes - length) / UNIT;

	return (uint64_t)((unsigned __int128)part * places >> 30) * UNIT;
}

static void pass_time(struct host *h, uint64_t ns)
{
	struct io *none[1];

	if (ns)
		assert_int_equal(lane_reap(h->lane, none, 1, lane_now_ns(h->lane) + ns), 0);
}

static void small_reads(struct host *h)
{
	for (unsigned i = 0; i < SMALL; i++) {
		uint32_t units =
			rng_below(&h->rng, 10) < 6 ? 1 : 1 + (uint32_t)rng_below(&h->rng, 16);

		give(h, IO_READ, somewhere(h, units * UNIT), units * UNIT);
		wait_for(h, 0);
		pass_time(h, rng_below(&h->rng, 2 * THINK_NS));
	}
}

static void burst(struct host *h)
{
	const uint64_t file = 16 << 20;
	uint64_t bytes = (300 + rng_below(&h->rng, 451)) * 1000000, begin = lane_now_ns(h->lane),
		 took;
	uint64_t at = 0, end = 0;

	for (uint64_t i = 0; bytes >= 128 << 10; i++) {
		/* Of each 640 KiB, 512 are written and 128 read. */
		if (i % 6 < 4) {
			if (at == end) {
				at = somewhere(h, file);
				end = at + file;
			}
			give(h, IO_WRITE, at, 128 << 10);
			at += 128 << 10;
			bytes -= 128 << 10;
		} else {
			give(h, IO_READ, somewhere(h, 64 << 10), 64 << 10);
			bytes -= 64 << 10;
		}
	}
	wait_for(h, 0);
	took = lane_now_ns(h->lane) - begin;
	h->burst_ns_max = took > h->burst_ns_max ? took : h->burst_ns_max;
	h->burst_ns_min = took < h->burst_ns_min ? took : h->burst_ns_min;
}

static void prefill(struct host *h)
{
	for (uint64_t at = 0; at < h->dev->info.span_bytes; at += 1 << 20) {
		uint64_t left = h->dev->info.span_bytes - at;

		give(h, IO_WRITE, at, left < 1 << 20 ? (uint32_t)left : 1 << 20);
	}
	wait_for(h, 0);
	pass_time(h, 60000000000u);
}

/* Seconds of the whole task. */
static double task_s(const char *drive, uint64_t seed, bool full, struct host *ret)
{
	struct host h;
	uint64_t begin;
	double took;

	host_open(&h, drive);
	if (full)
		prefill(&h);
	rng_init(&h.rng, seed, 0);
	begin = lane_now_ns(h.lane);
	for (unsigned i = 0; i < ROUNDS; i++) {
		small_reads(&h);
		burst(&h);
	}
	took = (double)(lane_now_ns(h.lane) - begin) / 1e9;
	host_close(&h);
	*ret = h;
	return took;
}

static void assert_between(const char *what, uint64_t seed, double x, double low, double high)
{
	if (!(x >= low && x <= high))
		fail_msg("seed %llu: %s %.4f is not between %g and %g", (unsigned long long)seed,
			 what, x, low, high);
}

static const struct {
	const char *name, *drive;
} ssds[] = {
	{ "80 GB", "sim:intel-320-300g,capacity=8GB,geometry.dies=10" },
	{ "160 GB", "sim:intel-320-300g,capacity=8GB,geometry.dies=20" },
	{ "300 GB", "sim:intel-320-300g,capacity=8GB" },
	{ "6 Gb/s", "sim:intel-320-300g,capacity=8GB,link.read_unit=8us,link.write_unit=16us" },
};
#define SSDS (sizeof(ssds) / sizeof(*ssds))

static void share_of_the_drive(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct host h;
		double ideal = task_s("sim:ideal", seed, false, &h);
		double disk = task_s("sim:momentus-7200-500g", seed, false, &h);
		double slow = 0, fast = 1e9;

		for (unsigned i = 0; i < SSDS; i++) {
			double t = task_s(ssds[i].drive, seed, true, &h);

			print_message(
				"# seed %llu, %s: %.1f s, removes %.1f %%, bursts %.1f to %.1f s\n",
				(unsigned long long)seed, ssds[i].name, t,
				100 * (disk - t) / (disk - ideal), (double)h.burst_ns_min / 1e9,
				(double)h.burst_ns_max / 1e9);
			slow = t > slow ? t : slow;
			fast = t < fast ? t : fast;
		}
		print_message("# seed %llu: ideal %.1f s, disk %.1f s, SSDs differ by %.1f %%, the "
			      "slowest "
			      "leaves %.1f %% to the host\n",
			      (unsigned long long)seed, ideal, disk, 100 * (slow - fast) / slow,
			      100 * ideal / slow);
		assert_between("removed by the slowest", seed, (disk - slow) / (disk - ideal), 0.82,
			       0.88);
		assert_between("SSDs differ by", seed, (slow - fast) / slow, 0.04, 0.10);
		assert_between("share of the host", seed, ideal / slow, 0.82, 0.88);
	}
}

/* MB/s of n commands at a depth of 20 in the first `span` bytes. */
static double rate_mbps(struct host *h, enum io_op op, bool random, uint32_t length, uint64_t span,
			unsigned n)
{
	uint64_t begin = lane_now_ns(h->lane);

	for (unsigned i = 0; i < n; i++) {
		uint64_t place = random ? rng_below(&h->rng, span / length) : i % (span / length);

		give(h, op, place * length, length);
	}
	wait_for(h, 0);
	return (double)n * length * 1e3 / (double)(lane_now_ns(h->lane) - begin);
}

/* What was published of the drive, and the model makes of it: each within 5 %. */
static void published_rates(void **state)
{
	static const struct {
		const char *name, *drive;
		enum io_op op;
		bool random;
		double mbps;
	} rates[] = {
		{ "sequential write", "sim:intel-320-300g", IO_WRITE, false, 205 },
		{ "sequential read", "sim:intel-320-300g", IO_READ, false, 270 },
		{ "random read", "sim:intel-320-300g", IO_READ, true, 39500 * 4096 / 1e6 },
		{ "random write", "sim:intel-320-300g", IO_WRITE, true, 23000 * 4096 / 1e6 },
		{ "sequential write, 80 GB", "sim:intel-320-300g,capacity=80GB,geometry.dies=10",
		  IO_WRITE, false, 90 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const uint64_t span = 8000000000u / (1 << 20) << 20;
		struct host h;
		double mbps;

		host_open(&h, rates[i].drive);
		rng_init(&h.rng, 1, 0);
		rate_mbps(&h, IO_WRITE, false, 1 << 20, span, (unsigned)(span >> 20));
		pass_time(&h, 60000000000u);
		if (rates[i].random)
			mbps = rate_mbps(&h, rates[i].op, true, UNIT, span, 200000);
		else
			mbps = rate_mbps(&h, rates[i].op, false, 1 << 20, span, 4000);
		print_message("# %s: %.1f MB/s, published %.1f\n", rates[i].name, mbps,
			      rates[i].mbps);
		assert_between(rates[i].name, 1, mbps, 0.95 * rates[i].mbps, 1.05 * rates[i].mbps);
		host_close(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_rates),
		cmocka_unit_test(share_of_the_drive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
