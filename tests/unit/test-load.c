/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run loop against a drive in virtual time whose every latency is known: one server that takes SERVICE_NS
 * for an I/O, first come first served. Then against the null drive, with real threads.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "load/load.h"
#include "load/stream.h"

#define SERVICE_NS 100000ull
#define FAKE_DEPTH 4096u

struct fake {
	struct device device;
	uint64_t now_ns, busy_ns;
	uint64_t writes, write_bytes, trims, trim_bytes;
	uint64_t highest;
	unsigned fail_every; /* 0: never */
};

struct fake_lane {
	struct lane lane;
	struct io *queue[FAKE_DEPTH];
	unsigned first, n;
};

static int fake_lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec,
			  struct err *err)
{
	struct fake_lane *l = calloc(1, sizeof(*l));

	(void)dev, (void)spec, (void)err;
	assert_non_null(l);
	*ret = &l->lane;
	return 0;
}

static void fake_lane_close(struct lane *lane)
{
	free(lane);
}

static struct fake *fake_of(struct lane *lane)
{
	return (struct fake *)lane->dev;
}

static uint64_t fake_now(struct lane *lane)
{
	return fake_of(lane)->now_ns;
}

static int fake_submit(struct lane *lane, struct io *const *io, unsigned n)
{
	struct fake_lane *l = (struct fake_lane *)lane;
	struct fake *f = fake_of(lane);

	for (unsigned i = 0; i < n; i++) {
		uint64_t start = f->busy_ns > f->now_ns ? f->busy_ns : f->now_ns;

		io[i]->submit_ns = f->now_ns;
		io[i]->done_ns = f->busy_ns = start + SERVICE_NS;
		io[i]->result = (int32_t)io[i]->length;
		f->writes += io[i]->op == IO_WRITE;
		if (f->fail_every && f->writes % f->fail_every == 0)
			io[i]->result = -EIO;
		if (io[i]->op == IO_WRITE)
			f->write_bytes += io[i]->length;
		if (io[i]->op == IO_TRIM) {
			f->trims++;
			f->trim_bytes += io[i]->length;
		}
		if (io[i]->offset + io[i]->length > f->highest)
			f->highest = io[i]->offset + io[i]->length;
		l->queue[(l->first + l->n++) % FAKE_DEPTH] = io[i];
	}
	return (int)n;
}

static int fake_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns)
{
	struct fake_lane *l = (struct fake_lane *)lane;
	struct fake *f = fake_of(lane);

	(void)max;
	if (l->n == 0 || l->queue[l->first]->done_ns > until_ns) {
		if (until_ns > f->now_ns)
			f->now_ns = until_ns;
		return 0;
	}
	done[0] = l->queue[l->first];
	l->first = (l->first + 1) % FAKE_DEPTH;
	l->n--;
	f->now_ns = done[0]->done_ns;
	return 1;
}

static const struct device_ops fake_ops = {
	.name = "fake",
	.lane_open = fake_lane_open,
	.lane_close = fake_lane_close,
	.now_ns = fake_now,
	.submit = fake_submit,
	.reap = fake_reap,
};

static void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->now_ns = 5000;
	f->device.ops = &fake_ops;
	f->device.info = (struct device_info){
		.capacity_bytes = 1ull << 30,
		.span_bytes = 1ull << 30,
		.block_bytes = 4096,
		.ops = 1u << IO_READ | 1u << IO_WRITE,
		.lanes_max = 1,
		.depth_max = FAKE_DEPTH,
	};
}

/* Keeps every window and checks that they follow each other without a gap. */
struct watcher {
	struct sink sink;
	unsigned windows;
	uint64_t ops, bytes, in_flight_ns, length_ns, written_bytes, backlog_max;
	unsigned stall_ms; /* how long the first window takes to be kept: a disk may be busy */
};

static int watch_window(struct sink *sink, const struct window *w, struct err *err)
{
	struct watcher *watcher = (struct watcher *)sink;

	(void)err;
	assert_int_equal(w->index, watcher->windows);
	assert_int_equal(w->start_ns, watcher->length_ns);
	if (watcher->windows++ == 0 && watcher->stall_ms)
		usleep(watcher->stall_ms * 1000);
	watcher->ops += w->read.ops + w->write.ops;
	watcher->bytes += w->read.bytes + w->write.bytes;
	watcher->in_flight_ns += w->in_flight_ns;
	watcher->length_ns += w->length_ns;
	assert_true(w->written_bytes >= watcher->written_bytes);
	watcher->written_bytes = w->written_bytes;
	if (w->backlog > watcher->backlog_max)
		watcher->backlog_max = w->backlog;
	return 0;
}

