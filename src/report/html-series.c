/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-series.c - the windows of a run's phases, thinned so that the page stays small.
 *
 * A phase's windows are put together in groups of `per` neighbours. A group keeps its mean rate (exact:
 * bytes over time), the least and the greatest rate of a window in it, the 99th percentile of its merged
 * histogram and the longest latency. `per` comes from a budget of points: each phase gets all its windows
 * up to a cap, and the cap is the largest one that keeps to the budget. Long phases and copies, the ones
 * that people look into, are served first from three quarters of it.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "report/html-data.h"

#define LONG_PHASE_WINDOWS 600
enum { DIGITS_RATE = 4, DIGITS_LATENCY = 4 };

struct side {
	uint64_t bytes, ops;
	double mbps_min, mbps_max;
	double p99_us, max_us;
};

struct point_group {
	double start_s, seconds;
	struct side read, write;
	uint64_t backlog;
};

DEFINE_VEC(groups, struct point_group);

struct collector {
	struct groups groups;
	uint64_t per, in_group;
	uint64_t window_ns;
	struct point_group open;
	struct flow *read, *write; /* of the open group */
	bool failed;
};

static uint64_t windows_of(const struct phase *p)
{
	uint64_t length = p->end_ns - p->start_ns;

	if (p->load.window_ns == 0)
		return 1;
	return (length + p->load.window_ns - 1) / p->load.window_ns;
}

static bool served_first(const struct phase *p)
{
	return !strcmp(p->label, "copy") || windows_of(p) >= LONG_PHASE_WINDOWS;
}

static uint64_t points_at_cap(const struct phases *phases, bool first, uint64_t cap)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < phases->n; i++) {
		uint64_t n = windows_of(phases->items[i]);

		if (served_first(phases->items[i]) == first)
			sum += n < cap ? n : cap;
	}
	return sum;
}

