/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/html-data.h"

/* Enough for every integer that a double holds, and for what people compare. */
#define DIGITS_EXACT 15
#define DIGITS 6

void html_data_column(struct html_json *j, const char *name, size_t n,
		      double (*get)(const void *user, size_t i), const void *user, int digits)
{
	bool same = n > 1;
	double first = n ? get(user, 0) : 0;

	for (size_t i = 1; i < n && same; i++) {
		double value = get(user, i);

		same = value == first || (isnan(value) && isnan(first));
	}
	if (same) {
		html_json_number(j, name, first, digits);
		return;
	}
	html_json_open(j, name, '[');
	for (size_t i = 0; i < n; i++)
		html_json_number(j, NULL, get(user, i), digits);
	html_json_close(j, ']');
}

static void put_verdicts(struct html_json *j, const struct verdicts *verdicts)
{
	html_json_open(j, "verdicts", '[');
	for (size_t i = 0; i < verdicts->n; i++) {
		const struct verdict *v = &verdicts->items[i];

		html_json_open(j, NULL, '{');
		html_json_text(j, "name", v->name);
		html_json_text_or_null(j, "word", v->word);
		html_json_number(j, "value", v->value, DIGITS_EXACT);
		html_json_text(j, "unit", v->unit);
		html_json_number(j, "low", v->low, DIGITS_EXACT);
		html_json_number(j, "high", v->high, DIGITS_EXACT);
		html_json_u64(j, "n", v->n);
		html_json_text(j, "interval", verdict_interval_names[v->interval]);
		html_json_text(j, "status", verdict_status_names[v->status]);
		html_json_text(j, "text", v->text);
		html_json_close(j, '}');
	}
	html_json_close(j, ']');
}

void html_data_run(struct html_json *j, const struct run_record *record)
{
	const struct run *run = &record->run;

	html_json_text(j, "id", run->id);
	html_json_text(j, "experiment", run->experiment);
	html_json_open(j, "profile", '{');
	html_json_text(j, "name", run->profile_name);
	html_json_u64(j, "version", run->profile_version);
	html_json_text(j, "hash", run->profile_hash);
	html_json_close(j, '}');
	html_json_open(j, "drive", '{');
	html_json_text(j, "spec", run->drive_spec);
	html_json_text(j, "kind", run->drive_kind);
	html_json_text_or_null(j, "model", run->drive_model);
	html_json_text_or_null(j, "serial", run->drive_serial);
	html_json_text_or_null(j, "firmware", run->drive_firmware);
	html_json_u64(j, "capacity_bytes", run->capacity_bytes);
	html_json_close(j, '}');
	/* As text: a seed may need more than the 53 bits of a number in the page's script. */
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	html_json_text(j, "seed", seed);
	html_json_raw(j, "environment", run->environment_json);
	html_json_raw(j, "arguments", run->arguments_json);
	html_json_text(j, "started", run->started);
	html_json_number(j, "wall_s", run->wall_s, DIGITS);
	html_json_number(j, "drive_s", run->drive_s, 9);
	html_json_u64(j, "written_bytes", run->written_bytes);
	html_json_text(j, "status", run_status_names[run->status]);
	html_json_text(j, "message", run->message);
	put_verdicts(j, &record->verdicts);
}

/* ---- phases ------------------------------------------------------------------------------------ */

static double or_nan(bool applies, double value)
{
	return applies ? value : NAN;
}

typedef double (*phase_value)(const struct phase *p);

#define PHASE_VALUE(name, expression)                                                              \
	static double value_##name(const struct phase *p)                                          \
	{                                                                                          \
		return (double)(expression);                                                       \
	}                                                                                          \
	static_assert(1, "")

PHASE_VALUE(id, p->id);
PHASE_VALUE(repeat, p->repeat);
PHASE_VALUE(pass, p->pass);
PHASE_VALUE(level, p->level_pct);
PHASE_VALUE(start, (double)p->start_ns / 1e9);
PHASE_VALUE(end, (double)p->end_ns / 1e9);
PHASE_VALUE(written, p->written_bytes);
PHASE_VALUE(order, p->load.order);
PHASE_VALUE(read_pct, p->load.read_pct);
PHASE_VALUE(block, or_nan(p->load.blocks == 1, p->load.block[0].bytes));
PHASE_VALUE(span_offset, p->load.span_offset_bytes);
PHASE_VALUE(span, p->load.span_bytes);
PHASE_VALUE(depth, p->load.queue_depth);
PHASE_VALUE(threads, p->load.threads);
PHASE_VALUE(arrival, p->load.arrival);
PHASE_VALUE(offered, or_nan(p->load.arrival != ARRIVAL_CLOSED, p->load.offered_iops));
PHASE_VALUE(trim, p->load.trim);
PHASE_VALUE(notes, p->notes);
PHASE_VALUE(in_flight_device, p->in_flight_device_mean);
PHASE_VALUE(state_written, or_nan(p->state.written_since_purge_bytes >= 0,
				  (double)p->state.written_since_purge_bytes));
