/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream.h - what one thread of a load does next: operation, size, address. A pure generator, seeded.
 *
 * The order of draws is fixed (operation, size, address), so that a seed gives the same I/Os on every
 * device. Sequential streams walk their own partition of the span, or all of it with share_start.
 */
#ifndef ASSAY_LOAD_STREAM_H
#define ASSAY_LOAD_STREAM_H

#include "base/permute.h"
#include "base/rng.h"
#include "base/zipf.h"
#include "data/workload.h"
#include "device/device.h"

struct stream {
	const struct workload *load;
	unsigned index; /* which thread */
	struct rng rng;
	uint32_t unit_bytes; /* addresses are multiples of the largest block size */
	uint64_t units;	     /* in the span */
	uint64_t begin, end; /* sequential: own partition, bytes from the span's start */
	uint64_t cursor;     /* sequential: next offset; permuted: next index */
	uint64_t pass;
	uint32_t weight_sum;
	uint32_t generation;
	double alternate; /* strict alternation: reads owed */
	struct permute permute;
	struct zipf zipf;
	uint64_t hot_units;
};

/* `trim_bytes_max` bounds the pieces of a TRIM load. The workload must outlive the stream and be valid. */
void stream_init(struct stream *s, const struct workload *load, unsigned index,
		 uint32_t trim_bytes_max);

/* Fill op, length, offset and content of the next I/O. */
void stream_next(struct stream *s, struct io *io);

/* Bytes that one pass of all streams covers: the span, for random orders less what does not fit whole blocks. */
uint64_t stream_pass_bytes(const struct workload *load);

#endif
