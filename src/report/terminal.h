/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal.h - stored runs as text for people. Nothing is wider than `width` columns (at least 72).
 *
 * Every number has its unit and either a spread with the number of runs behind it or an interval. Means come
 * first; the best run stands beside them only, and says so.
 */
#ifndef ASSAY_REPORT_TERMINAL_H
#define ASSAY_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "store/store.h"

struct terminal {
	unsigned width; /* columns; 0: 80 */
	bool colour;	/* may use ANSI sequences */
};

/* One run: head, results, notes, verdicts. `run_id` as for store_run_load(). */
int report_terminal(FILE *out, struct store *store, const char *run_id,
		    const struct terminal *terminal, struct err *err);

/* A line a run, the newest last. Says so where there is none. */
int report_runs(FILE *out, struct store *store, const struct terminal *terminal, struct err *err);

struct compare_runs {
	const char *const *ids;
	unsigned n;
	bool anyway;
};

/*
 * Runs beside each other: value, difference to the first, and whether the 95 % intervals overlap.
 * -ERR_USAGE with a sentence where they were made by different experiments or profiles (name, version,
 * hash) or began in different states; `anyway` compares them all the same, and says so.
 */
int report_compare(FILE *out, struct store *store, const struct compare_runs *runs,
		   const struct terminal *terminal, struct err *err);

#endif
