/* SPDX-License-Identifier: MIT */
/*
 * journal.h - the journal of map changes that the controller keeps in memory and writes to flash when it is full.
 *
 * Each write is searched and added to it, which takes longer the fuller it is: a write is accepted a0 after the
 * firmware has taken it where the journal is empty, a1 where it is full. Then the journal is written, for which the
 * drive stops (journal.flush), and on a drive that cleans in batches it cleans at that moment, and at no other
 * before a write: one ramp of access times, one peak, and again. Latency, not occupancy: commands overlap in it.
 */
#ifndef ASSAY_SSD_JOURNAL_H
#define ASSAY_SSD_JOURNAL_H

#include "ssd/state.h"

/*
 * Before a write of n units at time t. Adds to *latency_ns what its acceptance waits; returns whether the journal was
 * written first, for which the firmware is occupied.
 */
static inline bool journal_add(struct ssd *ssd, uint32_t n, uint64_t t, uint64_t *latency_ns)
{
	const struct ssd_config *cfg = &ssd->cfg;
	uint32_t units = cfg->journal.units;
	bool full = ssd->journal_used >= units;

	if (full) {
		fw_take(ssd, t, cfg->journal.flush_ns);
		ssd->stats.journal_flushes++;
		ssd->journal_used = 0;
	}
	*latency_ns += cfg->journal.a0_ns +
		       (cfg->journal.a1_ns - cfg->journal.a0_ns) * ssd->journal_used / units;
	ssd->journal_used = n < units - ssd->journal_used ? ssd->journal_used + n : units;
	return full;
}

#endif
