/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-data.h - the parts of a page's data: what web/data.js reads again.
 *
 * Tables are written as one array a column; a column whose values are all the same is written as that one
 * value. Times are seconds, latencies microseconds, rates MB/s (10^6 bytes), sizes bytes.
 */
#ifndef ASSAY_REPORT_HTML_DATA_H
#define ASSAY_REPORT_HTML_DATA_H

#include <stddef.h>

#include "base/err.h"
#include "report/html-json.h"
#include "store/store.h"

/* The head of a run and its verdicts: members of the object that is open in `j`. */
void html_data_run(struct html_json *j, const struct run_record *record);

/*
 * "phases": a table of the run's phases, and "cells": phases that were asked for the same thing, apart from
 * repeat and pass, with the percentiles of their merged histograms. -ENOMEM with a sentence.
 */
int html_data_phases(struct html_json *j, const struct run_record *record, struct err *err);

/* "series": the windows of each phase, in at most about `points_max` points altogether. */
int html_data_series(struct html_json *j, struct store *store, const struct run_record *record,
		     size_t points_max, struct err *err);

/* "truth" and "telemetry", each in at most `points_max` points; null where there are none. */
int html_data_truth(struct html_json *j, struct store *store, const char *run_id, size_t points_max,
		    struct err *err);
int html_data_telemetry(struct html_json *j, struct store *store, const char *run_id,
			size_t points_max, struct err *err);

/* Write a column of `n` values that get(user, i) gives. */
void html_data_column(struct html_json *j, const char *name, size_t n,
		      double (*get)(const void *user, size_t i), const void *user, int digits);

#endif
