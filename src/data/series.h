/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * series.h - a phase over time, small enough to keep in memory: what analysis works on.
 */
#ifndef ASSAY_DATA_SERIES_H
#define ASSAY_DATA_SERIES_H

#include <stdint.h>

#include "base/vec.h"

struct point {
	uint64_t start_ns, length_ns; /* since the start of the phase's measured part */
	uint64_t read_ops, write_ops;
	uint64_t read_bytes, write_bytes;
	uint64_t lat_ns_max;
};

DEFINE_VEC(series, struct point);

#endif
