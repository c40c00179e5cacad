/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the ladder says. Scores are the means of all runs of a cell; what a tool that prints the best run would
 * have said is told beside it. Only the way up is judged: the way down is there to be compared with it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/change.h"
#include "analysis/little.h"
#include "analysis/modes.h"
#include "analysis/summary.h"
#include "experiment/fill_view.h"
#include "experiment/give.h"

/* A score: one cell at one level in one repeat. */
struct score {
	double level_pct;
	unsigned repeat, runs;
	double mbps[FILL_RUNS_MAX];
};

enum statistic { STATISTIC_MEAN, STATISTIC_MEDIAN, STATISTIC_BEST };

DEFINE_VEC(scores, struct score);

static enum verdict_interval kind_of(const struct fill_view *v, const struct estimate *e)
{
	if (isnan(e->low))
		return INTERVAL_NONE;
	return v->ctx->options.repeat > 1 ? INTERVAL_BETWEEN_RUNS : INTERVAL_WITHIN_RUN;
}

int fill_give(struct fill_view *v, const char *name, const char *unit, const struct estimate *e,
	      const char *text)
{
	return give_estimate(v->ret, name, unit, e, kind_of(v, e), text);
}

static int add_run(struct scores *scores, const struct outcome *o, double mbps)
{
	struct score *last = scores->n ? &scores->items[scores->n - 1] : NULL;

	if (!last || last->level_pct != o->ask.level_pct || last->repeat != o->ask.repeat) {
		struct score first = { .level_pct = o->ask.level_pct, .repeat = o->ask.repeat };

		if (scores_push(scores, first) < 0)
			return -ENOMEM;
		last = &scores->items[scores->n - 1];
	}
	if (last->runs < FILL_RUNS_MAX)
		last->mbps[last->runs++] = mbps;
	return 0;
}

static double score_value(const struct score *s, enum statistic statistic)
{
	double sorted[FILL_RUNS_MAX];

	if (statistic == STATISTIC_MEAN)
		return sample_mean(s->mbps, s->runs);
	memcpy(sorted, s->mbps, s->runs * sizeof(*sorted));
	sample_sort(sorted, s->runs);
	return sorted_quantile(sorted, s->runs, statistic == STATISTIC_BEST ? 1 : 0.5);
}

static int scores_of(const struct fill_view *v, const char *label, bool write, struct scores *ret)
{
	int r = 0;

	for (size_t i = 0; i < v->ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = v->ctx->outcomes.items[i];

		if (fill_upward(o) && !strcmp(o->ask.label, label))
			r = add_run(ret, o, outcome_mbps(o, write));
	}
	return r;
}

/* Scores with level in [low, high] as plain numbers. */
static int between(const struct scores *scores, double low, double high, enum statistic statistic,
		   struct numbers *ret)
{
	int r = 0;

	for (size_t i = 0; i < scores->n && r == 0; i++) {
		const struct score *s = &scores->items[i];

		if (s->level_pct >= low && s->level_pct <= high)
			r = numbers_push(ret, score_value(s, statistic));
	}
	return r;
}

static int change_between(const struct scores *scores, const double from[2], const double to[2],
			  enum statistic statistic, struct estimate *ret)
{
	struct numbers reference = { 0 }, x = { 0 };
	int r = between(scores, from[0], from[1], statistic, &reference);

	if (r == 0)
		r = between(scores, to[0], to[1], statistic, &x);
	if (r == 0)
		change_pct(reference.items, reference.n, x.items, x.n, ret);
	numbers_release(&reference);
	numbers_release(&x);
	return r;
}

struct cell_name {
	const char *short_name, *label, *shown;
	bool write;
};

static const struct cell_name cell_names[] = {
	{ "seq1m_write", "seq1m_q8t1_write", "SEQ1M write", true },
	{ "seq1m_read", "seq1m_q8t1_read", "SEQ1M read", false },
	{ "rnd4k_read", "rnd4k_q32t16_read", "RND4K read", false },
	{ "rnd4k_write", "rnd4k_q32t16_write", "RND4K write", true },
};

/*
 * to_90: levels around 90 % against those within ten points of the emptiest that was measured: one level alone
 * may be in its slow mode. at_99: the fullest level against all up to 90 %.
 */
struct comparison {
	const char *suffix;
	double from[2], to[2]; /* levels in percent, inclusive */
	char shown[96];
};

static void comparisons_of(const struct fill_view *v, struct comparison ret[2])
{
	double lowest = 100;

	for (size_t i = 0; i < v->ctx->outcomes.n; i++)
		if (fill_upward(v->ctx->outcomes.items[i]))
			lowest = fmin(lowest, v->ctx->outcomes.items[i]->ask.level_pct);
	ret[0] = (struct comparison){ "to_90", { lowest, fmin(lowest + 10, 79) }, { 80, 91 }, "" };
	snprintf(ret[0].shown, sizeof(ret[0].shown), "from %g to %g %% full to around 90 %%",
		 ret[0].from[0], ret[0].from[1]);
	ret[1] = (struct comparison){
		"at_99", { 0, 91 }, { 98.5, 100 }, "at 99 % full against all levels up to 90 %"
	};
}

