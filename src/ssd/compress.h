/* SPDX-License-Identifier: MIT */
/*
 * compress.h - a controller that compresses.
 *
 * Each unit keeps how large it is when stored. A program costs its time, and a transfer its channel time, in
 * proportion to the bytes stored: as if so many more units went into each program. The map stays as it is, so the
 * space that compression gains is not modelled: it neither raises the over-provisioning nor lowers the number of
 * erases. ssd_stats.stored_bytes counts what went to the cells.
 */
#ifndef ASSAY_SSD_COMPRESS_H
#define ASSAY_SSD_COMPRESS_H

#include <math.h>

#include "ssd/state.h"

#define STORED_ALL 255u /* of an incompressible unit */

/* Stored size of a unit of this ratio, as a share of STORED_ALL. */
static inline uint8_t compress_stored(const struct ssd *ssd, double ratio)
{
	double floor = ssd->cfg.compress_floor, share = ratio > floor ? ratio : floor;

	return share < 1 ? (uint8_t)lround(share * STORED_ALL) : (uint8_t)STORED_ALL;
}

/* n units of the command that is being served were placed from ppn on. */
static inline void compress_place(struct ssd *ssd, struct stream *s, uint32_t ppn, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ssd->stored[ppn + i] = ssd->stored_now;
	s->stored += n * ssd->stored_now;
}

/* What a program of the stream, or its transfer, costs of what it would without compression. */
static inline uint64_t compress_cost(const struct stream *s, uint64_t cost_ns)
{
	uint64_t all = (uint64_t)s->program_units * STORED_ALL;

	return (cost_ns * s->stored + all / 2) / all;
}

/* Channel time of n units from ppn on, at `unit_ns` each. */
static inline uint64_t compress_read(const struct ssd *ssd, uint32_t ppn, uint32_t n,
				     uint64_t unit_ns)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += ssd->stored[ppn + i];
	return (sum * unit_ns + STORED_ALL / 2) / STORED_ALL;
}

#endif
