/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What hours of random writes say: how long the first plateau holds, the levels behind it (the lowest, the last),
 * whether the last is steady and how it swings, and what the usual benchmark says of the drive before and after.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/change.h"
#include "analysis/summary.h"
#include "base/units.h"
#include "experiment/give.h"
#include "experiment/saturate_measure.h"

#define LEVELS_TOLD_MAX 12u

struct view {
	const struct run_ctx *ctx;
	const struct saturate_params *p;
	struct verdicts *ret;
	struct saturation *of; /* ctx->options.repeat of them */
	double advertised_iops;
	bool is_advertised; /* else it is what the benchmark before said */
};

/* A value over the repeats: of one, with its own interval; of several, their mean, between runs. */
static int combine(const struct view *v, enum saturate_value which, struct estimate *ret,
		   enum verdict_interval *ret_interval)
{
	struct numbers x = { 0 };
	struct summary s;
	int r = 0;

	*ret = v->of[0].value[which];
	*ret_interval = isnan(ret->low) ? INTERVAL_NONE : INTERVAL_WITHIN_RUN;
	if (v->ctx->options.repeat == 1)
		return 0;
	for (unsigned i = 0; i < v->ctx->options.repeat && r == 0; i++)
		if (v->of[i].value[which].status == STATUS_MEASURED)
			r = numbers_push(&x, v->of[i].value[which].value);
	if (r == 0 && x.n) {
		r = summarise(x.items, x.n, &s);
		*ret = s.mean;
		*ret_interval = isnan(s.mean.low) ? INTERVAL_NONE : INTERVAL_BETWEEN_RUNS;
	}
	numbers_release(&x);
	return r;
}

static int give(const struct view *v, const char *name, const char *unit, const struct estimate *e,
		enum verdict_interval interval, const char *text)
{
	char full[64];

	snprintf(full, sizeof(full), "saturate.%s", name);
	return give_estimate(v->ret, full, unit, e, interval, text);
}

/* A moment since the first random write. */
static char *moment(char *buf, size_t size, double at_s)
{
	if (at_s <= 0)
		snprintf(buf, size, "the start");
	else
		format_time(buf, size, (uint64_t)(at_s * 1e9));
	return buf;
}

static void describe_hold(const struct saturation *s, char *text, size_t size)
{
	const struct knee *k = &s->levels.cliff;
	char a[32], b[32];

	if (k->status == KNEE_MEASURED)
		snprintf(
			text, size,
			"random writes hold their first speed for %s, that is %s; then it falls to "
			"%.0f %% of that",
			format_time(a, sizeof(a), (uint64_t)(k->at_s * 1e9)),
			format_bytes_decimal(b, sizeof(b), k->bytes.value),
			100 * k->rest_mbps / k->before_mbps);
	else
		snprintf(text, size, "the first speed of random writes does not break off in %s",
			 format_time(a, sizeof(a), (uint64_t)(s->trace.length_s * 1e9)));
}

static void describe_trough(const struct saturation *s, char *text, size_t size)
{
	const struct level *low = &s->levels.trough;
	char a[32], b[32];

	if (s->levels.has_trough)
		snprintf(text, size,
			 "from %s to %s it is slower than in the end: mostly %.0f writes a second, "
			 "%.0f on average; then it recovers",
			 moment(a, sizeof(a), low->from_s), moment(b, sizeof(b), low->to_s),
			 low->median_iops, low->iops.value);
	else
		snprintf(text, size,
			 "nothing behind the first level is slower than the end: there is no "
			 "trough");
}

static void describe_steady(const struct view *v, const struct saturation *s, char *text,
			    size_t size)
{
	double times = s->trace.bytes / (double)saturate_span_bytes(v->p, v->ctx->info);
	char a[32];

	moment(a, sizeof(a), s->levels.tail_s);
	if (s->steady.status == STATUS_MEASURED)
		snprintf(text, size,
			 "the drive is steady: from %s on, and over the five rounds that prove it "
			 "the most differs from the least by %.1f %% and the trend is %+.1f %%",
			 a, 100 * s->steady.range, 100 * s->steady.slope);
	else if (s->steady.status == STATUS_NOT_REACHED && times >= SATURATE_PASSES_MIN)
		snprintf(text, size,
			 "the drive was not steady when the writes ended: in the last five rounds "
			 "the most differs from the least by %.0f %% (20 are allowed), and the "
			 "trend is %+.0f %% (10)",
			 100 * s->steady.range, 100 * s->steady.slope);
	else
		snprintf(text, size,
			 "whether the last level, from %s on, is steady has not been shown: the "
			 "span was written %.2f times (%u and five rounds of %s are needed)",
			 a, times, SATURATE_PASSES_MIN,
			 format_time((char[32]){ 0 }, 32, v->p->round_ns));
}

