/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h - stored runs as one self-contained page with interactive charts.
 *
 * The page holds its data (JSON, as columns), its script and its style, asks for no other file and works
 * from a file: URL without a network. Everything comes from the store. Series with more points than fit
 * are put together in groups of which mean, least and greatest value are kept; docs/report.md says how.
 */
#ifndef ASSAY_REPORT_HTML_H
#define ASSAY_REPORT_HTML_H

#include <stdio.h>

#include "base/err.h"

struct store;

/*
 * Write the page for `n` runs (ids, or what store_run_load() takes for one) to `out`. Returns 0; -ENOENT
 * where there is no such run; -EIO where `out` cannot be written; or what the store returned.
 */
int report_html(FILE *out, struct store *store, const char *const *run_ids, unsigned n,
		struct err *err);

#endif
