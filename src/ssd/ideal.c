/* SPDX-License-Identifier: MIT */
#include "ssd/ideal.h"

#include <errno.h>

#define AT(field) offsetof(struct ideal_config, field)
#define SECOND 1e9

/* clang-format off */
const struct param ideal_params[] = {
	{ "capacity", "bytes", PARAM_BYTES, AT(capacity_bytes), 1 << 20, 8e12, "500GB", NULL,
	  "addressable bytes", "chosen" },
	{ "latency", "ns", PARAM_NS, AT(latency_ns), 1, SECOND, "1ns", NULL,
	  "time of every command", "1 ns: the least that a clock in nanoseconds can tell from nothing" },
	{ "link.read_unit", "ns", PARAM_NS, AT(read_unit_ns), 0, SECOND, "0ns", NULL,
	  "time of 4 KiB from the drive; 0: no limit", "the link of what it is compared with" },
	{ "link.write_unit", "ns", PARAM_NS, AT(write_unit_ns), 0, SECOND, "0ns", NULL,
	  "time of 4 KiB to the drive; 0: no limit", "the link of what it is compared with" },
	PARAM_END
};
/* clang-format on */

int ideal_config_check(const struct ideal_config *cfg, const char **ret_name, struct err *err)
{
	if (ret_name)
		*ret_name = "capacity";
	if (cfg->capacity_bytes % IDEAL_UNIT_BYTES)
		return err_set(err, -EINVAL, "capacity is not a multiple of %u bytes",
			       IDEAL_UNIT_BYTES);
	return 0;
}

static uint64_t cross(struct ideal *ideal, uint64_t *line_ns, uint64_t now, uint64_t cost_ns)
{
	ideal->link_busy_ns += cost_ns;
	*line_ns = (*line_ns > now ? *line_ns : now) + cost_ns;
	return *line_ns;
}

uint64_t ideal_command(struct ideal *ideal, uint64_t now, enum ideal_op op, uint32_t n)
{
	uint64_t t = now;

	if (op == IDEAL_READ) {
		ideal->read_units += n;
		t = cross(ideal, &ideal->out_ns, now, n * ideal->cfg.read_unit_ns);
	} else if (op == IDEAL_WRITE) {
		ideal->write_units += n;
		t = cross(ideal, &ideal->in_ns, now, n * ideal->cfg.write_unit_ns);
	}
	return t + ideal->cfg.latency_ns;
}
