/* SPDX-License-Identifier: MIT */
/*
 * gc-policy.h - which superblock is collected, for the policies that look at more than the valid count.
 *
 * fifo: the one that was closed first. cost-benefit: the largest age x (1 - u) / (2 u), age counted in superblocks
 * closed since, u the valid share (Kawaguchi, Nishioka and Motoda, "A flash-memory based file system", USENIX 1995);
 * exact, not by buckets of age. d-choices: the fewest valid units of gc.choices drawn ones (Van Houdt, SIGMETRICS
 * 2013); random: of one drawn.
 *
 * The least close number of each 64 superblocks that collection may take is kept as state.h keeps the least key,
 * so that fifo takes N / 64 + 64 steps, and cost-benefit can pass over groups whose oldest age with whose fewest
 * valid units is no better than what was found.
 */
#ifndef ASSAY_SSD_GC_POLICY_H
#define ASSAY_SSD_GC_POLICY_H

#include "ssd/state.h"

/* After a purge, and once when the drive is made. */
void gc_policy_reset(struct ssd *ssd);

/* A superblock of the group has changed its state. Only where group_oldest is kept. */
void gc_policy_refresh(struct ssd *ssd, uint32_t group);

/* Each returns a superblock that collection may take, or NONE. */
uint32_t gc_pick_fifo(struct ssd *ssd);
uint32_t gc_pick_cost_benefit(struct ssd *ssd);
uint32_t gc_pick_choices(struct ssd *ssd);
uint32_t gc_pick_random(struct ssd *ssd);

#endif
