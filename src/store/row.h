/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row.h - one table that says which field of a struct lives in which column.
 *
 * Inserting, reading back and comparing on resume all walk the same table, so that a field cannot be stored
 * and then forgotten on the way out. What "does not apply" or "is not known" is NULL in SQL: NAN for a
 * double, a negative number for COLUMN_I64. A uint64_t above 2^63 is stored as the signed number with the
 * same bits (only seeds are that large).
 */
#ifndef ASSAY_STORE_ROW_H
#define ASSAY_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum column_type {
	COLUMN_U64,
	COLUMN_I64, /* negative: NULL */
	COLUMN_U32,
	COLUMN_U8,
	COLUMN_BOOL,
	COLUMN_F64,    /* NAN: NULL */
	COLUMN_TEXT,   /* char[size] */
	COLUMN_STRING, /* char *, allocated on reading; NULL: NULL */
	COLUMN_WORD,   /* an enum, stored as its word */
	COLUMN_BLOCKS, /* block sizes of the struct workload at `offset`: "4096*1 65536*3" */
};

struct column {
	const char *name; /* NULL ends a table */
	enum column_type type;
	size_t offset;		  /* of the field in the caller's struct */
	size_t size;		  /* TEXT: of the array */
	const char *const *words; /* WORD: NULL-terminated */
};

#define COLUMN_END                                                                                 \
	{                                                                                          \
		NULL, COLUMN_U64, 0, 0, NULL                                                       \
	}

extern const struct column columns_run[], columns_phase_asked[], columns_phase_result[],
	columns_window[], columns_telemetry[], columns_truth[], columns_verdict[];

int columns_count(const struct column *columns);

/* Bind the fields of `base` to parameters from `first` on (1 is the first). Returns the next free one. */
int row_bind(sqlite3_stmt *stmt, int first, const struct column *columns, const void *base);

/* Read result columns from `first` on (0 is the first) into `base`. -EUCLEAN where a value cannot be. */
int row_read(sqlite3_stmt *stmt, int first, const struct column *columns, void *base,
	     struct err *err);

/* The first column in which the result row differs from `base`, or NULL. */
const struct column *row_differs(sqlite3_stmt *stmt, int first, const struct column *columns,
				 const void *base);

/* A statement being put together. */
struct sql {
	char text[4096];
	size_t used;
};

void sql_add(struct sql *sql, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append the columns as "a, b, c" or "a = ?, b = ?". */
void sql_names(struct sql *sql, const struct column *columns);
void sql_assignments(struct sql *sql, const struct column *columns);

#endif
