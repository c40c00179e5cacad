/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * terminal-part.h - the parts that a run's text is made of; each experiment has its own table.
 */
#ifndef ASSAY_REPORT_TERMINAL_PART_H
#define ASSAY_REPORT_TERMINAL_PART_H

#include "report/terminal-group.h"
#include "report/terminal-text.h"

/* What doubts there are, as letters in a table and sentences below it. */
struct footnotes {
	uint32_t used;			/* bits of enum phase_note met so far */
	unsigned order[PHASE_NOTES], n; /* their bits in the order they were met */
	const struct group *shallow; /* with depth_not_reached, the furthest from what was asked */
};

#define FOOTNOTE_SIZE (PHASE_NOTES + 1)

/* "ab", new letters given as needed. Returns buf. */
char *footnote_marks(struct footnotes *notes, const struct group *group, char buf[FOOTNOTE_SIZE]);
void footnotes_print(FILE *out, const struct terminal *terminal, const struct footnotes *notes);

/* A number of a verdict (its value, low or high) with the digits that its interval deserves. */
char *verdict_value(char *buf, size_t size, const struct verdict *v, double value);

/* What a run's text is made from. */
struct terminal_view {
	FILE *out;
	const struct terminal *terminal;
	struct store *store;
	const struct run_record *record; /* without phases */
	const struct group_list *groups;
};

/* The table of an experiment; -ENOENT where it has not the phases for its own and wants the general one. */
int terminal_phases(const struct terminal_view *view, struct err *err);
int terminal_fill(const struct terminal_view *view, struct err *err);
int terminal_quick(const struct terminal_view *view, struct err *err);
int terminal_saturate(const struct terminal_view *view, struct err *err);

#endif
