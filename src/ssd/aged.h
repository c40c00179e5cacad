/* SPDX-License-Identifier: MIT */
/*
 * aged.h - a drive that was used before: straight to the state after so many drive writes of uniform random
 * units, upon a drive that was filled in order.
 *
 * A miniature with the drive's collection policy, over-provisioning and (up to 1024) superblocks and units in
 * each is really written. It gives the valid share of the superblocks from the oldest to the youngest, be it
 * before or in the steady state, and what was copied; after 4 drive writes, or once all flash was written 24 times,
 * nothing changes any more. The drive takes that pattern over, rank by rank; which units are valid where is a seeded
 * permutation. (A closed form of the valid counts exists for greedy and FIFO in the steady state: simulation studies
 * by P. Desnoyers 2012, B. Van Houdt 2013. The miniature agrees with it and holds for every policy, and on the way
 * there as well.)
 *
 * The cache is folded and empty, nothing is under way, no superblock is open. Counters are as if it had all been
 * written: host, collection and erases, the latter (and the wear, where it is kept) alike over the superblocks; none
 * is retired for it. The data are as if they had been written when the drive was opened.
 */
#ifndef ASSAY_SSD_AGED_H
#define ASSAY_SSD_AGED_H

#include "base/err.h"

struct ssd;
struct ssd_config;

/* Drive writes that a configuration asks for, 0: a new drive. */
double aged_drive_writes(const struct ssd_config *cfg);

/*
 * Age a drive that was never written. Allocates and gives back: only in ssd_new(). 0, -ENOMEM, or -EINVAL where
 * the geometry leaves nothing to collect.
 */
int aged_apply(struct ssd *ssd, struct err *err);

#endif
