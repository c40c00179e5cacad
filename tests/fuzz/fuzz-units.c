/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers with units: whatever the text, a parser either refuses with a sentence and its code, or gives a
 * value that survives being written down and read again.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void refused(int r, const struct err *err)
{
	assert(r < 0);
	assert(err->code == r);
	assert(err->text[0] != '\0');
	assert(strlen(err->text) < sizeof(err->text));
}

static void whole_numbers(const char *text)
{
	struct err err = { 0 };
	char buf[64];
	uint64_t value, again;
	int r = parse_u64(text, &value, &err);

	if (r == 0) {
		snprintf(buf, sizeof(buf), "%llu", (unsigned long long)value);
		assert(parse_u64(buf, &again, NULL) == 0 && again == value);
	} else {
		refused(r, &err);
	}
	r = parse_bytes(text, &value, &err);
	if (r == 0) {
		snprintf(buf, sizeof(buf), "%lluB", (unsigned long long)value);
		/* Sizes pass through a double: exact up to 2^53. */
		assert(parse_bytes(buf, &again, NULL) == 0 && (again == value || value >> 53));
		assert(strlen(format_bytes(buf, sizeof(buf), value)) > 0);
	} else {
		refused(r, &err);
	}
	r = parse_time(text, &value, &err);
	if (r == 0) {
		snprintf(buf, sizeof(buf), "%lluns", (unsigned long long)value);
		assert(parse_time(buf, &again, NULL) == 0 && (again == value || value >> 53));
		assert(strlen(format_time(buf, sizeof(buf), value)) > 0);
	} else {
		refused(r, &err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	char text[512], buf[64];
	uint64_t bytes;
	double real, again;
	bool truth;
	int r;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	whole_numbers(text);
	r = parse_double(text, &real, &err);
	if (r == 0) {
		assert(isfinite(real));
		snprintf(buf, sizeof(buf), "%.17g", real);
		assert(parse_double(buf, &again, NULL) == 0);
		assert(!(again < real) && !(again > real));
	} else {
		refused(r, &err);
	}
	r = parse_bytes_or_pct(text, 120034123776, 4096, &bytes, &err);
	if (r == 0) {
		assert(bytes % 4096 == 0);
		assert(!strchr(text, '%') || bytes <= 120034123776);
	} else {
		refused(r, &err);
	}
	r = parse_bool(text, &truth, &err);
	if (r < 0)
		refused(r, &err);
	return 0;
}
