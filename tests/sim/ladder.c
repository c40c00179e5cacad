/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ladder.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "device/device.h"

#define DEPTH_MAX 512u
#define MIB (1024u * 1024u)
#define WINDOW_NS (100 * NS_PER_MS)

/* What one stretch of I/O is: `random` draws uniform addresses, else it wraps around in order. */
struct stretch {
	enum io_op op;
	uint64_t offset, span;
	uint32_t length;
	unsigned depth;
	bool random;
	uint64_t bytes_max, ns_max; /* whichever is first */
};

struct outcome {
	uint64_t bytes, ops, ns, latency_ns;
};

struct bench {
	struct device *dev;
	struct lane *lane;
	struct io io[DEPTH_MAX];
	struct rng rng;
	/* windows of the stretch that runs, where wanted */
	uint64_t *window;
	unsigned windows;
	double host_bytes;
};

static void next(struct bench *b, const struct stretch *s, struct io *io, uint64_t submitted)
{
	uint64_t blocks = s->span / s->length;
	uint64_t block = s->random ? rng_below(&b->rng, blocks) : submitted / s->length % blocks;

	io->op = s->op;
	io->length = s->length;
	io->offset = s->offset + block * s->length;
}

static void note(struct bench *b, const struct io *io, uint64_t start)
{
	uint64_t w = (io->done_ns - start) / WINDOW_NS;

	if (b->window && w < b->windows)
		b->window[w] += io->length;
}

static struct outcome run(struct bench *b, const struct stretch *s)
{
	uint64_t start = lane_now_ns(b->lane), end = start + s->ns_max, submitted = 0;
	struct outcome o = { 0 };
	unsigned flying = 0;

	for (unsigned i = 0; i < s->depth && submitted < s->bytes_max; i++) {
		struct io *io = &b->io[i];

		next(b, s, io, submitted);
		submitted += s->length;
		assert_int_equal(lane_submit(b->lane, &io, 1), 1);
		flying++;
	}
	while (flying) {
		struct io *done[32];
		int n = lane_reap(b->lane, done, 32, UINT64_MAX);

		for (int i = 0; i < n; i++) {
			struct io *io = done[i];

			flying--;
			assert_int_equal(io->result, io->length);
			b->host_bytes += io->length;
			if (io->done_ns <= end) {
				o.bytes += io->length;
				o.ops++;
				o.latency_ns += io->done_ns - io->submit_ns;
				o.ns = io->done_ns - start;
				note(b, io, start);
			}
			if (io->done_ns >= end || submitted >= s->bytes_max)
				continue;
			next(b, s, io, submitted);
			submitted += s->length;
			assert_int_equal(lane_submit(b->lane, &io, 1), 1);
			flying++;
		}
	}
	return o;
}

static void rest(struct bench *b, uint64_t ns)
{
	struct io *done;

	assert_int_equal(lane_reap(b->lane, &done, 1, lane_now_ns(b->lane) + ns), 0);
}

static double mbps(const struct outcome *o)
{
	return o->ns ? (double)o->bytes / (double)o->ns * 1e3 : 0;
}

static void bench(struct bench *b, uint64_t offset, uint64_t span, struct ladder_level *l)
{
	static const struct {
		enum io_op op;
		uint32_t length;
		unsigned depth;
		bool random;
	} cells[LADDER_CELLS] = {
		{ IO_READ, MIB, 8, false },
		{ IO_READ, 4096, 512, true },
		{ IO_WRITE, MIB, 8, false },
		{ IO_WRITE, 4096, 512, true },
	};

	for (int c = 0; c < LADDER_CELLS; c++) {
		struct stretch s = { cells[c].op,    offset,	      span,	cells[c].length,
				     cells[c].depth, cells[c].random, 4 * span, 5 * NS_PER_S };

		for (int r = 0; r < LADDER_RUNS; r++) {
			struct outcome o = run(b, &s);

			l->mbps[c][r] = mbps(&o);
			l->mean[c] += l->mbps[c][r] / LADDER_RUNS;
			if (l->mbps[c][r] > l->best[c]) {
				l->best[c] = l->mbps[c][r];
				l->in_flight[c] = (double)o.latency_ns / (double)o.ns;
			}
			rest(b, 5 * NS_PER_S);
		}
	}
}

