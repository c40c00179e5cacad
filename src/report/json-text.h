/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-text.h - building and printing JSON: jansson's values, our own printer.
 *
 * jansson prints 17 digits of every double (406.19999999999999); here a double takes the 15, 16 or 17 that
 * read back the same. NAN and infinity, which JSON does not know, become null.
 */
#ifndef ASSAY_REPORT_JSON_TEXT_H
#define ASSAY_REPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Add to an object; the first failure (no memory) makes all later calls do nothing, so that only the end
 * result need be checked: `*object` is then NULL.
 */
void json_add(json_t **object, const char *key, json_t *value); /* takes value over */
void json_add_u64(json_t **object, const char *key, uint64_t value);
void json_add_f64(json_t **object, const char *key, double value);
/* NULL or "": null. Where it is not UTF-8, '?' stands for each byte that is not ASCII. */
void json_add_text(json_t **object, const char *key, const char *text);

/* Print on one line: {"a": 1, "b": [2, 3]}. Errors show in ferror(out). */
void json_print(FILE *out, const json_t *value);

#endif
