/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/context.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/rng.h"
#include "base/units.h"
#include "experiment/eta.h"
#include "load/load.h"
#include "load/stream.h"

/* Above this share of what the instrument can do by itself, a cell measures the host. */
#define HOST_BOUND_SHARE 0.7
/* How long we wait at most for a drive to cool down. */
#define COOL_NS_MAX (1800 * NS_PER_S)

const char *const recipe_names[] = { "fresh", "sequential", "as-is", NULL };

static void forget_outcomes(struct run_ctx *ctx)
{
	for (size_t i = 0; i < ctx->outcomes.n; i++) {
		series_release(&ctx->outcomes.items[i]->series);
		free(ctx->outcomes.items[i]);
	}
	outcomes_release(&ctx->outcomes);
	extents_release(&ctx->filled);
}

void run_ctx_planned(struct run_ctx *ctx)
{
	forget_outcomes(ctx);
	ctx->fill_known = false;
	ctx->written_since_purge_bytes = 0;
	ctx->planning = false;
}

void run_ctx_release(struct run_ctx *ctx)
{
	forget_outcomes(ctx);
	for (size_t i = 0; i < ctx->remarks.n; i++)
		free(ctx->remarks.items[i]);
	sentences_release(&ctx->remarks);
	plan_items_release(&ctx->plan);
}

int run_remark(struct run_ctx *ctx, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	return sentences_push(&ctx->remarks, text);
}

uint64_t run_fill_bytes(const struct run_ctx *ctx)
{
	return ctx->info->occupied_bytes + extents_bytes(&ctx->filled);
}

static uint64_t key_seed(const struct run_ctx *ctx, const char *key)
{
	uint64_t h = rng_fnv(RNG_FNV_START, key, strlen(key));

	return rng_mix(h ^ rng_mix(ctx->options.seed));
}

static int plan_add(struct run_ctx *ctx, const char *label, uint64_t write_bytes, uint64_t time_ns,
		    uint64_t bytes)
{
	struct plan_item item = {
		.write_bytes_max = write_bytes,
		.time_ns_max = time_ns,
		.bytes = bytes,
	};

	snprintf(item.label, sizeof(item.label), "%s", label);
	return plan_items_push(&ctx->plan, item);
}

int phase_rest_for(struct run_ctx *ctx, uint64_t ns)
{
	if (ns == 0)
		return 0;
	if (ctx->planning)
		return plan_add(ctx, "rest", 0, ns, 0);
	ctx->rest_pending_ns += ns;
	ctx->item++;
	return 0;
}

int phase_rest(struct run_ctx *ctx)
{
	const struct rest_policy *rest = &ctx->options.rest;

	if (rest->kind == REST_FOR)
		return phase_rest_for(ctx, rest->for_ns);
	if (ctx->planning)
		return plan_add(ctx, "rest", 0, 60 * NS_PER_S, 0);
	ctx->rest_temperature_c = rest->temperature_c;
	ctx->item++;
	return 0;
}

static int cool_down(struct run_ctx *ctx, struct err *err)
{
	struct telemetry t;
	uint64_t waited = 0;

	for (;;) {
		int r = device_telemetry(ctx->dev, &t);

		if (r < 0 || isnan(t.temperature_c))
			return err_set(err, -ENOTSUP,
				       "the drive does not tell its temperature, so there is "
				       "nothing to wait for; use --rest for:TIME");
		if (t.temperature_c <= ctx->rest_temperature_c || waited >= COOL_NS_MAX)
			break;
		r = load_rest(ctx->dev, NS_PER_S, ctx->interrupt, err);
		if (r < 0)
			return r;
		if (ctx->interrupt && atomic_load(ctx->interrupt))
			return -EINTR;
		waited += NS_PER_S;
	}
	if (waited >= COOL_NS_MAX)
		run_remark(
			ctx,
			"the drive did not cool to %.0f °C within 30 minutes; went on at %.0f °C",
			ctx->rest_temperature_c, t.temperature_c);
	return 0;
}