static const struct sink_ops watch_ops = { .window = watch_window };

static struct phase *run_stalled(struct device *dev, const struct workload *w,
				 struct watcher *watcher, unsigned stall_ms,
				 struct load_run *ret_run)
{
	struct phase *p = phase_new();
	struct load_run r = { .dev = dev };
	struct err err = { 0 };

	assert_non_null(p);
	memset(watcher, 0, sizeof(*watcher));
	watcher->sink.ops = &watch_ops;
	watcher->stall_ms = stall_ms;
	r.sink = &watcher->sink;
	p->load = *w;
	p->load.window_ns = 10 * NS_PER_MS;
	if (load_run(&r, p, NULL, &err) < 0)
		fail_msg("%s", err.text);
	if (ret_run)
		*ret_run = r;
	assert_int_equal(watcher->ops, p->read.ops + p->write.ops);
	assert_int_equal(watcher->bytes, p->read.bytes + p->write.bytes);
	assert_int_equal(watcher->length_ns, p->end_ns - p->start_ns);
	return p;
}

static struct phase *run(struct device *dev, const struct workload *w, struct watcher *watcher,
			 struct load_run *ret_run)
{
	return run_stalled(dev, w, watcher, 0, ret_run);
}

/* One server, any depth: the rate is 1 / SERVICE and the latency depth x SERVICE, exactly. */
static void closed_loop(void **state)
{
	static const unsigned depths[][2] = { { 1, 1 }, { 8, 1 }, { 32, 16 } };
	struct watcher watcher;
	struct workload w;
	struct fake f;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		unsigned depth = depths[i][0] * depths[i][1];
		struct phase *p;

		fake_init(&f);
		workload_init(&w);
		w.queue_depth = depths[i][0];
		w.threads = depths[i][1];
		w.span_bytes = 1ull << 30;
		w.ramp_ns = 512 * SERVICE_NS;
		w.stop_ns = NS_PER_S;
		p = run(&f.device, &w, &watcher, NULL);
		assert_int_equal(p->end_ns - p->start_ns, NS_PER_S);
		assert_in_range(p->read.ops, 10000, 10001);
		assert_int_equal(p->read.lat_ns_min, depth * SERVICE_NS);
		assert_int_equal(p->read.lat_ns_max, depth * SERVICE_NS);
		assert_true(fabs(p->read_in_flight_mean - depth) < 1e-9);
		assert_int_equal(watcher.in_flight_ns, depth * NS_PER_S);
		assert_int_equal(watcher.windows, 100);
		free(p);
	}
}

/* Bytes bound what is written, exactly, whatever the depth; the drain is not part of the cell. */
static void byte_bound(void **state)
{
	struct watcher watcher;
	struct workload w;
	struct load_run r;
	struct phase *p;
	struct fake f;

	(void)state;
	fake_init(&f);
	workload_init(&w);
	w.read_pct = 0;
	w.order = ORDER_SEQUENTIAL;
	w.queue_depth = 8;
	w.threads = 3;
	w.span_bytes = 64ull << 20;
	w.stop_passes = 2;
	w.stop_bytes = 1ull << 30;
	p = run(&f.device, &w, &watcher, &r);
	assert_int_equal(f.write_bytes, (64ull << 20) / 4096 / 1 * 4096 * 2);
	assert_int_equal(r.issued_write_bytes, f.write_bytes);
	assert_int_equal(f.highest, 64ull << 20);
	/* The first round is the ramp; the cell ends when nothing was left to submit. */
	assert_int_equal(p->write.ops, f.writes - 47);
	assert_true(fabs(p->write_in_flight_mean - 24) < 0.01);
	assert_int_equal(p->written_bytes, f.write_bytes);
	free(p);

	/* A load of one I/O is counted whole. */
	fake_init(&f);
	w.threads = 1;
	w.stop_passes = 0;
	w.stop_bytes = 4096;
	p = run(&f.device, &w, &watcher, NULL);
	assert_int_equal(p->write.ops, 1);
	assert_int_equal(p->end_ns - p->start_ns, SERVICE_NS);
	free(p);
}

