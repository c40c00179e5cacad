/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/histogram.h"

#include <math.h>

uint64_t histogram_low(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 128)
		return bucket;
	shift = bucket / 64 - 1;
	return (uint64_t)(bucket - shift * 64) << shift;
}

uint64_t histogram_middle(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 128)
		return bucket;
	shift = bucket / 64 - 1;
	return histogram_low(bucket) + ((1ull << shift) - 1) / 2;
}

uint64_t histogram_quantile(const struct histogram *h, uint64_t n, double q, uint64_t min,
			    uint64_t max)
{
	uint64_t rank, seen = 0;

	if (n == 0)
		return 0;
	rank = (uint64_t)ceil(q * (double)n);
	if (rank == 0)
		return min;
	if (rank >= n)
		return max;
	for (uint32_t i = histogram_bucket(min); i <= histogram_bucket(max); i++) {
		seen += h->count[i];
		if (seen >= rank) {
			uint64_t value = histogram_middle(i);

			return value < min ? min : value > max ? max : value;
		}
	}
	return max;
}

void histogram_add(struct histogram *to, const struct histogram *from, uint32_t low, uint32_t high)
{
	for (uint32_t i = low; i <= high && i < HISTOGRAM_BUCKETS; i++)
		to->count[i] += from->count[i];
}
