/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-text.h - text that knows how wide it is: wrapped paragraphs and tables.
 *
 * Width is counted in code points (µ and ± are one column). Text may come from a drive or a file name: '?'
 * stands for what is not UTF-8 and for control characters, which could reprogram a terminal.
 */
#ifndef ASSAY_REPORT_TERMINAL_TEXT_H
#define ASSAY_REPORT_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/vec.h"
#include "report/terminal.h"

/* Between a number and its unit: printed as a space, and no line ends there. */
#define NO_BREAK "\xc2\xa0"

enum text_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_DOUBT };

unsigned text_width(const char *text);
unsigned terminal_width(const struct terminal *terminal);

/* Switch a style on, and off again with STYLE_PLAIN; nothing without colour. */
void text_style(FILE *out, const struct terminal *terminal, enum text_style style);

/*
 * Words of `text`; lines after the first begin with `indent` spaces, of the first one `first` columns have
 * been printed already. A word that is longer than a line is cut. Ends with a newline.
 */
void text_wrap(FILE *out, const struct terminal *terminal, unsigned first, unsigned indent,
	       const char *text);
void text_wrapf(FILE *out, const struct terminal *terminal, unsigned first, unsigned indent,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
/* A line of its own in bold, an empty one before it. */
void text_heading(FILE *out, const struct terminal *terminal, const char *text);

struct table_column {
	const char *group; /* heading over neighbours of the same group; NULL: none */
	const char *title;
	unsigned gap; /* spaces before it */
	unsigned
		drop; /* 0: always shown; else what has the highest number goes first when narrow */
	bool left;    /* else right-aligned */
	bool shrinks; /* cut with an ellipsis where it still is too wide */
	bool dim;
};

DEFINE_VEC(table_cells, char *);

struct table {
	const struct table_column *columns;
	unsigned n; /* columns */
	struct table_cells cells;
	bool failed; /* no memory */
};

/* The next cell, from left to right, row by row. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of its own across all columns. */
void table_span(struct table *table, const char *text);
/* Columns that are empty in every row are left out. Prints nothing where there are no rows. */
int table_print(FILE *out, const struct terminal *terminal, struct table *table, struct err *err);
void table_release(struct table *table);

/* "406", "50.4", "0.123": `digits` significant digits, never an exponent. "-" for NAN. Returns buf. */
char *text_number(char *buf, size_t size, double value, int digits);
/* So many digits behind the point; "-" for NAN. Returns buf. */
char *text_decimals(char *buf, size_t size, double value, int decimals);
/* "406 ± 2", "50.4 ± 0.8", or "406" where sd is NAN: three digits of the mean, one more for a small sd. */
char *text_mean_sd(char *buf, size_t size, double mean, double sd);
/* The same without spaces and seldom with a further digit: at most about nine columns. */
char *text_mean_sd_narrow(char *buf, size_t size, double mean, double sd);

#endif