static void describe_period(const struct saturation *s, char *text, size_t size)
{
	static const char *const constant[] = {
		[PERIODIC_SAMPLES] = "",
		[PERIODIC_BYTES] = "; it is constant in bytes, as what cleaning causes",
		[PERIODIC_SECONDS] = "; it is constant in seconds, as what a clock or heat causes",
		[PERIODIC_UNDECIDED] = "",
	};
	char bytes[32];

	if (s->period.found && s->value[OSCILLATION_PERIOD_S].status != STATUS_MEASURED)
		snprintf(
			text, size,
			"the last level swings (p = %.2g), but its repetitions are too faint to be "
			"followed in time",
			s->period.p);
	else if (s->period.found)
		snprintf(text, size,
			 "the last level swings with a period of %.1f s or %s (p = %.2g), by %.0f "
			 "%% "
			 "of its mean from the least to the most%s",
			 s->value[OSCILLATION_PERIOD_S].value,
			 format_bytes_decimal(bytes, sizeof(bytes),
					      s->value[OSCILLATION_BYTES].value),
			 s->period.p, s->value[OSCILLATION_PCT].value,
			 constant[s->period.constant]);
	else
		snprintf(text, size, "no period stands out in the last level (p = %.2g)",
			 s->period.p);
}

static void describe_fall(const struct saturation *s, char *text, size_t size)
{
	if (s->value[PLATEAU_OVER_LAST].status == STATUS_MEASURED)
		snprintf(text, size,
			 "the first level is %.2f times the last one, %.0f writes a second",
			 s->value[PLATEAU_OVER_LAST].value, s->last.value);
	else
		snprintf(text, size, "there is one level only, of %.0f writes a second",
			 s->last.value);
}

static int values(const struct view *v)
{
	static const struct {
		const char *name, *unit;
	} rows[SATURATE_VALUES] = {
		[HOLD_S] = { "hold_s", "s" },
		[PLATEAU_IOPS] = { "plateau_iops", "IOPS" },
		[TROUGH_IOPS] = { "trough_iops", "IOPS" },
		[STEADY_IOPS] = { "steady_iops", "IOPS" },
		[STEADY_FROM_S] = { "steady_from_s", "s" },
		[OSCILLATION_PERIOD_S] = { "oscillation_period_s", "s" },
		[OSCILLATION_BYTES] = { "oscillation_period_bytes", "bytes" },
		[OSCILLATION_PCT] = { "oscillation_pct", "%" },
		[PLATEAU_OVER_LAST] = { "plateau_over_last", "" },
	};
	const struct saturation *s = &v->of[0];
	int r = 0;

	for (int i = 0; i < SATURATE_VALUES && r == 0; i++) {
		enum verdict_interval interval;
		struct estimate e;
		char text[400];

		if (i == HOLD_S)
			describe_hold(s, text, sizeof(text));
		else if (i == PLATEAU_IOPS)
			snprintf(text, sizeof(text), "until then %.0f writes a second on average",
				 s->levels.list.items[0].iops.value);
		else if (i == TROUGH_IOPS)
			describe_trough(s, text, sizeof(text));
		else if (i == STEADY_IOPS || i == STEADY_FROM_S)
			describe_steady(v, s, text, sizeof(text));
		else if (i == PLATEAU_OVER_LAST)
			describe_fall(s, text, sizeof(text));
		else
			describe_period(s, text, sizeof(text));
		r = combine(v, (enum saturate_value)i, &e, &interval);
		if (r == 0)
			r = give(v, rows[i].name, rows[i].unit, &e, interval, text);
	}
	return r;
}

/* How long the advertised figure, or parts of it, were held. */
static int holds(const struct view *v)
{
	static const unsigned shares[] = { 90, 50, 10 };
	const struct saturate_trace *t = &v->of[0].trace;
	int r = 0;

	for (int i = 0; i < 3 && r == 0; i++) {
		double iops = v->advertised_iops * shares[i] / 100;
		struct saturate_hold hold = saturate_trace_hold(t, iops);
		struct estimate e = hold.ended ? estimate_of(hold.until_s, NAN, t->seconds.n)
					       : estimate_none(t->seconds.n);
		char name[32], text[400];

		if (!hold.ended)
			e.status = STATUS_NOT_REACHED;
		snprintf(name, sizeof(name), "hold_s.%u", shares[i]);
		snprintf(text, sizeof(text),
			 hold.ended ? "%u %% of %s, %.0f writes a second, are held for %.0f s, and "
				      "reached in %.1f %% of all seconds"
				    : "%u %% of %s, %.0f writes a second, are held to the end",
			 shares[i],
			 v->is_advertised ? "what is advertised"
					  : "what the benchmark before shows",
			 iops, hold.until_s, 100 * hold.above_s / t->length_s);
		r = give(v, name, "s", &e, INTERVAL_NONE, text);
	}
	return r;
}

