/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated drive behind the device contract. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "device/device.h"
#include "device/truth.h"

#define DEPTH 256

static struct device *open_drive(const char *drive)
{
	struct device_spec spec;
	struct device *dev = NULL;
	struct err err = { 0 };

	if (device_spec_parse(drive, &spec, &err) < 0 || device_open(&dev, &spec, &err) < 0)
		fail_msg("%s", err.text);
	return dev;
}

static struct lane *open_lane(struct device *dev, unsigned depth)
{
	struct lane_spec spec = { .depth = depth, .length_max = 1 << 20 };
	struct lane *lane = NULL;
	struct err err = { 0 };

	if (lane_open(&lane, dev, &spec, &err) < 0)
		fail_msg("%s", err.text);
	return lane;
}

static void facts(void **state)
{
	struct device *dev = open_drive("sim:sm2258xt-120g-usb,capacity=1GiB,seed=42");
	const struct device_info *info = &dev->info;

	(void)state;
	assert_string_equal(info->kind, "sim");
	assert_string_equal(info->model, "sm2258xt-120g-usb");
	assert_string_equal(info->serial, "SIM-sm2258xt-120g-usb-42");
	assert_int_equal(info->capacity_bytes, 1 << 30);
	assert_int_equal(info->span_bytes, 1 << 30);
	assert_int_equal(info->lanes_max, 1);
	assert_true(info->depth_max >= 65536);
	assert_int_equal(info->ops,
			 1u << IO_READ | 1u << IO_WRITE | 1u << IO_FLUSH); /* no TRIM over BOT */
	assert_false(info->needs_data || info->state_persists || info->wears || info->real_time);
	assert_true(info->counts);
	assert_int_equal(info->budget_default_bytes, 0);
	device_close(dev);
	dev = open_drive("sim:sm2258xt-120g-usb,capacity=1GiB,link.kind=sata,link.trim=true");
	assert_true(dev->info.ops & 1u << IO_TRIM && dev->info.ops & 1u << IO_WRITE_ZEROES);
	device_close(dev);
}

