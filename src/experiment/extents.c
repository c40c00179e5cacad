/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/extents.h"

int extents_remove(struct extents *set, uint64_t begin, uint64_t end)
{
	struct extents kept = { 0 };
	int r = 0;

	for (size_t i = 0; i < set->n && r == 0; i++) {
		struct extent e = set->items[i];

		if (e.begin < begin)
			r = extents_push(&kept,
					 (struct extent){ e.begin, e.end < begin ? e.end : begin });
		if (e.end > end && r == 0)
			r = extents_push(&kept,
					 (struct extent){ e.begin > end ? e.begin : end, e.end });
	}
	if (r < 0) {
		extents_release(&kept);
		return r;
	}
	extents_release(set);
	*set = kept;
	return 0;
}

int extents_add(struct extents *set, uint64_t begin, uint64_t end)
{
	struct extents kept = { 0 };
	size_t i = 0;
	int r = 0;

	if (begin >= end)
		return 0;
	for (; i < set->n && set->items[i].end < begin && r == 0; i++)
		r = extents_push(&kept, set->items[i]);
	for (; i < set->n && set->items[i].begin <= end; i++) {
		if (set->items[i].begin < begin)
			begin = set->items[i].begin;
		if (set->items[i].end > end)
			end = set->items[i].end;
	}
	if (r == 0)
		r = extents_push(&kept, (struct extent){ begin, end });
	for (; i < set->n && r == 0; i++)
		r = extents_push(&kept, set->items[i]);
	if (r < 0) {
		extents_release(&kept);
		return r;
	}
	extents_release(set);
	*set = kept;
	return 0;
}

bool extents_cover(const struct extents *set, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->items[i].begin <= begin && set->items[i].end >= end)
			return true;
	return begin >= end;
}

uint64_t extents_bytes(const struct extents *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->n; i++)
		bytes += set->items[i].end - set->items[i].begin;
	return bytes;
}
