/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/blob.h"

#include <errno.h>

static size_t varint_put(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	while (value >= 0x80) {
		to[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	to[n++] = (uint8_t)value;
	return n;
}

static int varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		if (shift == 63 && byte > 1)
			return -EUCLEAN;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return 0;
		}
	}
	return -EUCLEAN;
}

static int append(struct bytes *to, const uint8_t *from, size_t n)
{
	if (to->room - to->n < n) {
		size_t room = to->room * 2 > to->n + n ? to->room * 2 : to->n + n + 256;
		uint8_t *items = realloc(to->items, room);

		if (!items)
			return -ENOMEM;
		to->items = items;
		to->room = room;
	}
	memcpy(to->items + to->n, from, n);
	to->n += n;
	return 0;
}

int blob_encode(struct bytes *to, const struct flow *flow)
{
	uint32_t high, next = 0;
	uint8_t pair[20];

	if (flow->ops == 0)
		return 0;
	high = histogram_bucket(flow->lat_ns_max);
	for (uint32_t i = histogram_bucket(flow->lat_ns_min); i <= high; i++) {
		size_t n;

		if (flow->lat.count[i] == 0)
			continue;
		n = varint_put(pair, i - next);
		n += varint_put(pair + n, flow->lat.count[i]);
		if (append(to, pair, n) < 0)
			return -ENOMEM;
		next = i + 1;
	}
	return 0;
}

int blob_decode(const void *blob, size_t n, struct histogram *ret)
{
	const uint8_t *at = blob, *end = at + n;
	uint64_t gap, count, bucket = 0;

	while (at < end) {
		if (varint_get(&at, end, &gap) < 0 || varint_get(&at, end, &count) < 0)
			return -EUCLEAN;
		if (gap >= HISTOGRAM_BUCKETS - bucket || count == 0)
			return -EUCLEAN;
		bucket += gap;
		ret->count[bucket++] = count;
	}
	return 0;
}
