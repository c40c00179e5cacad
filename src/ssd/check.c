/* SPDX-License-Identifier: MIT */
/*
 * check.c - conservation. Everything is counted again from the map, and compared with what was kept.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ssd/ftl.h"

typedef unsigned long long ull;

/* Positions written of a superblock, open or closed. */
static uint32_t written(const struct ssd *ssd, uint32_t sb)
{
	for (int i = 0; i < STREAMS; i++)
		if (ssd->stream[i].sb == sb)
			return ssd->stream[i].off;
	return ssd->sb_written[sb];
}

static int check_map(const struct ssd *ssd, uint32_t *valid, struct err *err)
{
	uint64_t mapped = 0;

	for (uint32_t unit = 0; unit < ssd->units; unit++) {
		uint32_t ppn = l2p_get(ssd, unit), sb;

		if (ppn == NONE)
			continue;
		mapped++;
		sb = ppn / ssd->sb_units;
		if (sb >= ssd->superblocks || sb != ssd_sb_of(ssd, ppn))
			return err_set(err, -EINVAL, "unit %u is mapped outside the flash", unit);
		if (p2l_get(ssd, ppn) != unit)
			return err_set(err, -EINVAL,
				       "unit %u is mapped to position %u, which holds %u", unit,
				       ppn, p2l_get(ssd, ppn));
		if (ssd->sb_state[sb] == SB_FREE || ppn % ssd->sb_units >= written(ssd, sb))
			return err_set(err, -EINVAL, "unit %u is mapped to unwritten position %u",
				       unit, ppn);
		if (!(ssd->ever_written[unit >> 6] >> (unit & 63) & 1))
			return err_set(err, -EINVAL, "unit %u is mapped but was never written",
				       unit);
		valid[sb]++;
	}
	if (mapped != ssd->stats.mapped_units)
		return err_set(err, -EINVAL, "%llu units are mapped, %llu were counted",
			       (ull)mapped, (ull)ssd->stats.mapped_units);
	return 0;
}

static int check_superblocks(const struct ssd *ssd, const uint32_t *valid, struct err *err)
{
	uint32_t state[SB_CACHE + 1] = { 0 };
	uint64_t placed = 0;

	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		uint32_t limit = sb_is_cache(ssd, sb) ? ssd->cache_units : ssd->sb_units;

		if ((ssd->key[sb] & ~KEY_INELIGIBLE) != valid[sb])
			return err_set(err, -EINVAL,
				       "superblock %u holds %u valid units, counted %u", sb,
				       valid[sb], ssd->key[sb] & ~KEY_INELIGIBLE);
		if (!(ssd->key[sb] & KEY_INELIGIBLE) != (ssd->sb_state[sb] == SB_MAIN))
			return err_set(err, -EINVAL, "superblock %u: eligible in state %u", sb,
				       ssd->sb_state[sb]);
		if (ssd->group_min[sb / GROUP] > ssd->key[sb])
			return err_set(err, -EINVAL,
				       "superblock %u: its group's least key is above it", sb);
		if (written(ssd, sb) > limit)
			return err_set(err, -EINVAL, "superblock %u is written beyond its end", sb);
		state[ssd->sb_state[sb]]++;
		placed += written(ssd, sb);
	}
	if (state[SB_RETIRED] != ssd->wear.retired)
		return err_set(err, -EINVAL, "%u superblocks are retired, counted %u",
			       state[SB_RETIRED], ssd->wear.retired);
	if (state[SB_FREE] != ssd->free_count)
		return err_set(err, -EINVAL, "%u superblocks are free, counted %u", state[SB_FREE],
			       ssd->free_count);
	if (state[SB_CACHE] + state[SB_CACHE_OPEN] != ssd->cache_blocks ||
	    state[SB_CACHE] != ssd->cache_closed + (ssd->fold.sb != NONE))
		return err_set(err, -EINVAL, "%u + %u superblocks are cache, counted %u",
			       state[SB_CACHE], state[SB_CACHE_OPEN], ssd->cache_blocks);
	for (int i = 0; i < STREAMS; i++)
		placed -= ssd->stream[i].partial;
	placed += ssd->stats.map_units; /* in superblocks of their own */
	placed -= ssd->stats.prefill_units;
	if (placed + ssd->erased_units != ssd->stats.nand_units)
		return err_set(err, -EINVAL, "%llu units were programmed, %llu found or erased",
			       (ull)ssd->stats.nand_units, (ull)(placed + ssd->erased_units));
	return 0;
}

/* The rings hold every free and every closed cache superblock once. */
static int check_rings(const struct ssd *ssd, uint32_t *seen, struct err *err)
{
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++)
		seen[sb] = 0;
	for (uint32_t i = 0; i < ssd->free_count; i++) {
		uint32_t sb = ssd->free_ring[(ssd->free_head + i) % ssd->superblocks];

		if (ssd->sb_state[sb] != SB_FREE || seen[sb]++)
			return err_set(err, -EINVAL, "superblock %u is wrongly listed as free", sb);
	}
	for (uint32_t i = 0; i < ssd->cache_closed; i++) {
		uint32_t sb = ssd->cache_ring[(ssd->cache_head + i) % ssd->superblocks];

		if (ssd->sb_state[sb] != SB_CACHE || seen[sb]++)
			return err_set(err, -EINVAL, "superblock %u is wrongly listed as cache",
				       sb);
	}
	return 0;
}

/*
 * Programmed = host (but for zeros) + GC + folding + compaction + campaign + refresh + levelling + padding + map,
 * less what waits in open program units.
 */
static int check_causes(const struct ssd *ssd, struct err *err)
{
	const struct ssd_stats *s = &ssd->stats;
	uint64_t causes = s->host_write_units - s->zero_units + s->gc_units + s->fold_units +
			  s->compact_units + s->campaign_units + s->refresh_units + s->level_units +
			  s->pad_units + s->map_units;
	uint64_t waiting = 0;

	for (int i = 0; i < STREAMS; i++)
		waiting += ssd->stream[i].partial;
	if (causes != s->nand_units + waiting)
		return err_set(
			err, -EINVAL,
			"%llu units were programmed and %llu wait, but the causes add up to %llu",
			(ull)s->nand_units, (ull)waiting, (ull)causes);
	return 0;
}

int ssd_check(const struct ssd *ssd, struct err *err)
{
	_cleanup_free_ uint32_t *count = calloc(ssd->superblocks, sizeof(*count));
	int r;

	if (!count)
		return err_set(err, -ENOMEM, "no memory to check a simulated drive");
	r = check_map(ssd, count, err);
	if (r == 0)
		r = check_superblocks(ssd, count, err);
	if (r == 0)
		r = check_rings(ssd, count, err);
	return r < 0 ? r : check_causes(ssd, err);
}
