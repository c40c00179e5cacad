/* SPDX-License-Identifier: MIT */
/*
 * param.h - the parameter table: one row for each fact about a parameter.
 *
 * A row says where a parameter lives in its struct, how it is written, what it may be, what it is when
 * nothing is said, what it means and where the number comes from. Parsing, range checks, overrides on the
 * command line, --help, the manual page, the JSON of a run and every error message come from the row.
 *
 *	static const struct param table[] = {
 *		{ "depth", "", PARAM_U32, offsetof(struct x, depth), 1, 65536, "32", NULL,
 *		  "I/Os in flight per thread", "CrystalDiskMark 8" },
 *		PARAM_END
 *	};
 */
#ifndef ASSAY_BASE_PARAM_H
#define ASSAY_BASE_PARAM_H

#include <stddef.h>

#include "base/err.h"

enum param_type {
	PARAM_U32,   /* uint32_t */
	PARAM_U64,   /* uint64_t */
	PARAM_F64,   /* double */
	PARAM_BOOL,  /* bool */
	PARAM_BYTES, /* uint64_t, written with a size unit */
	PARAM_NS,    /* uint64_t, written with a time unit */
	PARAM_ENUM,  /* int: index into words */
	PARAM_TEXT,  /* char[PARAM_TEXT_SIZE], no further checks */
};

#define PARAM_TEXT_SIZE 256

struct param {
	const char *name; /* as users write it, e.g. "pslc.static"; NULL ends the table */
	const char *unit; /* "ns", "bytes", "%", "" */
	enum param_type type;
	size_t offset; /* of the field in the caller's struct */
	double min,
		max; /* inclusive; for BYTES and NS in bytes and ns; ignored for BOOL, ENUM, TEXT */
	const char *def;	  /* default, as text; NULL: must be given */
	const char *const *words; /* ENUM: the allowed words, NULL-terminated */
	const char *sentence;	  /* what it means, one sentence */
	const char *source;	  /* where the default or the range comes from */
};

#define PARAM_END                                                                                  \
	{                                                                                          \
		NULL, NULL, PARAM_U32, 0, 0, 0, NULL, NULL, NULL, NULL                             \
	}

/* The row called `name`, or NULL. */
const struct param *param_find(const struct param *table, const char *name);

/* Set every parameter that has a default. */
void param_defaults(const struct param *table, void *base);

/*
 * Parse `value` for the row and store it in base. Returns 0, or -EINVAL / -ERANGE with a sentence that
 * names the parameter, the value and what is allowed. Nothing is stored on failure.
 */
int param_parse(const struct param *row, void *base, const char *value, struct err *err);

/* As param_parse() by name; -ENOENT with the nearest known name where there is no such row. */
int param_set(const struct param *table, void *base, const char *name, const char *value,
	      struct err *err);

/* The name in the table that differs from `name` in fewer than *best letters, or NULL; lowers *best. */
const char *param_nearest(const struct param *table, const char *name, unsigned *best);

/* The value in base as text that param_parse() would take again. Returns buf. */
char *param_format(const struct param *row, const void *base, char *buf, size_t size);

/* The allowed range or words as text, e.g. "1 to 65536", "greedy, fifo". Returns buf. */
char *param_range(const struct param *row, char *buf, size_t size);

/* Levenshtein distance of two names (127 where one is that long): only to suggest the name that was meant. */
unsigned param_distance(const char *a, const char *b);

#endif
