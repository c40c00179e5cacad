/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated drive behind the device contract when things go wrong: verify, late, lost, dropped, cut, purged. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "device/device.h"

#define MODEL "sim:sm2258xt-120g-usb,capacity=1GiB,link.kind=sata,link.queue=32,link.trim=true"
#define BLOCK 65536u

static struct device *open_drive(const char *options)
{
	char text[512];
	struct device_spec spec;
	struct device *dev = NULL;
	struct err err = { 0 };

	snprintf(text, sizeof(text), "%s%s", options[0] == 's' ? "" : MODEL, options);
	if (device_spec_parse(text, &spec, &err) < 0 || device_open(&dev, &spec, &err) < 0)
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

/* One I/O of a block, waited for. */
static struct io one(struct lane *lane, enum io_op op, uint64_t offset, uint32_t generation)
{
	struct io io = { .op = op,
			 .offset = offset,
			 .length = op == IO_FLUSH ? 0 : BLOCK,
			 .content = { .verify = true, .generation = generation, .seed = 5 } };
	struct io *p = &io, *back;

	assert_int_equal(lane_submit(lane, &p, 1), 1);
	assert_int_equal(lane_reap(lane, &back, 1, UINT64_MAX), 1);
	return io;
}

static int32_t read_back(struct lane *lane, uint64_t offset, uint32_t generation)
{
	return one(lane, IO_READ, offset, generation).result;
}

/* Data that are not those expected are told, whatever the reason; those that are come back as such. */
static void verify(void **state)
{
	struct device *dev = open_drive("");
	struct lane *lane = open_lane(dev, 1);

	(void)state;
	for (uint32_t i = 0; i < 3000; i++)
		one(lane, IO_WRITE, i * (uint64_t)BLOCK % (64 << 20), 1 + i / 1024);
	assert_int_equal(read_back(lane, 0, 3), BLOCK);
	assert_int_equal(read_back(lane, 0, 2), -EILSEQ);	  /* stale */
	assert_int_equal(read_back(lane, 60u << 20, 3), -EILSEQ); /* not overwritten yet */
	assert_int_equal(read_back(lane, 60u << 20, 2), BLOCK);
	assert_int_equal(read_back(lane, 512u << 20, 1), -EILSEQ); /* never written */
	one(lane, IO_TRIM, 0, 0);
	assert_int_equal(read_back(lane, 0, 3), -EILSEQ);
	lane_close(lane);
	device_close(dev);
}

/* After a power cut verify finds what was lost, and what was flushed is whole. */
static void power_cut(void **state)
{
	struct device *dev = open_drive(",fault.cut_every=4MiB,seed=3");
	struct lane *lane = open_lane(dev, 1);
	unsigned lost = 0, failed = 0;

	(void)state;
	for (uint32_t i = 0; i < 256; i++) {
		struct io io = one(lane, IO_WRITE, i * (uint64_t)BLOCK, 1);

		failed += io.result == -EIO;
	}
	one(lane, IO_FLUSH, 0, 0);
	for (uint32_t i = 0; i < 256; i++) {
		int32_t r = read_back(lane, i * (uint64_t)BLOCK, 1);

		assert_true(r == BLOCK || r == -EILSEQ);
		lost += r == -EILSEQ;
	}
	assert_int_equal(failed, 4);
	/* The writes that failed, and before each what was acknowledged and still in the buffer. */
	assert_true(lost > failed && lost < 60);
	lane_close(lane);
	device_close(dev);

	dev = open_drive(",fault.cut_every=4MiB,seed=3,buffer.protected=true");
	lane = open_lane(dev, 1);
	for (uint32_t i = 0; i < 256; i++)
		if (one(lane, IO_WRITE, i * (uint64_t)BLOCK, 1).result > 0)
			assert_int_equal(read_back(lane, i * (uint64_t)BLOCK, 1), BLOCK);
	lane_close(lane);
	device_close(dev);
}

struct results {
	unsigned good, bad;
};

/* `depth` writes in flight all the time, until a million came back or all ended in this error. */
static struct results loop(struct lane *lane, unsigned depth, int error)
{
	struct results ret = { 0, 0 };
	static struct io io[64];
	struct io *back[64];

