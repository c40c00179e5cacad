/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blob.h - a histogram as few bytes.
 *
 * Only buckets that hold something are written, each as two numbers: how many empty ones lie between it and
 * the one before (before the first: bucket -1), and its count. Both are LEB128 (7 bits a byte, low bits
 * first, the top bit says that more follow). An empty histogram is no bytes at all. The layout is part of the
 * schema: docs/database.md tells it to people.
 */
#ifndef ASSAY_STORE_BLOB_H
#define ASSAY_STORE_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "data/flow.h"

DEFINE_VEC(bytes, uint8_t);

/* Append the histogram of `flow` to `to`. -ENOMEM. */
int blob_encode(struct bytes *to, const struct flow *flow);

/*
 * Read a blob back into an empty histogram. -EUCLEAN where it is not one: cut short, a bucket that does not
 * exist, or an overlong number.
 */
int blob_decode(const void *blob, size_t n, struct histogram *ret);

#endif