static int begin_run(struct run_ctx *ctx, struct err *err)
{
	int r = load_now(ctx->dev, &ctx->run_start_ns, err);

	if (r < 0)
		return r;
	ctx->last_io_ns = ctx->run_start_ns;
	ctx->wall_start_ns = ctx->wall_ns ? ctx->wall_ns() : 0;
	ctx->started = true;
	return 0;
}

static int purge_now(struct run_ctx *ctx, struct err *err)
{
	int r = device_purge(ctx->dev, err);

	if (r < 0)
		return r;
	ctx->written_since_purge_bytes = 0;
	return 0;
}

/* What was put off: purge, then rests. */
static int settle(struct run_ctx *ctx, struct err *err)
{
	uint64_t rest_ns = ctx->rest_pending_ns;
	int r = 0;

	if (ctx->purge_pending)
		r = purge_now(ctx, err);
	ctx->purge_pending = false;
	ctx->rest_pending_ns = 0;
	if (r == 0 && rest_ns) {
		watch_rest(ctx);
		r = load_rest(ctx->dev, rest_ns, ctx->interrupt, err);
		ctx->drive_ns += rest_ns;
	}
	if (r == 0 && !isnan(ctx->rest_temperature_c) && ctx->rest_temperature_c != 0)
		r = cool_down(ctx, err);
	ctx->rest_temperature_c = NAN;
	if (r == 0 && ctx->interrupt && atomic_load(ctx->interrupt))
		return -EINTR;
	return r;
}

/* Returns the time that the drive has spent throttled, NAN where it does not say. */
static double fill_state(struct run_ctx *ctx, struct phase *p, uint64_t now_ns)
{
	struct telemetry t = { .temperature_c = NAN, .wear_pct = NAN, .throttled_s = NAN };

	p->state.written_since_purge_bytes = ctx->written_since_purge_bytes;
	p->state.fill_pct = ctx->fill_known ? 100.0 * (double)run_fill_bytes(ctx) /
						      (double)ctx->info->capacity_bytes
					    : NAN;
	if (ctx->last_io_ns > ctx->run_start_ns)
		p->state.idle_before_s = (double)(now_ns - ctx->last_io_ns) / 1e9;
	if (device_telemetry(ctx->dev, &t) == 0) {
		p->state.temperature_c = t.temperature_c;
		p->state.wear_pct = t.wear_pct;
		t.at_ns = now_ns - ctx->run_start_ns;
		if (ctx->sink->ops->telemetry)
			ctx->sink->ops->telemetry(ctx->sink, &t, NULL);
	}
	return t.throttled_s;
}

static void check_throttled(struct run_ctx *ctx, struct phase *p, double before_s)
{
	struct telemetry t;

	if (!isnan(before_s) && device_telemetry(ctx->dev, &t) == 0 && t.throttled_s > before_s)
		p->notes |= NOTE_THROTTLED;
}

/* Keep the books on what now holds data: exact for a full pass, else only for sequential writes. */
static int book_writes(struct run_ctx *ctx, const struct ask *ask, uint64_t written_bytes)
{
	const struct workload *w = &ask->load;
	uint64_t begin = w->span_offset_bytes;
	uint64_t pass = stream_pass_bytes(w);

	if (w->trim)
		return extents_remove(&ctx->filled, begin, begin + w->span_bytes);
	if (w->read_pct >= 100 || written_bytes == 0)
		return 0;
	if (w->order == ORDER_SEQUENTIAL && w->threads == 1)
		return extents_add(&ctx->filled, begin,
				   begin + (written_bytes < pass ? written_bytes : pass));
	if ((w->order == ORDER_SEQUENTIAL || w->order == ORDER_PERMUTED) && written_bytes >= pass)
		return extents_add(&ctx->filled, begin, begin + pass);
	return 0;
}

static uint64_t moved_bytes_max(const struct workload *w)
{
	uint64_t max = w->stop_bytes;

	if (w->stop_passes && (!max || w->stop_passes * stream_pass_bytes(w) < max))
		max = w->stop_passes * stream_pass_bytes(w);
	return w->trim ? 0 : max;
}