PHASE_VALUE(state_fill, p->state.fill_pct);
PHASE_VALUE(state_idle, p->state.idle_before_s);
PHASE_VALUE(state_temperature, p->state.temperature_c);
PHASE_VALUE(state_wear, p->state.wear_pct);

#define FLOW_VALUES(which)                                                                         \
	PHASE_VALUE(which##_ops, p->which.ops);                                                    \
	PHASE_VALUE(which##_bytes, p->which.bytes);                                                \
	PHASE_VALUE(which##_errors, p->which.errors);                                              \
	PHASE_VALUE(which##_in_flight, or_nan(p->which.ops, p->which##_in_flight_mean));           \
	PHASE_VALUE(which##_mean, (double)p->which.lat_ns_sum / (double)p->which.ops / 1e3);       \
	PHASE_VALUE(which##_p50,                                                                   \
		    or_nan(p->which.ops, (double)flow_quantile(&p->which, .5) / 1e3));             \
	PHASE_VALUE(which##_p99,                                                                   \
		    or_nan(p->which.ops, (double)flow_quantile(&p->which, .99) / 1e3));            \
	PHASE_VALUE(which##_max, or_nan(p->which.ops, (double)p->which.lat_ns_max / 1e3))

FLOW_VALUES(read);
FLOW_VALUES(write);

#define FLOW_COLUMNS(which)                                                                        \
	{ #which "_ops", value_##which##_ops, DIGITS_EXACT },                                      \
		{ #which "_bytes", value_##which##_bytes, DIGITS_EXACT },                          \
		{ #which "_errors", value_##which##_errors, DIGITS_EXACT },                        \
		{ #which "_in_flight", value_##which##_in_flight, DIGITS },                        \
		{ #which "_mean_us", value_##which##_mean, DIGITS },                               \
		{ #which "_p50_us", value_##which##_p50, DIGITS },                                 \
		{ #which "_p99_us", value_##which##_p99, DIGITS },                                 \
	{                                                                                          \
#which "_max_us", value_##which##_max, DIGITS                                      \
	}

static const struct {
	const char *name;
	phase_value get;
	int digits;
} phase_columns[] = {
	{ "id", value_id, DIGITS_EXACT },
	{ "repeat", value_repeat, DIGITS },
	{ "pass", value_pass, DIGITS },
	{ "level_pct", value_level, DIGITS },
	{ "start_s", value_start, 12 },
	{ "end_s", value_end, 12 },
	{ "written_bytes", value_written, DIGITS_EXACT },
	{ "order", value_order, DIGITS },
	{ "read_pct", value_read_pct, DIGITS },
	{ "block_bytes", value_block, DIGITS_EXACT },
	{ "span_offset_bytes", value_span_offset, DIGITS_EXACT },
	{ "span_bytes", value_span, DIGITS_EXACT },
	{ "queue_depth", value_depth, DIGITS },
	{ "threads", value_threads, DIGITS },
	{ "arrival", value_arrival, DIGITS },
	{ "offered_iops", value_offered, DIGITS },
	{ "trim", value_trim, DIGITS },
	{ "notes", value_notes, DIGITS },
	{ "in_flight_device", value_in_flight_device, DIGITS },
	{ "state_written_bytes", value_state_written, DIGITS_EXACT },
	{ "state_fill_pct", value_state_fill, DIGITS },
	{ "state_idle_s", value_state_idle, DIGITS },
	{ "state_temperature_c", value_state_temperature, DIGITS },
	{ "state_wear_pct", value_state_wear, DIGITS },
	FLOW_COLUMNS(read),
	FLOW_COLUMNS(write),
};

struct phase_column {
	const struct phases *phases;
	phase_value get;
};

static double phase_column_get(const void *user, size_t i)
{
	const struct phase_column *c = user;

	return c->get(c->phases->items[i]);
}

static void put_phase_texts(struct html_json *j, const struct phases *phases)
{
	html_json_open(j, "key", '[');
	for (size_t i = 0; i < phases->n; i++)
		html_json_text(j, NULL, phases->items[i]->key);
	html_json_close(j, ']');
	html_json_open(j, "label", '[');
	for (size_t i = 0; i < phases->n; i++)
		html_json_text(j, NULL, phases->items[i]->label);
	html_json_close(j, ']');
}

/* ---- cells ------------------------------------------------------------------------------------- */

/* The way down the ladder repeats the levels of the way up: the key tells them apart. */
static bool goes_down(const struct phase *p)
{
	return strstr(p->key, "/down/") != NULL;
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_cell(const struct phase *a, const struct phase *b)
{
	const struct workload *x = &a->load, *y = &b->load;

	return same_number(a->level_pct, b->level_pct) && !strcmp(a->label, b->label) &&
	       goes_down(a) == goes_down(b) && same_number(x->read_pct, y->read_pct) &&
	       x->blocks == y->blocks && x->block[0].bytes == y->block[0].bytes &&
	       x->span_bytes == y->span_bytes && x->order == y->order &&
	       x->queue_depth == y->queue_depth && x->threads == y->threads &&
	       x->arrival == y->arrival && same_number(x->offered_iops, y->offered_iops) &&
	       x->trim == y->trim;
}

/* cell_of[i]: the number of phase i's cell. Returns how many cells there are. */
static size_t find_cells(const struct phases *phases, size_t *cell_of)
{
	size_t cells = 0;
	/* firsts are found through cell_of itself: the first phase of each cell comes in order */
	for (size_t i = 0; i < phases->n; i++) {
		size_t k = 0;

		/* Backwards: the phases of a cell mostly follow each other. */
		for (k = i; k > 0; k--)
			if (same_cell(phases->items[k - 1], phases->items[i]))
				break;
		cell_of[i] = k > 0 ? cell_of[k - 1] : cells++;
	}
	return cells;
}

static const double quantiles[] = {
	0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999,
};
#define QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

/* A quantile is shown where at least so many samples lie beyond it. */
#define TAIL_SAMPLES 5

/* null for no operations, else [min, quantiles..., max] in us; null inside where too few samples. */
static void put_quantiles(struct html_json *j, const struct flow *flow)
{
	if (!flow->ops) {
		html_json_number(j, NULL, NAN, DIGITS);
		return;
	}
	html_json_open(j, NULL, '[');
	html_json_number(j, NULL, (double)flow->lat_ns_min / 1e3, 4);
	for (size_t i = 0; i < QUANTILES; i++) {
		double q = quantiles[i], tail = (double)flow->ops * (q < 0.5 ? q : 1 - q);
		/* 1e-9: 50 000 x (1 - 0.9999) is to be 5. */
		bool enough = q == 0.5 || tail + 1e-9 * (double)flow->ops >= TAIL_SAMPLES;

		html_json_number(j, NULL,
				 enough ? (double)flow_quantile(flow, q) / 1e3 : (double)NAN, 4);
	}
	html_json_number(j, NULL, (double)flow->lat_ns_max / 1e3, 4);
	html_json_close(j, ']');
}

static void put_cell_quantiles(struct html_json *j, const char *name, const struct phases *phases,
			       const size_t *cell_of, size_t cells, struct flow *sum)
{
	bool writes = !strcmp(name, "write_us");

	html_json_open(j, name, '[');
	for (size_t c = 0, first = 0; c < cells; c++) {
		while (cell_of[first] != c)
			first++;
		for (size_t i = first; i < phases->n; i++)
			if (cell_of[i] == c)
				flow_add(sum, writes ? &phases->items[i]->write
						     : &phases->items[i]->read);
		put_quantiles(j, sum);
		flow_clear(sum);
	}
	html_json_close(j, ']');
}

int html_data_phases(struct html_json *j, const struct run_record *record, struct err *err)
{
	const struct phases *phases = &record->phases;
	_cleanup_free_ size_t *cell_of = calloc(phases->n + 1, sizeof(*cell_of));
	_cleanup_free_ struct flow *sum = calloc(1, sizeof(*sum));
	size_t cells;

	if (!cell_of || !sum)
		return err_set(err, -ENOMEM, "no memory for the report's cells");
	html_json_open(j, "phases", '{');
	html_json_u64(j, "n", phases->n);
	put_phase_texts(j, phases);
	for (size_t i = 0; i < sizeof(phase_columns) / sizeof(phase_columns[0]); i++) {
		struct phase_column column = { phases, phase_columns[i].get };

		html_data_column(j, phase_columns[i].name, phases->n, phase_column_get, &column,
				 phase_columns[i].digits);
	}
	cells = find_cells(phases, cell_of);
	html_json_open(j, "cell", '[');
	for (size_t i = 0; i < phases->n; i++)
		html_json_u64(j, NULL, cell_of[i]);
	html_json_close(j, ']');
	html_json_close(j, '}');

	html_json_open(j, "cells", '{');
	html_json_u64(j, "n", cells);
	html_json_open(j, "quantiles", '[');
	for (size_t i = 0; i < QUANTILES; i++)
		html_json_number(j, NULL, quantiles[i], DIGITS);
	html_json_close(j, ']');
	put_cell_quantiles(j, "read_us", phases, cell_of, cells, sum);
	put_cell_quantiles(j, "write_us", phases, cell_of, cells, sum);
	html_json_close(j, '}');
	return 0;
}
