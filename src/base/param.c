/* SPDX-License-Identifier: MIT */
#include "base/param.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

const struct param *param_find(const struct param *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

void param_defaults(const struct param *table, void *base)
{
	for (; table->name; table++)
		if (table->def)
			param_parse(table, base, table->def, NULL);
}

static int word_index(const struct param *row, const char *value)
{
	for (int i = 0; row->words[i]; i++)
		if (!strcmp(row->words[i], value))
			return i;
	return -EINVAL;
}

/* A number in the row's own unit as shown to people. */
static void format_number(const struct param *row, double value, char *buf, size_t size)
{
	if (row->type == PARAM_BYTES && value < 0x1p63)
		format_bytes(buf, size, (uint64_t)value);
	else if (row->type == PARAM_NS && value < 0x1p63)
		format_time(buf, size, (uint64_t)value);
	else
		snprintf(buf, size, "%.12g", value);
}

char *param_range(const struct param *row, char *buf, size_t size)
{
	char low[64], high[64];
	size_t used = 0;

	buf[0] = '\0';
	switch (row->type) {
	case PARAM_BOOL:
		snprintf(buf, size, "true or false");
		break;
	case PARAM_ENUM:
		for (int i = 0; row->words[i] && used < size; i++)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
						 row->words[i]);
		break;
	case PARAM_TEXT:
		break;
	default:
		format_number(row, row->min, low, sizeof(low));
		format_number(row, row->max, high, sizeof(high));
		snprintf(buf, size, "%s to %s", low, high);
	}
	return buf;
}

static int out_of_range(const struct param *row, const char *value, struct err *err)
{
	char range[200];

	return err_set(err, -ERANGE, "%s = '%s' is out of range (allowed: %s)", row->name, value,
		       param_range(row, range, sizeof(range)));
}

static int parse_integer(const struct param *row, const char *value, uint64_t *ret, struct err *err)
{
	int r;

	if (row->type == PARAM_BYTES)
		r = parse_bytes(value, ret, err);
	else if (row->type == PARAM_NS)
		r = parse_time(value, ret, err);
	else
		r = parse_u64(value, ret, err);
	if (r < 0) {
		err_prefix(err, "%s", row->name);
		return r;
	}
	/* Compared as integers: above 2^53 a double no longer tells neighbours apart. */
	if ((row->min > 0 && *ret < (uint64_t)ceil(row->min)) ||
	    (row->max < 0x1p64 && *ret > (uint64_t)row->max))
		return out_of_range(row, value, err);
	return 0;
}

static int parse_word(const struct param *row, void *field, const char *value, struct err *err)
{
	char range[200];
	int i = word_index(row, value);

	if (i < 0)
		return err_set(err, -EINVAL, "%s = '%s' is not one of: %s", row->name, value,
			       param_range(row, range, sizeof(range)));
	*(int *)field = i;
	return 0;
}

static int parse_real(const struct param *row, void *field, const char *value, struct err *err)
{
	double real;
	int r = parse_double(value, &real, err);

	if (r < 0) {
		err_prefix(err, "%s", row->name);
		return r;
	}
	if (real < row->min || real > row->max)
		return out_of_range(row, value, err);
	*(double *)field = real;
	return 0;
}

int param_parse(const struct param *row, void *base, const char *value, struct err *err)
{
	void *field = (char *)base + row->offset;
	uint64_t integer;
	int r;

	switch (row->type) {
	case PARAM_U32:
	case PARAM_U64:
	case PARAM_BYTES:
	case PARAM_NS:
		r = parse_integer(row, value, &integer, err);
		if (r < 0)
			return r;
		if (row->type == PARAM_U32)
			*(uint32_t *)field = (uint32_t)integer;
		else
			*(uint64_t *)field = integer;
		return 0;
	case PARAM_F64:
		return parse_real(row, field, value, err);
	case PARAM_BOOL:
		r = parse_bool(value, field, err);
		if (r < 0)
			err_prefix(err, "%s", row->name);
		return r;
	case PARAM_ENUM:
		return parse_word(row, field, value, err);
	case PARAM_TEXT:
		if (strlen(value) >= PARAM_TEXT_SIZE)
			return err_set(err, -ERANGE, "%s is longer than %d bytes", row->name,
				       PARAM_TEXT_SIZE - 1);
		strcpy(field, value);
		return 0;
	}
	return -EINVAL;
}

unsigned param_distance(const char *a, const char *b)
{
	unsigned row[128];
	size_t n = strlen(b);

	if (n >= 127)
		return 127;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

const char *param_nearest(const struct param *table, const char *name, unsigned *best)
{
	const char *nearest = NULL;

	for (; table->name; table++) {
		unsigned d = param_distance(name, table->name);

		if (d < *best) {
			*best = d;
			nearest = table->name;
		}
	}
	return nearest;
}

int param_set(const struct param *table, void *base, const char *name, const char *value,
	      struct err *err)
{
	const struct param *row = param_find(table, name);
	const char *nearest;
	unsigned best = 5;

	if (row)
		return param_parse(row, base, value, err);
	nearest = param_nearest(table, name, &best);
	if (nearest)
		return err_set(err, -ENOENT, "there is no parameter '%s'; did you mean '%s'?", name,
			       nearest);
	return err_set(err, -ENOENT, "there is no parameter '%s'", name);
}

char *param_format(const struct param *row, const void *base, char *buf, size_t size)
{
	const void *field = (const char *)base + row->offset;

	switch (row->type) {
	case PARAM_U32:
		snprintf(buf, size, "%u", *(const uint32_t *)field);
		break;
	case PARAM_U64:
		snprintf(buf, size, "%llu", (unsigned long long)*(const uint64_t *)field);
		break;
	case PARAM_BYTES:
		snprintf(buf, size, "%lluB", (unsigned long long)*(const uint64_t *)field);
		break;
	case PARAM_NS:
		snprintf(buf, size, "%lluns", (unsigned long long)*(const uint64_t *)field);
		break;
	case PARAM_F64:
		snprintf(buf, size, "%.17g", *(const double *)field);
		break;
	case PARAM_BOOL:
		snprintf(buf, size, "%s", *(const bool *)field ? "true" : "false");
		break;
	case PARAM_ENUM:
		snprintf(buf, size, "%s", row->words[*(const int *)field]);
		break;
	case PARAM_TEXT:
		snprintf(buf, size, "%s", (const char *)field);
		break;
	}
	return buf;
}