/* The largest cap on the points of a phase that keeps the class within `budget`. */
static uint64_t find_cap(const struct phases *phases, bool first, uint64_t budget)
{
	uint64_t low = 0, high = UINT32_MAX;

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (points_at_cap(phases, first, middle) <= budget)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void add_side(struct side *side, struct flow *sum, const struct flow *flow, double seconds,
		     bool counts)
{
	double mbps = seconds > 0 ? (double)flow->bytes / 1e6 / seconds : 0;

	side->bytes += flow->bytes;
	side->ops += flow->ops;
	if (counts) {
		side->mbps_min = fmin(side->mbps_min, mbps); /* fmin, fmax: NAN is no value */
		side->mbps_max = fmax(side->mbps_max, mbps);
	}
	flow_add(sum, flow);
}

static void close_side(struct side *side, struct flow *sum)
{
	side->p99_us = sum->ops ? (double)flow_quantile(sum, 0.99) / 1e3 : (double)NAN;
	side->max_us = sum->ops ? (double)sum->lat_ns_max / 1e3 : (double)NAN;
	flow_clear(sum);
}

static void close_group(struct collector *c)
{
	if (!c->in_group)
		return;
	close_side(&c->open.read, c->read);
	close_side(&c->open.write, c->write);
	if (groups_push(&c->groups, c->open) < 0)
		c->failed = true;
	c->in_group = 0;
}

static int add_window(void *user, const struct window *w)
{
	struct collector *c = user;
	double seconds = (double)w->length_ns / 1e9;
	/* The rate of a stub of a window is mostly noise: it belongs to the point before it. */
	bool counts = w->length_ns * 2 >= c->window_ns;

	if (counts && c->in_group == c->per)
		close_group(c);
	if (!c->in_group)
		c->open = (struct point_group){
			.start_s = (double)w->start_ns / 1e9,
			.read = { .mbps_min = NAN, .mbps_max = NAN },
			.write = { .mbps_min = NAN, .mbps_max = NAN },
		};
	c->open.seconds += seconds;
	if (w->backlog > c->open.backlog)
		c->open.backlog = w->backlog;
	add_side(&c->open.read, c->read, &w->read, seconds, counts);
	add_side(&c->open.write, c->write, &w->write, seconds, counts);
	c->in_group += counts || !c->in_group;
	return c->failed ? -ENOMEM : 0;
}

/* ---- columns ----------------------------------------------------------------------------------- */

struct side_column {
	const struct groups *groups;
	bool write;
	int which;
};

enum { SIDE_MBPS, SIDE_MIN, SIDE_MAX, SIDE_P99, SIDE_LONGEST };

static double side_get(const void *user, size_t i)
{
	const struct side_column *c = user;
	const struct point_group *g = &c->groups->items[i];
	const struct side *side = c->write ? &g->write : &g->read;

	switch (c->which) {
	case SIDE_MBPS:
		return g->seconds > 0 ? (double)side->bytes / 1e6 / g->seconds : (double)NAN;
	case SIDE_MIN:
		return side->mbps_min;
	case SIDE_MAX:
		return side->mbps_max;
	case SIDE_P99:
		return side->p99_us;
	default:
		return side->max_us;
	}
}

static double start_get(const void *user, size_t i)
{
	return ((const struct groups *)user)->items[i].start_s;
}

static double backlog_get(const void *user, size_t i)
{
	return (double)((const struct groups *)user)->items[i].backlog;
}

static void put_side(struct html_json *j, const struct groups *groups, bool write, bool grouped)
{
	static const char *const names[2][5] = {
		{ "r", "r_min", "r_max", "r_p99_us", "r_longest_us" },
		{ "w", "w_min", "w_max", "w_p99_us", "w_longest_us" },
	};
	uint64_t ops = 0;

	for (size_t i = 0; i < groups->n; i++)
		ops += write ? groups->items[i].write.ops : groups->items[i].read.ops;
	if (!ops)
		return;
	for (int which = 0; which < 5; which++) {
		struct side_column column = { groups, write, which };

		if ((which == SIDE_MIN || which == SIDE_MAX) && !grouped)
			continue;
		html_data_column(j, names[write][which], groups->n, side_get, &column,
				 which < SIDE_P99 ? DIGITS_RATE : DIGITS_LATENCY);
	}
}

/* Whether the groups start at equal distances `dt_s`: then their starts need not be written. */
static bool is_regular(const struct groups *groups, double dt_s)
{
	for (size_t i = 0; i < groups->n; i++)
		if (fabs(groups->items[i].start_s - (double)i * dt_s) > dt_s / 100)
			return false;
	return true;
}

static void put_groups(struct html_json *j, const struct collector *c, size_t phase)
{
	const struct groups *groups = &c->groups;
	double dt_s = (double)c->window_ns * (double)c->per / 1e9;
	const struct point_group *last = &groups->items[groups->n - 1];
	bool backlog = false;

	for (size_t i = 0; i < groups->n; i++)
		backlog = backlog || groups->items[i].backlog;
	html_json_open(j, NULL, '{');
	html_json_u64(j, "phase", phase);
	html_json_u64(j, "n", groups->n);
	html_json_u64(j, "windows_per_point", c->per);
	html_json_number(j, "dt_s", dt_s, 9);
	html_json_number(j, "end_s", last->start_s + last->seconds, 9);
	if (!is_regular(groups, dt_s))
		html_data_column(j, "start_s", groups->n, start_get, groups, 9);
	put_side(j, groups, false, c->per > 1);
	put_side(j, groups, true, c->per > 1);
	if (backlog)
		html_data_column(j, "backlog", groups->n, backlog_get, groups, 6);
	html_json_close(j, '}');
}

static int put_phase(struct html_json *j, struct store *store, const struct run_record *record,
		     size_t phase, struct collector *c, struct err *err)
{
	const struct phase *p = record->phases.items[phase];
	int r;

	c->groups.n = 0;
	c->in_group = 0;
	c->window_ns = p->load.window_ns;
	r = store_windows(store, record->run.id, p->id, add_window, c, err);
	if (r < 0)
		return c->failed ? err_set(err, -ENOMEM, "no memory for the report's series") : r;
	close_group(c);
	if (c->failed)
		return err_set(err, -ENOMEM, "no memory for the report's series");
	if (c->groups.n)
		put_groups(j, c, phase);
	return 0;
}

int html_data_series(struct html_json *j, struct store *store, const struct run_record *record,
		     size_t points_max, struct err *err)
{
	const struct phases *phases = &record->phases;
	_cleanup_free_ struct flow *sums = calloc(2, sizeof(*sums));
	struct collector c = { .read = sums, .write = sums + 1 };
	uint64_t first_cap, rest_cap, first_points;
	int r = 0;

	if (!sums)
		return err_set(err, -ENOMEM, "no memory for the report's series");
	first_cap = find_cap(phases, true, points_max - points_max / 4);
	first_points = points_at_cap(phases, true, first_cap);
	rest_cap = find_cap(phases, false, points_max - first_points);
	html_json_open(j, "series", '[');
	for (size_t i = 0; i < phases->n && r == 0; i++) {
		uint64_t cap = served_first(phases->items[i]) ? first_cap : rest_cap;
		uint64_t n = windows_of(phases->items[i]);

		if (cap == 0)
			continue; /* more phases than points: the table of phases has their means */
		c.per = n > cap ? (n + cap - 1) / cap : 1;
		r = put_phase(j, store, record, i, &c, err);
	}
	html_json_close(j, ']');
	groups_release(&c.groups);
	return r;
}
