/* SPDX-License-Identifier: MIT */
#include "ssd/ssd.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ssd/aged.h"
#include "ssd/campaign.h"
#include "ssd/compress.h"
#include "ssd/ftl.h"
#include "ssd/gc-clean.h"
#include "ssd/gc-policy.h"
#include "ssd/gc.h"
#include "ssd/link.h"
#include "ssd/prefill.h"
#include "ssd/pslc.h"
#include "ssd/refresh.h"

/* Programs of one die that wait at most; more are joined without losing time (nand.c). */
#define DIE_QUEUE 64u

/* An array that counts towards the drive's memory; NULL and *ok false where there is none. */
static void *array(struct ssd *ssd, uint64_t n, size_t size, bool *ok)
{
	void *ret = calloc(n ? n : 1, size);

	ssd->memory_bytes += n * size;
	if (!ret)
		*ok = false;
	return ret;
}

/* Likewise, but of untouched pages. */
static void *map(struct ssd *ssd, struct memory *m, uint64_t n, size_t size, bool *ok)
{
	void *ret = memory_take(m, n, size);

	ssd->memory_bytes += n * size;
	if (!ret)
		*ok = false;
	return ret;
}

static void derive(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;

	ssd->units = (uint32_t)(cfg->capacity_bytes / SSD_UNIT_BYTES);
	ssd->superblocks = cfg->geometry.superblocks;
	ssd->sb_units = cfg->geometry.superblock_units;
	/* floor(p / n) = (p * (floor(2^64 / n) + 1)) >> 64 for every 32-bit p and n > 1. */
	ssd->sb_reciprocal = UINT64_MAX / ssd->sb_units + 1;
	ssd->groups = (ssd->superblocks + GROUP - 1) / GROUP;
	ssd->page_all = cfg->geometry.planes * cfg->geometry.page_units;
	ssd->has_cache = ssd_has_pslc(cfg);
	ssd->has_wear = wear_on(cfg);
	ssd->cache_units = ssd->has_cache ? ssd->sb_units / ssd_bits(cfg) : ssd->sb_units;
	ssd->cache_reserve = ssd_pslc_reserve(cfg);
	ssd->cache_static_units = cfg->pslc.static_bytes / SSD_UNIT_BYTES;
	ssd->cache_kept_units = cfg->pslc.free_kept_bytes / SSD_UNIT_BYTES;
	ssd->cache_share_q32 = (uint64_t)(cfg->pslc.share * 0x1p32);
	ssd->cache_reclaim_units = (uint32_t)(ssd->cache_units * cfg->pslc.reclaim_valid_pct / 100);
	ssd->fold_share_q16 = (uint64_t)(cfg->pslc.fold_share * 65536);
	ssd->detect_reads = cfg->fw.random_read_ns || cfg->fw.readahead_units;
	ssd->map.span_units = cfg->map.page_units;
	ssd->map.pages = (ssd->units + cfg->map.page_units - 1) / cfg->map.page_units;
	ssd->map.slots = cfg->map.pages < ssd->map.pages ? cfg->map.pages : ssd->map.pages;
	ssd->has_map = ssd->map.slots > 0;
	ssd->moves_look_up = ssd->has_map && cfg->map.moves;
	ssd->idle_fold = (struct idle_worker){ .delay_ns = cfg->pslc.idle_delay_ns,
					       .bytes_per_s = cfg->pslc.idle_bytes_per_s };
	gc_clean_derive(ssd);
	ssd->idle_campaign = (struct idle_worker){ .bytes_per_s = cfg->campaign.idle_bytes_per_s };
}

static bool allocate_log(struct ssd *ssd)
{
	uint32_t size = 1;
	bool ok = true;

	if (!ssd->cfg.fault.cut_every_bytes)
		return true;
	while (size < 2 * ssd->cfg.buffer_units)
		size *= 2;
	ssd->cut.mask = size - 1;
	ssd->cut.entry = array(ssd, size, sizeof(*ssd->cut.entry), &ok);
	ssd->cut.safe = array(ssd, ((uint64_t)ssd->units + 63) / 64, sizeof(*ssd->cut.safe), &ok);
	return ok;
}

