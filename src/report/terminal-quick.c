/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-quick.c - the table that people know from CrystalDiskMark, with means and spread in front and
 * its own figure, the best run, behind them.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/terminal-part.h"

static const char reads[] = "read MB/s", writes[] = "write MB/s", latency[] = "latency µs";
static const char iops[] = "IOPS";

static const struct table_column columns[] = {
	{ NULL, "load", 0, 0, true, true, false },
	{ reads, "mean ± sd", 2, 0, false, false, false },
	{ reads, "n", 1, 0, false, false, false },
	{ reads, "best", 1, 0, false, false, true },
	{ writes, "mean ± sd", 2, 0, false, false, false },
	{ writes, "n", 1, 0, false, false, false },
	{ writes, "best", 1, 0, false, false, true },
	{ latency, "read", 2, 1, false, false, false },
	{ latency, "write", 1, 1, false, false, false },
	{ iops, "read", 2, 2, false, false, false },
	{ iops, "write", 1, 2, false, false, false },
	{ NULL, "notes", 2, 0, true, false, false },
};

static void throughput_cells(struct table *table, const struct group *g)
{
	char text[64];

	if (!g) {
		for (int i = 0; i < 3; i++)
			table_cell(table, "%s", "");
		return;
	}
	table_cell(
		table, "%s",
		text_mean_sd(text, sizeof(text), stat_sum_mean(&g->mbps), stat_sum_sd(&g->mbps)));
	table_cell(table, "%llu", (unsigned long long)g->mbps.n);
	table_cell(table, "%s", text_number(text, sizeof(text), g->mbps.max, 3));
}

static void number_cell(struct table *table, const struct stat_sum *s)
{
	char text[64];

	table_cell(table, "%s", s ? text_number(text, sizeof(text), stat_sum_mean(s), 3) : "");
}

/* The group of the same load and the other direction. */
static const struct group *other_of(const struct group_list *groups, const struct group *g)
{
	for (size_t i = 0; i < groups->n; i++)
		if (groups->items[i]->read != g->read &&
		    strcmp(groups->items[i]->load, g->load) == 0)
			return groups->items[i];
	return NULL;
}

/* Is there an earlier group of the same load, whose line is this one's as well? */
static bool has_line(const struct group_list *groups, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(groups->items[i]->load, groups->items[at]->load) == 0)
			return true;
	return false;
}

static void row(struct table *table, const struct group_list *groups, const struct group *g,
		struct footnotes *notes)
{
	const struct group *other = other_of(groups, g);
	const struct group *read = g->read ? g : other, *write = g->read ? other : g;
	char marks[2][FOOTNOTE_SIZE] = { "", "" };
	struct group both = { .notes = (read ? read->notes : 0) | (write ? write->notes : 0) };

	table_cell(table, "%s", g->load);
	throughput_cells(table, read);
	throughput_cells(table, write);
	number_cell(table, read ? &read->lat_us : NULL);
	number_cell(table, write ? &write->lat_us : NULL);
	number_cell(table, read ? &read->iops : NULL);
	number_cell(table, write ? &write->iops : NULL);
	if (read)
		footnote_marks(notes, read, marks[0]);
	if (write)
		footnote_marks(notes, write, marks[0]);
	table_cell(table, "%s", footnote_marks(notes, &both, marks[1]));
}

int terminal_quick(const struct terminal_view *view, struct err *err)
{
	const struct terminal *terminal = view->terminal;
	const struct group_list *groups = view->groups;
	FILE *out = view->out;
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	struct group_list results = { 0 };
	struct footnotes notes = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < groups->n; i++)
		if (group_is_result(groups->items[i]))
			r = group_list_push(&results, groups->items[i]);
	if (r < 0) {
		err_sys(err, r, "cannot lay out a table");
		goto out_release;
	}
	if (results.n == 0) {
		r = -ENOENT;
		goto out_release;
	}
	text_heading(out, terminal, "Results");
	for (size_t i = 0; i < results.n; i++)
		if (!has_line(&results, i))
			row(&table, &results, results.items[i], &notes);
	r = table_print(out, terminal, &table, err);
	if (r == 0) {
		text_wrap(out, terminal, 0, 0,
			  "n: runs; sd: their standard deviation; best: the fastest run, which is "
			  "what CrystalDiskMark prints. Latency and IOPS are means.");
		footnotes_print(out, terminal, &notes);
	}
out_release:
	table_release(&table);
	group_list_release(&results);
	return r;
}
