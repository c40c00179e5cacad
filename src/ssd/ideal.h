/* SPDX-License-Identifier: MIT */
/*
 * ideal.h - the drive that is never the reason: a link, and a constant time behind it.
 *
 * What a load measures on it is the load and the link alone; the difference to another drive is that drive's.
 */
#ifndef ASSAY_SSD_IDEAL_H
#define ASSAY_SSD_IDEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/param.h"

#define IDEAL_UNIT_BYTES 4096u

struct ideal_config {
	uint64_t capacity_bytes, latency_ns;
	uint64_t read_unit_ns,
		write_unit_ns; /* on the link, both directions at once; 0: no limit */
};

extern const struct param ideal_params[];

int ideal_config_check(const struct ideal_config *cfg, const char **ret_name, struct err *err);

struct ideal {
	struct ideal_config cfg;
	uint64_t in_ns, out_ns; /* the link's directions are free */
	uint64_t read_units, write_units, link_busy_ns;
};

enum ideal_op { IDEAL_READ, IDEAL_WRITE, IDEAL_OTHER };

/* A command of n units at now. Returns when it is done. Start it with a checked configuration and zeros. */
uint64_t ideal_command(struct ideal *ideal, uint64_t now_ns, enum ideal_op op, uint32_t n);

#endif
