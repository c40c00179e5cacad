/* SPDX-License-Identifier: MIT */
/*
 * tags.h - what each position of the flash holds, as a number of the caller's, so that what is read can be told
 * from what should be there.
 *
 * A tag lies with the data: it is placed with them, moves with them when they are copied, and is what ssd_tag()
 * finds by way of the map. Until the first write that carries one nothing is stored and nothing is touched.
 */
#ifndef ASSAY_SSD_TAGS_H
#define ASSAY_SSD_TAGS_H

#include "ssd/state.h"

/* n units were placed from ppn on; they carry the tag of the command that is being served. */
static inline void tags_place(struct ssd *ssd, uint32_t ppn, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ssd->tag[ppn + i] = ssd->tag_now;
}

/* The tag of what is read at a unit now; 0: it was never written, discarded, or written without one. */
static inline uint32_t tags_at(const struct ssd *ssd, uint32_t unit)
{
	return ssd->not_l2p[unit] ? ssd->tag[~ssd->not_l2p[unit]] : 0;
}

#endif
