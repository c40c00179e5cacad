/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ladder.h - the fill ladder through the device contract alone, for tests of models: copy, rest, bench, rest
 * at each level. The experiment does the same with more care; this one is small enough to trust.
 */
#ifndef ASSAY_TESTS_LADDER_H
#define ASSAY_TESTS_LADDER_H

#include <stdint.h>

#define LADDER_LEVELS 22
#define LADDER_RUNS 5

enum ladder_cell { SEQ1M_READ, RND4K_READ, SEQ1M_WRITE, RND4K_WRITE, LADDER_CELLS };

struct ladder_level {
	unsigned pct;
	double mbps[LADDER_CELLS][LADDER_RUNS];
	double best[LADDER_CELLS], mean[LADDER_CELLS];
	double in_flight[LADDER_CELLS]; /* IOPS x mean latency of the best run */
	double copy_mbps;		/* whole copy to this level; 0: none */
	uint64_t knee_bytes;		/* copied at cache speed; 0: no knee */
	uint64_t free_at_knee;		/* never-written bytes then */
};

struct ladder {
	struct ladder_level level[LADDER_LEVELS];
	double host_bytes;	 /* moved in all */
	double in_flight_device; /* the device's own, in the RND4K cells */
};

/* Run it on a drive ("sim:..."); fails the test where the drive cannot be opened. */
void ladder_run(const char *drive, struct ladder *ret);

void ladder_print(const struct ladder *l);

#endif
