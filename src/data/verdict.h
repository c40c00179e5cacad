/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict.h - an answer: a number or a word, its uncertainty, and a sentence.
 */
#ifndef ASSAY_DATA_VERDICT_H
#define ASSAY_DATA_VERDICT_H

#include <stdint.h>

#include "base/vec.h"

enum verdict_status {
	STATUS_MEASURED,
	STATUS_NOT_IDENTIFIABLE, /* the data do not say */
	STATUS_NOT_REACHED,	 /* the run ended before it could show */
	STATUS_NOT_SUPPORTED,	 /* the drive cannot do what would show it */
	STATUS_REFUSED,
};

enum verdict_interval {
	INTERVAL_NONE,
	INTERVAL_WITHIN_RUN,   /* from the scatter inside one run */
	INTERVAL_BETWEEN_RUNS, /* from repeats, each from the recipe on */
};

struct verdict {
	char name[64];	  /* "fill.copy_knee_bytes.50" */
	char word[32];	  /* a word from docs/json.md; empty: the value is the number */
	double value;	  /* NAN: null */
	char unit[16];	  /* "%", "bytes", "MB/s", "" */
	double low, high; /* 95 % interval; NAN: null */
	uint64_t n;	  /* samples behind it */
	enum verdict_interval interval;
	enum verdict_status status;
	char text[400]; /* one sentence for people */
};

DEFINE_VEC(verdicts, struct verdict);

extern const char *const verdict_status_names[], *const verdict_interval_names[];

#endif
