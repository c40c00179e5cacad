/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define MIB (1ull << 20)

const char *const bench_set_names[] = { "default", "nvme", "s0", NULL };

static const struct bench_cell sets[][BENCH_CELLS_MAX] = {
	[BENCH_DEFAULT] = { { "SEQ1M Q8T1", "seq1m_q8t1", 1u << 20, ORDER_SEQUENTIAL, 8, 1 },
			    { "SEQ1M Q1T1", "seq1m_q1t1", 1u << 20, ORDER_SEQUENTIAL, 1, 1 },
			    { "RND4K Q32T1", "rnd4k_q32t1", 4096, ORDER_RANDOM, 32, 1 },
			    { "RND4K Q1T1", "rnd4k_q1t1", 4096, ORDER_RANDOM, 1, 1 } },
	[BENCH_NVME] = { { "SEQ1M Q8T1", "seq1m_q8t1", 1u << 20, ORDER_SEQUENTIAL, 8, 1 },
			 { "SEQ128K Q32T1", "seq128k_q32t1", 128u << 10, ORDER_SEQUENTIAL, 32, 1 },
			 { "RND4K Q32T16", "rnd4k_q32t16", 4096, ORDER_RANDOM, 32, 16 },
			 { "RND4K Q1T1", "rnd4k_q1t1", 4096, ORDER_RANDOM, 1, 1 } },
	[BENCH_S0] = { { "SEQ1M Q8T1", "seq1m_q8t1", 1u << 20, ORDER_SEQUENTIAL, 8, 1 },
		       { "RND4K Q32T16", "rnd4k_q32t16", 4096, ORDER_RANDOM, 32, 16 } },
};

void bench_use(struct bench *ret, enum bench_set set)
{
	ret->cells = 0;
	while (ret->cells < BENCH_CELLS_MAX && sets[set][ret->cells].name) {
		ret->cell[ret->cells] = sets[set][ret->cells];
		ret->cells++;
	}
}

uint64_t bench_write_bytes_max(const struct bench *b, uint64_t region_bytes)
{
	unsigned runs = b->runs + (b->warmup ? 1 : 0);

	return region_bytes * (1 + (uint64_t)b->cells * runs * b->passes_max);
}

uint64_t bench_region_bytes(const struct device_info *info, uint64_t asked_bytes)
{
	uint64_t share = info->capacity_bytes / 1000 * 8;
	uint64_t bytes = share < 1024 * MIB ? share : 1024 * MIB;

	return asked_bytes ? asked_bytes : bytes - bytes % MIB;
}

uint64_t bench_region_offset(const struct device_info *info, uint64_t region_bytes)
{
	uint64_t offset = info->span_bytes - region_bytes;

	return offset - offset % MIB;
}

int bench_region_check(const struct device_info *info, uint64_t region_bytes, struct err *err)
{
	char a[32], b[32];

	if (region_bytes <= info->span_bytes && region_bytes >= 8 * MIB && region_bytes % MIB == 0)
		return 0;
	return err_set(err, -EINVAL,
		       "a region of %s does not do on a drive of %s: it must be at least 8 MiB, a "
		       "whole number of MiB, and fit",
		       format_bytes(a, sizeof(a), region_bytes),
		       format_bytes(b, sizeof(b), info->span_bytes));
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
	snprintf(ask.label, sizeof(ask.label), "%sregion", b->tag ? b->tag : "");
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
	const char *direction = write ? "write" : "read", *tag = b->tag ? b->tag : "";
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
			snprintf(ask.label, sizeof(ask.label), "%s%s_%s", tag, cell->label,
				 direction);
		else
			snprintf(ask.label, sizeof(ask.label), "%swarmup", tag);
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

int bench_scores(const struct run_ctx *ctx, const char *tag, const struct bench_cell *cell,
		 bool write, struct numbers *ret)
{
	char label[48];
	int r = 0;

	snprintf(label, sizeof(label), "%s%s_%s", tag ? tag : "", cell->label,
		 write ? "write" : "read");
	for (size_t i = 0; i < ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = ctx->outcomes.items[i];

		if (!strcmp(o->ask.label, label) && o->end_ns > o->start_ns)
			r = numbers_push(ret, outcome_mbps(o, write));
	}
	return r;
}
