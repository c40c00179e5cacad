/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saturate: what is left after hours of random writes? The usual benchmark on the prepared drive, then random
 * writes over the whole span for 72 h or until the drive is steady, then the benchmark again (S4: best and
 * worst case).
 */
#include "experiment/saturate.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/experiments.h"

#define MIB (1ull << 20)
#define BLOCK_BYTES 4096u
#define FINE_WINDOW_NS (100 * NS_PER_MS)
/* Windows of a second up to 72 h, longer ones beyond: neither store nor memory grows without bound. */
#define COARSE_WINDOWS_MAX (72 * 3600ull)

static const char *const until_names[] = { "steady", "time", NULL };

#define AT(field) offsetof(struct saturate_params, field)

static const struct param saturate_table[] = {
	{ "for", "s", PARAM_NS, AT(for_ns), 1e9, 3.6e16, "72h", NULL,
	  "how long random writes go on at most", "S4: 72 h" },
	{ "until", "", PARAM_ENUM, AT(until), 0, 0, "steady", until_names,
	  "whether they end when the drive is steady, at the earliest when the span was written "
	  "twice, or only when their time is over",
	  "SNIA PTS: five rounds within 20 % and without a slope of 10 %" },
	{ "first", "s", PARAM_NS, AT(first_ns), 1e8, 3.6e15, "15min", NULL,
	  "length of the first round, which is recorded in windows of 100 ms",
	  "S4: the figure's first part, in which everything happens" },
	{ "round", "s", PARAM_NS, AT(round_ns), 1e8, 3.6e15, "30min", NULL,
	  "length of every further round, recorded in windows of 1 s",
	  "SNIA PTS, write saturation: steadiness is looked for every half hour" },
	{ "span", "bytes", PARAM_BYTES, AT(span_bytes), 0, 0x1p62, "0", NULL,
	  "how much of the drive is written, from its start; 0: all of it",
	  "S4: the test file fills the drive" },
	{ "queue-depth", "", PARAM_U32, AT(queue_depth), 1, 65536, "32", NULL,
	  "I/Os in flight per thread", "usual for sustained random writes (AnandTech)" },
	{ "threads", "", PARAM_U32, AT(threads), 1, 256, "1", NULL, "threads", "one is usual" },
	{ "advertised", "IOPS", PARAM_TEXT, AT(advertised), 0, 0, "0", NULL,
	  "random writes a second that the data sheet promises, such as 84k; 0: not known, and the "
	  "benchmark before takes its place",
	  "S4: 'up to 84k IOPS'" },
	{ "cells", "", PARAM_ENUM, AT(cells), 0, 0, "default", bench_set_names,
	  "which cells the benchmark before and after has", "S4: CrystalDiskMark" },
	{ "runs", "", PARAM_U32, AT(runs), 1, 100, "5", NULL, "runs of each cell",
	  "CrystalDiskMark 7" },
	{ "run-time", "s", PARAM_NS, AT(run_ns), 1e6, 3.6e12, "5s", NULL,
	  "length of a run, unless it has passed over its region often enough", "CrystalDiskMark" },
	{ "passes", "", PARAM_U32, AT(passes), 1, 1000, "4", NULL,
	  "a run ends after so many passes of its region", "bounds the bytes that a run writes" },
	{ "gap", "s", PARAM_NS, AT(gap_ns), 0, 3.6e12, "5s", NULL, "pause between runs",
	  "CrystalDiskMark" },
	{ "region", "bytes", PARAM_BYTES, AT(region_bytes), 0, 0x1p50, "0", NULL,
	  "size of the benchmark's region at the end of the drive; 0: the smaller of 1 GiB and "
	  "0.8 % of the capacity",
	  "CrystalDiskMark's default file is 1 GiB" },
	{ "content", "", PARAM_TEXT, AT(content), 0, 0, "random", NULL,
	  "what is written: random, zeros, duplicate, gigafile or compressible:PERCENT",
	  "unique random data cannot be compressed or deduplicated" },
	PARAM_END
};

