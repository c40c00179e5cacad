/* SPDX-License-Identifier: MIT */
/*
 * gc-clean.h - cleaning between commands and in idle time: from gc.low free superblocks to gc.high.
 *
 * Cleaning begins when no more than gc.low superblocks are free and goes on until gc.high are: a debt, which the
 * host pays long after it was made. Who pays, and when:
 *
 * batch: the world stops for one whole victim, then the host has gc.host_slice to itself (or, on a drive with a
 * journal, writes are stopped as the journal is written: journal.h); slices: gc.slice_units are copied before each
 * command. Both happen before writes, and with gc.reads_too before reads. In idle time: gc.idle_rate after
 * gc.idle_delay, in closed form, whatever the pacing.
 *
 * The paced collector (gc.h) stays behind all this as the emergency, at GC_FLOOR free superblocks.
 */
#ifndef ASSAY_SSD_GC_CLEAN_H
#define ASSAY_SSD_GC_CLEAN_H

#include "ssd/state.h"

enum gc_pacing { PACING_PACED, PACING_BATCH, PACING_SLICES };

/* Free superblocks at which the paced collector takes over where others should have cleaned. */
#define GC_FLOOR 4u

/* What is derived from the configuration; and what a purge forgets. */
void gc_clean_derive(struct ssd *ssd);
void gc_clean_reset(struct ssd *ssd);

/*
 * Before a command at time t. `due`: the host's slice is over (gc_clean_due(), or the journal says so). Returns when
 * the command may go on.
 */
uint64_t gc_clean(struct ssd *ssd, uint64_t t, bool due);

static inline bool gc_clean_due(const struct ssd *ssd, uint64_t t)
{
	return t >= ssd->clean_next_ns;
}

/* Look at up to n positions of victims in idle time. */
void gc_clean_idle(struct ssd *ssd, uint64_t n, uint64_t t);

#endif