static const char *phrase(char *buf, size_t size, double pct)
{
	if (fabs(pct) < 0.05)
		return "does not change";
	snprintf(buf, size, "%s by %.1f %%", pct < 0 ? "falls" : "rises", fabs(pct));
	return buf;
}

static int change_verdict(struct fill_view *v, const struct cell_name *cell,
			  const struct scores *scores, const struct comparison *c)
{
	struct estimate mean = { 0 }, best = { 0 };
	char name[64], text[400];
	int r = change_between(scores, c->from, c->to, STATISTIC_MEAN, &mean);

	if (r == 0)
		r = change_between(scores, c->from, c->to, STATISTIC_BEST, &best);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "fill.%s_change_pct.%s", cell->short_name, c->suffix);
	if (mean.status == STATUS_MEASURED) {
		char by_mean[48], by_best[48];

		snprintf(text, sizeof(text),
			 "%s %s %s; by the best run of each cell, as usual benchmarks print, it %s",
			 cell->shown, phrase(by_mean, sizeof(by_mean), mean.value), c->shown,
			 phrase(by_best, sizeof(by_best), best.value));
	} else {
		mean.status = STATUS_NOT_REACHED;
		snprintf(text, sizeof(text), "the ladder has no levels to compare %s %s",
			 cell->shown, c->shown);
	}
	return fill_give(v, name, "%", &mean, text);
}

static int changes_of_cell(struct fill_view *v, const struct cell_name *cell)
{
	struct comparison comparison[2];
	struct scores scores = { 0 };
	int r = scores_of(v, cell->label, cell->write, &scores);

	comparisons_of(v, comparison);
	for (size_t i = 0; i < 2 && r == 0; i++)
		r = change_verdict(v, cell, &scores, &comparison[i]);
	scores_release(&scores);
	return r;
}

static int modes_verdict(struct fill_view *v)
{
	struct scores scores = { 0 };
	struct numbers x = { 0 };
	struct modes modes;
	struct estimate e;
	char text[400];
	int r = scores_of(v, "rnd4k_q32t16_write", true, &scores);

	if (r == 0)
		r = between(&scores, 0, 100, STATISTIC_MEDIAN,
			    &x); /* a mode lasts longer than a run */
	if (r == 0)
		r = modes_find(x.items, x.n, 1, &modes);
	if (r == 0) {
		e = estimate_none(x.n);
		e.status = modes.status;
		if (modes.status != STATUS_MEASURED)
			snprintf(text, sizeof(text),
				 "%zu scores of RND4K write are too few to tell modes", x.n);
		else if (modes.modes == 2)
			snprintf(text, sizeof(text),
				 "RND4K write has two modes, %.1f and %.1f MB/s, ratio %.3f (%.3f "
				 "to %.3f); %zu of %zu scores are slow",
				 modes.low.value, modes.high.value, modes.ratio.value,
				 modes.ratio.low, modes.ratio.high, (size_t)modes.low.n, x.n);
		else
			snprintf(text, sizeof(text),
				 "RND4K write has one mode over all fill levels");
		if (modes.status == STATUS_MEASURED)
			e.value = modes.modes;
		r = fill_give(v, "fill.rnd4k_write_modes", "", &e, text);
	}
	scores_release(&scores);
	numbers_release(&x);
	return r;
}

static int concurrency_verdict(struct fill_view *v)
{
	struct numbers iops = { 0 }, lat_us = { 0 };
	struct little little;
	char text[400];
	int r = 0;

	for (size_t i = 0; i < v->ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = v->ctx->outcomes.items[i];
		double s = (double)(o->end_ns - o->start_ns) / 1e9;

		if (strncmp(o->ask.label, "rnd4k_q32t16", 12) != 0 || o->end_ns <= o->start_ns)
			continue;
		r = numbers_push(&iops, (double)(o->read_ops + o->write_ops) / s);
		if (r == 0)
			r = numbers_push(
				&lat_us,
				(o->read_ops ? o->read_lat_ns_mean : o->write_lat_ns_mean) / 1e3);
	}
	little_concurrency(iops.items, lat_us.items, iops.n, &little);
	snprintf(text, sizeof(text),
		 "rate times latency of RND4K Q32T16 gives %.1f I/Os in flight where 512 were "
		 "asked for (cells: %.1f to %.1f)",
		 little.in_flight.value, little.min, little.max);
	if (little.in_flight.status != STATUS_MEASURED)
		snprintf(text, sizeof(text), "no RND4K cell completed an I/O");
	if (r == 0)
		r = fill_give(v, "fill.concurrency", "", &little.in_flight, text);
	numbers_release(&iops);
	numbers_release(&lat_us);
	return r;
}

int fill_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
		 struct err *err)
{
	struct fill_view v = { .ctx = ctx, .p = params, .ret = ret };
	int r = fill_levels_of(params, &v.levels, err);

	for (size_t i = 0; i < sizeof(cell_names) / sizeof(*cell_names) && r == 0; i++)
		r = changes_of_cell(&v, &cell_names[i]);
	if (r == 0)
		r = fill_copy_verdicts(&v);
	if (r == 0)
		r = modes_verdict(&v);
	if (r == 0)
		r = concurrency_verdict(&v);
	return r < 0 ? err_sys(err, r, "cannot analyse the run") : 0;
}
