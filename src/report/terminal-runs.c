/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "base/units.h"
#include "report/terminal-part.h"

static const struct table_column columns[] = {
	{ NULL, "run", 0, 0, true, false, false },
	{ NULL, "started (UTC)", 2, 2, true, false, false },
	{ NULL, "experiment", 2, 0, true, false, false },
	{ NULL, "drive", 2, 0, true, true, false },
	{ NULL, "capacity", 2, 3, false, false, false },
	{ NULL, "written", 2, 1, false, false, false },
	{ NULL, "took", 2, 1, false, false, false },
	{ NULL, "status", 2, 0, true, false, false },
};

static int row(void *user, const struct run *run)
{
	struct table *table = user;
	char text[64];

	table_cell(table, "%s", run->id);
	table_cell(table, "%s", run->started);
	table_cell(table, "%s", run->experiment);
	table_cell(table, "%s", run->drive_spec);
	table_cell(table, "%s",
		   format_bytes_decimal(text, sizeof(text), (double)run->capacity_bytes));
	table_cell(table, "%s",
		   format_bytes_decimal(text, sizeof(text), (double)run->written_bytes));
	if (run->drive_s >= 0 && run->drive_s < 1e9)
		format_time(text, sizeof(text), (uint64_t)(run->drive_s * 1e9));
	else
		snprintf(text, sizeof(text), "-");
	table_cell(table, "%s", text);
	table_cell(table, "%s", run_status_names[run->status]);
	return 0;
}

int report_runs(FILE *out, struct store *store, const struct terminal *terminal, struct err *err)
{
	struct table table = { .columns = columns, .n = sizeof(columns) / sizeof(columns[0]) };
	int r = store_runs(store, row, &table, err);

	if (r == 0 && table.cells.n == 0)
		fputs("No run is stored yet: 'assay run quick' makes one.\n", out);
	if (r == 0)
		r = table_print(out, terminal, &table, err);
	table_release(&table);
	if (r == 0 && (fflush(out) != 0 || ferror(out)))
		r = err_set(err, -EIO, "cannot write the list of runs");
	return r;
}
