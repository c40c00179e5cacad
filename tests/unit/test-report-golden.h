/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-report-golden.h - text that is compared with a file in tests/unit/test-report-golden/. With
 * ASSAY_UPDATE_GOLDEN=1 in the environment the file is written instead: look at the difference before
 * committing it.
 */
#ifndef ASSAY_TESTS_REPORT_GOLDEN_H
#define ASSAY_TESTS_REPORT_GOLDEN_H

#include "test-store-make.h"

/* The file's bytes with a 0 behind them; free() it. */
static inline char *read_source(const char *name)
{
	const char *root = getenv("ASSAY_SOURCE_DIR");
	char path[1024], *text = NULL;
	size_t size = 0;
	FILE *in, *out;
	int c;

	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("cannot open '%s'; set ASSAY_SOURCE_DIR to the top of the source", path);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
	return text;
}

static inline void compare_golden(const char *name, const char *text)
{
	const char *root = getenv("ASSAY_SOURCE_DIR");
	char path[256], *expected;

	snprintf(path, sizeof(path), "tests/unit/test-report-golden/%s", name);
	if (getenv("ASSAY_UPDATE_GOLDEN")) {
		char full[1024];
		FILE *out;

		snprintf(full, sizeof(full), "%s/%s", root ? root : ".", path);
		out = fopen(full, "w");
		assert_non_null(out);
		fputs(text, out);
		fclose(out);
		return;
	}
	expected = read_source(path);
	if (strcmp(expected, text) != 0) {
		size_t at = 0, line = 1;

		while (expected[at] && expected[at] == text[at])
			line += expected[at++] == '\n';
		fail_msg("%s differs from line %zu on: got '%.60s', expected '%.60s'", path, line,
			 text + at, expected + at);
	}
	free(expected);
}

#endif
