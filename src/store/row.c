/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/row.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/workload.h"

#define BLOCKS_TEXT_SIZE ((size_t)WORKLOAD_BLOCKS_MAX * 24)

int columns_count(const struct column *columns)
{
	int n = 0;

	while (columns[n].name)
		n++;
	return n;
}

static void blocks_format(const struct workload *w, char *text)
{
	size_t used = 0;

	text[0] = '\0';
	assert(w->blocks <= WORKLOAD_BLOCKS_MAX);
	for (unsigned i = 0; i < w->blocks; i++)
		used += (size_t)snprintf(text + used, BLOCKS_TEXT_SIZE - used, "%s%u*%u",
					 i ? " " : "", w->block[i].bytes, w->block[i].weight);
}

static int blocks_parse(struct workload *w, const char *text)
{
	w->blocks = 0;
	memset(w->block, 0, sizeof(w->block));
	while (*text) {
		struct block_size *block = &w->block[w->blocks];
		char *end;

		if (w->blocks == WORKLOAD_BLOCKS_MAX)
			return -EUCLEAN;
		block->bytes = (uint32_t)strtoul(text, &end, 10);
		if (end == text || *end != '*')
			return -EUCLEAN;
		text = end + 1;
		block->weight = (uint32_t)strtoul(text, &end, 10);
		if (end == text || (*end != ' ' && *end != '\0'))
			return -EUCLEAN;
		text = *end ? end + 1 : end;
		w->blocks++;
	}
	return 0;
}

static void bind_one(sqlite3_stmt *stmt, int i, const struct column *c, const char *field)
{
	char blocks[BLOCKS_TEXT_SIZE];
	const char *string;
	int64_t number;

	switch (c->type) {
	case COLUMN_U64:
		memcpy(&number, field, sizeof(number));
		sqlite3_bind_int64(stmt, i, number);
		break;
	case COLUMN_I64:
		memcpy(&number, field, sizeof(number));
		if (number < 0)
			sqlite3_bind_null(stmt, i);
		else
			sqlite3_bind_int64(stmt, i, number);
		break;
	case COLUMN_U32:
		sqlite3_bind_int64(stmt, i, *(const uint32_t *)(const void *)field);
		break;
	case COLUMN_U8:
		sqlite3_bind_int(stmt, i, *(const uint8_t *)field);
		break;
	case COLUMN_BOOL:
		sqlite3_bind_int(stmt, i, *(const bool *)field);
		break;
	case COLUMN_F64:
		sqlite3_bind_double(stmt, i, *(const double *)(const void *)field);
		break;
	case COLUMN_TEXT:
		sqlite3_bind_text(stmt, i, field, (int)strnlen(field, c->size), SQLITE_TRANSIENT);
		break;
	case COLUMN_STRING:
		memcpy(&string, field, sizeof(string));
		sqlite3_bind_text(stmt, i, string, -1, SQLITE_TRANSIENT);
		break;
	case COLUMN_WORD:
		sqlite3_bind_text(stmt, i, c->words[*(const int *)(const void *)field], -1,
				  SQLITE_STATIC);
		break;
	case COLUMN_BLOCKS:
		blocks_format((const struct workload *)(const void *)field, blocks);
		sqlite3_bind_text(stmt, i, blocks, -1, SQLITE_TRANSIENT);
		break;
	}
}

int row_bind(sqlite3_stmt *stmt, int first, const struct column *columns, const void *base)
{
	for (; columns->name; columns++)
		bind_one(stmt, first++, columns, (const char *)base + columns->offset);
	return first;
}

static int read_word(const char *text, const struct column *c)
{
	for (int i = 0; c->words[i]; i++)
		if (strcmp(c->words[i], text) == 0)
			return i;
	return -EUCLEAN;
}

static int read_text(sqlite3_stmt *stmt, int i, const struct column *c, char *field)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	char *copy;

	if (c->type == COLUMN_STRING) {
		copy = text ? strdup(text) : NULL;
		if (text && !copy)
			return -ENOMEM;
		memcpy(field, &copy, sizeof(copy));
		return 0;
	}
	if (!text)
		return -EUCLEAN;
	if (c->type == COLUMN_BLOCKS)
		return blocks_parse((struct workload *)(void *)field, text);
	if (c->type == COLUMN_WORD) {
		int word = read_word(text, c);

		if (word >= 0)
			*(int *)(void *)field = word;
		return word < 0 ? word : 0;
	}
	if (strlen(text) >= c->size)
		return -EUCLEAN;
	memset(field, 0, c->size);
	memcpy(field, text, strlen(text));
	return 0;
}