static void refused(void **state)
{
	static const struct {
		const char *drive, *says;
	} cases[] = {
		{ "sim:no-such", "no model 'no-such'" },
		{ "sim:sm2258xt-120g-usb,colour=red", "no parameter 'colour'" },
		{ "sim:sm2258xt-120g-usb,pslc.share=2", "out of range" },
		{ "sim:sm2258xt-120g-usb,capacity=64KiB", "out of range" },
		{ "sim:sm2258xt-120g-usb,capacity=2MiB", "do not hold" },
		{ "sim:sm2258xt-120g-usb,link.trim=true", "TRIM" },
		{ "sim:sm2258xt-120g-usb,geometry.superblocks=100", "do not hold" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct device_spec spec;
		struct device *dev = NULL;
		struct err err = { 0 };

		assert_int_equal(device_spec_parse(cases[i].drive, &spec, &err), 0);
		assert_int_equal(device_open(&dev, &spec, &err), -ERR_USAGE);
		if (!strstr(err.text, cases[i].says))
			fail_msg("'%s': '%s'", cases[i].drive, err.text);
	}
}

/* A closed loop of mixed I/O; the wrapper asserts the order. Returns IOPS x mean latency. */
static double loop(struct lane *lane, unsigned depth, unsigned n, unsigned read_pct)
{
	static struct io io[DEPTH];
	uint64_t units = lane->dev->info.span_bytes / 4096, start = lane_now_ns(lane), latency = 0;
	unsigned flying = 0, given = 0, done = 0;
	struct rng rng;

	rng_init(&rng, depth, n);
	while (done < n) {
		struct io *back[16];
		int r;

		for (unsigned i = 0; flying < depth && given < n && i < DEPTH; i++) {
			struct io *p = &io[i];

			if (p->in_flight)
				continue;
			p->op = rng_below(&rng, 100) < read_pct ? IO_READ : IO_WRITE;
			p->length = 4096u << rng_below(&rng, 4);
			p->offset = rng_below(&rng, units - 8) * 4096;
			assert_int_equal(lane_submit(lane, &p, 1), 1);
			flying++;
			given++;
		}
		r = lane_reap(lane, back, 16, UINT64_MAX);
		assert_true(r > 0);
		for (int i = 0; i < r; i++) {
			/* Of one instant, which is now. */
			assert_int_equal(back[i]->done_ns, lane_now_ns(lane));
			assert_int_equal(back[i]->result, back[i]->length);
			latency += back[i]->done_ns - back[i]->submit_ns;
		}
		flying -= (unsigned)r;
		done += (unsigned)r;
	}
	return (double)latency / (double)(lane_now_ns(lane) - start);
}

/* The drive's own count of what it has in hand: one over BOT, whatever the host has queued. */
static void depth_at_the_device(void **state)
{
	static const struct {
		const char *drive;
		double low, high;
	} cases[] = {
		{ "sim:sm2258xt-120g-usb,capacity=1GiB", 0.99, 1.0 },
		{ "sim:sm2258xt-120g-usb,capacity=1GiB,link.kind=sata,link.queue=32", 31, 32 },
		{ "sim:sm2258xt-120g-usb,capacity=1GiB,link.kind=pcie,link.queue=1024", 190, 200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct device *dev = open_drive(cases[i].drive);
		struct lane *lane = open_lane(dev, 200);
		uint64_t start = lane_now_ns(lane);
		struct device_counters before, after;
		double host, device;

		assert_int_equal(device_counters(dev, &before), 0);
		host = loop(lane, 200, 20000, 50);
		assert_int_equal(device_counters(dev, &after), 0);
		device = (double)(after.in_flight_ns - before.in_flight_ns) /
			 (double)(lane_now_ns(lane) - start);
		assert_true(host > 196 && host <= 200);
		if (device < cases[i].low || device > cases[i].high)
			fail_msg("'%s': %g in flight at the drive", cases[i].drive, device);
		assert_true(after.read_bytes > 0 && after.written_bytes > 0);
		lane_close(lane);
		device_close(dev);
	}
}

/* A reading in the middle counts what is in flight up to then: no I/O is counted before its time. */
static void counters_in_flight(void **state)
{
	struct device *dev = open_drive("sim:sm2258xt-120g-usb,capacity=1GiB");
	struct lane *lane = open_lane(dev, 8);
	struct io io[8] = { 0 }, *back[8];
	struct device_counters c;
	uint64_t last = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct io *p = &io[i];

		io[i] = (struct io){ .op = IO_WRITE,
				     .length = 1 << 20,
				     .offset = (uint64_t)i << 20 };
		assert_int_equal(lane_submit(lane, &p, 1), 1);
	}
	for (uint64_t t = 1; t <= 25; t++) {
		while (lane_reap(lane, back, 8, t * NS_PER_MS) > 0)
			;
		assert_int_equal(device_counters(dev, &c), 0);
		assert_true(c.in_flight_ns >= last && c.in_flight_ns <= lane_now_ns(lane));
		assert_true(c.written_bytes <= 8 << 20);
		last = c.in_flight_ns;
	}
	assert_int_equal(lane_now_ns(lane), 25 * NS_PER_MS);
	assert_int_equal(c.written_bytes, 8 << 20);
	assert_int_equal(c.in_flight_ns, io[7].done_ns);
	lane_close(lane);
	device_close(dev);
}

struct truth_sink {
	struct sink sink;
	unsigned n;
	uint64_t last_ns, gap_max_ns, gap_min_ns;
	struct truth last;
};

static int take_truth(struct sink *sink, const struct truth *t, struct err *err)
{
	struct truth_sink *s = (struct truth_sink *)sink;
	uint64_t gap = t->at_ns - s->last_ns;

	(void)err;
	assert_true(t->at_ns > s->last_ns || s->n == 0);
	if (gap > s->gap_max_ns)
		s->gap_max_ns = gap;
	if (gap < s->gap_min_ns || s->n == 0)
		s->gap_min_ns = gap;
	s->last_ns = t->at_ns;
	s->last = *t;
	s->n++;
	return 0;
}

static const struct sink_ops truth_ops = { .truth = take_truth };

/* About one sample a second of work, one in ten seconds of rest, and the sums are right. */
static void truth(void **state)
{
	struct device *dev = open_drive("sim:sm2258xt-120g-usb,capacity=1GiB");
	struct lane *lane = open_lane(dev, 64);
	struct truth_sink s = { .sink = { &truth_ops } };
	struct telemetry tele;
	struct io *none;
	unsigned busy;

	(void)state;
	device_attach(dev, &s.sink);
	loop(lane, 64, 200000, 0);
	busy = s.n;
	assert_true(busy >= 10);
	assert_true(s.gap_max_ns < 1100 * NS_PER_MS && s.gap_min_ns > 900 * NS_PER_MS);
	assert_true(s.last.link_busy_share > 0.1 && s.last.link_busy_share <= 1);
	assert_true(s.last.nand_written_bytes >= s.last.host_written_bytes / 2);
	assert_true(s.last.alpha_eff > 1);
	assert_true(isnan(s.last.temperature_c));
	assert_int_equal(lane_reap(lane, &none, 1, lane_now_ns(lane) + 600 * NS_PER_S), 0);
	assert_true(s.n - busy >= 55 && s.n - busy <= 65);
	assert_true(s.last.cache_used_bytes < 4 << 20); /* folded */
	assert_string_equal(s.last.activity, "none");
	assert_int_equal(device_telemetry(dev, &tele), 0);
	assert_int_equal(tele.host_written_bytes, s.last.host_written_bytes);
	lane_close(lane);
	device_close(dev);
}

/* After a purge the drive is as new, and the clock went on. */
static void purge(void **state)
{
	struct device *dev = open_drive(
		"sim:sm2258xt-120g-usb,capacity=1GiB,campaign.every=0B,campaign.copy=0B");
	struct lane *lane = open_lane(dev, 32);
	uint64_t fresh, again, start = lane_now_ns(lane);
	struct err err = { 0 };
	struct io *none;

	(void)state;
	loop(lane, 32, 100000, 30);
	fresh = lane_now_ns(lane) - start;
	loop(lane, 32, 100000, 30);
	assert_int_equal(lane_reap(lane, &none, 1, lane_now_ns(lane) + 10 * NS_PER_S), 0);
	start = lane_now_ns(lane);
	lane_close(lane);
	assert_int_equal(device_purge(dev, &err), 0);
	lane = open_lane(dev, 32);
	assert_int_equal(lane_now_ns(lane), start);
	loop(lane, 32, 100000, 30);
	again = lane_now_ns(lane) - start;
	assert_int_equal(again, fresh);
	lane_close(lane);
	device_close(dev);
}

/* The same seed gives the same clock; hints change nothing. */
static void same_again(void **state)
{
	uint64_t end[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct device *dev = open_drive(
			"sim:sm2258xt-120g-usb,capacity=1GiB,link.kind=pcie,link.queue=256");
		struct lane *lane = open_lane(dev, 200);
		struct io io = { .op = IO_READ, .length = 4096 }, *p = &io;

		if (i)
			lane_hint(lane, &p, 1);
		loop(lane, 200, 100000, 60);
		end[i] = lane_now_ns(lane);
		lane_close(lane);
		device_close(dev);
	}
	assert_int_equal(end[0], end[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),
		cmocka_unit_test(refused),
		cmocka_unit_test(depth_at_the_device),
		cmocka_unit_test(counters_in_flight),
		cmocka_unit_test(truth),
		cmocka_unit_test(purge),
		cmocka_unit_test(same_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