static int list_phase(struct run_ctx *ctx, const struct ask *ask)
{
	const struct workload *w = &ask->load;
	uint64_t moved = moved_bytes_max(w);
	uint64_t write = w->trim || w->read_pct >= 100 ? 0 : moved;
	int r;

	if (w->trim || w->read_pct < 100)
		ctx->plan_destroys = true;
	if (!w->trim && w->read_pct < 100 && !moved)
		write = UINT64_MAX; /* only time bounds it */
	r = plan_add(ctx, ask->label, write, w->stop_ns, moved);
	return r < 0 ? r : book_writes(ctx, ask, write);
}

/*
 * A phase that writes never writes more than is left of the budget: one that could, by its own bounds, is
 * refused; one that only time bounds is bounded by what is left.
 */
static int bound_by_budget(const struct run_ctx *ctx, const char *key, struct workload *w,
			   struct err *err)
{
	uint64_t budget = ctx->options.max_written_bytes;
	uint64_t left = budget > ctx->written_bytes ? budget - ctx->written_bytes : 0;
	uint64_t max = moved_bytes_max(w);
	char a[32], b[32];

	if (!budget || w->trim || w->read_pct >= 100)
		return 0;
	if (!max && left >= workload_block_max(w))
		w->stop_bytes = left;
	else if (max > left || !max)
		return err_set(err, -ERR_REFUSED,
			       "phase '%s' could write %s, and of the write budget %s are left; "
			       "allow more "
			       "with --max-written",
			       key,
			       max ? format_bytes_decimal(a, sizeof(a), (double)max) : "any amount",
			       format_bytes_decimal(b, sizeof(b), (double)left));
	return 0;
}

static struct outcome *outcome_new(struct run_ctx *ctx, const struct ask *ask)
{
	struct outcome *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->ask = *ask;
	o->fill_bytes = run_fill_bytes(ctx);
	o->in_flight_device_mean = NAN;
	if (outcomes_push(&ctx->outcomes, o) < 0) {
		free(o);
		return NULL;
	}
	return o;
}

static void sum_up(struct outcome *o, const struct phase *p)
{
	o->start_ns = p->start_ns;
	o->end_ns = p->end_ns;
	o->written_bytes = p->written_bytes;
	o->read_ops = p->read.ops;
	o->write_ops = p->write.ops;
	o->read_bytes = p->read.bytes;
	o->write_bytes = p->write.bytes;
	o->errors = p->read.errors + p->write.errors;
	if (p->read.ops)
		o->read_lat_ns_mean = (double)p->read.lat_ns_sum / (double)p->read.ops;
	if (p->write.ops)
		o->write_lat_ns_mean = (double)p->write.lat_ns_sum / (double)p->write.ops;
	o->in_flight_mean = p->read_in_flight_mean + p->write_in_flight_mean;
	o->in_flight_device_mean = p->in_flight_device_mean;
	o->notes = p->notes;
}

static void check_host(struct run_ctx *ctx, struct phase *p)
{
	double iops = phase_iops(p, &p->read) + phase_iops(p, &p->write);
	unsigned lanes =
		p->load.threads < ctx->info->lanes_max ? p->load.threads : ctx->info->lanes_max;

	if (ctx->ceiling_iops > 0 && iops > ctx->ceiling_iops * lanes * HOST_BOUND_SHARE)
		p->notes |= NOTE_HOST_BOUND;
}

static int measure(struct run_ctx *ctx, struct phase *p, struct outcome *o, struct err *err)
{
	struct load_run run = {
		.dev = ctx->dev,
		.sink = ctx->sink,
		.interrupt = ctx->interrupt,
		.progress = { watch_window, ctx },
		.run_start_ns = ctx->run_start_ns,
		.written_before_bytes = ctx->written_bytes,
	};
	uint64_t now_ns;
	double throttled_s;
	int r = load_now(ctx->dev, &now_ns, err);

	if (r < 0)
		return r;
	throttled_s = fill_state(ctx, p, now_ns);
	r = ctx->sink->ops->phase_begin(ctx->sink, p, err);
	if (r == 0)
		r = load_run(&run, p, &o->series, err);
	if (r < 0)
		return r;
	check_host(ctx, p);
	check_throttled(ctx, p, throttled_s);
	ctx->written_bytes += run.issued_write_bytes;
	if (ctx->written_since_purge_bytes >= 0)
		ctx->written_since_purge_bytes += (int64_t)run.issued_write_bytes;
	ctx->last_io_ns = run.end_ns;
	ctx->drive_ns += run.end_ns - now_ns;
	r = ctx->sink->ops->phase_end(ctx->sink, p, err);
	if (r == 0 && run.interrupted)
		return -EINTR;
	return r;
}

