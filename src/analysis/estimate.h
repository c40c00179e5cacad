/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * estimate.h - a number with its 95 % interval: what every analysis gives back.
 *
 * All of src/analysis/ are pure functions: no files, no clock, no globals; where numbers are drawn, the seed
 * is an argument, so that the same data give the same result. They may be called from any thread. A function
 * returns 0, or -ENOMEM; that the data do not suffice is no error but a status. GSL's own error handler must
 * be off (gsl_set_error_handler_off(), once, by the program).
 */
#ifndef ASSAY_ANALYSIS_ESTIMATE_H
#define ASSAY_ANALYSIS_ESTIMATE_H

#include <math.h>
#include <stdint.h>

#include "data/verdict.h"

struct estimate {
	double value;		    /* NAN where status is not STATUS_MEASURED */
	double low, high;	    /* 95 % interval; NAN: the data give a value but no interval */
	uint64_t n;		    /* samples behind it */
	enum verdict_status status; /* STATUS_MEASURED or STATUS_NOT_IDENTIFIABLE */
};

/* What stands for "the data do not say". */
static inline struct estimate estimate_none(uint64_t n)
{
	return (struct estimate){ NAN, NAN, NAN, n, STATUS_NOT_IDENTIFIABLE };
}

static inline struct estimate estimate_of(double value, double half_width, uint64_t n)
{
	return (struct estimate){ value, value - half_width, value + half_width, n,
				  STATUS_MEASURED };
}

#endif
