/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill: does it slow down as it fills? A ladder of fill levels, at each of them a long copy (the drive as its
 * user feels it) and the usual small benchmark (the drive as it is advertised), rests between. First up; then
 * down again by discarding, where the drive can, which tells fill level from wear and time (sources.md 1).
 */
#include "experiment/fill.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/experiments.h"

#define MIB (1ull << 20)
#define AT(field) offsetof(struct fill_params, field)

static const char *const direction_names[] = { "auto", "up", "both", NULL };

static const struct param fill_table[] = {
	{ "levels", "%", PARAM_TEXT, AT(levels), 0, 0, "0..95/5,96,99", NULL,
	  "fill levels of the ladder, in percent of the drive's bytes", "S0's table" },
	{ "direction", "", PARAM_ENUM, AT(direction), 0, 0, "auto", direction_names,
	  "up, or up and then down again; auto: down too where the drive can discard",
	  "separates fill level from wear and time (sources.md 8.5)" },
	{ "chunk", "%", PARAM_F64, AT(chunk_pct), 0.01, 100, "1", NULL,
	  "the copy is cut into files of so much of the capacity", "S0: a file of about 1 %" },
	{ "copy-depth", "", PARAM_U32, AT(copy_depth), 1, 1024, "2", NULL,
	  "queue depth of the copy, whose blocks are 1 MiB",
	  "a file copy reads ahead and writes behind" },
	{ "runs", "", PARAM_U32, AT(runs), 1, FILL_RUNS_MAX, "5", NULL,
	  "runs of each benchmark cell", "CrystalDiskMark 7" },
	{ "run-time", "s", PARAM_NS, AT(run_ns), 1e6, 3.6e12, "5s", NULL,
	  "length of a run, unless it has passed over its region often enough", "CrystalDiskMark" },
	{ "passes", "", PARAM_U32, AT(passes), 1, 1000, "4", NULL,
	  "a run ends after so many passes of its region", "bounds the bytes that a run writes" },
	{ "gap", "s", PARAM_NS, AT(gap_ns), 0, 3.6e12, "5s", NULL, "pause between runs",
	  "CrystalDiskMark" },
	{ "region", "bytes", PARAM_BYTES, AT(region_bytes), 0, 0x1p50, "0", NULL,
	  "size of the benchmark's region at the end of the drive; 0: the smaller of 1 GiB and 0.8 "
	  "% of the capacity",
	  "CrystalDiskMark's default file is 1 GiB" },
	{ "content", "", PARAM_TEXT, AT(content), 0, 0, "random", NULL,
	  "what is written: random, zeros, duplicate, gigafile or compressible:PERCENT",
	  "unique random data cannot be compressed or deduplicated; the source's file was "
	  "gigafile" },
	PARAM_END
};

static const struct profile fill_profiles[] = {
	{ "s0", 1, "the source's ladder: 22 levels, five runs of 5 s a cell", "" },
	{ "short", 1, "a look: 6 levels, two runs of 1 s a cell",
	  "levels=0,25,50,75,90,99 runs=2 run-time=1s gap=1s" },
	{ NULL, 0, NULL, NULL },
};

int fill_levels_of(const struct fill_params *p, struct fill_levels *ret, struct err *err)
{
	struct list list;
	int r = list_parse(p->levels, &list, err);

	if (r < 0)
		return r;
	ret->n = list.n;
	for (size_t i = 0; i < list.n; i++) {
		r = parse_double(list.item[i], &ret->pct[i], err);
		if (r < 0)
			return r;
		if (ret->pct[i] < 0 || ret->pct[i] > 100 || (i && ret->pct[i] <= ret->pct[i - 1]))
			return err_set(err, -EINVAL,
				       "the levels '%s' must rise and lie between 0 and 100 %%",
				       p->levels);
	}
	return 0;
}

static int fill_check(const void *params, const struct device_info *info, struct err *err)
{
	const struct fill_params *p = params;
	uint64_t region = bench_region_bytes(info, p->region_bytes);
	struct fill_levels levels;
	struct content content;
	char a[32], b[32];
	int r = fill_levels_of(p, &levels, err);

	if (r == 0)
		r = content_parse(p->content, &content, err);
	if (r < 0)
		return r;
	if (region < 8 * MIB || region % MIB || region > info->span_bytes)
		return err_set(err, -EINVAL,
			       "a benchmark region of %s does not do on a drive with %s to write "
			       "to: it must be at least 8 MiB, a whole number of MiB, and fit; "
			       "give --region or a larger drive",
			       format_bytes(a, sizeof(a), region),
			       format_bytes(b, sizeof(b), info->span_bytes));
	if (p->direction == FILL_BOTH && !(info->ops & (1u << IO_TRIM)))
		return err_set(err, -ENOTSUP,
			       "the drive cannot discard, so the ladder cannot go down again; use "
			       "--direction up");
	return 0;
}

/* Everything about one ladder that does not change from step to step. */
struct ladder {
	const struct fill_params *p;
	struct bench bench;
	unsigned repeat;
	uint64_t region_bytes, region_offset;
	uint64_t filled_bytes; /* by copies, from the start of the drive */
};

static void bench_of(const struct fill_params *p, struct bench *ret)
{
	*ret = (struct bench){
		.runs = p->runs,
		.run_ns = p->run_ns,
		.gap_ns = p->gap_ns,
		.passes_max = p->passes,
	};
	bench_use(ret, BENCH_S0);
	content_parse(p->content, &ret->content, NULL);
}

