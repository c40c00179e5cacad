/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the long copies say: after how many bytes each slows down, what cache that speaks of, and in how many
 * regimes the ladder falls.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cache_model.h"
#include "analysis/knee.h"
#include "analysis/regimes.h"
#include "analysis/summary.h"
#include "base/units.h"
#include "experiment/fill_view.h"

/* Of the longest copy of the ladder: the first is shorter by the benchmark's region. */
#define FULL_COPY_SHARE 0.8

struct knee_at {
	double level_pct;
	unsigned repeat;
	struct knee knee;
	double free_bytes; /* never written, at the knee */
	double copied_bytes, copied_s;
};

DEFINE_VEC(knees, struct knee_at);

struct copies {
	struct fill_view *v;
	struct knees knees;
};

/* The chunks of one copy as one series over time: pauses between files are not in it. */
static int copy_series(const struct copies *c, double level_pct, unsigned repeat,
		       struct series *ret, double *ret_fill_bytes)
{
	uint64_t at_ns = 0;
	int r = 0;

	for (size_t i = 0; i < c->v->ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = c->v->ctx->outcomes.items[i];

		if (!fill_upward(o) || strcmp(o->ask.label, "copy") != 0 ||
		    o->ask.repeat != repeat || o->ask.level_pct != level_pct)
			continue;
		if (ret->n == 0)
			*ret_fill_bytes = (double)o->fill_bytes;
		for (size_t k = 0; k < o->series.n && r == 0; k++) {
			struct point point = o->series.items[k];

			point.start_ns = at_ns;
			at_ns += point.length_ns;
			r = series_push(ret, point);
		}
	}
	return r;
}

static int find_knees(struct copies *c)
{
	double capacity = (double)c->v->ctx->info->capacity_bytes;
	int r = 0;

	for (unsigned repeat = 1; repeat <= c->v->ctx->options.repeat; repeat++)
		for (size_t i = 0; i < c->v->levels.n && r == 0; i++) {
			struct knee_at at = { .level_pct = c->v->levels.pct[i], .repeat = repeat };
			struct series series = { 0 };
			double fill = 0;

			r = copy_series(c, at.level_pct, repeat, &series, &fill);
			if (r == 0 && series.n) {
				r = knee_find(&series, 1, &at.knee);
				at.free_bytes = capacity - fill - at.knee.bytes.value;
				for (size_t k = 0; k < series.n; k++) {
					at.copied_bytes += (double)series.items[k].write_bytes;
					at.copied_s += (double)series.items[k].length_ns / 1e9;
				}
				if (r == 0)
					r = knees_push(&c->knees, at);
			}
			series_release(&series);
		}
	return r;
}

static int knee_of_level(struct copies *c, double level_pct)
{
	struct numbers bytes = { 0 };
	struct estimate e = estimate_none(0);
	struct summary summary;
	unsigned copies = 0, flat = 0;
	double before = 0, after = 0;
	char name[64], text[400], size[32];
	int r = 0;

	for (size_t i = 0; i < c->knees.n && r == 0; i++) {
		const struct knee_at *at = &c->knees.items[i];

		if (at->level_pct != level_pct)
			continue;
		copies++;
		flat += at->knee.status == KNEE_NONE;
		if (at->knee.status != KNEE_MEASURED)
			continue;
		e = at->knee.bytes;
		before += at->knee.before_mbps;
		after += at->knee.after_mbps;
		r = numbers_push(&bytes, at->knee.bytes.value);
	}
	if (copies == 0 || r < 0)
		goto out;
	if (bytes.n > 1) {
		r = summarise(bytes.items, bytes.n, &summary);
		e = summary.mean;
	}
	e.n = copies;
	snprintf(name, sizeof(name), "fill.copy_knee_bytes.%g", level_pct);
	if (bytes.n == 0) {
		e = estimate_none(copies);
		e.status = flat ? STATUS_NOT_REACHED : STATUS_NOT_IDENTIFIABLE;
		snprintf(text, sizeof(text),
			 "the copy up to %g %% full shows no lasting fall of its speed%s",
			 level_pct, flat ? "" : ", as far as so few windows say");
	} else {
		snprintf(text, sizeof(text),
			 "the copy up to %g %% full slows down after %s, from %.0f to %.0f MB/s "
			 "(%zu of %u copies)",
			 level_pct, format_bytes_decimal(size, sizeof(size), e.value),
			 before / (double)bytes.n, after / (double)bytes.n, bytes.n, copies);
	}
	if (r == 0)
		r = fill_give(c->v, name, "bytes", &e, text);
out:
	numbers_release(&bytes);
	return r;
}

