/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - a stored run as one JSON object, "assay.run/1" (docs/json.md), or in the shape of fio's JSON.
 *
 * The same data give the same bytes: keys in the order of docs/json.md, a phase a line, and every number
 * with as few digits as read back to the same double.
 */
#ifndef ASSAY_REPORT_JSON_H
#define ASSAY_REPORT_JSON_H

#include <stdio.h>

#include "base/err.h"
#include "store/store.h"

/* `run_id`: an id, an unambiguous beginning of one, or "last". */
int report_json(FILE *out, struct store *store, const char *run_id, struct err *err);

/*
 * What scripts that read `fio --output-format=json` (fio 3) look for: one job a phase, with io_bytes, bw
 * (KiB/s), iops, lat_ns and clat_ns with percentiles. What Assay does not count (context switches, slat) is
 * left out rather than zero.
 */
int report_fio_json(FILE *out, struct store *store, const char *run_id, struct err *err);

#endif
