/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recipes: bringing a drive into a named state. What takes I/O is a phase like any other, so that it is priced,
 * stored and resumed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "experiment/context.h"

int phase_trim(struct run_ctx *ctx, const struct ask *head, uint64_t begin, uint64_t end,
	       struct err *err)
{
	struct ask ask = *head;

	if (begin >= end)
		return 0;
	ask.load.trim = true;
	ask.load.read_pct = 0;
	ask.load.order = ORDER_SEQUENTIAL;
	ask.load.block[0].bytes = ctx->info->block_bytes;
	ask.load.span_offset_bytes = begin;
	ask.load.span_bytes = end - begin;
	ask.load.stop_bytes = end - begin;
	ask.load.window_ns = NS_PER_S;
	return phase_run(ctx, &ask, NULL, err);
}

static int prepare_fresh(struct run_ctx *ctx, struct ask *ask, struct err *err)
{
	ctx->fill_known = true;
	if (ctx->dev && ctx->dev->ops->purge) {
		extents_release(&ctx->filled);
		ctx->purge_pending = !ctx->planning;
		ctx->plan_destroys = true;
		ctx->written_since_purge_bytes = 0;
		return 0;
	}
	if (ctx->info->ops & (1u << IO_TRIM)) {
		ctx->written_since_purge_bytes = 0;
		return phase_trim(ctx, ask, 0, ctx->info->span_bytes, err);
	}
	return err_set(err, -ENOTSUP,
		       "the drive can neither be purged nor discarded, so it cannot be brought "
		       "into the state 'fresh'; use --prepare as-is to take it as it is");
}

int phase_prepare(struct run_ctx *ctx, const char *prefix, unsigned repeat, struct err *err)
{
	struct ask ask = { .label = "prepare", .repeat = repeat, .level_pct = NAN };
	int r = 0;

	workload_init(&ask.load);
	if (!ctx->started) {
		/* A drive that forgets between runs, or one whose fill is known, starts with clean books. */
		ctx->fill_known = !ctx->info->state_persists || ctx->info->occupied_bytes > 0;
		ctx->written_since_purge_bytes = ctx->info->state_persists ? -1 : 0;
	}
	if (ctx->options.prepare == RECIPE_AS_IS)
		return 0;
	snprintf(ask.key, sizeof(ask.key), "%s/prepare/discard", prefix);
	r = prepare_fresh(ctx, &ask, err);
	if (r < 0 || ctx->options.prepare == RECIPE_FRESH)
		return r;
	snprintf(ask.key, sizeof(ask.key), "%s/prepare/sequential", prefix);
	ask.load.read_pct = 0;
	ask.load.order = ORDER_SEQUENTIAL;
	ask.load.block[0].bytes = 1u << 20;
	ask.load.queue_depth = 8;
	ask.load.span_bytes = ctx->info->span_bytes;
	ask.load.stop_passes = 1;
	r = phase_run(ctx, &ask, NULL, err);
	return r < 0 ? r : phase_rest(ctx);
}
