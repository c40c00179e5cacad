/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-compare.c - runs beside each other. That two 95 % intervals do not overlap is stronger than a
 * test at 5 % would ask for; that they overlap does not prove that nothing changed. The text says so.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/terminal-part.h"

static const struct table_column columns[] = {
	{ NULL, "", 0, 0, true, false, false },
	{ NULL, "run", 2, 0, true, false, false },
	{ NULL, "value", 2, 0, false, false, false },
	{ NULL, "95 % interval", 2, 0, false, false, false },
	{ NULL, "n", 2, 1, false, false, false },
	{ NULL, "difference", 2, 0, false, false, false },
	{ NULL, "overlap", 2, 0, true, false, false },
};

/* One run of the comparison. */
struct side {
	struct run_record *record;
	struct group_list groups;
	struct drive_state state;
	bool begun;
	char name[12]; /* "A", "B", ... or a number */
};

/* A number with its interval, of either a verdict or a group of phases. */
struct figure {
	double value, low, high;
	uint64_t n;
	const char *unit;
};

static int first_state(void *user, const struct phase *p)
{
	struct side *side = user;

	side->state = p->state;
	side->begun = true;
	return 1; /* the first is enough */
}

static int load_side(struct store *store, const char *run_id, unsigned i, struct side *side,
		     struct err *err)
{
	int r = store_run_head(store, run_id, &side->record, err);

	if (i < 26)
		snprintf(side->name, sizeof(side->name), "%c", (char)('A' + i));
	else
		snprintf(side->name, sizeof(side->name), "%u", i + 1);
	if (r == 0)
		r = store_phases(store, side->record->run.id, first_state, side, err);
	if (r >= 0)
		r = groups_collect(store, side->record->run.id, &side->groups, err);
	return r;
}

static int unlike_profiles(const struct run *a, const struct run *b, struct err *err)
{
	static const char remedy[] = "a difference would not be the drive's; --anyway compares "
				     "them all the same";

	if (strcmp(a->experiment, b->experiment) != 0)
		return err_set(err, -ERR_USAGE, "run '%s' is of '%s' and run '%s' of '%s': %s",
			       a->id, a->experiment, b->id, b->experiment, remedy);
	if (strcmp(a->profile_name, b->profile_name) != 0 ||
	    a->profile_version != b->profile_version ||
	    strcmp(a->profile_hash, b->profile_hash) != 0)
		return err_set(err, -ERR_USAGE,
			       "run '%s' was made with profile '%s' version %u (%s) and run '%s' "
			       "with '%s' version %u (%s): %s",
			       a->id, a->profile_name, a->profile_version, a->profile_hash, b->id,
			       b->profile_name, b->profile_version, b->profile_hash, remedy);
	return 0;
}

/* A per cent of the drive is more than what a mount or a partition table writes. */
static bool states_differ(const struct side *a, const struct side *b)
{
	double written_a = (double)a->state.written_since_purge_bytes;
	double written_b = (double)b->state.written_since_purge_bytes;
	double capacity_a = (double)a->record->run.capacity_bytes;
	double capacity_b = (double)b->record->run.capacity_bytes;

	if (!a->begun || !b->begun)
		return false;
	if (isnan(a->state.fill_pct) != isnan(b->state.fill_pct) ||
	    fabs(a->state.fill_pct - b->state.fill_pct) > 1)
		return true;
	if ((written_a < 0) != (written_b < 0))
		return true;
	return fabs(written_a / capacity_a - written_b / capacity_b) > 0.01;
}

static int check_alike(const struct side *sides, unsigned n, struct err *err)
{
	for (unsigned i = 1; i < n; i++) {
		int r = unlike_profiles(&sides[0].record->run, &sides[i].record->run, err);

		if (r < 0)
			return r;
		if (states_differ(&sides[0], &sides[i]))
			return err_set(err, -ERR_USAGE,
				       "runs '%s' and '%s' began in different states of the drive "
				       "(fill, bytes written since purge): a difference may be the "
				       "state's; --anyway compares them all the same",
				       sides[0].record->run.id, sides[i].record->run.id);
	}
	return 0;
}

