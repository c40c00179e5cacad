/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/phase.h"

#include <math.h>
#include <stdlib.h>

const char *const phase_note_names[PHASE_NOTES] = {
	"host_bound", "depth_not_reached", "unwritten_read",   "cache_served",
	"throttled",  "not_steady",	   "span_not_covered", "interrupted",
};

struct phase *phase_new(void)
{
	struct phase *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->level_pct = NAN;
	p->in_flight_device_mean = NAN;
	p->in_flight_device_max = NAN;
	p->state = (struct drive_state){ -1, NAN, NAN, NAN, NAN };
	workload_init(&p->load);
	return p;
}

double phase_mbps(const struct phase *p, const struct flow *flow)
{
	return p->end_ns > p->start_ns ? (double)flow->bytes / 1e6 / phase_seconds(p) : 0;
}

double phase_iops(const struct phase *p, const struct flow *flow)
{
	return p->end_ns > p->start_ns ? (double)flow->ops / phase_seconds(p) : 0;
}