	memset(io, 0, sizeof(io));
	for (unsigned i = 0; i < depth; i++) {
		struct io *p = &io[i];

		*p = (struct io){ .op = IO_WRITE, .length = 4096, .offset = i * 4096 };
		assert_int_equal(lane_submit(lane, &p, 1), 1);
	}
	while (ret.good + ret.bad < 1000000) {
		int r = lane_reap(lane, back, 64, UINT64_MAX);

		for (int i = 0; i < r; i++) {
			ret.good += back[i]->result > 0;
			ret.bad += back[i]->result == error;
			if (back[i]->result == error)
				continue;
			assert_int_equal(back[i]->result, 4096);
			back[i]->offset = (back[i]->offset + 4096 * 977) % (256 << 20);
			assert_int_equal(lane_submit(lane, &back[i], 1), 1);
		}
		if (lane->in_flight == 0)
			break;
	}
	return ret;
}

/* A command that never comes back is given up after 60 s; the others go on meanwhile. */
static void stuck(void **state)
{
	struct device *dev = open_drive(",fault.stuck=0.001");
	struct lane *lane = open_lane(dev, 64);
	uint64_t start = lane_now_ns(lane);
	struct results r = loop(lane, 16, -ETIMEDOUT);

	(void)state;
	assert_int_equal(r.bad, 16);
	assert_true(r.good > 4000 && r.good < 40000);
	assert_true(lane_now_ns(lane) - start >= 60 * NS_PER_S);
	lane_close(lane);
	device_close(dev);
}

/* A drive that drops off fails what is in flight, at once, and everything after. */
static void drop_off(void **state)
{
	struct device *dev = open_drive(",fault.drop_after=20MiB");
	struct lane *lane = open_lane(dev, 64);
	struct results r = loop(lane, 64, -ENODEV);
	struct err err = { 0 };
	uint64_t start;

	(void)state;
	assert_int_equal(r.bad, 64);
	assert_in_range(r.good, 5120 - 64, 5120);
	start = lane_now_ns(lane);
	assert_int_equal(one(lane, IO_READ, 0, 0).result, -ENODEV);
	assert_true(lane_now_ns(lane) - start < 10 * NS_PER_MS);
	lane_close(lane);
	assert_int_equal(device_purge(dev, &err), -ENODEV);
	device_close(dev);
}

/* Emptied by each means: time passes, the data are gone, the drive's own counters stay. */
static void purge(void **state)
{
	static const struct {
		enum purge_method method;
		double least_s, most_s;
	} ways[] = {
		{ PURGE_FORMAT, 1, 1.001 },	    { PURGE_SANITIZE, 1.1, 1.5 },
		{ PURGE_SECURE_ERASE, 1.004, 1.1 }, { PURGE_DISCARD, 0, 0.001 },
		{ PURGE_ZERO_FILL, 2, 10 },
	};
	struct device *dev = open_drive("");
	struct err err = { 0 };
	struct telemetry t;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct lane *lane = open_lane(dev, 1);
		uint64_t start;
		double took;
		int64_t before;

		for (uint32_t k = 0; k < 500; k++)
			one(lane, IO_WRITE, k * (uint64_t)BLOCK, 7);
		assert_int_equal(read_back(lane, BLOCK, 7), BLOCK);
		start = lane_now_ns(lane);
		lane_close(lane);
		assert_int_equal(device_telemetry(dev, &t), 0);
		before = t.host_written_bytes;
		assert_int_equal(device_purge_by(dev, ways[i].method, &err), 0);
		assert_int_equal(device_telemetry(dev, &t), 0);
		assert_true(t.host_written_bytes >= before);
		lane = open_lane(dev, 1);
		took = (double)(lane_now_ns(lane) - start) / 1e9;
		print_message("# %s: %.3f s\n", purge_method_names[ways[i].method], took);
		assert_true(took >= ways[i].least_s && took <= ways[i].most_s);
		assert_int_equal(read_back(lane, BLOCK, 7), -EILSEQ);
		lane_close(lane);
	}
	assert_int_equal(device_purge(dev, &err),
			 0); /* as new: nothing passes, nothing was written */
	assert_int_equal(device_telemetry(dev, &t), 0);
	assert_int_equal(t.host_written_bytes, 0);
	device_close(dev);
	dev = open_drive(",purge.by=sanitize");
	assert_int_equal(device_purge(dev, &err), 0);
	assert_int_equal(device_telemetry(dev, &t), 0);
	assert_true(t.at_ns > NS_PER_S);
	device_close(dev);
	dev = open_drive("sim:sm2258xt-120g-usb,capacity=1GiB");
	assert_int_equal(device_purge_by(dev, PURGE_DISCARD, &err), -ENOTSUP);
	device_close(dev);
}

/* A drive without a model of heat tells no temperature; one with it does, and says that it throttled. */
static void temperature(void **state)
{
	struct device *dev = open_drive("");
	struct telemetry t;
	struct lane *lane;

	(void)state;
	assert_int_equal(device_telemetry(dev, &t), 0);
	assert_true(isnan(t.temperature_c) && isnan(t.throttled_s));
	device_close(dev);
	dev = open_drive(",heat.r1=10,heat.tau1=1s,heat.limit1=40,heat.idle=0.5");
	assert_int_equal(device_telemetry(dev, &t), 0);
	assert_true(fabs(t.temperature_c - 30) < 1e-9 && t.throttled_s == 0);
	lane = open_lane(dev, 1);
	for (uint32_t k = 0; k < 20000; k++)
		one(lane, IO_WRITE, k * (uint64_t)BLOCK % (512 << 20), 7);
	assert_int_equal(device_telemetry(dev, &t), 0);
	assert_true(t.temperature_c > 40 && t.temperature_c < 60);
	assert_true(t.throttled_s > 0.5);
	lane_close(lane);
	device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verify), cmocka_unit_test(power_cut),
		cmocka_unit_test(stuck),  cmocka_unit_test(drop_off),
		cmocka_unit_test(purge),  cmocka_unit_test(temperature),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