static bool allocate_map(struct ssd *ssd)
{
	bool ok = true;

	/* Behind the last position: look-ahead reads what it will not use. */
	ssd->not_l2p = map(ssd, &ssd->l2p_memory, ssd->units, sizeof(*ssd->not_l2p), &ok);
	ssd->not_p2l = map(ssd, &ssd->p2l_memory,
			   (uint64_t)ssd->superblocks * ssd->sb_units + 2ull * FTL_AHEAD,
			   sizeof(*ssd->not_p2l), &ok);
	ssd->ever_written = map(ssd, &ssd->written_memory, ((uint64_t)ssd->units + 63) / 64,
				sizeof(*ssd->ever_written), &ok);
	ssd->key = array(ssd, ssd->superblocks, sizeof(*ssd->key), &ok);
	ssd->group_min = array(ssd, ssd->groups, sizeof(*ssd->group_min), &ok);
	if (gc_needs_age(ssd->cfg.gc.policy))
		ssd->group_oldest = array(ssd, ssd->groups, sizeof(*ssd->group_oldest), &ok);
	ssd->sb_written = array(ssd, ssd->superblocks, sizeof(*ssd->sb_written), &ok);
	ssd->sb_closed = array(ssd, ssd->superblocks, sizeof(*ssd->sb_closed), &ok);
	ssd->sb_state = array(ssd, ssd->superblocks, sizeof(*ssd->sb_state), &ok);
	ssd->free_ring = array(ssd, ssd->superblocks, sizeof(*ssd->free_ring), &ok);
	ssd->cache_ring = array(ssd, ssd->superblocks, sizeof(*ssd->cache_ring), &ok);
	if (ssd->cfg.tags)
		ssd->tag = map(ssd, &ssd->tag_memory, (uint64_t)ssd->superblocks * ssd->sb_units,
			       sizeof(*ssd->tag), &ok);
	if (ssd->cfg.compress)
		ssd->stored =
			map(ssd, &ssd->stored_memory, (uint64_t)ssd->superblocks * ssd->sb_units,
			    sizeof(*ssd->stored), &ok);
	ssd->carries = ssd->stored;
	return ok && allocate_log(ssd);
}

static bool allocate_timelines(struct ssd *ssd)
{
	struct nand *nand = &ssd->nand;
	bool ok = true;

	nand->dies = ssd->cfg.geometry.dies;
	nand->planes = ssd->cfg.geometry.planes;
	nand->channels = ssd->cfg.geometry.channels;
	nand->channel_unit_ns = ssd->cfg.channel_unit_ns;
	nand->independent = ssd->cfg.planes_independent;
	nand->suspend_ns[NAND_PROGRAM] = ssd->cfg.suspend.program_ns;
	nand->suspend_ns[NAND_ERASE] = ssd->cfg.suspend.erase_ns;
	nand->resume_ns = ssd->cfg.suspend.resume_ns;
	nand->suspends_max = ssd->cfg.suspend.max;
	nand->can_suspend = ssd->cfg.suspend.program_ns || ssd->cfg.suspend.erase_ns;
	nand->queue_mask = DIE_QUEUE - 1;
	nand->die = array(ssd, nand->dies, sizeof(*nand->die), &ok);
	nand->plane_end_ns =
		array(ssd, (uint64_t)nand->dies * nand->planes, sizeof(*nand->plane_end_ns), &ok);
	nand->channel_ns = array(ssd, nand->channels, sizeof(*nand->channel_ns), &ok);
	nand->queue = array(ssd, (uint64_t)nand->dies * DIE_QUEUE, sizeof(*nand->queue), &ok);
	for (uint32_t die = 0; nand->die && die < nand->dies; die++)
		nand->die[die].channel = die % nand->channels;
	ssd->link.slots = ssd->cfg.link.queue;
	ssd->link.slot = array(ssd, ssd->link.slots, sizeof(*ssd->link.slot), &ok);
	ssd->buffer.capacity = ssd->cfg.buffer_units;
	/* A program carries at least one host unit, so that there are never more programs than units. */
	ssd->buffer.heap = array(ssd, ssd->buffer.capacity + 1, sizeof(*ssd->buffer.heap), &ok);
	return ok;
}

/* Nothing where the whole map is in DRAM. */
static bool allocate_map_cache(struct ssd *ssd)
{
	struct mapcache *m = &ssd->map;
	bool ok = true;

	if (!ssd->has_map)
		return true;
	m->slot_of = array(ssd, m->pages, sizeof(*m->slot_of), &ok);
	m->seen = array(ssd, m->pages, sizeof(*m->seen), &ok);
	m->page_of = array(ssd, m->slots, sizeof(*m->page_of), &ok);
	m->newer = array(ssd, m->slots, sizeof(*m->newer), &ok);
	m->older = array(ssd, m->slots, sizeof(*m->older), &ok);
	m->dirty = array(ssd, m->slots, sizeof(*m->dirty), &ok);
	return ok;
}

