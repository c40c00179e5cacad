/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mix.h - reads and writes mixed I/O by I/O, in a closed loop over a span, as Iometer does it.
 */
#ifndef ASSAY_TESTS_SIM_MIX_H
#define ASSAY_TESTS_SIM_MIX_H

#include "base/rng.h"
#include "drive.h"
#include "ssd/ssd.h"

#define MIX_WORKERS 4u

struct mix {
	uint32_t span_units, length_units;
	unsigned depth; /* of all workers */
	unsigned read_pct;
	bool random; /* else each worker wraps around the span in order, a quarter apart */
	uint32_t next[MIX_WORKERS];
	struct rng rng;
	struct closed loop;
};

void mix_init(struct mix *m, uint32_t span_units, uint32_t length_units, bool random,
	      uint64_t seed);

/* Move `units` units. Returns MB/s, reads and writes together. */
double mix_run(struct ssd *ssd, struct mix *m, unsigned read_pct, uint64_t units);

/* Wait until everything is done and `ns` longer. */
void mix_rest(struct ssd *ssd, struct mix *m, uint64_t ns);

#endif