/* Open loop at 80 % of the server's rate and evenly spaced: nobody waits. At 120 % the backlog grows. */
static void open_loop(void **state)
{
	struct watcher watcher;
	struct workload w;
	struct phase *p;
	struct fake f;

	(void)state;
	fake_init(&f);
	workload_init(&w);
	w.span_bytes = 1ull << 30;
	w.queue_depth = 16;
	w.arrival = ARRIVAL_FIXED;
	w.offered_iops = 8000;
	w.stop_ns = NS_PER_S;
	p = run(&f.device, &w, &watcher, NULL);
	assert_in_range(p->read.ops, 7998, 8000);
	assert_int_equal(p->read.lat_ns_max, SERVICE_NS);
	assert_int_equal(watcher.backlog_max, 0);
	free(p);

	fake_init(&f);
	w.offered_iops = 12000;
	p = run(&f.device, &w, &watcher, NULL);
	assert_in_range(p->read.ops, 9990, 10000);
	/* After a second 2000 are late, each I/O waits for those before it: about 0.167 s at the end. */
	assert_in_range(p->read.lat_ns_max, 160 * NS_PER_MS, 170 * NS_PER_MS);
	assert_true(p->read_service.lat_ns_max <= 16 * SERVICE_NS);
	assert_in_range(watcher.backlog_max, 1950, 2000);
	free(p);
}

/* Poisson arrivals at one server with constant service: M/D/1, mean wait = rho S / (2 (1 - rho)). */
static void poisson(void **state)
{
	const double rho = 0.7;
	double expected_ns = (double)SERVICE_NS * (1 + rho / (2 * (1 - rho))), mean_ns;
	struct watcher watcher;
	struct workload w;
	struct phase *p;
	struct fake f;

	(void)state;
	fake_init(&f);
	workload_init(&w);
	w.span_bytes = 1ull << 30;
	w.queue_depth = 256;
	w.threads = 4;
	w.arrival = ARRIVAL_POISSON;
	w.offered_iops = rho * 10000;
	w.stop_ns = 200 * NS_PER_S;
	p = run(&f.device, &w, &watcher, NULL);
	mean_ns = (double)p->read.lat_ns_sum / (double)p->read.ops;
	assert_true(fabs(mean_ns / expected_ns - 1) < 0.02);
	free(p);
}

static void pauses_and_errors(void **state)
{
	struct watcher watcher;
	struct workload w;
	struct phase *p;
	struct fake f;

	(void)state;
	fake_init(&f);
	workload_init(&w);
	w.span_bytes = 1ull << 30;
	w.burst_ios = 10;
	w.burst_pause_ns = 9 * NS_PER_MS;
	w.stop_ns = NS_PER_S;
	p = run(&f.device, &w, &watcher, NULL);
	/* Ten I/Os, then nothing until 9 ms after the last of them was sent: a cycle of 9.9 ms. */
	assert_in_range(p->read.ops, 1010, 1020);
	free(p);

	fake_init(&f);
	f.fail_every = 10;
	w.burst_ios = 0;
	w.read_pct = 0;
	p = run(&f.device, &w, &watcher, NULL);
	assert_in_range(p->write.errors, 999, 1001);
	assert_in_range(p->write.ops, 8999, 9001);
	free(p);
}

/* A discard is issued whole, whatever the size of its pieces, and lasts as long as they do. */
static void trim(void **state)
{
	struct watcher watcher;
	struct workload w;
	struct phase *p;
	struct fake f;

	(void)state;
	fake_init(&f);
	f.device.info.ops |= 1u << IO_TRIM;
	f.device.info.trim_bytes_max = 96 << 20;
	workload_init(&w);
	w.trim = true;
	w.read_pct = 0;
	w.order = ORDER_SEQUENTIAL;
	w.span_offset_bytes = 4096;
	w.span_bytes = (200 << 20) + 4096;
	w.stop_bytes = w.span_bytes;
	p = run(&f.device, &w, &watcher, NULL);
	assert_int_equal(f.trims, 3);
	assert_int_equal(f.trim_bytes, w.span_bytes);
	assert_int_equal(f.highest, w.span_offset_bytes + w.span_bytes);
	assert_int_equal(p->end_ns - p->start_ns, 3 * SERVICE_NS);
	free(p);
}

