/* SPDX-License-Identifier: MIT */
#include "ssd/disk-cache.h"

#include <assert.h>
#include <string.h>

uint32_t dirty_find(const struct dirty *d, uint32_t unit)
{
	uint32_t low = 0, high = d->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (d->extent[mid].end <= unit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t dirty_overlap(const struct dirty *d, uint32_t unit, uint32_t end)
{
	uint32_t ret = 0;

	for (uint32_t i = dirty_find(d, unit); i < d->n && d->extent[i].unit < end; i++) {
		uint32_t a = d->extent[i].unit > unit ? d->extent[i].unit : unit;
		uint32_t b = d->extent[i].end < end ? d->extent[i].end : end;

		ret += b - a;
	}
	return ret;
}

void dirty_add(struct dirty *d, uint32_t unit, uint32_t end)
{
	/* From the first that touches to the last. */
	uint32_t first = unit ? dirty_find(d, unit - 1) : 0, last = first;

	d->units += end - unit - dirty_overlap(d, unit, end);
	while (last < d->n && d->extent[last].unit <= end) {
		if (d->extent[last].unit < unit)
			unit = d->extent[last].unit;
		if (d->extent[last].end > end)
			end = d->extent[last].end;
		last++;
	}
	assert(last > first || d->n < d->max);
	memmove(&d->extent[first + 1], &d->extent[last], (d->n - last) * sizeof(*d->extent));
	d->n = d->n + 1 - (last - first);
	d->extent[first] = (struct extent){ unit, end };
}

void dirty_take(struct dirty *d, uint32_t index, uint32_t n)
{
	struct extent *e = &d->extent[index];

	d->units -= n;
	e->unit += n;
	if (e->unit < e->end)
		return;
	d->n--;
	memmove(e, e + 1, (d->n - index) * sizeof(*e));
}

void segments_add(struct segments *s, uint32_t unit, uint32_t end)
{
	struct extent *e = NULL;

	if (!s->n || unit >= end)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->range[i].end > s->range[i].unit && s->range[i].unit <= unit &&
		    s->range[i].end >= unit)
			e = &s->range[i];
	if (!e) {
		e = &s->range[s->next++ % s->n];
		*e = (struct extent){ unit, unit };
	}
	if (end > e->end)
		e->end = end;
	if (e->end - e->unit > s->units_max)
		e->unit = e->end - s->units_max;
}

bool segments_hold(const struct segments *s, uint32_t unit, uint32_t end)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->range[i].unit <= unit && s->range[i].end >= end)
			return true;
	return false;
}

void segments_drop(struct segments *s, uint32_t unit, uint32_t end)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->range[i].unit < end && s->range[i].end > unit)
			s->range[i].unit = s->range[i].end = 0;
}
