/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/terminal-part.h"

/* The drive as it was when the first phase began, and how many phases there are. */
struct beginning {
	struct drive_state state;
	uint64_t phases;
};

static int look_at(void *user, const struct phase *p)
{
	struct beginning *b = user;

	if (b->phases++ == 0)
		b->state = p->state;
	return 0;
}

static void print_state(FILE *out, const struct terminal *terminal, const struct beginning *b)
{
	char bytes[32] = "unknown", fill[32], temperature[32], wear[32];

	if (b->phases == 0)
		return;
	if (b->state.written_since_purge_bytes >= 0)
		format_bytes_decimal(bytes, sizeof(bytes),
				     (double)b->state.written_since_purge_bytes);
	text_wrapf(out, terminal, 0, 2,
		   "at the start: fill %s%s, written since purge %s, temperature %s%s, wear %s%s",
		   isnan(b->state.fill_pct) ? "unknown"
					    : text_number(fill, sizeof(fill), b->state.fill_pct, 3),
		   isnan(b->state.fill_pct) ? "" : NO_BREAK "%", bytes,
		   isnan(b->state.temperature_c) ? "unknown"
						 : text_number(temperature, sizeof(temperature),
							       b->state.temperature_c, 3),
		   isnan(b->state.temperature_c) ? "" : NO_BREAK "°C",
		   isnan(b->state.wear_pct) ? "unknown"
					    : text_number(wear, sizeof(wear), b->state.wear_pct, 3),
		   isnan(b->state.wear_pct) ? "" : NO_BREAK "%");
}

static char *seconds(char *buf, size_t size, double s)
{
	if (!(s >= 0 && s < 1e9)) {
		snprintf(buf, size, "unknown");
		return buf;
	}
	return format_time(buf, size, (uint64_t)(s * 1e9));
}

static void print_head(FILE *out, const struct terminal *terminal, const struct run *run,
		       const struct beginning *b)
{
	char capacity[32], written[32], drive_s[32], wall_s[32];
	double share = run->capacity_bytes
			       ? (double)run->written_bytes / (double)run->capacity_bytes
			       : NAN;
	char full[32];

	text_style(out, terminal, STYLE_BOLD);
	text_wrapf(out, terminal, 0, 2, "%s on %s", run->experiment, run->drive_spec);
	text_style(out, terminal, STYLE_PLAIN);
	text_wrapf(out, terminal, 0, 2, "%s%s%s%s%s%s%s",
		   run->drive_model[0] ? run->drive_model : run->drive_kind,
		   run->drive_serial[0] ? ", serial " : "", run->drive_serial,
		   run->drive_firmware[0] ? ", firmware " : "", run->drive_firmware, ", ",
		   format_bytes_decimal(capacity, sizeof(capacity), (double)run->capacity_bytes));
	text_wrapf(out, terminal, 0, 2, "run %s, started %s, %s%s%s", run->id, run->started,
		   run_status_names[run->status], run->message[0] ? ": " : "", run->message);
	text_wrapf(out, terminal, 0, 2, "profile %s version %u (%s), seed %llu", run->profile_name,
		   run->profile_version, run->profile_hash, (unsigned long long)run->seed);
	text_wrapf(out, terminal, 0, 2,
		   "took %s of the drive's time, %s of ours; wrote %s (%s x its capacity)",
		   seconds(drive_s, sizeof(drive_s), run->drive_s),
		   seconds(wall_s, sizeof(wall_s), run->wall_s),
		   format_bytes_decimal(written, sizeof(written), (double)run->written_bytes),
		   text_number(full, sizeof(full), share, 2));
	print_state(out, terminal, b);
}

/* A value in its unit: bytes as GB, else with the decimals given, or three digits where they are -1. */
static char *value_text(char *buf, size_t size, double value, const char *unit, int decimals)
{
	if (isnan(value))
		snprintf(buf, size, "no value");
	else if (strcmp(unit, "bytes") == 0)
		format_bytes_decimal(buf, size, value);
	else if (decimals < 0)
		text_number(buf, size, value, 3);
	else
		text_decimals(buf, size, value, decimals);
	return buf;
}

/*
 * Two digits of the interval, but no more than five of the largest number: what lies below is rounding of
 * the machine, not of the measurement.
 */
