/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - where results go: the store's path, files that are written whole or not at all, the terminal.
 */
#ifndef ASSAY_CLI_OUTPUT_H
#define ASSAY_CLI_OUTPUT_H

#include <stdio.h>

#include "cli/job.h"
#include "store/store.h"

/*
 * The store's path for --db: as given, or in the XDG data folder, which is made where `make` is set.
 * Empty: "none" was given, nothing is kept.
 */
int store_path(const char *db, char *buf, size_t size, bool make, struct err *err);
/* The store that --db names, for reading. -ENOENT with a sentence where there is none yet. */
int store_open_read(const char *db, struct store **ret, struct err *err);

/* 0 where the file could be written; leaves nothing behind. */
int output_probe(const char *path, struct err *err);
/* Open for writing ("" or "-": stdout); output_close() reports what could not be written. */
int output_open(const char *path, FILE **ret, struct err *err);
int output_close(const char *path, FILE *f, struct err *err);

/* Print a run as its settings say: table or JSON, and the report. */
int output_run(struct store *store, const struct run_settings *s, const char *run_id,
	       struct err *err);
/* Columns of the terminal on stdout, 80 where it is none, and whether it takes colour. */
unsigned output_width(void);
bool output_colour(void);

#endif