static const struct profile saturate_profiles[] = {
	{ "default", 1, "until the drive is steady, for 72 h at most", "" },
	{ "s4", 1, "the source's 72 h, whether the drive is steady before or not", "until=time" },
	{ NULL, 0, NULL, NULL },
};

uint64_t saturate_span_bytes(const struct saturate_params *p, const struct device_info *info)
{
	uint64_t span = p->span_bytes ? p->span_bytes : info->span_bytes;

	return span - span % BLOCK_BYTES;
}

int saturate_bench(const struct saturate_params *p, struct bench *ret, struct err *err)
{
	*ret = (struct bench){
		.runs = p->runs,
		.run_ns = p->run_ns,
		.gap_ns = p->gap_ns,
		.passes_max = p->passes,
		.warmup = true,
	};
	bench_use(ret, (enum bench_set)p->cells);
	return content_parse(p->content, &ret->content, err);
}

int saturate_advertised(const struct saturate_params *p, double *ret_iops, struct err *err)
{
	char number[PARAM_TEXT_SIZE];
	size_t n = strlen(p->advertised);
	double unit = 1;
	int r;

	memcpy(number, p->advertised, n + 1);
	if (n > 1 && (number[n - 1] == 'k' || number[n - 1] == 'M')) {
		unit = number[n - 1] == 'k' ? 1e3 : 1e6;
		number[n - 1] = '\0';
	}
	r = parse_double(number, ret_iops, NULL);
	*ret_iops *= unit;
	if (r < 0 || !(*ret_iops >= 0 && *ret_iops <= 1e9))
		return err_set(err, -EINVAL,
			       "'%s' is no number of writes a second; give one such as 84k or "
			       "84000 for --advertised, 0 where it is not known",
			       p->advertised);
	return 0;
}

static int saturate_check(const void *params, const struct device_info *info, struct err *err)
{
	const struct saturate_params *p = params;
	uint64_t span = saturate_span_bytes(p, info);
	struct bench bench;
	double advertised;
	char a[32], b[32];
	int r;

	if (span > info->span_bytes || span < MIB)
		return err_set(err, -EINVAL,
			       "a span of %s does not do on a drive with %s to write on",
			       format_bytes(a, sizeof(a), span),
			       format_bytes(b, sizeof(b), info->span_bytes));
	r = bench_region_check(info, bench_region_bytes(info, p->region_bytes), err);
	if (r == 0)
		r = saturate_bench(p, &bench, err);
	return r < 0 ? r : saturate_advertised(p, &advertised, err);
}

/* The second time the region is there, and neither written anew nor rested for: that would help the drive. */
static int run_bench(struct run_ctx *ctx, const struct saturate_params *p, unsigned repeat,
		     bool first, struct err *err)
{
	uint64_t region = bench_region_bytes(ctx->info, p->region_bytes);
	uint64_t offset = bench_region_offset(ctx->info, region);
	char prefix[32];
	struct bench_place at = { prefix, repeat, NAN, offset, region };
	const char *tag = first ? SATURATE_BEFORE : SATURATE_AFTER;
	struct bench bench;
	int r = saturate_bench(p, &bench, err);

	bench.tag = tag;
	snprintf(prefix, sizeof(prefix), "r%u/%s", repeat, first ? "before" : "after");
	if (r == 0 && first) {
		r = bench_write_region(ctx, &bench, &at, err);
		if (r == 0)
			r = phase_rest(ctx);
	}
	return r < 0 ? r : bench_run(ctx, &bench, &at, err);
}

/*
 * What one round may write so that the benchmark behind it still fits the budget. 0: no bound; UINT64_MAX:
 * nothing at all. The plan has no bound in bytes either: there the budget as a whole counts.
 */
