/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/knee.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/segment.h"
#include "analysis/summary.h"
#include "base/cleanup.h"
#include "base/rng.h"

#define SIMULATED_PLACES 200
#define NEIGHBOURS 30 /* windows on either side that the place is sought in, at least */

/* The series as arrays, and its logarithm with stalls pulled in. */
struct trace {
	size_t n;
	const struct point *point;
	double *rate;  /* MB/s */
	double *level; /* ln(rate), cleaned */
	double *bytes; /* written before the window */
	double *scratch;
	struct noise noise;
};

static void trace_release(struct trace *t)
{
	free(t->rate);
	free(t->level);
	free(t->bytes);
	free(t->scratch);
}

static int trace_load(struct trace *t, const struct series *series)
{
	double floor, total = 0;

	t->point = series->items;
	t->n = series->n;
	if (t->n > 1 && t->point[t->n - 1].length_ns < t->point[t->n - 2].length_ns / 2)
		t->n--;
	t->rate = calloc(t->n + 1, sizeof(double));
	t->level = calloc(t->n + 1, sizeof(double));
	t->bytes = calloc(t->n + 1, sizeof(double));
	t->scratch = calloc(t->n + 1, sizeof(double));
	if (!t->rate || !t->level || !t->bytes || !t->scratch)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		const struct point *p = &t->point[i];

		t->bytes[i] = total;
		total += (double)p->write_bytes;
		if (p->length_ns > 0)
			t->rate[i] = (double)p->write_bytes / (double)p->length_ns * 1e3;
	}
	t->bytes[t->n] = total;
	if (t->n == 0 || !(total > 0))
		return 0;
	memcpy(t->scratch, t->rate, t->n * sizeof(double));
	sample_sort(t->scratch, t->n);
	/* A window without a byte has no logarithm; it is a stall whatever number it gets. */
	floor = sorted_quantile(t->scratch, t->n, 0.9) / 100;
	for (size_t i = 0; i < t->n; i++)
		t->level[i] = log(fmax(t->rate[i], floor));
	return segment_clean(t->level, t->n, &t->noise);
}

/* Levels and noise around a step, and the windows [low, high) in which its place is sought. */
struct step {
	double before, after; /* MB/s */
	double sd;	      /* of a window, share of its level */
	double correlation;
	size_t low, high;
};

/* What a window at `rate` costs if its level is `log_level`. Stalls weigh the same wherever the step is. */
static double cost(const struct step *s, double rate, double log_level)
{
	double residual = log(fmax(rate, 1e-9)) - log_level;

	return fmin(residual * residual, 16 * s->sd * s->sd);
}

/*
 * The place of a step from one level to the next, in windows and a fraction of one: the window it lies in may
 * have any mixture of both levels, those before have the first, those behind the second.
 */
static double locate(const double *rate, const struct step *s)
{
	double best = INFINITY, place = (double)s->low, behind = 0, ahead = 0;
	double log_before = log(s->before), log_after = log(s->after);

	for (size_t i = s->low; i < s->high; i++)
		ahead += cost(s, rate[i], log_after);
	for (size_t j = s->low; j < s->high; j++) {
		double fast = (rate[j] - s->after) / (s->before - s->after), total;

		fast = fmin(fmax(fast, 0), 1);
		ahead -= cost(s, rate[j], log_after);
		total = behind + ahead +
			cost(s, rate[j], log(s->after + fast * (s->before - s->after)));
		if (total < best) {
			best = total;
			place = (double)j + fast;
		}
		behind += cost(s, rate[j], log_before);
	}
	return place;
}

/*
 * Half the width of the 95 % interval of a place in windows, by simulating around a step like this one. room
 * holds high - low numbers.
 */
static double place_error(const struct step *s, double place, struct rng *rng, double *room)
{
	double error[SIMULATED_PLACES];
	struct step sim = *s;
	double at = place - (double)s->low;

	sim.low = 0;
	sim.high = s->high - s->low;
	for (size_t b = 0; b < SIMULATED_PLACES; b++) {
		double e = rng_normal_pair(rng).a;

		for (size_t i = 0; i < sim.high; i++) {
			double fast = fmin(fmax(at - (double)i, 0), 1);
			double level = s->after + fast * (s->before - s->after);

			room[i] = level * exp(s->sd * e);
			e = s->correlation * e +
			    sqrt(1 - s->correlation * s->correlation) * rng_normal_pair(rng).a;
		}
		error[b] = fabs(locate(room, &sim) - at);
	}
	sample_sort(error, SIMULATED_PLACES);
	return sorted_quantile(error, SIMULATED_PLACES, 0.95);
}