/* How far copies must reach for a level; false where it cannot be had, with a remark. */
static bool target_of(struct run_ctx *ctx, const struct ladder *l, double level_pct,
		      uint64_t *ret_bytes)
{
	uint64_t want = (uint64_t)((double)ctx->info->capacity_bytes * (level_pct / 100));
	uint64_t have = ctx->info->occupied_bytes;
	bool tell = l->repeat == 1 && !ctx->planning;

	if (want < have) {
		if (tell)
			run_remark(
				ctx,
				"level %g %% was skipped: the file system is already %.1f %% full",
				level_pct,
				100.0 * (double)have / (double)ctx->info->capacity_bytes);
		return false;
	}
	want -= have;
	want = want > l->region_bytes ? want - l->region_bytes : 0;
	want -= want % MIB;
	if (want > l->region_offset) {
		if (tell)
			run_remark(ctx,
				   "level %g %% was skipped: it would not leave the free space "
				   "that must be kept (--leave-free)",
				   level_pct);
		return false;
	}
	*ret_bytes = want;
	return true;
}

static int copy_to(struct run_ctx *ctx, struct ladder *l, const struct bench_place *at,
		   uint64_t target, struct err *err)
{
	struct ask ask = { .label = "copy", .repeat = at->repeat, .level_pct = at->level_pct };
	uint64_t chunk = (uint64_t)((double)ctx->info->capacity_bytes * (l->p->chunk_pct / 100));
	int r = 0;

	chunk -= chunk % MIB;
	if (chunk < MIB)
		chunk = MIB;
	workload_init(&ask.load);
	ask.load.read_pct = 0;
	ask.load.order = ORDER_SEQUENTIAL;
	ask.load.block[0].bytes = MIB;
	ask.load.queue_depth = l->p->copy_depth;
	ask.load.stop_passes = 1;
	ask.load.window_ns = 100 * NS_PER_MS;
	ask.load.content = l->bench.content;
	while (l->filled_bytes < target && r == 0) {
		uint64_t left = target - l->filled_bytes;

		ask.pass++;
		snprintf(ask.key, sizeof(ask.key), "%s/copy/%u", at->prefix, ask.pass);
		ask.load.span_offset_bytes = l->filled_bytes;
		ask.load.span_bytes = left < chunk ? left : chunk;
		l->filled_bytes += ask.load.span_bytes;
		r = phase_run(ctx, &ask, NULL, err);
	}
	return r;
}

static int step(struct run_ctx *ctx, struct ladder *l, const char *way, double level_pct,
		struct err *err)
{
	char prefix[64];
	struct bench_place at = { prefix, l->repeat, level_pct, l->region_offset, l->region_bytes };
	uint64_t target;
	int r;

	snprintf(prefix, sizeof(prefix), "r%u/%s/%g", l->repeat, way, level_pct);
	if (!target_of(ctx, l, level_pct, &target))
		return 0;
	if (target < l->filled_bytes) {
		struct ask ask = { .label = "discard",
				   .repeat = l->repeat,
				   .level_pct = level_pct };

		workload_init(&ask.load);
		snprintf(ask.key, sizeof(ask.key), "%s/discard", prefix);
		r = phase_trim(ctx, &ask, target, l->filled_bytes, err);
		l->filled_bytes = target;
		if (r < 0)
			return r;
	}
	r = bench_write_region(ctx, &l->bench, &at, err);
	if (r == 0)
		r = phase_rest(ctx);
	if (r == 0 && target > l->filled_bytes) {
		r = copy_to(ctx, l, &at, target, err);
		if (r == 0)
			r = phase_rest(ctx);
	}
	if (r == 0)
		r = bench_run(ctx, &l->bench, &at, err);
	return r < 0 ? r : phase_rest(ctx);
}

static int climb(struct run_ctx *ctx, struct ladder *l, const struct fill_levels *levels,
		 struct err *err)
{
	bool down = l->p->direction == FILL_BOTH ||
		    (l->p->direction == FILL_AUTO && (ctx->info->ops & (1u << IO_TRIM)));
	char prefix[32];
	int r;

	snprintf(prefix, sizeof(prefix), "r%u", l->repeat);
	r = phase_prepare(ctx, prefix, l->repeat, err);
	for (size_t i = 0; i < levels->n && r == 0; i++)
		r = step(ctx, l, "up", levels->pct[i], err);
	for (size_t i = levels->n - 1; down && i-- > 0 && r == 0;)
		r = step(ctx, l, "down", levels->pct[i], err);
	return r;
}

static int fill_run(struct run_ctx *ctx, const void *params, struct err *err)
{
	struct ladder l = { .p = params };
	struct fill_levels levels = { 0 };
	int r = fill_levels_of(params, &levels, err);

	bench_of(params, &l.bench);
	l.region_bytes = bench_region_bytes(ctx->info, l.p->region_bytes);
	l.region_offset = bench_region_offset(ctx->info, l.region_bytes);
	for (l.repeat = 1; l.repeat <= ctx->options.repeat && r == 0; l.repeat++) {
		l.filled_bytes = 0;
		r = climb(ctx, &l, &levels, err);
	}
	return r;
}

const struct experiment experiment_fill = {
	.name = "fill",
	.question = "Does it slow down as it fills?",
	.from = "S0",
	.prepare = "fresh",
	.rest = "for:120s",
	.repeats = "3 where writing costs nothing (simulated), else 1",
	.repeat_default = repeat_unless_it_wears,
	.params = fill_table,
	.params_size = sizeof(struct fill_params),
	.profiles = fill_profiles,
	.check = fill_check,
	.run = fill_run,
	.analyse = fill_analyse,
};
