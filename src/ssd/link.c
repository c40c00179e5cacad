/* SPDX-License-Identifier: MIT */
#include "ssd/link.h"

void link_sink(struct link *link, uint32_t i, uint64_t done_ns)
{
	uint64_t *slot = link->slot;
	uint32_t n = link->slots;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= n)
			break;
		if (child + 1 < n && slot[child + 1] < slot[child])
			child++;
		if (slot[child] >= done_ns)
			break;
		slot[i] = slot[child];
		i = child;
	}
	slot[i] = done_ns;
}

uint64_t link_full(struct link *link, uint64_t now)
{
	uint64_t *slot = link->slot;
	uint32_t busy = 0;

	if (link->ordered)
		return slot[0];
	for (uint32_t i = 0; i < link->slots; i++)
		busy += slot[i] > now;
	if (busy > link->slots / 2) {
		for (uint32_t i = link->slots; i-- > 0;)
			link_sink(link, i, slot[i]);
		link->ordered = true;
		return slot[0];
	}
	link->used = 0;
	for (uint32_t i = 0; i < link->slots; i++)
		if (slot[i] > now)
			slot[link->used++] = slot[i];
	return 0;
}