static uint64_t round_bytes_max(const struct run_ctx *ctx, const struct saturate_params *p)
{
	uint64_t budget = ctx->options.max_written_bytes;
	uint64_t kept = ctx->written_bytes;
	struct bench bench;

	if (!budget || ctx->planning || saturate_bench(p, &bench, NULL) < 0)
		return 0;
	kept += bench_write_bytes_max(&bench, bench_region_bytes(ctx->info, p->region_bytes));
	return budget >= kept + (uint64_t)BLOCK_BYTES * p->queue_depth * p->threads ? budget - kept
										    : UINT64_MAX;
}

/* One stretch of random writes; bytes_max 0: time alone ends it. */
struct stretch {
	unsigned repeat, round;
	uint64_t ns, bytes_max;
};

static int random_round(struct run_ctx *ctx, const struct saturate_params *p,
			const struct stretch *stretch, struct err *err)
{
	unsigned repeat = stretch->repeat, round = stretch->round;
	uint64_t ns = stretch->ns;
	uint64_t coarse_ns = p->for_ns / COARSE_WINDOWS_MAX;
	struct ask ask = {
		.label = SATURATE_LABEL, .repeat = repeat, .pass = round, .level_pct = NAN
	};

	snprintf(ask.key, sizeof(ask.key), "r%u/random/%u", repeat, round);
	workload_init(&ask.load);
	ask.load.read_pct = 0;
	ask.load.order = ORDER_RANDOM;
	ask.load.block[0].bytes = BLOCK_BYTES;
	ask.load.queue_depth = p->queue_depth;
	ask.load.threads = p->threads;
	ask.load.span_bytes = saturate_span_bytes(p, ctx->info);
	ask.load.stop_ns = ns;
	ask.load.stop_bytes = stretch->bytes_max;
	ask.load.window_ns =
		round == 1 ? FINE_WINDOW_NS : (coarse_ns > NS_PER_S ? coarse_ns : NS_PER_S);
	if (ask.load.window_ns > ns)
		ask.load.window_ns = ns;
	content_parse(p->content, &ask.load.content, NULL);
	return phase_run(ctx, &ask, NULL, err);
}

static int saturate(struct run_ctx *ctx, const struct saturate_params *p, unsigned repeat,
		    struct err *err)
{
	uint64_t left_ns = p->for_ns;
	int r = 0;

	for (unsigned round = 1; left_ns > 0 && r == 0; round++) {
		uint64_t ns = round == 1 ? p->first_ns : p->round_ns;
		uint64_t bytes_max = round_bytes_max(ctx, p);

		if (bytes_max == UINT64_MAX)
			return run_remark(ctx,
					  "random writes ended with the write budget, before "
					  "their time was over; allow more with --max-written");
		if (ns > left_ns)
			ns = left_ns;
		r = random_round(ctx, p, &(struct stretch){ repeat, round, ns, bytes_max }, err);
		left_ns -= ns;
		if (r == 0 && p->until == UNTIL_STEADY && !ctx->planning) {
			r = saturate_steady(ctx, p, repeat);
			if (r > 0)
				return 0;
		}
	}
	return r;
}

static int saturate_run(struct run_ctx *ctx, const void *params, struct err *err)
{
	const struct saturate_params *p = params;
	int r = 0;

	for (unsigned repeat = 1; repeat <= ctx->options.repeat && r == 0; repeat++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "r%u", repeat);
		r = phase_prepare(ctx, prefix, repeat, err);
		if (r == 0)
			r = run_bench(ctx, p, repeat, true, err);
		if (r == 0)
			r = phase_rest(ctx);
		if (r == 0)
			r = saturate(ctx, p, repeat, err);
		if (r == 0)
			r = run_bench(ctx, p, repeat, false, err);
	}
	return r;
}

const struct experiment experiment_saturate = {
	.name = "saturate",
	.question = "What is left after hours of random writes?",
	.from = "S4",
	.prepare = "sequential",
	.rest = "for:2min",
	.repeats = "1",
	.repeat_default = repeat_once,
	.params = saturate_table,
	.params_size = sizeof(struct saturate_params),
	.profiles = saturate_profiles,
	.check = saturate_check,
	.run = saturate_run,
	.analyse = saturate_analyse,
};