static int tell_levels(const struct view *v)
{
	const struct level_list *list = &v->of[0].levels.list;
	int r = 0;

	for (size_t i = 0; i < list->n && i < LEVELS_TOLD_MAX && r == 0; i++) {
		const struct level *l = &list->items[i];
		char name[32], text[400], a[32], b[32], c[32], d[32];

		snprintf(name, sizeof(name), "level.%zu.iops", i + 1);
		snprintf(text, sizeof(text),
			 "from %s to %s, or %s to %s: %.0f writes a second (median of blocks %.0f)",
			 moment(a, sizeof(a), l->from_s), moment(b, sizeof(b), l->to_s),
			 format_bytes_decimal(c, sizeof(c), l->from_bytes),
			 format_bytes_decimal(d, sizeof(d), l->to_bytes), l->iops.value,
			 l->median_iops);
		r = give(v, name, "IOPS", &l->iops,
			 isnan(l->iops.low) ? INTERVAL_NONE : INTERVAL_WITHIN_RUN, text);
	}
	return r;
}

static int best_over_worst(const struct view *v, const struct bench_cell *cell, bool write,
			   bool main_one)
{
	struct numbers before = { 0 }, after = { 0 };
	struct estimate e;
	char name[48], text[400];
	int r = bench_scores(v->ctx, SATURATE_BEFORE, cell, write, &before);

	if (r == 0)
		r = bench_scores(v->ctx, SATURATE_AFTER, cell, write, &after);
	if (r == 0) {
		change_ratio(after.items, after.n, before.items, before.n, &e);
		snprintf(name, sizeof(name), "best_over_worst%s%s%s", main_one ? "" : ".",
			 main_one ? "" : cell->label,
			 main_one ? ""
			 : write  ? "_write"
				  : "_read");
		snprintf(text, sizeof(text),
			 "%s %s: %.1f MB/s before, the best case, and %.1f MB/s after, the worst: "
			 "%.2f times",
			 cell->name, write ? "write" : "read",
			 before.n ? sample_mean(before.items, before.n) : NAN,
			 after.n ? sample_mean(after.items, after.n) : NAN, e.value);
		if (e.status != STATUS_MEASURED)
			snprintf(text, sizeof(text), "%s %s was not measured before and after",
				 cell->name, write ? "write" : "read");
		r = give(v, name, "", &e, isnan(e.low) ? INTERVAL_NONE : INTERVAL_WITHIN_RUN, text);
	}
	numbers_release(&before);
	numbers_release(&after);
	return r;
}

/* The benchmark's random writes at depth stand for the drive; every cell is told by name. */
static const struct bench_cell *main_cell(const struct bench *b)
{
	const struct bench_cell *ret = &b->cell[0];

	for (unsigned i = 0; i < b->cells; i++)
		if (b->cell[i].order == ORDER_RANDOM &&
		    (ret->order != ORDER_RANDOM ||
		     b->cell[i].queue_depth * b->cell[i].threads > ret->queue_depth * ret->threads))
			ret = &b->cell[i];
	return ret;
}

static int compare_benches(const struct view *v, const struct bench *bench)
{
	int r = best_over_worst(v, main_cell(bench), true, true);

	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < bench->cells && r == 0; i++)
			r = best_over_worst(v, &bench->cell[i], write, false);
	return r;
}

static int set_reference(struct view *v, const struct bench *bench)
{
	struct numbers x = { 0 };
	int r;

	saturate_advertised(v->p, &v->advertised_iops, NULL);
	v->is_advertised = v->advertised_iops > 0;
	if (v->is_advertised)
		return 0;
	r = bench_scores(v->ctx, SATURATE_BEFORE, main_cell(bench), true, &x);
	if (r == 0 && x.n)
		v->advertised_iops =
			sample_mean(x.items, x.n) * 1e6 / main_cell(bench)->block_bytes;
	numbers_release(&x);
	return r;
}

int saturate_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
		     struct err *err)
{
	struct view v = { .ctx = ctx, .p = params, .ret = ret };
	unsigned repeats = ctx->options.repeat;
	struct bench bench;
	int r = saturate_bench(params, &bench, err);

	if (r < 0)
		return r;
	v.of = calloc(repeats, sizeof(*v.of));
	if (!v.of)
		return err_sys(err, -ENOMEM, "cannot analyse the run");
	for (unsigned i = 0; i < repeats && r == 0; i++)
		r = saturate_measure(&v.of[i], ctx, params, i + 1);
	if (r == 0 && v.of[0].levels.list.n) {
		r = set_reference(&v, &bench);
		if (r == 0)
			r = values(&v);
		if (r == 0 && v.advertised_iops > 0)
			r = holds(&v);
		if (r == 0)
			r = tell_levels(&v);
		if (r == 0)
			r = compare_benches(&v, &bench);
	}
	for (unsigned i = 0; i < repeats; i++)
		saturate_measure_release(&v.of[i]);
	free(v.of);
	return r < 0 ? err_sys(err, r, "cannot analyse the run") : 0;
}
