/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flow.h - what one direction (reads or writes) did in an interval: a window or a whole phase.
 */
#ifndef ASSAY_DATA_FLOW_H
#define ASSAY_DATA_FLOW_H

#include <stdint.h>

#include "data/histogram.h"

struct flow {
	uint64_t ops;	 /* completions without error */
	uint64_t bytes;	 /* of these */
	uint64_t errors; /* completions with an error: not in ops, bytes or latency */
	uint64_t
		lat_ns_sum; /* latency: from submit (closed loop) or from due (open loop) to done */
	uint64_t lat_ns_min; /* 0 where ops is 0 */
	uint64_t lat_ns_max;
	struct histogram lat; /* ns */
};

static inline void flow_record(struct flow *flow, uint64_t lat_ns, uint64_t bytes)
{
	flow->ops++;
	flow->bytes += bytes;
	flow->lat_ns_sum += lat_ns;
	if (lat_ns > flow->lat_ns_max)
		flow->lat_ns_max = lat_ns;
	if (lat_ns < flow->lat_ns_min || flow->ops == 1)
		flow->lat_ns_min = lat_ns;
	flow->lat.count[histogram_bucket(lat_ns)]++;
}

/* Empty it; costs only what was touched. A new flow must be all zeros (calloc). */
void flow_clear(struct flow *flow);

/* Add `from` to `to`. */
void flow_add(struct flow *to, const struct flow *from);

/* The latency at quantile q in ns; 0 where there were no operations. */
uint64_t flow_quantile(const struct flow *flow, double q);

#endif
