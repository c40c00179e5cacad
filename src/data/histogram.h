/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * histogram.h - log-linear latency histogram: 64 buckets an octave, every uint64_t has its bucket.
 *
 * Values below 128 are exact; above, a bucket is 1/64 of its octave wide, so that its middle is within
 * 0.8 % of every value in it (the same layout idea as HdrHistogram, G. Tene). Nothing is clamped.
 * The exact minimum, maximum and sum are kept by the owner (struct flow), not here.
 */
#ifndef ASSAY_DATA_HISTOGRAM_H
#define ASSAY_DATA_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 3776u /* 58 octaves of 64, plus the 64 values below the first */

struct histogram {
	uint64_t count[HISTOGRAM_BUCKETS];
};

static inline uint32_t histogram_bucket(uint64_t value)
{
	unsigned shift;

	if (value < 128)
		return (uint32_t)value;
	shift = 57 - (unsigned)__builtin_clzll(value);
	return shift * 64 + (uint32_t)(value >> shift);
}

/* The smallest value of a bucket, and the value it stands for (its middle). */
uint64_t histogram_low(uint32_t bucket);
uint64_t histogram_middle(uint32_t bucket);

/*
 * The value at quantile q (0..1) of `n` recorded values: the middle of the bucket in which the
 * ceil(q * n)-th smallest value lies, kept within [min, max]. 0 where n is 0.
 */
uint64_t histogram_quantile(const struct histogram *h, uint64_t n, double q, uint64_t min,
			    uint64_t max);

/* Add what lies in buckets [low, high] of `from` to `to`. */
void histogram_add(struct histogram *to, const struct histogram *from, uint32_t low, uint32_t high);

#endif
