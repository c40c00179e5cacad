/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/json-text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_add(json_t **object, const char *key, json_t *value)
{
	if (*object && value && json_object_set_new(*object, key, value) == 0)
		return;
	if (!*object)
		json_decref(value);
	json_decref(*object);
	*object = NULL;
}

void json_add_u64(json_t **object, const char *key, uint64_t value)
{
	if (value <= INT64_MAX)
		json_add(object, key, json_integer((json_int_t)value));
	else
		json_add_f64(object, key, (double)value);
}

void json_add_f64(json_t **object, const char *key, double value)
{
	json_add(object, key, isfinite(value) ? json_real(value) : json_null());
}

/* jansson takes only UTF-8; drives have been seen to say anything of themselves. */
static json_t *string_of(const char *text)
{
	json_t *string = json_string(text);
	char *copy;

	if (string)
		return string;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	string = json_string(copy);
	free(copy);
	return string;
}

void json_add_text(json_t **object, const char *key, const char *text)
{
	json_add(object, key, text && text[0] ? string_of(text) : json_null());
}

static void print_real(FILE *out, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
	if (!strpbrk(text, ".e"))
		fputs(".0", out);
}

static void print_text(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void print_object(FILE *out, const json_t *object)
{
	const char *separator = "";
	const char *key;
	json_t *value;

	putc('{', out);
	/* jansson's walk is not const, though it changes nothing. */
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		fputs(separator, out);
		print_text(out, key);
		fputs(": ", out);
		json_print(out, value);
		separator = ", ";
	}
	putc('}', out);
}

static void print_array(FILE *out, const json_t *array)
{
	putc('[', out);
	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs(i ? ", " : "", out);
		json_print(out, json_array_get(array, i));
	}
	putc(']', out);
}

void json_print(FILE *out, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		print_object(out, value);
		break;
	case JSON_ARRAY:
		print_array(out, value);
		break;
	case JSON_STRING:
		print_text(out, json_string_value(value));
		break;
	case JSON_INTEGER:
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		print_real(out, json_real_value(value));
		break;
	case JSON_TRUE:
		fputs("true", out);
		break;
	case JSON_FALSE:
		fputs("false", out);
		break;
	case JSON_NULL:
		fputs("null", out);
		break;
	}
}