/* What a purge forgets: data and counters, not the clock. */
static void reset(struct ssd *ssd)
{
	struct buffer *b = &ssd->buffer;

	memset(&ssd->stats, 0, sizeof(ssd->stats));
	ssd->nand.die_busy_ns = ssd->nand.channel_busy_ns = ssd->nand.page_reads = 0;
	ssd->nand.suspends = 0;
	heat_forget(ssd);
	cut_forget(ssd);
	ssd->stored_sum = 0;
	ssd->erase_debt_ns = 0;
	ftl_reset(ssd);
	gc_policy_reset(ssd);
	gc_clean_reset(ssd);
	campaign_reset(ssd);
	if (ssd->has_wear)
		wear_reset(ssd);
	refresh_reset(ssd, max_ns(ssd->busy_until_ns, ssd->idle_until_ns));
	mapcache_reset(ssd);
	b->used = b->pending[0] = b->pending[1] = b->programs = 0;
	for (uint32_t i = 0; i < SEQUENTIAL_STREAMS; i++)
		ssd->reads.entry[i].next_unit = ssd->writes.entry[i].next_unit = NONE;
}

int ssd_new(struct ssd **ret, const struct ssd_config *cfg, struct err *err)
{
	struct ssd *ssd;
	bool ok;
	int r = ssd_config_check(cfg, NULL, err);

	if (r < 0)
		return r;
	ssd = calloc(1, sizeof(*ssd));
	if (!ssd)
		return err_set(err, -ENOMEM, "no memory for a simulated drive");
	ssd->cfg = *cfg;
	ssd->memory_bytes = sizeof(*ssd);
	derive(ssd);
	ok = allocate_map(ssd);
	ok = allocate_timelines(ssd) && ok;
	ok = ok && wear_init(ssd);
	ok = allocate_map_cache(ssd) && ok;
	if (!ok) {
		r = err_set(err, -ENOMEM,
			    "no memory for a simulated drive of %llu bytes: %llu needed",
			    (unsigned long long)cfg->capacity_bytes,
			    (unsigned long long)ssd->memory_bytes);
		ssd_free(ssd);
		return r;
	}
	reset(ssd);
	heat_init(ssd);
	fault_init(ssd);
	/* Ageing begins with a fill of its own. */
	if (aged_drive_writes(cfg) > 0)
		r = aged_apply(ssd, err);
	else
		prefill_apply(ssd);
	if (r == 0 && ssd->has_wear)
		wear_used(ssd);
	if (r < 0) {
		ssd_free(ssd);
		return r;
	}
	*ret = ssd;
	return 0;
}

void ssd_free(struct ssd *ssd)
{
	if (!ssd)
		return;
	memory_free(&ssd->l2p_memory);
	memory_free(&ssd->p2l_memory);
	memory_free(&ssd->written_memory);
	free(ssd->key);
	free(ssd->group_min);
	free(ssd->group_oldest);
	free(ssd->sb_written);
	free(ssd->sb_closed);
	free(ssd->sb_state);
	free(ssd->free_ring);
	free(ssd->cache_ring);
	free(ssd->nand.die);
	free(ssd->nand.plane_end_ns);
	free(ssd->nand.channel_ns);
	free(ssd->nand.queue);
	memory_free(&ssd->tag_memory);
	memory_free(&ssd->stored_memory);
	free(ssd->cut.entry);
	free(ssd->cut.safe);
	free(ssd->link.slot);
	free(ssd->map.slot_of);
	free(ssd->map.seen);
	free(ssd->map.page_of);
	free(ssd->map.newer);
	free(ssd->map.older);
	free(ssd->map.dirty);
	free(ssd->buffer.heap);
	wear_free(ssd);
	free(ssd);
}

void ssd_purge(struct ssd *ssd)
{
	ssd->purges++;
	reset(ssd);
}

/* Bytes of work that a worker may do for the idle time between two moments; the rest is kept in its credit. */
static uint64_t idle_units(struct idle_worker *w, uint64_t idle_from, uint64_t done_until,
			   uint64_t now)
{
	uint64_t from = max_ns(idle_from + w->delay_ns, done_until);
	unsigned __int128 credit;
	uint64_t units;

	if (!w->bytes_per_s || from >= now)
		return 0;
	credit = (unsigned __int128)(now - from) * w->bytes_per_s + w->credit_bytes_ns;
	units = (uint64_t)(credit / ((unsigned __int128)1000000000 * SSD_UNIT_BYTES));
	w->credit_bytes_ns =
		(uint64_t)(credit - (unsigned __int128)units * 1000000000 * SSD_UNIT_BYTES);
	return units;
}

