/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html-json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == '<' || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else
			putc(*p, out);
	}
	putc('"', out);
}

static void begin(struct html_json *j, const char *key)
{
	if (j->comma)
		putc(',', j->out);
	j->comma = 1;
	if (key) {
		put_string(j->out, key);
		putc(':', j->out);
	}
}

void html_json_open(struct html_json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->out);
	j->comma = 0;
}

void html_json_close(struct html_json *j, char bracket)
{
	putc(bracket, j->out);
	j->comma = 1;
}

void html_json_text(struct html_json *j, const char *key, const char *text)
{
	begin(j, key);
	put_string(j->out, text);
}

void html_json_text_or_null(struct html_json *j, const char *key, const char *text)
{
	if (text && *text) {
		html_json_text(j, key, text);
		return;
	}
	begin(j, key);
	fputs("null", j->out);
}

void html_json_number(struct html_json *j, const char *key, double value, int digits)
{
	begin(j, key);
	if (!isfinite(value))
		fputs("null", j->out);
	else if (value == floor(value) && fabs(value) < 0x1p53)
		fprintf(j->out, "%.0f", value + 0.0);
	else
		fprintf(j->out, "%.*g", digits, value);
}

void html_json_u64(struct html_json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void html_json_raw(struct html_json *j, const char *key, const char *json)
{
	json_t *parsed;

	if (!json || !*json) {
		html_json_text_or_null(j, key, NULL);
		return;
	}
	parsed = json_loads(json, JSON_DECODE_ANY, NULL);
	if (!parsed) {
		html_json_text(j, key, json);
		return;
	}
	json_decref(parsed);
	begin(j, key);
	for (; *json; json++) {
		/* In JSON it can stand only inside a string. */
		if (*json == '<')
			fputs("\\u003c", j->out);
		else
			putc(*json, j->out);
	}
}

void html_escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}
