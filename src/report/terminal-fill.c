/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-fill.c - the fill ladder: a line a level, with the two benchmarks, the long copy, and where its
 * speed breaks.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/terminal-part.h"

static const char seq_read[] = "SEQ1M read", seq_write[] = "SEQ1M write";
static const char rnd_read[] = "RND4K read", rnd_write[] = "RND4K write";
static const char copies[] = "copy", knees[] = "knee";

static const struct table_column columns[] = {
	{ NULL, "fill", 0, 0, false, false, false },
	{ seq_read, "mean±sd", 2, 0, false, false, false },
	{ seq_read, "best", 1, 1, false, false, true },
	{ seq_write, "mean±sd", 2, 0, false, false, false },
	{ seq_write, "best", 1, 1, false, false, true },
	{ rnd_read, "mean±sd", 2, 0, false, false, false },
	{ rnd_read, "best", 1, 1, false, false, true },
	{ rnd_write, "mean±sd", 2, 0, false, false, false },
	{ rnd_write, "best", 1, 1, false, false, true },
	{ copies, "mean±sd", 2, 0, false, false, false },
	{ knees, "GB", 1, 0, false, false, false },
	{ NULL, "", 1, 0, true, false, false }, /* notes */
};

/* The cells of a line: begin of the label, and direction. */
static const struct cell {
	const char *label;
	bool read;
} cells[] = {
	{ "seq1m_q8t1_read", true },
	{ "seq1m_q8t1_write", false },
	{ "rnd4k_q32t16_read", true },
	{ "rnd4k_q32t16_write", false },
};

#define CELLS 4

/* What the table is made of. */
struct source {
	const struct group_list *groups;
	const struct verdicts *verdicts;
};

static char *narrow(char *buf, size_t size, const struct stat_sum *s)
{
	return text_mean_sd_narrow(buf, size, stat_sum_mean(s), stat_sum_sd(s));
}

/* "fill.copy_knee_bytes.LEVEL", in GB; "none" where the copy kept its speed to the end. */
static void knee_cell(struct table *table, const struct verdicts *verdicts, double level_pct)
{
	static const char prefix[] = "fill.copy_knee_bytes.";

	for (size_t i = 0; i < verdicts->n; i++) {
		const struct verdict *v = &verdicts->items[i];
		char *end, text[32];

		if (strncmp(v->name, prefix, sizeof(prefix) - 1) != 0 ||
		    strtod(v->name + sizeof(prefix) - 1, &end) != level_pct || *end)
			continue;
		if (v->word[0])
			table_cell(table, "%s", v->word);
		else if (v->status == STATUS_NOT_REACHED)
			table_cell(table, "none");
		else
			table_cell(table, "%s", text_number(text, sizeof(text), v->value / 1e9, 3));
		return;
	}
	table_cell(table, "%s", "");
}

static bool has_level(const double *levels, size_t n, double level)
{
	for (size_t i = 0; i < n; i++)
		if (levels[i] == level)
			return true;
	return false;
}

static void row(struct table *table, const struct source *source, double level, bool down,
		struct footnotes *notes)
{
	const struct group *copy = groups_find(source->groups, "copy", level, down, false);
	struct group all = { .notes = 0 };
	char text[64], marks[FOOTNOTE_SIZE];

	table_cell(table, "%.4g%%", level);
	for (int i = 0; i < CELLS; i++) {
		const struct group *g =
			groups_find(source->groups, cells[i].label, level, down, cells[i].read);

		table_cell(table, "%s", g ? narrow(text, sizeof(text), &g->mbps) : "");
		table_cell(table, "%s", g ? text_number(text, sizeof(text), g->mbps.max, 3) : "");
		if (!g)
			continue;
		footnote_marks(notes, g, marks);
		all.notes |= g->notes;
	}
	if (copy) {
		struct stat_sum s = group_repeats_mbps(copy);

		table_cell(table, "%s", narrow(text, sizeof(text), &s));
		footnote_marks(notes, copy, marks);
		all.notes |= copy->notes;
	} else {
		table_cell(table, "%s", "");
	}
	if (down)
		table_cell(table, "%s", "");
	else
		knee_cell(table, source->verdicts, level);
	table_cell(table, "%s", footnote_marks(notes, &all, marks));
}

/* One way of the ladder; prints nothing where the run did not go it. */
static int ladder(FILE *out, const struct terminal *terminal, const struct source *source,
		  bool down, struct footnotes *notes, struct err *err)
{
	const struct group_list *groups = source->groups;
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	_cleanup_free_ double *levels = calloc(groups->n + 1, sizeof(*levels));
	size_t n = 0;
	int r;

	if (!levels)
		return err_sys(err, -ENOMEM, "cannot lay out a table");
	for (size_t i = 0; i < groups->n; i++) {
		const struct group *g = groups->items[i];

		if (g->down != down || isnan(g->level_pct) || has_level(levels, n, g->level_pct))
			continue;
		levels[n++] = g->level_pct;
		row(&table, source, g->level_pct, down, notes);
	}
	if (n)
		text_heading(out, terminal,
			     down ? "The ladder down, MB/s (levels by what is left on the drive)"
				  : "The ladder up, MB/s");
	r = table_print(out, terminal, &table, err);
	table_release(&table);
	return r;
}

/* How many samples stand behind the cells of the benchmark. */
static void legend(FILE *out, const struct terminal *terminal, const struct group_list *groups)
{
	uint64_t low = UINT64_MAX, high = 0;
	char n[64];

	for (size_t i = 0; i < groups->n; i++)
		for (int k = 0; k < CELLS; k++)
			if (strcmp(groups->items[i]->label, cells[k].label) == 0) {
				uint64_t of = groups->items[i]->mbps.n;

				low = of < low ? of : low;
				high = of > high ? of : high;
			}
	if (low < high)
		snprintf(n, sizeof(n), "%llu to %llu", (unsigned long long)low,
			 (unsigned long long)high);
	else
		snprintf(n, sizeof(n), "%llu", (unsigned long long)high);
	text_wrapf(out, terminal, 0, 0,
		   "SEQ1M is Q8T1, RND4K is Q32T16; a cell is mean and standard deviation of %s "
		   "runs, best the fastest of them, which is what other tools print. Copy: 1 MiB "
		   "sequential writes, standard deviation over repeats; knee: after how many GB "
		   "its speed breaks.",
		   n);
}

int terminal_fill(const struct terminal_view *view, struct err *err)
{
	const struct terminal *terminal = view->terminal;
	const struct group_list *groups = view->groups;
	FILE *out = view->out;
	const struct verdicts *verdicts = &view->record->verdicts;
	const struct source source = { groups, verdicts };
	struct footnotes notes = { 0 };
	bool any = false;
	int r;

	for (size_t i = 0; i < groups->n; i++)
		any = any || !isnan(groups->items[i]->level_pct);
	if (!any)
		return -ENOENT;
	r = ladder(out, terminal, &source, false, &notes, err);
	if (r == 0)
		r = ladder(out, terminal, &source, true, &notes, err);
	if (r < 0)
		return r;
	legend(out, terminal, groups);
	footnotes_print(out, terminal, &notes);
	return 0;
}