static void interrupt(void **state)
{
	atomic_int flag = 1;
	struct load_run r = { .interrupt = &flag };
	struct phase *p = phase_new();
	struct fake f;

	(void)state;
	assert_non_null(p);
	fake_init(&f);
	r.dev = &f.device;
	p->load.span_bytes = 1ull << 30;
	p->load.stop_ns = NS_PER_S;
	assert_int_equal(load_run(&r, p, NULL, NULL), 0);
	assert_true(r.interrupted);
	assert_true(p->notes & NOTE_INTERRUPTED);
	assert_true(p->end_ns - p->start_ns < NS_PER_S);
	free(p);
}

static struct device *null_open(void)
{
	struct device_spec spec;
	struct device *dev;
	struct err err;

	assert_int_equal(device_spec_parse("null", &spec, &err), 0);
	assert_int_equal(device_open(&dev, &spec, &err), 0);
	return dev;
}

/* Four real threads on the null drive: windows of all lanes are merged, nothing is lost. */
static void threads(void **state)
{
	struct device *dev;
	struct watcher watcher;
	struct workload w;
	struct load_run r;
	struct phase *p;

	(void)state;
	dev = null_open();
	workload_init(&w);
	w.read_pct = 30;
	w.threads = 4;
	w.queue_depth = 8;
	w.span_bytes = 1ull << 30;
	w.stop_bytes = 1ull << 30;
	p = run(dev, &w, &watcher, &r);
	assert_true(p->read.bytes + p->write.bytes <= 1ull << 30);
	assert_true(p->read.bytes + p->write.bytes >= (1ull << 30) - 32 * 4096 - 4 * 16 * 4096);
	assert_true(fabs((double)p->read.ops / (double)(p->read.ops + p->write.ops) - 0.3) < 0.01);
	free(p);
	device_close(dev);
}

/* A sink that is slower than the windows makes the lanes wait; no window is written over. */
static void slow_sink(void **state)
{
	struct device *dev;
	struct watcher watcher;
	struct workload w;

	(void)state;
	dev = null_open();
	workload_init(&w);
	w.read_pct = 30;
	w.threads = 3;
	w.span_bytes = 1ull << 30;
	w.stop_ns = 400 * NS_PER_MS;
	/* The lanes fill all their slots (10 ms each) and wait long before the first window is kept. */
	free(run_stalled(dev, &w, &watcher, 250, NULL));
	assert_true(watcher.windows >= 40);
	device_close(dev);
}

/* Every order stays in its span and on its grid; permuted meets every address once a pass. */
static void orders(void **state)
{
	static uint8_t seen[1000];
	struct workload w;

	(void)state;
	for (int order = ORDER_SEQUENTIAL; order <= ORDER_STRIDED; order++) {
		struct stream s[3];

		workload_init(&w);
		w.order = (enum load_order)order;
		w.threads = 3;
		w.span_offset_bytes = 4096 * 7;
		w.span_bytes = 4096 * 1000;
		w.stride_bytes = 4096 * 5;
		memset(seen, 0, sizeof(seen));
		for (unsigned t = 0; t < 3; t++)
			stream_init(&s[t], &w, t, 0);
		for (unsigned i = 0; i < 1000; i++) {
			struct io io;

			stream_next(&s[i % 3], &io);
			assert_true(io.offset >= w.span_offset_bytes);
			assert_true(io.offset + io.length <= w.span_offset_bytes + w.span_bytes);
			assert_int_equal(io.offset % 4096, 0);
			assert_int_equal(io.length, 4096);
			seen[(io.offset - w.span_offset_bytes) / 4096]++;
		}
		if (order == ORDER_SEQUENTIAL || order == ORDER_PERMUTED || order == ORDER_STRIDED)
			for (unsigned i = 0; i < 1000; i++)
				assert_int_equal(seen[i], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop),	     cmocka_unit_test(byte_bound),
		cmocka_unit_test(open_loop),	     cmocka_unit_test(poisson),
		cmocka_unit_test(pauses_and_errors), cmocka_unit_test(trim),
		cmocka_unit_test(interrupt),	     cmocka_unit_test(threads),
		cmocka_unit_test(slow_sink),	     cmocka_unit_test(orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
