/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-json.h - JSON written as it comes, for data inside a page.
 *
 * Differs from an ordinary JSON writer in two ways: '<' is always escaped, so that no text can end the
 * script element around it, and numbers are cut to the digits that are worth showing. `key` is NULL
 * inside an array. Write errors stay in the FILE (ferror).
 */
#ifndef ASSAY_REPORT_HTML_JSON_H
#define ASSAY_REPORT_HTML_JSON_H

#include <stdint.h>
#include <stdio.h>

struct html_json {
	FILE *out;
	int comma; /* the next value needs one in front */
};

void html_json_open(struct html_json *j, const char *key, char bracket);
void html_json_close(struct html_json *j, char bracket);
void html_json_text(struct html_json *j, const char *key, const char *text);
/* As html_json_text(), null where the text is empty. */
void html_json_text_or_null(struct html_json *j, const char *key, const char *text);
/* `digits` significant digits; null for NAN and infinities. Whole numbers below 2^53 are exact. */
void html_json_number(struct html_json *j, const char *key, double value, int digits);
void html_json_u64(struct html_json *j, const char *key, uint64_t value);
/* Text that is JSON already; as a string where it is not, null where it is NULL or empty. */
void html_json_raw(struct html_json *j, const char *key, const char *json);

/* Text for HTML outside of scripts: & < > " escaped. */
void html_escape(FILE *out, const char *text);

#endif
