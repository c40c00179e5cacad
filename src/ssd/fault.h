/* SPDX-License-Identifier: MIT */
/*
 * fault.h - what goes wrong by itself: reads that fail, commands that come late or never, a drive that drops off the
 * bus, power cuts. All drawn from the seed.
 *
 * A command that never comes back keeps its place at the drive until the host gives it up, 60 s after it began. A
 * drive that dropped off, and the command that meets a power cut, answer with an error after 100 us each, so that
 * a loop that goes on does not stand still in time.
 */
#ifndef ASSAY_SSD_FAULT_H
#define ASSAY_SSD_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

struct ssd;
struct ssd_times;

struct fault {
	bool on;
	struct rng rng;
	uint64_t now_ns; /* of the command that is being served */
	uint64_t moved_units, written_units;
	uint64_t cut_next_units; /* written_units at the next power cut */
	uint64_t drop_ns;	 /* UINT64_MAX: it has not dropped off */
	uint64_t broken_ns;	 /* see ssd_broken() */
	int broken_error;
	uint64_t answer_ns; /* of the error told last */
};

void fault_init(struct ssd *ssd);

/* A command of n units comes. True: it fails at once, *ret is filled in. */
bool fault_begin(struct ssd *ssd, uint64_t now, uint32_t n, bool write, struct ssd_times *ret);

/* Whether a read that would be done at *done fails; *done is then when the drive gives it up. */
bool fault_read(struct ssd *ssd, uint32_t unit, uint32_t n, uint64_t *done);

/* A command is done at ret->done_ns, unless. Returns when its place at the drive falls free. */
uint64_t fault_end(struct ssd *ssd, struct ssd_times *ret);

#endif