static void print_runs(FILE *out, const struct terminal *terminal, const struct side *sides,
		       unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct run *run = &sides[i].record->run;

		text_style(out, terminal, STYLE_BOLD);
		fprintf(out, "%s  ", sides[i].name);
		text_style(out, terminal, STYLE_PLAIN);
		text_wrapf(out, terminal, text_width(sides[i].name) + 2, 3,
			   "%s: %s on %s, profile %s version %u, started %s, %s", run->id,
			   run->experiment, run->drive_spec, run->profile_name,
			   run->profile_version, run->started, run_status_names[run->status]);
	}
}

static bool has_interval(const struct figure *f)
{
	return isfinite(f->low) && isfinite(f->high);
}

/* Cells of one run; `first` is the figure of the first run, or NULL for that itself. */
static void row(struct table *table, const char *run, const struct figure *f,
		const struct figure *first)
{
	struct verdict scale = { .low = f->low, .high = f->high };
	char text[96], low[48];
	bool bytes = strcmp(f->unit, "bytes") == 0;

	snprintf(scale.unit, sizeof(scale.unit), "%s", f->unit);
	table_cell(table, "%s", "");
	table_cell(table, "%s", run);
	table_cell(table, "%s%s%s", verdict_value(text, sizeof(text), &scale, f->value),
		   bytes || !f->unit[0] ? "" : " ", bytes ? "" : f->unit);
	if (has_interval(f))
		table_cell(table, "%s to %s", verdict_value(low, sizeof(low), &scale, f->low),
			   verdict_value(text, sizeof(text), &scale, f->high));
	else
		table_cell(table, "%s", "-");
	table_cell(table, "%llu", (unsigned long long)f->n);
	if (!first) {
		table_cell(table, "%s", "");
		table_cell(table, "%s", "");
		return;
	}
	table_cell(table, "%s%s", f->value > first->value && !bytes ? "+" : "",
		   verdict_value(text, sizeof(text), &scale, f->value - first->value));
	if (has_interval(f) && has_interval(first))
		table_cell(table, "%s",
			   f->low <= first->high && first->low <= f->high ? "yes" : "no");
	else
		table_cell(table, "%s", "unknown");
}

static const struct verdict *find_verdict(const struct side *side, const char *name)
{
	for (size_t i = 0; i < side->record->verdicts.n; i++)
		if (strcmp(side->record->verdicts.items[i].name, name) == 0)
			return &side->record->verdicts.items[i];
	return NULL;
}

static struct figure verdict_figure(const struct verdict *v)
{
	return (struct figure){ v->value, v->low, v->high, v->n, v->unit };
}

/* A verdict in words has no difference: the words stand beside each other. */
static void word_row(struct table *table, const char *run, const struct verdict *v)
{
	table_cell(table, "%s", "");
	table_cell(table, "%s", run);
	table_cell(table, "%s", v->word[0] ? v->word : verdict_status_names[v->status]);
	table_cell(table, "%s", "-");
	table_cell(table, "%llu", (unsigned long long)v->n);
	table_cell(table, "%s", "");
	table_cell(table, "%s", "");
}

static int compare_verdicts(FILE *out, const struct terminal *terminal, const struct side *sides,
			    unsigned n, struct err *err)
{
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	int r;

	for (size_t i = 0; i < sides[0].record->verdicts.n; i++) {
		const struct verdict *v = &sides[0].record->verdicts.items[i];
		struct figure first = verdict_figure(v);
		bool words = v->word[0] || isnan(v->value);

		table_span(&table, v->name);
		for (unsigned k = 0; k < n; k++) {
			const struct verdict *other = find_verdict(&sides[k], v->name);
			struct figure f;

			if (!other)
				continue;
			f = verdict_figure(other);
			if (words || other->word[0] || isnan(other->value))
				word_row(&table, sides[k].name, other);
			else
				row(&table, sides[k].name, &f, k ? &first : NULL);
		}
	}
	if (table.cells.n)
		text_heading(out, terminal, "Verdicts");
	r = table_print(out, terminal, &table, err);
	table_release(&table);
	return r;
}

