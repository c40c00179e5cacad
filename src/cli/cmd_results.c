/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs, show, compare, report and export: what is stored, in every shape it can leave. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/json.h"
#include "report/terminal.h"

struct result_settings {
	char db[PARAM_TEXT_SIZE], output[PARAM_TEXT_SIZE];
	bool json, csv, windows_csv, fio_json, anyway;
};

#define AT(field) offsetof(struct result_settings, field)
#define ROW_DB                                                                                     \
	{                                                                                          \
		"db", "", PARAM_TEXT, AT(db), 0, 0, "", NULL,                                      \
			"file with the results (default in the XDG data folder)", ""               \
	}
#define ROW_OUTPUT(def)                                                                            \
	{                                                                                          \
		"output", "", PARAM_TEXT, AT(output), 0, 0, def, NULL,                             \
			"file to write (-o FILE); -: stdout", ""                                   \
	}

static const struct param runs_table[] = { ROW_DB, PARAM_END };

static const struct param show_table[] = { ROW_DB,
					   { "json", "", PARAM_BOOL, AT(json), 0, 0, "false", NULL,
					     "as one JSON object", "" },
					   PARAM_END };

static const struct param compare_table[] = {
	ROW_DB,
	{ "anyway", "", PARAM_BOOL, AT(anyway), 0, 0, "false", NULL,
	  "compare runs of unlike profiles or states all the same, and say so", "" },
	PARAM_END
};

static const struct param report_table[] = { ROW_DB, ROW_OUTPUT("report.html"), PARAM_END };

static const struct param export_table[] = {
	ROW_DB,
	ROW_OUTPUT("-"),
	{ "json", "", PARAM_BOOL, AT(json), 0, 0, "false", NULL,
	  "one JSON object, as 'assay run --json' prints it (the default)", "" },
	{ "csv", "", PARAM_BOOL, AT(csv), 0, 0, "false", NULL,
	  "one line a phase, units in the head", "" },
	{ "windows-csv", "", PARAM_BOOL, AT(windows_csv), 0, 0, "false", NULL, "one line a window",
	  "" },
	{ "fio-json", "", PARAM_BOOL, AT(fio_json), 0, 0, "false", NULL,
	  "in the shape of fio's JSON, for scripts that read that", "" },
	PARAM_END
};

static struct terminal terminal(void)
{
	return (struct terminal){ output_width(), output_colour() };
}

/* What was asked for, and the store that it is about. */
struct request {
	struct result_settings settings;
	struct options options;
	struct store *store;
};

/* Read the options, open the store. 1: help was printed. */
static int begin(const struct command *command, int argc, char **argv, struct request *ret,
		 struct err *err)
{
	int r;

	memset(ret, 0, sizeof(*ret));
	r = options_read(command, argc, argv, &ret->settings, &ret->options, err);
	return r ? r : store_open_read(ret->settings.db, &ret->store, err);
}

static int finish(struct store *store, int r, struct err *err)
{
	store_close(store);
	return r < 0 ? r : output_close("", stdout, err);
}

static int cmd_runs(int argc, char **argv, struct err *err)
{
	struct request q;
	struct terminal t = terminal();
	int r = begin(&command_runs, argc, argv, &q, err);

	if (r != 0)
		return r < 0 ? r : 0;
	return finish(q.store, report_runs(stdout, q.store, &t, err), err);
}

static int cmd_show(int argc, char **argv, struct err *err)
{
	struct request q;
	struct terminal t = terminal();
	int r = begin(&command_show, argc, argv, &q, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (q.settings.json)
		r = report_json(stdout, q.store, q.options.positional[0], err);
	else
		r = report_terminal(stdout, q.store, q.options.positional[0], &t, err);
	return finish(q.store, r, err);
}

static int cmd_compare(int argc, char **argv, struct err *err)
{
	struct request q;
	struct terminal t = terminal();
	struct compare_runs runs;
	int r = begin(&command_compare, argc, argv, &q, err);

	if (r != 0)
		return r < 0 ? r : 0;
	runs = (struct compare_runs){ q.options.positional, q.options.positional_n,
				      q.settings.anyway };
	r = report_compare(stdout, q.store, &runs, &t, err);
	return finish(q.store, r, err);
}

static int cmd_report(int argc, char **argv, struct err *err)
{
	struct request q;
	FILE *f;
	int closed, r = begin(&command_report, argc, argv, &q, err);

	if (r != 0)
		return r < 0 ? r : 0;
	r = output_open(q.settings.output, &f, err);
	if (r == 0) {
		r = report_html(f, q.store, q.options.positional, q.options.positional_n, err);
		closed = output_close(q.settings.output, f, r < 0 ? NULL : err);
		r = r < 0 ? r : closed;
	}
	store_close(q.store);
	return r;
}

static int cmd_export(int argc, char **argv, struct err *err)
{
	struct request q;
	FILE *f;
	const char *run;
	int closed, r = begin(&command_export, argc, argv, &q, err);

	if (r != 0)
		return r < 0 ? r : 0;
	run = q.options.positional[0];
	if (q.settings.json + q.settings.csv + q.settings.windows_csv + q.settings.fio_json > 1)
		r = err_set(err, -ERR_USAGE,
			    "one form at a time: --json, --csv, --windows-csv or --fio-json");
	if (r == 0)
		r = output_open(q.settings.output, &f, err);
	if (r == 0) {
		if (q.settings.csv)
			r = report_csv_phases(f, q.store, run, err);
		else if (q.settings.windows_csv)
			r = report_csv_windows(f, q.store, run, err);
		else if (q.settings.fio_json)
			r = report_fio_json(f, q.store, run, err);
		else
			r = report_json(f, q.store, run, err);
		closed = output_close(q.settings.output, f, r < 0 ? NULL : err);
		r = r < 0 ? r : closed;
	}
	store_close(q.store);
	return r;
}

const struct command command_runs = {
	.name = "runs",
	.arguments = "",
	.summary = "list the stored runs",
	.options = runs_table,
	.run = cmd_runs,
};

const struct command command_show = {
	.name = "show",
	.arguments = "RUN",
	.summary = "print a stored run: tables and verdicts, or JSON",
	.details = "RUN is a run's id, an unambiguous beginning of one, or 'last'.",
	.options = show_table,
	.positional_min = 1,
	.positional_max = 1,
	.run = cmd_show,
};

const struct command command_compare = {
	.name = "compare",
	.arguments = "RUN RUN...",
	.summary = "set runs beside each other: value, difference, do the intervals overlap?",
	.options = compare_table,
	.positional_min = 2,
	.positional_max = OPTIONS_MAX,
	.run = cmd_compare,
};

const struct command command_report = {
	.name = "report",
	.arguments = "RUN...",
	.summary = "write one self-contained HTML file with interactive charts",
	.options = report_table,
	.positional_min = 1,
	.positional_max = OPTIONS_MAX,
	.run = cmd_report,
};

const struct command command_export = {
	.name = "export",
	.arguments = "RUN",
	.summary = "write a run as JSON, CSV or in the shape of fio's JSON",
	.options = export_table,
	.positional_min = 1,
	.positional_max = 1,
	.run = cmd_export,
};
