/* SPDX-License-Identifier: MIT */
/*
 * campaign.h - a background campaign of static wear levelling: every so many bytes of host writes the
 * firmware moves so many bytes of the coldest data, so that the blocks under them wear too.
 *
 * While the host works a running campaign takes a slice of the firmware with each write command and moves a
 * few units in it; in idle time it moves at a rate. The first one begins at a phase that the seed gives.
 */
#ifndef ASSAY_SSD_CAMPAIGN_H
#define ASSAY_SSD_CAMPAIGN_H

#include "ssd/state.h"

void campaign_reset(struct ssd *ssd);

/* With each host write command, after its units were counted. Returns the firmware time it takes, in ns. */
uint64_t campaign_slice(struct ssd *ssd, uint64_t t);

/* Move up to n units. Returns how many. */
uint64_t campaign_move(struct ssd *ssd, uint64_t n, uint64_t t);

#endif
