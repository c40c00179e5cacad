/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/saturate_measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* A period is looked for in at most so many seconds at the end of the last level. */
#define PERIOD_SECONDS_MAX 16384u

static size_t written_rounds(const struct saturate_trace *t, double span_bytes)
{
	size_t i = 0;

	while (i < t->rounds.n && t->rounds.items[i].end_bytes < SATURATE_PASSES_MIN * span_bytes)
		i++;
	return i;
}

static int look_steady(const struct saturate_trace *t, double span_bytes, struct steady *ret)
{
	_cleanup_free_ double *y = malloc((t->rounds.n + 1) * sizeof(*y));

	if (!y)
		return -ENOMEM;
	for (size_t i = 0; i < t->rounds.n; i++)
		y[i] = t->rounds.items[i].iops;
	steady_rounds(y, t->rounds.n, written_rounds(t, span_bytes), ret);
	return 0;
}

int saturate_steady(const struct run_ctx *ctx, const struct saturate_params *p, unsigned repeat)
{
	struct saturate_trace t;
	struct steady steady = { 0 };
	int r = saturate_trace_load(&t, ctx, p, repeat);

	if (r == 0)
		r = look_steady(&t, (double)saturate_span_bytes(p, ctx->info), &steady);
	saturate_trace_release(&t);
	return r < 0 ? r : steady.status == STATUS_MEASURED;
}

static int find_period(struct saturation *s, double from_s, uint64_t seed)
{
	const struct seconds *seconds = &s->trace.seconds;
	size_t first = saturate_trace_find(&s->trace, from_s), n;
	_cleanup_free_ double *x = NULL;
	struct periodic_input in;
	int r;

	if (seconds->n - first > PERIOD_SECONDS_MAX)
		first = seconds->n - PERIOD_SECONDS_MAX;
	n = seconds->n - first;
	x = malloc(3 * (n + 1) * sizeof(*x));
	if (!x)
		return -ENOMEM;
	in = (struct periodic_input){ .x = x, .bytes = x + n, .seconds = x + 2 * n, .n = n };
	for (size_t i = 0; i < n; i++) {
		const struct second *second = &seconds->items[first + i];

		x[i] = second->iops;
		x[n + i] = second->at_bytes + second->iops * second->length_s * 4096;
		x[2 * n + i] = second->at_s + second->length_s;
	}
	r = periodic_find(&in, seed, &s->period);
	s->value[OSCILLATION_PERIOD_S] = s->period.period[PERIODIC_SECONDS];
	s->value[OSCILLATION_BYTES] = s->period.period[PERIODIC_BYTES];
	s->value[OSCILLATION_PCT] = estimate_none(n);
	if (s->period.found)
		s->value[OSCILLATION_PCT] =
			estimate_of(100 * s->period.amplitude, NAN, s->period.repetitions);
	else if (s->period.status == STATUS_MEASURED)
		for (int i = OSCILLATION_PERIOD_S; i <= OSCILLATION_PCT; i++)
			s->value[i].status = STATUS_NOT_REACHED;
	return r;
}

/* What the knee says: how long the first level holds, and how far it is above the last. */
static void measure_plateau(struct saturation *s)
{
	const struct knee *k = &s->levels.cliff;
	double rate = k->before_mbps * 1e6;

	s->value[PLATEAU_IOPS] = s->levels.list.items[0].iops;
	if (k->status != KNEE_MEASURED) {
		s->value[HOLD_S].status = s->value[PLATEAU_OVER_LAST].status = STATUS_NOT_REACHED;
		return;
	}
	s->value[HOLD_S] =
		(struct estimate){ k->at_s, k->at_s - (k->bytes.value - k->bytes.low) / rate,
				   k->at_s + (k->bytes.high - k->bytes.value) / rate, k->windows,
				   STATUS_MEASURED };
	s->value[PLATEAU_OVER_LAST] =
		estimate_of(s->value[PLATEAU_IOPS].value / s->last.value, NAN, s->last.n);
}

int saturate_measure(struct saturation *s, const struct run_ctx *ctx,
		     const struct saturate_params *p, unsigned repeat)
{
	double tail_s;
	int r = saturate_trace_load(&s->trace, ctx, p, repeat);

	for (int i = 0; i < SATURATE_VALUES; i++)
		s->value[i] = estimate_none(0);
	if (r < 0 || s->trace.seconds.n == 0)
		return r;
	r = saturate_levels_find(&s->levels, &s->trace, repeat);
	if (r == 0)
		r = look_steady(&s->trace, (double)saturate_span_bytes(p, ctx->info), &s->steady);
	if (r < 0 || s->levels.list.n == 0)
		return r;
	tail_s = s->levels.tail_s;
	r = saturate_mean(&s->trace, tail_s, s->trace.length_s, &s->last);
	measure_plateau(s);
	if (s->levels.has_trough)
		s->value[TROUGH_IOPS] = s->levels.trough_typical;
	else
		s->value[TROUGH_IOPS].status = STATUS_NOT_REACHED;
	if (s->steady.status == STATUS_MEASURED) {
		s->value[STEADY_IOPS] = s->last;
		s->value[STEADY_FROM_S] = estimate_of(tail_s, NAN, s->trace.rounds.n);
	} else {
		s->value[STEADY_IOPS].status = s->value[STEADY_FROM_S].status = s->steady.status;
	}
	return r < 0 ? r : find_period(s, tail_s, repeat);
}

void saturate_measure_release(struct saturation *s)
{
	saturate_trace_release(&s->trace);
	saturate_levels_release(&s->levels);
}
