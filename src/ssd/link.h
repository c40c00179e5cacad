/* SPDX-License-Identifier: MIT */
/*
 * link.h - the host link: how many commands are at the drive, and when their bytes have crossed.
 */
#ifndef ASSAY_SSD_LINK_H
#define ASSAY_SSD_LINK_H

#include "ssd/state.h"

enum link_dir { LINK_IN, LINK_OUT }; /* to the drive, from the drive */

/*
 * As many commands were noted as there are places. Forgets those that are done at `now`; where more than half
 * are not, the places become a heap until the drive is idle. Returns when the first place falls free.
 */
uint64_t link_full(struct link *link, uint64_t now);

/* Put a time in at place i of the heap, and let it sink to where it belongs. */
void link_sink(struct link *link, uint32_t i, uint64_t done_ns);

/* Nothing is at the drive. */
static inline void link_clear(struct link *link)
{
	link->used = 0;
	link->ordered = false;
}

/*
 * When a command given at `now` finds a free place at the drive; others wait at the host, in order. As long
 * as fewer commands were noted than there are places, one is free, and in what order they end does not matter.
 */
static inline uint64_t link_begin(struct ssd *ssd, uint64_t now)
{
	if (ssd->link.used < ssd->link.slots)
		return now;
	return max_ns(now, link_full(&ssd->link, now));
}

/* The command that began last is done: its place falls free. */
static inline void link_end(struct ssd *ssd, uint64_t done_ns)
{
	if (ssd->link.used < ssd->link.slots)
		ssd->link.slot[ssd->link.used++] = done_ns;
	else
		link_sink(&ssd->link, 0, done_ns); /* the root is the place it took */
}

/* Occupy the link for cost_ns, counted from t (a credit: see nand.h). Returns when that is over. */
static inline uint64_t link_take(struct ssd *ssd, enum link_dir dir, uint64_t t, uint64_t cost_ns)
{
	uint64_t *line = dir == LINK_OUT && ssd->cfg.link.kind == LINK_PCIE ? &ssd->link.out_ns
									    : &ssd->link.in_ns;

	*line = max_ns(*line, t) + cost_ns;
	ssd->stats.link_busy_ns += cost_ns;
	return *line;
}

#endif
