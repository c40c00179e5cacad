/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/saturate_trace.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/units.h"

/* A round counts as whole if at most so much of it is missing: the drain of its queue. */
#define WHOLE_SHARE 0.99

static int add_window(struct saturate_trace *t, const struct point *point)
{
	double length_s = (double)point->length_ns / 1e9, ops = (double)point->write_ops;
	struct second *last = t->seconds.n ? &t->seconds.items[t->seconds.n - 1] : NULL;
	struct second next = { t->length_s, length_s, t->bytes, ops / length_s };
	int r = 0;

	assert(t->seconds.items || t->seconds.room == 0);
	if (last && last->length_s + length_s <= 1.0000001) {
		last->iops = (last->iops * last->length_s + ops) / (last->length_s + length_s);
		last->length_s += length_s;
	} else {
		r = seconds_push(&t->seconds, next);
	}
	t->length_s += length_s;
	t->bytes += (double)point->write_bytes;
	return r;
}

static int add_round(struct saturate_trace *t, const struct saturate_params *p,
		     const struct outcome *o)
{
	double at_s = t->length_s;
	int r = 0;

	for (size_t i = 0; i < o->series.n && r == 0; i++) {
		const struct point *point = &o->series.items[i];

		if (point->length_ns == 0)
			continue;
		if (o->ask.pass == 1)
			r = series_push(&t->fine, *point);
		if (r == 0)
			r = add_window(t, point);
	}
	if (r == 0 && o->ask.pass > 1 &&
	    (double)(o->end_ns - o->start_ns) >= WHOLE_SHARE * (double)p->round_ns)
		r = sat_rounds_push(&t->rounds,
				    (struct sat_round){ t->bytes, (double)o->write_ops /
									  (t->length_s - at_s) });
	return r;
}

int saturate_trace_load(struct saturate_trace *t, const struct run_ctx *ctx,
			const struct saturate_params *p, unsigned repeat)
{
	int r = 0;

	*t = (struct saturate_trace){ 0 };
	for (size_t i = 0; i < ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = ctx->outcomes.items[i];

		if (o->ask.repeat == repeat && !strcmp(o->ask.label, SATURATE_LABEL))
			r = add_round(t, p, o);
	}
	return r;
}

void saturate_trace_release(struct saturate_trace *t)
{
	series_release(&t->fine);
	seconds_release(&t->seconds);
	sat_rounds_release(&t->rounds);
}

int saturate_trace_coarse(const struct saturate_trace *t, size_t most, struct series *ret)
{
	size_t width = t->seconds.n / most + 1;

	for (size_t i = 0; i + width <= t->seconds.n; i += width) {
		struct point point = { .start_ns = (uint64_t)(t->seconds.items[i].at_s * 1e9) };

		for (size_t k = i; k < i + width; k++) {
			const struct second *s = &t->seconds.items[k];

			point.length_ns += (uint64_t)(s->length_s * 1e9);
			point.write_ops += (uint64_t)(s->iops * s->length_s + 0.5);
		}
		point.write_bytes = point.write_ops * 4096;
		if (series_push(ret, point) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct saturate_hold saturate_trace_hold(const struct saturate_trace *t, double iops)
{
	struct saturate_hold hold = { .until_s = t->length_s };

	for (size_t i = 0; i < t->seconds.n; i++) {
		const struct second *s = &t->seconds.items[i];

		if (s->iops >= iops) {
			hold.above_s += s->length_s;
		} else if (!hold.ended) {
			hold.ended = true;
			hold.until_s = s->at_s;
		}
	}
	return hold;
}

size_t saturate_trace_find(const struct saturate_trace *t, double at_s)
{
	size_t low = 0, high = t->seconds.n;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (t->seconds.items[middle].at_s <= at_s)
			low = middle;
		else
			high = middle;
	}
	return low;
}