static int read_one(sqlite3_stmt *stmt, int i, const struct column *c, char *field)
{
	bool null = sqlite3_column_type(stmt, i) == SQLITE_NULL;
	int64_t number;

	switch (c->type) {
	case COLUMN_U64:
	case COLUMN_I64:
		number = null ? -1 : sqlite3_column_int64(stmt, i);
		if (null && c->type == COLUMN_U64)
			return -EUCLEAN;
		memcpy(field, &number, sizeof(number));
		return 0;
	case COLUMN_U32:
		*(uint32_t *)(void *)field = (uint32_t)sqlite3_column_int64(stmt, i);
		return 0;
	case COLUMN_U8:
		*(uint8_t *)field = (uint8_t)sqlite3_column_int(stmt, i);
		return 0;
	case COLUMN_BOOL:
		*(bool *)field = sqlite3_column_int(stmt, i) != 0;
		return 0;
	case COLUMN_F64:
		*(double *)(void *)field = null ? NAN : sqlite3_column_double(stmt, i);
		return 0;
	case COLUMN_TEXT:
	case COLUMN_STRING:
	case COLUMN_WORD:
	case COLUMN_BLOCKS:
		break;
	}
	return read_text(stmt, i, c, field);
}

int row_read(sqlite3_stmt *stmt, int first, const struct column *columns, void *base,
	     struct err *err)
{
	for (; columns->name; columns++, first++) {
		int r = read_one(stmt, first, columns, (char *)base + columns->offset);

		if (r == -ENOMEM)
			return err_sys(err, r, "cannot read column '%s'", columns->name);
		if (r < 0)
			return err_set(err, r, "column '%s' holds what Assay never writes",
				       columns->name);
	}
	return 0;
}

/* -0.0 is stored as 0, and every NAN as NULL: equal is what would read back the same. */
static bool same_f64(sqlite3_stmt *stmt, int i, double value)
{
	if (isnan(value))
		return sqlite3_column_type(stmt, i) == SQLITE_NULL;
	return sqlite3_column_type(stmt, i) != SQLITE_NULL &&
	       sqlite3_column_double(stmt, i) == value;
}

static bool same_text(sqlite3_stmt *stmt, int i, const char *text, size_t n)
{
	const unsigned char *stored = sqlite3_column_text(stmt, i);

	return stored && (size_t)sqlite3_column_bytes(stmt, i) == n && memcmp(stored, text, n) == 0;
}

static bool same_one(sqlite3_stmt *stmt, int i, const struct column *c, const char *field)
{
	char blocks[BLOCKS_TEXT_SIZE];
	const char *string;
	int64_t number;

	switch (c->type) {
	case COLUMN_U64:
		memcpy(&number, field, sizeof(number));
		return sqlite3_column_int64(stmt, i) == number;
	case COLUMN_I64:
		memcpy(&number, field, sizeof(number));
		if (number < 0 || sqlite3_column_type(stmt, i) == SQLITE_NULL)
			return number < 0 && sqlite3_column_type(stmt, i) == SQLITE_NULL;
		return sqlite3_column_int64(stmt, i) == number;
	case COLUMN_U32:
		return sqlite3_column_int64(stmt, i) == *(const uint32_t *)(const void *)field;
	case COLUMN_U8:
		return sqlite3_column_int64(stmt, i) == *(const uint8_t *)field;
	case COLUMN_BOOL:
		return sqlite3_column_int64(stmt, i) == *(const bool *)field;
	case COLUMN_F64:
		return same_f64(stmt, i, *(const double *)(const void *)field);
	case COLUMN_TEXT:
		return same_text(stmt, i, field, strnlen(field, c->size));
	case COLUMN_STRING:
		memcpy(&string, field, sizeof(string));
		if (!string)
			return sqlite3_column_type(stmt, i) == SQLITE_NULL;
		return same_text(stmt, i, string, strlen(string));
	case COLUMN_WORD:
		string = c->words[*(const int *)(const void *)field];
		return same_text(stmt, i, string, strlen(string));
	case COLUMN_BLOCKS:
		blocks_format((const struct workload *)(const void *)field, blocks);
		return same_text(stmt, i, blocks, strlen(blocks));
	}
	return false;
}

const struct column *row_differs(sqlite3_stmt *stmt, int first, const struct column *columns,
				 const void *base)
{
	for (; columns->name; columns++, first++)
		if (!same_one(stmt, first, columns, (const char *)base + columns->offset))
			return columns;
	return NULL;
}

void sql_add(struct sql *sql, const char *format, ...)
{
	size_t room = sizeof(sql->text) - sql->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(sql->text + sql->used, room, format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < room);
	sql->used += (size_t)n;
}

void sql_names(struct sql *sql, const struct column *columns)
{
	for (int i = 0; columns[i].name; i++)
		sql_add(sql, "%s%s", i ? ", " : "", columns[i].name);
}

void sql_assignments(struct sql *sql, const struct column *columns)
{
	for (int i = 0; columns[i].name; i++)
		sql_add(sql, "%s%s = ?", i ? ", " : "", columns[i].name);
}
