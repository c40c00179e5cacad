/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * periodic.h - does a series go up and down with a period, and is that a number of operations, bytes or seconds?
 *
 * What cleans after so many bytes has a period in bytes whatever the rate; what cools has one in seconds. So:
 *  1. A period is looked for along operations, bytes and seconds (recurrence.h), the latter two by averaging the
 *     series over equal steps of them; it is taken from where it shows best, and reported where shuffled
 *     series show as much in less than 1 % of cases, after the number of places that were looked at
 *     (C. E. Bonferroni).
 *  2. Repetitions are followed one by one, or in groups where one is too short or too noisy: each is folded,
 *     shifted to where it matches the mean of all best, and averaged into it, twice (C. D. Woody,
 *     "Characterization of an adaptive filter for the analysis of variable latency neuroelectric signals",
 *     Med. Biol. Eng. 5, 1967). This marks where each begins.
 *  3. The period is the mean distance of marks, with its t interval over the distances: too wide where a
 *     steady clock is only read inaccurately, right where every repetition has its own length.
 *  4. Most constant is what has the smallest coefficient of variation of distances, if it differs from both
 *     others at 5 % (E. J. G. Pitman, "A note on normal correlation", Biometrika 31, 1939; W. A. Morgan,
 *     ibid.). Where all operations are of one size, operations and bytes cannot differ.
 *
 * Not seen: periods below three samples (of two, only strong ones) or with fewer than RECURRENCE_REPEATS_MIN repetitions, and pulses one
 * sample wide whose distances vary by many samples (sawtooth.h finds those).
 */
#ifndef ASSAY_ANALYSIS_PERIODIC_H
#define ASSAY_ANALYSIS_PERIODIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/estimate.h"

#define PERIODIC_SAMPLES_MIN 64u /* fewer are not identifiable */
#define PERIODIC_P_MAX 0.01

enum periodic_axis {
	PERIODIC_SAMPLES, /* operations, or windows: one value each */
	PERIODIC_BYTES,
	PERIODIC_SECONDS,
	PERIODIC_AXES,
	PERIODIC_UNDECIDED = PERIODIC_AXES,
};

struct periodic_input {
	const double *x;       /* finite */
	const double *bytes;   /* at the end of each sample, never falling; NULL: not known */
	const double *seconds; /* as well */
	size_t n;
};

struct periodic {
	enum verdict_status
		status; /* NOT_IDENTIFIABLE: too short. What has no period is MEASURED. */
	bool found;
	double p;
	/*
	 * Without a period not identifiable, as is an axis that is not known. Where repetitions are too faint to
	 * be followed there is only the period along the axis that shows it, without an interval.
	 */
	struct estimate period[PERIODIC_AXES];
	/* Coefficient of variation of the distances, of groups where there are groups; NAN as above. */
	double variation[PERIODIC_AXES];
	enum periodic_axis constant; /* PERIODIC_UNDECIDED where they do not differ */
	/*
	 * Largest minus smallest of the folded mean, in at most 256 steps, over the mean of the series: noise
	 * adds to it. NAN without a period or a positive mean.
	 */
	double amplitude;
	uint64_t repetitions; /* that were followed, 0 where they could not be */
	uint64_t group;	      /* repetitions between two marks */
};

int periodic_find(const struct periodic_input *in, uint64_t seed, struct periodic *ret);

#endif
