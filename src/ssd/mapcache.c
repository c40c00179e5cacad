/* SPDX-License-Identifier: MIT */
#include "ssd/mapcache.h"

#include <string.h>

#include "ssd/state.h"

void mapcache_reset(struct ssd *ssd)
{
	struct mapcache *m = &ssd->map;

	if (!m->slots)
		return;
	memset(m->slot_of, 0xff, (size_t)m->pages * sizeof(*m->slot_of));
	memset(m->seen, 0, (size_t)m->pages * sizeof(*m->seen));
	m->epoch = 0;
	m->used = 0;
	m->newest = m->oldest = NONE;
}

static void list_remove(struct mapcache *m, uint32_t slot)
{
	uint32_t newer = m->newer[slot], older = m->older[slot];

	if (newer != NONE)
		m->older[newer] = older;
	else
		m->newest = older;
	if (older != NONE)
		m->newer[older] = newer;
	else
		m->oldest = newer;
}

static void list_push(struct mapcache *m, uint32_t slot)
{
	m->newer[slot] = NONE;
	m->older[slot] = m->newest;
	if (m->newest != NONE)
		m->newer[m->newest] = slot;
	else
		m->oldest = slot;
	m->newest = slot;
}

/* Take the lane that is free first for cost_ns. In idle time data move and timelines do not. */
static uint64_t lane_take(struct ssd *ssd, uint64_t t, uint64_t cost_ns)
{
	uint64_t *lane = ssd->map.lane_ns, *first = &lane[0];

	if (ssd->quiet || !cost_ns)
		return t;
	for (uint32_t i = 1; i < ssd->cfg.map.lanes; i++)
		if (lane[i] < *first)
			first = &lane[i];
	return *first = max_ns(*first, t) + cost_ns;
}

/* A slot for another map page. *cost_ns grows where a changed page has to be written back before. */
static uint32_t slot_take(struct ssd *ssd, uint64_t *cost_ns)
{
	struct mapcache *m = &ssd->map;
	uint32_t slot;

	if (m->used < m->slots)
		return m->used++;
	slot = m->oldest;
	list_remove(m, slot);
	m->slot_of[m->page_of[slot]] = NONE;
	if (m->dirty[slot]) {
		*cost_ns += ssd->cfg.map.writeback_ns;
		ssd->stats.map_units++;
		ssd->stats.nand_units++;
	}
	return slot;
}

/* Look one map page up. `whole`: all of it is changed. Returns when it is at hand. */
static uint64_t look_up(struct ssd *ssd, uint32_t page, bool change, bool whole, uint64_t t)
{
	struct mapcache *m = &ssd->map;
	uint32_t slot = m->slot_of[page];
	uint64_t cost_ns;

	if (slot != NONE) {
		ssd->stats.map_hits++;
		m->dirty[slot] |= change;
		if (slot != m->newest) {
			list_remove(m, slot);
			list_push(m, slot);
		}
		return t + ssd->cfg.map.hit_ns;
	}
	ssd->stats.map_misses++;
	cost_ns = whole ? 0 : ssd->cfg.map.fetch_ns;
	slot = slot_take(ssd, &cost_ns);
	m->slot_of[page] = slot;
	m->page_of[slot] = page;
	m->dirty[slot] = change;
	list_push(m, slot);
	return lane_take(ssd, t, cost_ns);
}

uint64_t mapcache_command(struct ssd *ssd, uint32_t unit, uint32_t n, bool change, uint64_t t)
{
	uint32_t span = ssd->map.span_units, end = unit + n;
	uint64_t done = t;

	for (uint32_t page = unit / span; (uint64_t)page * span < end; page++) {
		uint32_t first = page * span, last = first + span;
		bool whole = change && unit <= first && (end >= last || end == ssd->units) &&
			     last > first;

		done = max_ns(done, look_up(ssd, page, change, whole, t));
	}
	return done;
}

void mapcache_move(struct ssd *ssd, const uint32_t *not_unit, uint32_t n, uint64_t t)
{
	struct mapcache *m = &ssd->map;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t page = ~not_unit[i] / m->span_units;

		if (m->seen[page] == m->epoch)
			continue;
		m->seen[page] = m->epoch;
		look_up(ssd, page, true, false, t);
	}
}