void ssd_idle(struct ssd *ssd, uint64_t now)
{
	uint64_t from = ssd->busy_until_ns, until = ssd->idle_until_ns, n;

	double work_uj;

	if (now <= from || now <= until)
		return;
	work_uj = heat_on(&ssd->cfg) ? heat_work_uj(ssd) : 0;
	link_clear(&ssd->link);
	ssd->erase_debt_ns -= ssd->erase_debt_ns < now - from ? ssd->erase_debt_ns : now - from;
	ssd->quiet = true;
	if (now >= ssd->refresh.next_ns)
		refresh_run(ssd, now);
	if (ssd->campaign_left_units) {
		n = idle_units(&ssd->idle_campaign, from, max_ns(from, until), now);
		campaign_move(ssd, n, now);
	}
	if (ssd->cache_blocks) {
		n = idle_units(&ssd->idle_fold, from, max_ns(from, until), now);
		pslc_fold(ssd, n, now);
	}
	if (ssd->idle_gc.bytes_per_s) {
		n = idle_units(&ssd->idle_gc, from, max_ns(from, until), now);
		gc_clean_idle(ssd, n, now);
	}
	ssd->quiet = false;
	ssd->idle_until_ns = now;
	if (heat_on(&ssd->cfg))
		ssd->heat.idle_uj += heat_work_uj(ssd) - work_uj;
}

void ssd_prefetch(const struct ssd *ssd, uint32_t unit)
{
	if (unit < ssd->units)
		__builtin_prefetch(&ssd->not_l2p[unit], 1);
}

void ssd_set_temperature(struct ssd *ssd, double celsius)
{
	ssd->wear.temperature_mk = (int32_t)lround(celsius * 1000);
	if (ssd->refresh.look_ns != UINT64_MAX)
		ssd->refresh.look_ns = ssd->refresh.next_ns = 0;
}

const struct ssd_config *ssd_get_config(const struct ssd *ssd)
{
	return &ssd->cfg;
}

uint64_t ssd_memory_bytes(const struct ssd *ssd)
{
	return ssd->memory_bytes;
}

void ssd_get_stats(const struct ssd *ssd, struct ssd_stats *ret)
{
	uint32_t held =
		ssd->cache_blocks > ssd->cache_reserve ? ssd->cache_blocks : ssd->cache_reserve;

	*ret = ssd->stats;
	ret->stored_bytes = ssd->stored ? ssd->stored_sum * SSD_UNIT_BYTES / STORED_ALL
					: ssd->stats.nand_units * SSD_UNIT_BYTES;
	ret->temperature_c = ret->power_w = NAN;
	if (heat_on(&ssd->cfg))
		heat_tell(ssd, ssd->idle_until_ns, ret);
	ret->die_busy_ns = ssd->nand.die_busy_ns;
	ret->channel_busy_ns = ssd->nand.channel_busy_ns;
	ret->suspends = ssd->nand.suspends;
	ret->free_superblocks = ssd->free_count;
	ret->read_only = ssd->read_only;
	ret->wear_pct = NAN;
	if (ssd->has_wear)
		wear_tell(ssd, ret);
	ret->cleaning = ssd->cleaning;
	ret->campaign_active = ssd->campaign_left_units > 0;
	ret->cache_limit_units = ssd->has_cache ? pslc_limit_units(ssd) : 0;
	for (uint32_t sb = 0; ssd->has_cache && sb < ssd->superblocks; sb++)
		if (sb_is_cache(ssd, sb)) {
			ret->cache_used_units += ssd->sb_state[sb] == SB_CACHE
							 ? ssd->sb_written[sb]
							 : ssd->stream[STREAM_CACHE].off;
			ret->cache_valid_units += ssd->key[sb] & ~KEY_INELIGIBLE;
		}
	/* What collection has to work with: not the cache, not the free reserve, not the open superblocks. */
	held += ssd->cfg.gc.low + ssd->wear.retired;
	for (int i = 0; i < STREAMS; i++)
		held += i != STREAM_CACHE && ssd->stream[i].sb != NONE;
	ret->main_units =
		held < ssd->superblocks ? (uint64_t)(ssd->superblocks - held) * ssd->sb_units : 0;
}
