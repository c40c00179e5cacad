/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h - a stored run as tables for spreadsheets and statistics programs.
 *
 * RFC 4180 with "\n" line ends: a header line, a comma between fields, quotes where a field needs them.
 * Names end in their unit. A field that does not apply is empty. Numbers read back to the same double.
 */
#ifndef ASSAY_REPORT_CSV_H
#define ASSAY_REPORT_CSV_H

#include <stdio.h>

#include "base/err.h"
#include "store/store.h"

/* One line a phase. `run_id` as for store_run_load(). */
int report_csv_phases(FILE *out, struct store *store, const char *run_id, struct err *err);
/* One line a window, of all phases in their order. */
int report_csv_windows(FILE *out, struct store *store, const char *run_id, struct err *err);

#endif
