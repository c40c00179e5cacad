/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/simkind.h"

#include <string.h>

const struct sim_kind *const sim_kinds[] = {
	&sim_kind_ssd,
	&sim_kind_disk,
	&sim_kind_ideal,
	NULL,
};

const struct sim_kind *sim_kind_find(const char *name)
{
	for (unsigned i = 0; sim_kinds[i]; i++)
		if (!strcmp(sim_kinds[i]->name, name))
			return sim_kinds[i];
	return NULL;
}

double sim_share(uint64_t busy_ns, uint64_t before_ns, double span_ns)
{
	double ret = span_ns > 0 ? (double)(busy_ns - before_ns) / span_ns : 0;

	return ret > 1 ? 1 : ret;
}
