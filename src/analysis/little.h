/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * little.h - how many I/Os must have been in flight: N = X R (J. D. C. Little, "A proof for the queuing
 * formula L = lambda W", Oper. Res. 9, 1961), throughput times mean response time.
 *
 * It holds in every interval that begins and ends with the same population, whatever the distributions, and
 * so tells a benchmark's hidden queue depth from what it prints, or that a stated depth was not reached.
 */
#ifndef ASSAY_ANALYSIS_LITTLE_H
#define ASSAY_ANALYSIS_LITTLE_H

#include <stddef.h>

#include "analysis/estimate.h"

struct little {
	struct estimate in_flight; /* mean over the cells, t interval (none below two cells) */
	double min, max;	   /* of the cells */
};

/*
 * iops in I/Os per second, lat_us the mean response time in microseconds, one pair a cell. Pairs of which one
 * is not a positive finite number are left out; not identifiable without any.
 */
void little_concurrency(const double *iops, const double *lat_us, size_t n, struct little *ret);

#endif
