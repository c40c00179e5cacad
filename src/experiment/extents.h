/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * extents.h - a set of byte ranges of a drive: what this run knows to hold data.
 */
#ifndef ASSAY_EXPERIMENT_EXTENTS_H
#define ASSAY_EXPERIMENT_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct extent {
	uint64_t begin, end; /* bytes, begin < end */
};

DEFINE_VEC(extents, struct extent); /* sorted, disjoint, not touching */

/* Both return 0 or -ENOMEM. */
int extents_add(struct extents *set, uint64_t begin, uint64_t end);
int extents_remove(struct extents *set, uint64_t begin, uint64_t end);
bool extents_cover(const struct extents *set, uint64_t begin, uint64_t end);
uint64_t extents_bytes(const struct extents *set);

#endif
