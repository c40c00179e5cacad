/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/bench.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

#define MIB (1ull << 20)

uint64_t bench_region_bytes(const struct device_info *info)
{
	uint64_t share = info->capacity_bytes / 1000 * 8;
	uint64_t bytes = share < 1024 * MIB ? share : 1024 * MIB;

	return bytes - bytes % MIB;
}

static struct ask ask_at(const struct bench_place *at)
{
	struct ask ask = { .repeat = at->repeat, .level_pct = at->level_pct };

	workload_init(&ask.load);
	ask.load.span_offset_bytes = at->offset_bytes;
	ask.load.span_bytes = at->region_bytes;
	ask.load.window_ns = 100 * NS_PER_MS;
	return ask;
}

int bench_write_region(struct run_ctx *ctx, const struct bench *b, const struct bench_place *at,
		       struct err *err)
{
	struct ask ask = ask_at(at);

	snprintf(ask.key, sizeof(ask.key), "%s/region", at->prefix);
	snprintf(ask.label, sizeof(ask.label), "region");
	ask.load.read_pct = 0;
	ask.load.block[0].bytes = MIB;
	ask.load.order = ORDER_SEQUENTIAL;
	ask.load.queue_depth = 2;
	ask.load.stop_passes = 1;
	ask.load.content = b->content;
	return phase_run(ctx, &ask, NULL, err);
}

static int run_cell(struct run_ctx *ctx, const struct bench *b, const struct bench_place *at,
		    const struct bench_cell *cell, bool write, struct err *err)
{
	const char *direction = write ? "write" : "read";
	struct ask ask = ask_at(at);
	unsigned first = b->warmup ? 0 : 1;
	int r = 0;

	ask.load.read_pct = write ? 0 : 100;
	ask.load.block[0].bytes = cell->block_bytes;
	ask.load.order = cell->order;
	ask.load.queue_depth = cell->queue_depth;
	ask.load.threads = cell->threads;
	ask.load.stop_ns = b->run_ns;
	ask.load.stop_passes = b->passes_max;
	ask.load.content = b->content;
	for (unsigned pass = first; pass <= b->runs && r == 0; pass++) {
		ask.pass = pass;
		snprintf(ask.key, sizeof(ask.key), "%s/%s_%s/%u", at->prefix, cell->label,
			 direction, pass);
		if (pass)
			snprintf(ask.label, sizeof(ask.label), "%s_%s", cell->label, direction);
		else
			snprintf(ask.label, sizeof(ask.label), "warmup");
		if (pass > first)
			r = phase_rest_for(ctx, b->gap_ns);
		if (r == 0)
			r = phase_run(ctx, &ask, NULL, err);
	}
	return r;
}

int bench_run(struct run_ctx *ctx, const struct bench *b, const struct bench_place *at,
	      struct err *err)
{
	int r = 0;

	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < b->cells && r == 0; i++) {
			if (write || i)
				r = phase_rest_for(ctx, b->gap_ns);
			if (r == 0)
				r = run_cell(ctx, b, at, &b->cell[i], write, err);
		}
	return r;
}
