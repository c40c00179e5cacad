/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-saturate.c - the usual benchmark before and after hours of random writes, and the writes over time in rows
 * that grow longer, since most happens at the start.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/terminal-part.h"

#define BEFORE "before_"
#define AFTER "after_"
#define RANDOM "random_write"

static const char before[] = "before MB/s", after[] = "after MB/s";

static const struct table_column bench_columns[] = {
	{ NULL, "load", 0, 0, true, true, false },
	{ NULL, "op", 2, 0, true, false, false },
	{ before, "mean ± sd", 2, 0, false, false, false },
	{ before, "n", 1, 0, false, false, false },
	{ after, "mean ± sd", 2, 0, false, false, false },
	{ after, "n", 1, 0, false, false, false },
	{ NULL, "after %", 2, 0, false, false, false },
	{ NULL, "notes", 2, 0, true, false, false },
};

static const char iops[] = "writes a second", latency[] = "latency ms";

static const struct table_column time_columns[] = {
	{ NULL, "until", 0, 0, false, false, false },
	{ NULL, "written", 2, 0, false, false, false },
	{ iops, "mean", 2, 0, false, false, false },
	{ iops, "least", 2, 1, false, false, false },
	{ iops, "most", 1, 1, false, false, false },
	{ latency, "p50", 2, 2, false, false, false },
	{ latency, "p99", 1, 0, false, false, false },
	{ latency, "max", 1, 0, false, false, false },
};

/* The rows of the table over time end here, in seconds; the last one where the writes do. */
static const double edges_s[] = { 1,	 5,	10,	30,	60,	120,	300,
				  600,	 900,	1800,	3600,	7200,	14400,	28800,
				  43200, 86400, 129600, 172800, 259200, 604800, INFINITY };
#define EDGES (sizeof(edges_s) / sizeof(edges_s[0]))
/* Of a run so much longer the first rows, of some seconds, are one. */
#define SHORT_ROWS_S 300.0

struct row {
	double end_s, bytes; /* both since the first random write */
	double least, most;  /* of about a second */
	struct flow flow;
	double seconds;
};

DEFINE_VEC(phase_ids, uint64_t);

struct over_time {
	struct row *rows; /* EDGES of them */
	double at_s, bytes;
	double second_s, second_ops; /* under way */
	struct phase_ids phases;
};

static size_t row_of(double at_s)
{
	size_t i = 0;

	while (at_s >= edges_s[i] * 0.9999999)
		i++;
	return i;
}

static int add_window(void *user, const struct window *w)
{
	struct over_time *t = user;
	struct row *row = &t->rows[row_of(t->at_s)];
	double length_s = (double)w->length_ns / 1e9, rate;

	t->at_s += length_s;
	t->bytes += (double)w->write.bytes;
	flow_add(&row->flow, &w->write);
	row->seconds += length_s;
	row->end_s = t->at_s;
	row->bytes = t->bytes;
	t->second_s += length_s;
	t->second_ops += (double)w->write.ops;
	if (t->second_s < 0.9999999)
		return 0;
	rate = t->second_ops / t->second_s;
	row->least = fmin(row->least, rate);
	row->most = fmax(row->most, rate);
	t->second_s = t->second_ops = 0;
	return 0;
}

static int note_phase(void *user, const struct phase *p)
{
	struct over_time *t = user;

	return strcmp(p->label, RANDOM) != 0 || p->repeat > 1 ? 0
							      : phase_ids_push(&t->phases, p->id);
}

/* Rows that are too short for the length of the run become part of the next. */
static void join_rows(struct over_time *t)
{
	for (size_t i = 0; i + 1 < EDGES && t->at_s >= SHORT_ROWS_S && edges_s[i] < 10; i++) {
		struct row *row = &t->rows[i], *next = &t->rows[i + 1];

		flow_add(&next->flow, &row->flow);
		next->seconds += row->seconds;
		next->least = fmin(next->least, row->least);
		next->most = fmax(next->most, row->most);
		row->seconds = 0;
	}
}

static char *ms(char *buf, size_t size, uint64_t ns)
{
	return text_number(buf, size, (double)ns / 1e6, 3);
}