static int cache_verdicts(struct copies *c)
{
	struct numbers free_bytes = { 0 }, knee_bytes = { 0 };
	struct cache_model model;
	char text[400];
	int r = 0;

	for (size_t i = 0; i < c->knees.n && r == 0; i++) {
		const struct knee_at *at = &c->knees.items[i];

		if (at->knee.status != KNEE_MEASURED)
			continue;
		r = numbers_push(&free_bytes, at->free_bytes);
		if (r == 0)
			r = numbers_push(&knee_bytes, at->knee.bytes.value);
	}
	if (r == 0)
		r = cache_model_fit(free_bytes.items, knee_bytes.items, knee_bytes.n, &model);
	if (r == 0) {
		if (model.share_of_free.status == STATUS_MEASURED)
			snprintf(text, sizeof(text),
				 "the fast cache grows with the free space: %.3f of it, from %zu "
				 "copies with a knee",
				 model.share_of_free.value, knee_bytes.n);
		else
			snprintf(text, sizeof(text),
				 "%zu copies with a knee do not say how the fast cache depends on "
				 "free space",
				 knee_bytes.n);
		r = fill_give(c->v, "fill.cache_share_of_free", "", &model.share_of_free, text);
	}
	if (r == 0) {
		char size[32];

		if (model.fixed_bytes.status == STATUS_MEASURED)
			snprintf(text, sizeof(text),
				 "the part of the fast cache that is always there is %s",
				 format_bytes_decimal(size, sizeof(size), model.fixed_bytes.value));
		else
			snprintf(text, sizeof(text),
				 "%zu copies with a knee do not say how large the fixed part of "
				 "the fast cache is",
				 knee_bytes.n);
		r = fill_give(c->v, "fill.cache_fixed_bytes", "bytes", &model.fixed_bytes, text);
	}
	numbers_release(&free_bytes);
	numbers_release(&knee_bytes);
	return r;
}

/* Copies of unlike length do not compare: a short one ends before a long one slows down. */
static double full_copy_bytes(const struct copies *c)
{
	double most = 0;

	for (size_t i = 0; i < c->knees.n; i++)
		most = fmax(most, c->knees.items[i].copied_bytes);
	return most * FULL_COPY_SHARE;
}

static int give_regimes(struct copies *c, const struct regimes *regimes, size_t n)
{
	struct estimate e = estimate_none(n);
	char text[400], name[64];
	int r;

	if (regimes->status != STATUS_MEASURED) {
		snprintf(text, sizeof(text), "%zu copies are too few to tell regimes", n);
		return fill_give(c->v, "fill.regimes", "", &e, text);
	}
	e.value = regimes->segments;
	e.status = STATUS_MEASURED;
	if (regimes->segments == 1)
		snprintf(text, sizeof(text),
			 "over the fill level the copy changes along one line, without a break");
	else
		snprintf(text, sizeof(text),
			 "over the fill level the copy has %u regimes (its BIC is better than a "
			 "single line's by %.0f)",
			 regimes->segments, regimes->delta_bic);
	r = fill_give(c->v, "fill.regimes", "", &e, text);
	for (unsigned i = 0; i + 1 < regimes->segments && r == 0; i++) {
		snprintf(name, sizeof(name), "fill.regimes.break_pct.%u", i + 1);
		snprintf(text, sizeof(text),
			 "the copy's speed changes at %.0f %% full, from %.0f MB/s before to %.0f "
			 "MB/s behind on average",
			 regimes->breaks[i].value, regimes->regime[i].mean,
			 regimes->regime[i + 1].mean);
		r = fill_give(c->v, name, "%", &regimes->breaks[i], text);
	}
	return r;
}

/* Regimes of the long copy over the fill level: what its user feels. */
static int regimes_verdict(struct copies *c)
{
	struct numbers level = { 0 }, mbps = { 0 };
	struct regimes regimes;
	double full = full_copy_bytes(c);
	int r = 0;

	for (size_t i = 0; i < c->knees.n && r == 0; i++) {
		const struct knee_at *at = &c->knees.items[i];

		if (at->copied_bytes < full)
			continue;
		r = numbers_push(&level, at->level_pct);
		if (r == 0)
			r = numbers_push(&mbps, at->copied_bytes / 1e6 / at->copied_s);
	}
	if (r == 0)
		r = regimes_find(level.items, mbps.items, level.n, 1, &regimes);
	if (r == 0)
		r = give_regimes(c, &regimes, level.n);
	numbers_release(&level);
	numbers_release(&mbps);
	return r;
}

int fill_copy_verdicts(struct fill_view *v)
{
	struct copies c = { .v = v };
	int r = find_knees(&c);

	for (size_t i = 0; i < v->levels.n && r == 0; i++)
		r = knee_of_level(&c, v->levels.pct[i]);
	if (r == 0)
		r = cache_verdicts(&c);
	if (r == 0)
		r = regimes_verdict(&c);
	knees_release(&c.knees);
	return r;
}
