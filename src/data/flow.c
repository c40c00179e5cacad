/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/flow.h"

#include <string.h>

void flow_clear(struct flow *flow)
{
	if (flow->ops) {
		uint32_t low = histogram_bucket(flow->lat_ns_min);
		uint32_t high = histogram_bucket(flow->lat_ns_max);

		memset(&flow->lat.count[low], 0, (high - low + 1) * sizeof(flow->lat.count[0]));
	}
	flow->ops = flow->bytes = flow->errors = 0;
	flow->lat_ns_sum = flow->lat_ns_min = flow->lat_ns_max = 0;
}

void flow_add(struct flow *to, const struct flow *from)
{
	to->errors += from->errors;
	if (from->ops == 0)
		return;
	if (to->ops == 0 || from->lat_ns_min < to->lat_ns_min)
		to->lat_ns_min = from->lat_ns_min;
	if (from->lat_ns_max > to->lat_ns_max)
		to->lat_ns_max = from->lat_ns_max;
	to->ops += from->ops;
	to->bytes += from->bytes;
	to->lat_ns_sum += from->lat_ns_sum;
	histogram_add(&to->lat, &from->lat, histogram_bucket(from->lat_ns_min),
		      histogram_bucket(from->lat_ns_max));
}

uint64_t flow_quantile(const struct flow *flow, double q)
{
	return histogram_quantile(&flow->lat, flow->ops, q, flow->lat_ns_min, flow->lat_ns_max);
}