static int interval_decimals(const struct verdict *v)
{
	double largest = fmax(fabs(v->value), fmax(fabs(v->low), fabs(v->high)));
	int decimals, most;

	if (!isfinite(v->high - v->low) || v->high <= v->low)
		return -1;
	if (largest < 1e-6)
		return 0;
	decimals = 1 - (int)floor(log10(v->high - v->low));
	most = 4 - (int)floor(log10(largest));
	if (decimals > most)
		decimals = most;
	return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

char *verdict_value(char *buf, size_t size, const struct verdict *v, double value)
{
	return value_text(buf, size, value, v->unit, interval_decimals(v));
}

/* "-0.8 % (95 % interval -1.1 to -0.5 between runs, n = 15), measured" */
static void describe(const struct verdict *v, char *text, size_t size)
{
	static const char *const kinds[] = { "", " within this run", " between runs" };
	char value[48], low[48], high[48], interval[160] = "", status[32];
	const char *unit = v->unit;

	if (v->word[0])
		snprintf(value, sizeof(value), "%s", v->word);
	else
		verdict_value(value, sizeof(value), v, v->value);
	if (isnan(v->value) || strcmp(unit, "bytes") == 0)
		unit = "";
	if (!isnan(v->low) && !isnan(v->high))
		snprintf(interval, sizeof(interval), "95 %% interval %s to %s%s, ",
			 verdict_value(low, sizeof(low), v, v->low),
			 verdict_value(high, sizeof(high), v, v->high), kinds[v->interval]);
	snprintf(status, sizeof(status), "%s", verdict_status_names[v->status]);
	for (char *c = status; *c; c++)
		if (*c == '_')
			*c = ' ';
	snprintf(text, size, "%s = %s%s%s (%sn = %llu), %s", v->name, value,
		 unit[0] ? NO_BREAK : "", unit, interval, (unsigned long long)v->n, status);
}

static void print_verdicts(FILE *out, const struct terminal *terminal,
			   const struct verdicts *verdicts)
{
	if (verdicts->n)
		text_heading(out, terminal, "Verdicts");
	for (size_t i = 0; i < verdicts->n; i++) {
		const struct verdict *v = &verdicts->items[i];
		bool sure = v->status == STATUS_MEASURED;
		char text[512];

		text_style(out, terminal, sure ? STYLE_GOOD : STYLE_DOUBT);
		fputs(sure ? "• " : "◦ ", out);
		text_style(out, terminal, STYLE_PLAIN);
		text_wrap(out, terminal, 2, 2, v->text[0] ? v->text : v->name);
		describe(v, text, sizeof(text));
		text_style(out, terminal, STYLE_DIM);
		fputs("    ", out);
		text_wrap(out, terminal, 4, 4, text);
		text_style(out, terminal, STYLE_PLAIN);
	}
}

/* Experiments with tables of their own; the others have one line for each kind of phase. */
static const struct {
	const char *experiment;
	int (*print)(const struct terminal_view *view, struct err *err);
} tables[] = {
	{ "fill", terminal_fill },
	{ "quick", terminal_quick },
	{ "saturate", terminal_saturate },
};

static int print_results(const struct terminal_view *view, struct err *err)
{
	int r = -ENOENT;

	if (view->groups->n == 0) {
		fputs("\nNo phase was finished.\n", view->out);
		return 0;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(view->record->run.experiment, tables[i].experiment))
			r = tables[i].print(view, err);
	return r == -ENOENT ? terminal_phases(view, err) : r;
}

int report_terminal(FILE *out, struct store *store, const char *run_id,
		    const struct terminal *terminal, struct err *err)
{
	struct run_record *record = NULL;
	struct group_list groups = { 0 };
	struct beginning beginning = { 0 };
	int r = store_run_head(store, run_id, &record, err);

	if (r == 0)
		r = store_phases(store, record->run.id, look_at, &beginning, err);
	if (r == 0)
		r = groups_collect(store, record->run.id, &groups, err);
	if (r == 0) {
		const struct terminal_view view = { out, terminal, store, record, &groups };

		print_head(out, terminal, &record->run, &beginning);
		r = print_results(&view, err);
	}
	if (r == 0)
		print_verdicts(out, terminal, &record->verdicts);
	groups_free(&groups);
	run_record_free(record);
	if (r == 0 && (fflush(out) != 0 || ferror(out)))
		r = err_set(err, -EIO, "cannot write the report");
	return r;
}