/* The knee: the bytes before the first 100 ms at less than four fifths of the speed so far. */
static void knee(const uint64_t *window, unsigned n, uint64_t free_before, struct ladder_level *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i + 1 < n && window[i + 1]; i++) {
		if (i >= 5 && (double)window[i] < 0.8 * (double)sum / i) {
			l->knee_bytes = sum;
			l->free_at_knee = free_before - sum;
			return;
		}
		sum += window[i];
	}
}

static void copy(struct bench *b, uint64_t offset, uint64_t bytes, uint64_t free_before,
		 struct ladder_level *l)
{
	static uint64_t window[6000];
	struct stretch s = { IO_WRITE, offset, bytes, MIB, 2, false, bytes, UINT64_MAX / 2 };
	struct outcome o;

	memset(window, 0, sizeof(window));
	b->window = window;
	b->windows = 6000;
	o = run(b, &s);
	b->window = NULL;
	l->copy_mbps = mbps(&o);
	knee(window, 6000, free_before, l);
}

void ladder_run(const char *drive, struct ladder *ret)
{
	static struct bench b;
	struct lane_spec lane_spec = { .depth = DEPTH_MAX, .length_max = MIB };
	struct device_spec spec;
	struct err err = { 0 };
	uint64_t capacity, chunk, region, filled = 0;

	memset(&b, 0, sizeof(b));
	memset(ret, 0, sizeof(*ret));
	if (device_spec_parse(drive, &spec, &err) < 0 || device_open(&b.dev, &spec, &err) < 0 ||
	    lane_open(&b.lane, b.dev, &lane_spec, &err) < 0)
		fail_msg("%s", err.text);
	rng_init(&b.rng, 1, 1);
	capacity = b.dev->info.capacity_bytes;
	chunk = capacity / 100 / MIB * MIB;
	region = capacity * 8 / 1000 / MIB * MIB;
	if (region > 1024ull * MIB)
		region = 1024ull * MIB;
	for (unsigned i = 0; i < LADDER_LEVELS; i++) {
		struct ladder_level *l = &ret->level[i];
		uint64_t start = (capacity - region) / 4096 * 4096;
		struct stretch fill = { IO_WRITE, start, region, MIB,
					2,	  false, region, UINT64_MAX / 2 };

		l->pct = i < 20 ? i * 5 : i == 20 ? 96 : 99;
		run(&b, &fill);
		rest(&b, 120 * NS_PER_S);
		if (l->pct > filled) {
			copy(&b, filled * chunk, (l->pct - filled) * chunk,
			     capacity - region - filled * chunk, l);
			filled = l->pct;
			rest(&b, 120 * NS_PER_S);
		}
		bench(&b, start, region, l);
		rest(&b, 120 * NS_PER_S);
	}
	ret->host_bytes = b.host_bytes;
	lane_close(b.lane);
	device_close(b.dev);
}

void ladder_print(const struct ladder *l)
{
	printf("# pct  seq rd  seq wr  rnd rd  rnd wr | mean seq wr rnd wr |   N  | copy  knee GB  "
	       "free GB\n");
	for (int i = 0; i < LADDER_LEVELS; i++) {
		const struct ladder_level *x = &l->level[i];

		printf("# %3u  %6.2f  %6.2f  %6.2f  %6.2f | %6.2f %6.2f | %5.1f | %6.2f %5.3f "
		       "%6.2f\n",
		       x->pct, x->best[SEQ1M_READ], x->best[SEQ1M_WRITE], x->best[RND4K_READ],
		       x->best[RND4K_WRITE], x->mean[SEQ1M_WRITE], x->mean[RND4K_WRITE],
		       x->in_flight[RND4K_WRITE], x->copy_mbps, (double)x->knee_bytes / 1e9,
		       (double)x->free_at_knee / 1e9);
	}
}