static void print_row(struct table *table, const struct row *row)
{
	bool whole = row->most > 0 || isfinite(row->least);
	char text[64];

	table_cell(table, "%s",
		   format_time(text, sizeof(text), (uint64_t)(row->end_s * 1e9 + 0.5)));
	table_cell(table, "%s", format_bytes_decimal(text, sizeof(text), row->bytes));
	table_cell(table, "%.0f", (double)row->flow.ops / row->seconds);
	table_cell(table, "%s", whole ? text_decimals(text, sizeof(text), row->least, 0) : "-");
	table_cell(table, "%s", whole ? text_decimals(text, sizeof(text), row->most, 0) : "-");
	table_cell(table, "%s", ms(text, sizeof(text), flow_quantile(&row->flow, 0.5)));
	table_cell(table, "%s", ms(text, sizeof(text), flow_quantile(&row->flow, 0.99)));
	table_cell(table, "%s", ms(text, sizeof(text), row->flow.lat_ns_max));
}

static int over_time(const struct terminal_view *view, struct err *err)
{
	struct table table = { .columns = time_columns,
			       .n = sizeof(time_columns) / sizeof(time_columns[0]) };
	struct over_time *t = calloc(1, sizeof(*t));
	const char *run_id = view->record->run.id;
	int r = 0;

	if (t)
		t->rows = calloc(EDGES, sizeof(*t->rows));
	if (!t || !t->rows) {
		free(t);
		return err_sys(err, -ENOMEM, "cannot lay out a table");
	}
	for (size_t i = 0; i < EDGES; i++)
		t->rows[i].least = INFINITY;
	r = store_phases(view->store, run_id, note_phase, t, err);
	if (r == -ENOMEM)
		err_sys(err, r, "cannot lay out a table");
	for (size_t i = 0; i < t->phases.n && r == 0; i++)
		r = store_windows(view->store, run_id, t->phases.items[i], add_window, t, err);
	if (r == 0 && t->at_s > 0) {
		join_rows(t);
		text_heading(view->out, view->terminal, "Random writes over time");
		for (size_t i = 0; i < EDGES; i++)
			if (t->rows[i].seconds > 0)
				print_row(&table, &t->rows[i]);
		r = table_print(view->out, view->terminal, &table, err);
		text_wrap(view->out, view->terminal, 0, 0,
			  "A row is what was done since the one above; least and most are means of "
			  "a second. Of several repeats, the first.");
	}
	table_release(&table);
	phase_ids_release(&t->phases);
	free(t->rows);
	free(t);
	return r;
}

static void mean_cells(struct table *table, const struct group *g)
{
	char text[64];

	table_cell(
		table, "%s",
		g ? text_mean_sd(text, sizeof(text), stat_sum_mean(&g->mbps), stat_sum_sd(&g->mbps))
		  : "");
	if (g)
		table_cell(table, "%llu", (unsigned long long)g->mbps.n);
	else
		table_cell(table, "%s", "");
}

static bool is_cell(const struct group *g)
{
	return !strncmp(g->label, BEFORE, strlen(BEFORE)) && group_is_result(g);
}

int terminal_saturate(const struct terminal_view *view, struct err *err)
{
	struct table table = { .columns = bench_columns,
			       .n = sizeof(bench_columns) / sizeof(bench_columns[0]) };
	struct footnotes notes = { 0 };
	int r;

	for (size_t i = 0; i < view->groups->n; i++) {
		const struct group *g = view->groups->items[i], *other;
		char label[64], text[64], marks[FOOTNOTE_SIZE];
		struct group both = { 0 };

		if (!is_cell(g))
			continue;
		snprintf(label, sizeof(label), AFTER "%s", g->label + strlen(BEFORE));
		other = groups_find(view->groups, label, NAN, false, g->read);
		table_cell(&table, "%s", g->load);
		table_cell(&table, "%s", g->read ? "read" : "write");
		mean_cells(&table, g);
		mean_cells(&table, other);
		table_cell(&table, "%s",
			   other ? text_number(text, sizeof(text),
					       100 * stat_sum_mean(&other->mbps) /
						       stat_sum_mean(&g->mbps),
					       3)
				 : "");
		footnote_marks(&notes, g, marks);
		both.notes = g->notes | (other ? other->notes : 0);
		table_cell(&table, "%s", footnote_marks(&notes, &both, marks));
	}
	if (table.cells.n)
		text_heading(view->out, view->terminal,
			     "The usual benchmark: best case before, worst case after");
	r = table_print(view->out, view->terminal, &table, err);
	table_release(&table);
	if (r == 0)
		footnotes_print(view->out, view->terminal, &notes);
	return r < 0 ? r : over_time(view, err);
}
