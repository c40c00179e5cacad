/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-writer.h - a run that is written to a store, the same at every call, and checked against what can be
 * read back, wherever it was broken off.
 */
#ifndef ASSAY_TESTS_STORE_WRITER_H
#define ASSAY_TESTS_STORE_WRITER_H

#include <stdint.h>

#include "store/store.h"

#define WRITER_PHASES 10
#define WRITER_WINDOWS 600 /* of a phase */

/*
 * Write all phases, windows, truth and a verdict. `handed`, where not NULL, counts the windows that the
 * store has taken. Returns 0 or what the store returned first.
 */
int writer_write(struct store *store, volatile uint64_t *handed, struct err *err);

/* Begin the run; end it as done. */
int writer_begin(struct store *store, struct err *err);
int writer_end(struct store *store, struct err *err);

/*
 * Check that the file is sound, that every window in it is what was written, and that they are the first ones
 * without a gap. Returns how many there are. Fails the test otherwise.
 */
uint64_t writer_check(const char *path);

/* All rows as text, to compare files with each other; free() it. */
char *writer_dump(const char *path);

#endif