/* 1: the phase was stored and is now in p and o. */
static int fetch(struct run_ctx *ctx, struct phase *p, struct outcome *o, struct err *err)
{
	int r;

	if (!ctx->info->state_persists || !ctx->sink->ops->phase_stored)
		return 0;
	r = ctx->sink->ops->phase_stored(ctx->sink, o->ask.key, p, &o->series, err);
	if (r <= 0)
		return r;
	ctx->rest_pending_ns = 0;
	ctx->rest_temperature_c = NAN;
	ctx->purge_pending = false;
	if (ctx->written_since_purge_bytes >= 0)
		ctx->written_since_purge_bytes += (int64_t)(p->written_bytes - ctx->written_bytes);
	ctx->written_bytes = p->written_bytes;
	return 1;
}

static int run_or_fetch(struct run_ctx *ctx, struct phase *p, struct outcome *o, struct err *err)
{
	int r;

	if (!ctx->started) {
		r = begin_run(ctx, err);
		if (r < 0)
			return r;
	}
	r = fetch(ctx, p, o, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = bound_by_budget(ctx, p->key, &p->load, err);
	if (r == 0)
		r = settle(ctx, err);
	if (r == 0) {
		ctx->current = o;
		r = measure(ctx, p, o, err);
	}
	return r;
}

int phase_run(struct run_ctx *ctx, const struct ask *ask, struct outcome **ret, struct err *err)
{
	_cleanup_free_ struct phase *p = NULL;
	struct outcome *o;
	const struct workload *w = &ask->load;
	uint64_t written_before = ctx->written_bytes;
	int r = workload_validate(w, ctx->info->span_bytes, ctx->info->block_bytes, err);

	if (r < 0)
		return r;
	o = outcome_new(ctx, ask);
	if (!o)
		return err_sys(err, -ENOMEM, "cannot keep the outcome of '%s'", ask->key);
	if (ret)
		*ret = o;
	if (ctx->planning)
		return list_phase(ctx, ask);
	p = phase_new();
	if (!p)
		return err_sys(err, -ENOMEM, "cannot run '%s'", ask->key);
	p->id = ++ctx->phase_id;
	snprintf(p->key, sizeof(p->key), "%s", ask->key);
	snprintf(p->label, sizeof(p->label), "%s", ask->label);
	p->repeat = ask->repeat;
	p->pass = ask->pass;
	p->level_pct = ask->level_pct;
	p->load = *w;
	p->load.seed = key_seed(ctx, ask->key);
	p->load.content.seed = p->load.seed;
	p->load.unwritten_read = !w->trim && w->read_pct > 0 && ctx->fill_known &&
				 !extents_cover(&ctx->filled, w->span_offset_bytes,
						w->span_offset_bytes + w->span_bytes);
	if (w->content.verify) /* what one phase writes another must be able to check */
		p->load.content.seed = rng_mix(ctx->options.seed);
	r = run_or_fetch(ctx, p, o, err);
	if (r < 0 && r != -EINTR)
		return r;
	sum_up(o, p);
	ctx->item++;
	if (book_writes(ctx, ask, p->written_bytes - written_before) < 0)
		return err_sys(err, -ENOMEM, "cannot keep the books");
	return r;
}

uint64_t plan_write_bytes(const struct run_ctx *ctx)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ctx->plan.n; i++) {
		if (ctx->plan.items[i].write_bytes_max > UINT64_MAX - sum)
			return UINT64_MAX;
		sum += ctx->plan.items[i].write_bytes_max;
	}
	return sum;
}
