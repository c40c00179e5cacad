/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/eta.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* Where nothing has been measured yet: a drive on a SATA or USB link. */
#define MBPS_ASSUMED 400.0
/* Nobody reads faster; a simulated drive passes thousands of windows in that time. */
#define WATCH_NS_MIN (100 * NS_PER_MS)

static double item_seconds(const struct plan_item *item, double mbps)
{
	double bound_s = (double)item->time_ns_max / 1e9;
	double bytes_s = (double)item->bytes / 1e6 / mbps;

	if (!item->bytes)
		return bound_s;
	if (!item->time_ns_max)
		return bytes_s;
	return bound_s < bytes_s ? bound_s : bytes_s;
}

double plan_seconds(const struct run_ctx *ctx, double mbps_guess)
{
	double sum = 0;

	for (size_t i = 0; i < ctx->plan.n; i++)
		sum += item_seconds(&ctx->plan.items[i], mbps_guess);
	return sum;
}

/* Mean length of the finished phases of a label; 0: there are none. */
static double label_seconds(const struct run_ctx *ctx, const char *label)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = ctx->outcomes.n; i-- > 0 && n < 8;) {
		const struct outcome *o = ctx->outcomes.items[i];

		if (o == ctx->current || strcmp(o->ask.label, label) != 0 || o->end_ns == 0)
			continue;
		sum += (double)(o->end_ns - o->start_ns) / 1e9;
		n++;
	}
	return n ? sum / n : 0;
}

static double seconds_left(const struct run_ctx *ctx, double phase_elapsed_s)
{
	double sum = 0, known = 0;
	const char *label = "";

	/* Items of one label mostly stand together: look each label up once per stretch. */
	for (size_t i = ctx->item; i < ctx->plan.n; i++) {
		const struct plan_item *item = &ctx->plan.items[i];

		if (strcmp(label, item->label) != 0) {
			label = item->label;
			known = label_seconds(ctx, label);
		}
		sum += known > 0 ? known : item_seconds(item, MBPS_ASSUMED);
	}
	sum -= phase_elapsed_s;
	return sum > 0 ? sum : 0;
}

static void tell(struct run_ctx *ctx, struct progress *p)
{
	double drive_s = (double)ctx->drive_ns / 1e9 + p->phase_elapsed_s;
	double wall_s;

	p->repeats = ctx->options.repeat;
	p->item = ctx->item;
	p->items = (unsigned)ctx->plan.n;
	p->eta_s = NAN;
	if (ctx->wall_ns && drive_s > 0) {
		wall_s = (double)(ctx->wall_ns() - ctx->wall_start_ns) / 1e9;
		if (ctx->info->real_time)
			p->eta_s = seconds_left(ctx, p->phase_elapsed_s);
		else
			p->eta_s = seconds_left(ctx, p->phase_elapsed_s) * wall_s / drive_s;
	}
	ctx->watch(ctx->watch_user, p);
}

static bool too_soon(struct run_ctx *ctx)
{
	uint64_t now_ns = ctx->wall_ns ? ctx->wall_ns() : 0;

	if (!ctx->wall_ns)
		return false;
	if (now_ns - ctx->watched_wall_ns < WATCH_NS_MIN)
		return true;
	ctx->watched_wall_ns = now_ns;
	return false;
}

void watch_window(void *user, const struct window *w)
{
	struct run_ctx *ctx = user;
	struct progress p;
	double s = (double)w->length_ns / 1e9;

	if (!ctx->watch || !ctx->current || s <= 0)
		return;
	if (too_soon(ctx))
		return;
	p = (struct progress){
		.label = ctx->current->ask.label,
		.level_pct = ctx->current->ask.level_pct,
		.repeat = ctx->current->ask.repeat,
		.read_mbps = (double)w->read.bytes / 1e6 / s,
		.write_mbps = (double)w->write.bytes / 1e6 / s,
		.iops = (double)(w->read.ops + w->write.ops) / s,
		.phase_elapsed_s = (double)(w->start_ns + w->length_ns) / 1e9,
	};
	tell(ctx, &p);
}

void watch_rest(struct run_ctx *ctx)
{
	struct progress p = { .label = "rest", .level_pct = NAN };

	if (!ctx->watch || too_soon(ctx))
		return;
	tell(ctx, &p);
}
