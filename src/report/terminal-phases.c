/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-phases.c - the general table: one line for what was measured alike, in the order of the run.
 */
#include <math.h>

#include "report/terminal-part.h"

static const char throughput[] = "MB/s", latency[] = "latency µs";

static const struct table_column columns[] = {
	{ NULL, "phase", 0, 0, true, true, false },
	{ NULL, "load", 2, 4, true, false, false },
	{ NULL, "fill %", 2, 0, false, false, false },
	{ NULL, "op", 2, 0, true, false, false },
	{ NULL, "n", 2, 0, false, false, false },
	{ throughput, "mean ± sd", 2, 0, false, false, false },
	{ throughput, "best", 1, 2, false, false, true },
	{ NULL, "IOPS", 2, 3, false, false, false },
	{ latency, "p50", 2, 1, false, false, false },
	{ latency, "p99", 1, 0, false, false, false },
	{ latency, "max", 1, 5, false, false, false },
	{ NULL, "errors", 2, 0, false, false, false },
	{ NULL, "notes", 2, 0, true, false, false },
};

static void latency_cell(struct table *table, const struct group *g, double q)
{
	char text[32];

	table_cell(table, "%s",
		   g->flow.ops ? text_number(text, sizeof(text),
					     (double)flow_quantile(&g->flow, q) / 1e3, 3)
			       : "-");
}

static void row(struct table *table, const struct group *g, struct footnotes *notes)
{
	char mean[64], best[32], iops[32], marks[FOOTNOTE_SIZE], level[32] = "";

	if (!isnan(g->level_pct))
		text_number(level, sizeof(level), g->level_pct, 2);
	table_cell(table, "%s%s", g->label, g->down ? " (down)" : "");
	table_cell(table, "%s", g->load);
	table_cell(table, "%s", level);
	table_cell(table, "%s", g->read ? "read" : "write");
	table_cell(table, "%llu", (unsigned long long)g->mbps.n);
	table_cell(
		table, "%s",
		text_mean_sd(mean, sizeof(mean), stat_sum_mean(&g->mbps), stat_sum_sd(&g->mbps)));
	table_cell(table, "%s",
		   g->mbps.n > 1 ? text_number(best, sizeof(best), g->mbps.max, 3) : "");
	table_cell(table, "%s", text_number(iops, sizeof(iops), stat_sum_mean(&g->iops), 3));
	latency_cell(table, g, 0.5);
	latency_cell(table, g, 0.99);
	latency_cell(table, g, 1);
	if (g->errors)
		table_cell(table, "%llu", (unsigned long long)g->errors);
	else
		table_cell(table, "%s", "");
	table_cell(table, "%s", footnote_marks(notes, g, marks));
}

int terminal_phases(const struct terminal_view *view, struct err *err)
{
	const struct terminal *terminal = view->terminal;
	const struct group_list *groups = view->groups;
	FILE *out = view->out;
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	struct footnotes notes = { 0 };
	int r;

	text_heading(out, terminal, "Phases");
	for (size_t i = 0; i < groups->n; i++)
		row(&table, groups->items[i], &notes);
	r = table_print(out, terminal, &table, err);
	table_release(&table);
	if (r < 0)
		return r;
	text_wrap(
		out, terminal, 0, 0,
		"n: phases behind a line; sd: their standard deviation; best: the fastest of "
		"them, which is what other tools print; quantiles are over all I/Os of the line.");
	footnotes_print(out, terminal, &notes);
	return 0;
}