static double median_level(const struct trace *t, size_t low, size_t high)
{
	memcpy(t->scratch, t->level + low, (high - low) * sizeof(double));
	sample_sort(t->scratch, high - low);
	return sorted_quantile(t->scratch, high - low, 0.5);
}

/* Bytes written until a place in windows. Within the window of the step both levels have their own share. */
static double bytes_at(const struct trace *t, const struct step *s, double place)
{
	size_t i = (size_t)fmin(place, (double)t->n - 1);
	double fast = place - (double)i;
	double first = fast * s->before, second = (1 - fast) * s->after;

	return t->bytes[i] + (t->bytes[i + 1] - t->bytes[i]) * first / (first + second);
}

static void measure(const struct trace *t, size_t low, size_t cut, size_t high, uint64_t seed,
		    struct knee *ret)
{
	/* Long series are cut in bins of several windows: the true place may be two of them away. */
	size_t reach = NEIGHBOURS + 2 * segment_bin(t->n);
	struct step s = {
		.before = exp(median_level(t, low, cut - 1)),
		.after = exp(median_level(t, cut + 1, high)),
		.sd = fmax(t->noise.sd, 1e-3),
		.correlation = t->noise.correlation,
		.low = cut - low > reach ? cut - reach : low,
		.high = high - cut > reach ? cut + reach : high,
	};
	double place = locate(t->rate, &s), error;
	size_t window = (size_t)fmin(place, (double)t->n - 1);
	struct rng rng;

	rng_init(&rng, seed, 1);
	error = place_error(&s, place, &rng, t->scratch);
	ret->status = KNEE_MEASURED;
	ret->bytes = estimate_of(bytes_at(t, &s, place), NAN, t->n);
	ret->bytes.low = bytes_at(t, &s, fmax(place - error, 0));
	ret->bytes.high = bytes_at(t, &s, fmin(place + error, (double)t->n));
	ret->at_s = ((double)(t->point[window].start_ns - t->point[0].start_ns) +
		     (place - (double)window) * (double)t->point[window].length_ns) /
		    1e9;
	ret->before_mbps = s.before;
	ret->after_mbps = s.after;
	ret->rest_mbps = exp(median_level(t, cut + 1, t->n));
}

/*
 * Does throughput recover behind cut i for longer than it was down? Then it was a pause, for instance of
 * housekeeping, and no knee; bursts after a real knee are shorter than what separates them.
 */
static bool recovers(const struct trace *t, const struct cuts *cuts, size_t i, double limit)
{
	size_t down = i, up;

	while (down + 1 < cuts->n &&
	       median_level(t, cuts->items[down], cuts->items[down + 1]) <= limit)
		down++;
	up = down;
	while (up + 1 < cuts->n && median_level(t, cuts->items[up], cuts->items[up + 1]) > limit)
		up++;
	return cuts->items[up] - cuts->items[down] > cuts->items[down] - cuts->items[i];
}

int knee_find(const struct series *series, uint64_t seed, struct knee *ret)
{
	_cleanup_(trace_release) struct trace t = { 0 };
	_cleanup_(cuts_release) struct cuts cuts = { 0 };
	int r;

	*ret = (struct knee){ .status = KNEE_NOT_IDENTIFIABLE,
			      .at_s = NAN,
			      .before_mbps = NAN,
			      .after_mbps = NAN,
			      .rest_mbps = NAN,
			      .noise_pct = NAN,
			      .correlation = NAN };
	r = trace_load(&t, series);
	if (r < 0)
		return r;
	ret->bytes = estimate_none(t.n);
	ret->windows = t.n;
	ret->written_bytes = (uint64_t)t.bytes[t.n];
	if (t.n < KNEE_SERIES_MIN || ret->written_bytes == 0)
		return 0;
	ret->status = KNEE_NONE;
	ret->noise_pct = 100 * t.noise.sd;
	ret->correlation = t.noise.correlation;
	ret->before_mbps = exp(median_level(&t, 0, t.n));
	r = segment_find(t.level, t.n, KNEE_WINDOWS_MIN, seed, &cuts);
	if (r < 0)
		return r;
	/* cuts holds 0 and n as its ends. */
	for (size_t i = 1; i + 1 < cuts.n; i++) {
		size_t low = cuts.items[i - 1], cut = cuts.items[i], high = cuts.items[i + 1];
		/* The windows next to a cut may hold some of both levels. */
		double limit = median_level(&t, low, cut - 1) + log(1 - KNEE_DROP_MIN);

		if (median_level(&t, cut + 1, high) > limit ||
		    median_level(&t, cut + 1, t.n) > limit || recovers(&t, &cuts, i, limit))
			continue;
		measure(&t, low, cut, high, seed, ret);
		break;
	}
	return 0;
}
