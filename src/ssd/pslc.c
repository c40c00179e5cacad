/* SPDX-License-Identifier: MIT */
#include "ssd/pslc.h"

#include "ssd/ftl.h"
#include "ssd/gc.h"

uint64_t pslc_limit_units(const struct ssd *ssd)
{
	uint64_t taken = ssd->cfg.pslc.basis == BASIS_UNMAPPED ? ssd->stats.mapped_units
							       : ssd->stats.written_units;
	uint64_t free = ssd->units - taken;

	free = free > ssd->cache_kept_units ? free - ssd->cache_kept_units : 0;
	return ssd->cache_static_units + ((free * ssd->cache_share_q32) >> 32);
}

bool pslc_over_limit(const struct ssd *ssd)
{
	return (ssd->cache_closed || ssd->fold.sb != NONE) &&
	       (uint64_t)ssd->cache_blocks * ssd->cache_units > pslc_limit_units(ssd);
}

/* Whether another superblock may be put into pSLC mode. */
static bool has_room(const struct ssd *ssd)
{
	if (((uint64_t)ssd->cache_blocks + 1) * ssd->cache_units > pslc_limit_units(ssd))
		return false;
	/* Beyond its own reserve the cache must not drive the main area into collection. */
	return ssd->cache_blocks < ssd->cache_reserve ? ssd->free_count > 1
						      : ftl_free_main(ssd) > ssd->cfg.gc.low;
}

static uint32_t ring_index(const struct ssd *ssd, uint32_t i)
{
	uint32_t at = ssd->cache_head + i;

	return at < ssd->superblocks ? at : at - ssd->superblocks;
}

/* Take the i-th oldest closed superblock out of the ring. */
static uint32_t ring_take(struct ssd *ssd, uint32_t i)
{
	uint32_t sb = ssd->cache_ring[ring_index(ssd, i)];

	for (; i > 0; i--)
		ssd->cache_ring[ring_index(ssd, i)] = ssd->cache_ring[ring_index(ssd, i - 1)];
	ssd->cache_head = ring_index(ssd, 1);
	ssd->cache_closed--;
	return sb;
}

/*
 * Compact the cache superblock with the least valid data into a new one, if it has little enough. True: the
 * cache stream has an open superblock again.
 */
static bool reclaim(struct ssd *ssd, uint64_t t)
{
	uint32_t best = NONE, least = UINT32_MAX, sb;
	struct cursor c;

	for (uint32_t i = 0; i < ssd->cache_closed; i++) {
		uint32_t key = ssd->key[ssd->cache_ring[ring_index(ssd, i)]];

		if (key < least) {
			least = key;
			best = i;
		}
	}
	if (best == NONE || ssd->free_count < 2)
		return false;
	least &= ~KEY_INELIGIBLE;
	if (least > ssd->cache_reclaim_units || least >= ssd->cache_units)
		return false;
	sb = ring_take(ssd, best);
	if (!least) {
		ftl_erase(ssd, sb);
		ftl_open(ssd, STREAM_CACHE, t);
		return true;
	}
	ftl_open(ssd, STREAM_CACHE, t);
	ftl_cursor_open(ssd, &c, sb);
	ssd->stats.compact_units += ftl_cursor_run(ssd, &c, STREAM_CACHE, c.written, UINT32_MAX, t);
	ftl_erase(ssd, sb);
	return true;
}

uint64_t pslc_fold(struct ssd *ssd, uint64_t n, uint64_t t)
{
	struct cursor *c = &ssd->fold;
	uint64_t left = n;
	uint32_t moved = 0, at, look;

	assert(!ssd->in_fold);
	ssd->in_fold = true;
	while (left) {
		if (c->sb == NONE) {
			if (!ssd->cache_closed)
				break;
			ftl_cursor_open(ssd, c, ring_take(ssd, 0));
		}
		at = c->position;
		look = c->written - at < left ? c->written - at : (uint32_t)left;
		moved += ftl_cursor_run(ssd, c, STREAM_FOLD, look,
					ssd->cfg.nand.program_units - moved, t);
		left -= c->position - at;
		if (moved == ssd->cfg.nand.program_units) {
			ssd->stats.fold_units += moved;
			gc_pace(ssd, moved, t);
			moved = 0;
		}
		if (c->position == c->written) {
			uint32_t sb = c->sb;

			c->sb = NONE;
			ftl_erase(ssd, sb);
		}
	}
	ssd->stats.fold_units += moved;
	gc_pace(ssd, moved, t);
	ssd->in_fold = false;
	return n - left;
}

void pslc_fold_block(struct ssd *ssd, uint64_t t)
{
	uint32_t left =
		ssd->fold.sb != NONE ? ssd->fold.written - ssd->fold.position : ssd->cache_units;

	pslc_fold(ssd, left, t);
}

/* The cache is exhausted once the superblock just opened is full: fold from now on, until so much is free. */
static void folding_begin(struct ssd *ssd)
{
	uint64_t goal = ssd->cfg.pslc.fold_low_bytes / SSD_UNIT_BYTES / ssd->cache_units;

	if (goal < 1)
		goal = 1;
	ssd->fold_goal = ssd->cache_blocks > goal ? ssd->cache_blocks - (uint32_t)goal : 0;
	ssd->folding = true;
}

void pslc_pace(struct ssd *ssd, uint32_t n, uint64_t t)
{
	uint64_t positions;

	if (!ssd->folding)
		return;
	ssd->fold_credit_q16 += n * ssd->fold_share_q16;
	positions = ssd->fold_credit_q16 >> 16;
	ssd->fold_credit_q16 &= 0xffff;
	pslc_fold(ssd, positions, t);
	if (ssd->cache_blocks <= ssd->fold_goal)
		ssd->folding = false;
}

static void open_cache(struct ssd *ssd, uint64_t t)
{
	ftl_open(ssd, STREAM_CACHE, t);
	if (ssd->cfg.pslc.full == FULL_FOLD && !ssd->folding && !has_room(ssd))
		folding_begin(ssd);
}

enum stream_id pslc_choose(struct ssd *ssd, uint64_t t)
{
	const struct stream *host = &ssd->stream[STREAM_HOST];

	if (!ssd->has_cache || host->partial) {
		if (host->sb == NONE)
			ftl_open(ssd, STREAM_HOST, t);
		return STREAM_HOST;
	}
	if (ssd->stream[STREAM_CACHE].sb != NONE)
		return STREAM_CACHE;
	if (has_room(ssd)) {
		open_cache(ssd, t);
		return STREAM_CACHE;
	}
	if (ssd->cfg.pslc.reclaim && reclaim(ssd, t))
		if (ssd->stream[STREAM_CACHE].sb != NONE)
			return STREAM_CACHE;
	while (ssd->cfg.pslc.full == FULL_FOLD && (ssd->cache_closed || ssd->fold.sb != NONE)) {
		pslc_fold_block(ssd, t);
		if (has_room(ssd)) {
			open_cache(ssd, t);
			return STREAM_CACHE;
		}
	}
	if (host->sb == NONE)
		ftl_open(ssd, STREAM_HOST, t);
	return STREAM_HOST;
}
