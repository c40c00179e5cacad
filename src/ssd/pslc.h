/* SPDX-License-Identifier: MIT */
/*
 * pslc.h - the pSLC cache: how large it may be, where a host write goes, folding, reclaim.
 *
 * Limit = fixed part + share of the free bytes (beyond those that pslc.free_kept leaves alone). The fixed part is taken from the spare, the dynamic part
 * uses superblocks that the main area does not need yet, and is folded away where it comes to need them.
 * The route is chosen for each pSLC superblock that is opened: the cache, or, where that is exhausted, the
 * main area (`direct`) or the cache again after folding (`fold`). Folding empties the oldest superblock
 * first, position by position; its pace counts positions, not valid units, since the firmware has to look
 * up each one.
 */
#ifndef ASSAY_SSD_PSLC_H
#define ASSAY_SSD_PSLC_H

#include "ssd/state.h"

uint64_t pslc_limit_units(const struct ssd *ssd);

/* Whether more superblocks are in pSLC mode than the limit allows now (the free space has shrunk). */
bool pslc_over_limit(const struct ssd *ssd);

/* The stream for the next host data; its superblock is open. */
enum stream_id pslc_choose(struct ssd *ssd, uint64_t t);

static inline enum stream_id pslc_route(struct ssd *ssd, uint64_t t)
{
	if (!ssd->has_cache && ssd->stream[STREAM_HOST].sb != NONE)
		return STREAM_HOST;
	return pslc_choose(ssd, t);
}

/* After n host units went to the cache: fold at the configured pace where it is nearly exhausted. */
void pslc_pace(struct ssd *ssd, uint32_t n, uint64_t t);

/* Look at up to n cache positions, oldest superblock first, and fold what is valid. Returns how many. */
uint64_t pslc_fold(struct ssd *ssd, uint64_t n, uint64_t t);

/* Empty one whole cache superblock; there must be a closed one. */
void pslc_fold_block(struct ssd *ssd, uint64_t t);

#endif
