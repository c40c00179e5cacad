/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quick: what do the usual benchmarks say? CrystalDiskMark's cells and timing (methods.md 5), but with the
 * mean and spread of the runs as the result; the best run, which that tool prints, stands beside it.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/summary.h"
#include "base/units.h"
#include "experiment/bench.h"
#include "experiment/experiments.h"

struct quick_params {
	int cells;
	uint32_t runs, passes;
	uint64_t run_ns, gap_ns, region_bytes;
	bool warmup;
	char content[PARAM_TEXT_SIZE];
};

#define AT(field) offsetof(struct quick_params, field)

static const struct param quick_table[] = {
	{ "cells", "", PARAM_ENUM, AT(cells), 0, 0, "default", bench_set_names,
	  "which cells: CrystalDiskMark's default or NVMe profile, or the two of the fill ladder",
	  "CrystalDiskMark 8, DiskBench.cpp" },
	{ "runs", "", PARAM_U32, AT(runs), 1, 100, "5", NULL, "runs of each cell",
	  "CrystalDiskMark 7" },
	{ "run-time", "s", PARAM_NS, AT(run_ns), 1e6, 3.6e12, "5s", NULL,
	  "length of a run, unless it has passed over its region often enough", "CrystalDiskMark" },
	{ "passes", "", PARAM_U32, AT(passes), 1, 1000, "4", NULL,
	  "a run ends after so many passes of its region", "bounds the bytes that a run writes" },
	{ "gap", "s", PARAM_NS, AT(gap_ns), 0, 3.6e12, "5s", NULL, "pause between runs",
	  "CrystalDiskMark" },
	{ "region", "bytes", PARAM_BYTES, AT(region_bytes), 0, 0x1p50, "0", NULL,
	  "size of the region at the end of the drive; 0: the smaller of 1 GiB and 0.8 % of the "
	  "capacity",
	  "CrystalDiskMark's default file is 1 GiB" },
	{ "warmup", "", PARAM_BOOL, AT(warmup), 0, 0, "true", NULL,
	  "one more run before each cell, whose result is not used", "CrystalDiskMark's run 0" },
	{ "content", "", PARAM_TEXT, AT(content), 0, 0, "random", NULL,
	  "what is written: random, zeros, duplicate, gigafile or compressible:PERCENT",
	  "unique random data cannot be compressed or deduplicated" },
	PARAM_END
};

static const struct profile quick_profiles[] = {
	{ "default", 1, "SEQ1M Q8T1, SEQ1M Q1T1, RND4K Q32T1, RND4K Q1T1", "" },
	{ "nvme", 1, "SEQ1M Q8T1, SEQ128K Q32T1, RND4K Q32T16, RND4K Q1T1", "cells=nvme" },
	{ "s0", 1, "SEQ1M Q8T1 and RND4K Q32T16, five runs of 5 s, 5 s apart, no warm-up",
	  "cells=s0 warmup=false" },
	{ NULL, 0, NULL, NULL },
};

static int bench_of(const struct quick_params *p, struct bench *ret, struct err *err)
{
	memset(ret, 0, sizeof(*ret));
	bench_use(ret, (enum bench_set)p->cells);
	ret->runs = p->runs;
	ret->run_ns = p->run_ns;
	ret->gap_ns = p->gap_ns;
	ret->passes_max = p->passes;
	ret->warmup = p->warmup;
	return content_parse(p->content, &ret->content, err);
}

static int quick_check(const void *params, const struct device_info *info, struct err *err)
{
	const struct quick_params *p = params;
	struct bench bench;
	int r = bench_region_check(info, bench_region_bytes(info, p->region_bytes), err);

	return r < 0 ? r : bench_of(p, &bench, err);
}

static int quick_run(struct run_ctx *ctx, const void *params, struct err *err)
{
	const struct quick_params *p = params;
	uint64_t region = bench_region_bytes(ctx->info, p->region_bytes);
	uint64_t offset = bench_region_offset(ctx->info, region);
	struct bench bench;
	int r = bench_of(p, &bench, err);

	for (unsigned repeat = 1; repeat <= ctx->options.repeat && r == 0; repeat++) {
		char prefix[32];
		struct bench_place at = { prefix, repeat, NAN, offset, region };

		snprintf(prefix, sizeof(prefix), "r%u", repeat);
		r = phase_prepare(ctx, prefix, repeat, err);
		if (r == 0)
			r = bench_write_region(ctx, &bench, &at, err);
		if (r == 0)
			r = phase_rest(ctx);
		if (r == 0)
			r = bench_run(ctx, &bench, &at, err);
	}
	return r;
}

static int cell_verdict(const struct run_ctx *ctx, const struct bench_cell *cell, bool write,
			struct verdicts *ret)
{
	struct numbers mbps = { 0 };
	struct verdict v = { .unit = "MB/s" };
	struct summary s;
	int r = bench_scores(ctx, NULL, cell, write, &mbps);

	if (r == 0)
		r = summarise(mbps.items, mbps.n, &s);
	if (r == 0) {
		snprintf(v.name, sizeof(v.name), "quick.%s_%s.mbps", cell->label,
			 write ? "write" : "read");
		v.value = s.mean.value;
		v.low = s.mean.low;
		v.high = s.mean.high;
		v.n = mbps.n;
		v.interval = mbps.n < 2 ? INTERVAL_NONE : INTERVAL_WITHIN_RUN;
		v.status = mbps.n ? STATUS_MEASURED : STATUS_NOT_REACHED;
		snprintf(v.text, sizeof(v.text),
			 "%s %s: %.1f MB/s on average over %zu runs (standard deviation %.1f); the "
			 "best run, which CrystalDiskMark would print, had %.1f",
			 cell->name, write ? "write" : "read", s.mean.value, mbps.n, s.sd,
			 mbps.n ? s.max : 0);
		r = verdicts_push(ret, v);
	}
	numbers_release(&mbps);
	return r;
}

static int quick_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
			 struct err *err)
{
	struct bench bench;
	int r = bench_of(params, &bench, err);

	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < bench.cells && r == 0; i++)
			r = cell_verdict(ctx, &bench.cell[i], write, ret);
	return r;
}

const struct experiment experiment_quick = {
	.name = "quick",
	.question = "What do the usual benchmarks say?",
	.from = "S0, S4",
	.prepare = "as-is",
	.rest = "for:5s",
	.repeats = "1",
	.repeat_default = repeat_once,
	.params = quick_table,
	.params_size = sizeof(struct quick_params),
	.profiles = quick_profiles,
	.check = quick_check,
	.run = quick_run,
	.analyse = quick_analyse,
};