static struct figure group_figure(const struct group *g)
{
	double half = stat_sum_half95(&g->mbps);

	return (struct figure){ g->mbps.mean, g->mbps.mean - half, g->mbps.mean + half, g->mbps.n,
				"MB/s" };
}

static int compare_groups(FILE *out, const struct terminal *terminal, const struct side *sides,
			  unsigned n, struct err *err)
{
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	int r;

	for (size_t i = 0; i < sides[0].groups.n; i++) {
		const struct group *g = sides[0].groups.items[i];
		struct figure first = group_figure(g);
		char what[96];

		if (isnan(g->level_pct))
			snprintf(what, sizeof(what), "%s %s", g->label, g->read ? "read" : "write");
		else
			snprintf(what, sizeof(what), "%.4g%% %s%s %s", g->level_pct, g->label,
				 g->down ? " (down)" : "", g->read ? "read" : "write");
		table_span(&table, what);
		for (unsigned k = 0; k < n; k++) {
			const struct group *other = groups_find(&sides[k].groups, g->label,
								g->level_pct, g->down, g->read);
			struct figure f;

			if (!other)
				continue;
			f = group_figure(other);
			row(&table, sides[k].name, &f, k ? &first : NULL);
		}
	}
	if (table.cells.n)
		text_heading(out, terminal, "Means of the phases");
	r = table_print(out, terminal, &table, err);
	table_release(&table);
	return r;
}

static int print_comparison(FILE *out, const struct terminal *terminal, const struct side *sides,
			    unsigned n, struct err *err)
{
	struct err unlike = { 0 };
	int r;

	print_runs(out, terminal, sides, n);
	if (check_alike(sides, n, &unlike) < 0) {
		text_style(out, terminal, STYLE_DOUBT);
		text_wrapf(out, terminal, 0, 2, "not alike: %s", unlike.text);
		text_style(out, terminal, STYLE_PLAIN);
	}
	r = compare_verdicts(out, terminal, sides, n, err);
	if (r == 0)
		r = compare_groups(out, terminal, sides, n, err);
	if (r < 0)
		return r;
	text_wrapf(out, terminal, 0, 0,
		   "difference: to %s. Intervals of phases are Student's, from the scatter of the "
		   "phases inside each run. Intervals that do not overlap show a difference; ones "
		   "that overlap do not prove that there is none.",
		   sides[0].name);
	return 0;
}

int report_compare(FILE *out, struct store *store, const struct compare_runs *runs,
		   const struct terminal *terminal, struct err *err)
{
	unsigned n = runs->n;
	struct side *sides;
	int r = 0;

	if (n < 2)
		return err_set(err, -ERR_USAGE, "a comparison needs two runs or more");
	sides = calloc(n, sizeof(*sides));
	if (!sides)
		return err_sys(err, -ENOMEM, "cannot compare runs");
	for (unsigned i = 0; r == 0 && i < n; i++)
		r = load_side(store, runs->ids[i], i, &sides[i], err);
	if (r == 0 && !runs->anyway)
		r = check_alike(sides, n, err);
	if (r == 0)
		r = print_comparison(out, terminal, sides, n, err);
	for (unsigned i = 0; i < n; i++) {
		groups_free(&sides[i].groups);
		run_record_free(sides[i].record);
	}
	free(sides);
	if (r == 0 && (fflush(out) != 0 || ferror(out)))
		r = err_set(err, -EIO, "cannot write the comparison");
	return r;
}
