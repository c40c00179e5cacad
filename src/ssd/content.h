/* SPDX-License-Identifier: MIT */
/*
 * content.h - controllers that look at what is written.
 *
 * Zero detection (content.zero_detect): units that hold zeros only are not programmed but unmapped, as if trimmed;
 * reads of them need no flash. They have crossed the link all the same. Superblocks that are left with nothing are
 * erased as they go by: a drive that was written full of zeros is as good as new.
 */
#ifndef ASSAY_SSD_CONTENT_H
#define ASSAY_SSD_CONTENT_H

#include "ssd/state.h"

/* Whether a write of these data (NULL: nothing is known) is detected as zeros. */
static inline bool content_is_zero(const struct ssd *ssd, const struct ssd_data *data)
{
	return ssd->cfg.content.zero_detect && data && !(data->ratio > 0);
}

/* Take n units of zeros at time t. Returns when they have arrived. */
uint64_t content_write_zero(struct ssd *ssd, uint32_t unit, uint32_t n, uint64_t t);

#endif
