/* SPDX-License-Identifier: MIT */
/*
 * state.h - the inside of a simulated drive; only src/ssd/ includes it.
 *
 * Validity is lazy: the flash position p holds valid data if and only if l2p[p2l[p]] == p and p lies below
 * the write pointer of a superblock that is not free. An overwrite therefore touches l2p and one count, and
 * never p2l (the idea of simulation studies by P. Desnoyers, turned round to save the random store).
 *
 * Both maps are kept complemented (not_l2p, not_p2l), so that NONE is 0: what was never written is a page
 * that the kernel never had to give.
 *
 * key[] is the valid count of a superblock, with KEY_INELIGIBLE set unless collection may take it. Counts
 * of closed superblocks only fall, so group_min[], the least key of each 64, is kept by one compare at each
 * invalidation, and the greedy victim is found in N / 64 + 64 steps (square-root decomposition).
 */
#ifndef ASSAY_SSD_STATE_H
#define ASSAY_SSD_STATE_H

#include <assert.h>

#include "base/rng.h"
#include "ssd/cut.h"
#include "ssd/fault.h"
#include "ssd/heat.h"
#include "ssd/mapcache.h"
#include "ssd/memory.h"
#include "ssd/nand.h"
#include "ssd/parts.h"
#include "ssd/refresh.h"
#include "ssd/ssd.h"
#include "ssd/wear.h"

#define KEY_INELIGIBLE (1u << 31)
#define GROUP 64u

enum sb_state { SB_FREE, SB_OPEN, SB_MAIN, SB_VICTIM, SB_RETIRED, SB_CACHE_OPEN, SB_CACHE };

struct ssd {
	struct ssd_config cfg;
	/* derived from the configuration, constant */
	uint32_t units, superblocks, sb_units;
	uint32_t cache_units; /* of a superblock in pSLC mode */
	uint64_t sb_reciprocal;
	uint32_t page_all;	/* units of a page of every plane */
	uint32_t cache_reserve; /* superblocks of the fixed cache (S1) */
	uint64_t cache_static_units, cache_share_q32, cache_kept_units;
	uint64_t fold_share_q16;
	uint32_t cache_reclaim_units; /* valid units that a reclaimed cache superblock may hold */
	bool has_cache, detect_reads, has_wear, has_map, moves_look_up;
	/* mapping */
	uint32_t *not_l2p, *not_p2l;
	uint64_t *ever_written; /* bitmap */
	struct memory l2p_memory, p2l_memory, written_memory;
	/* superblocks */
	uint32_t *key, *group_min;
	uint64_t *group_oldest; /* least close number that may be collected; NULL: not needed */
	uint32_t *sb_written;	/* positions written, for closed ones */
	uint64_t *sb_closed;	/* sequence number at close: the age for the campaign */
	uint8_t *sb_state;
	uint32_t groups;
	uint32_t *free_ring; /* first in, first out: erased ones wait longest */
	uint32_t free_head, free_count;
	uint32_t *cache_ring; /* closed pSLC superblocks, oldest first */
	uint32_t cache_head, cache_closed;
	uint32_t cache_blocks; /* in pSLC mode, open ones too */
	struct stream stream[STREAMS];
	uint64_t close_count;
	/* background */
	struct cursor gc, fold, campaign, refreshing;
	struct cursor clean;		/* the victim of cleaning between commands */
	bool clean_writes, clean_reads; /* before which commands */
	bool special_writes;		/* cleaning or a journal before writes */
	bool cleaning;			/* between gc.low and gc.high */
	uint64_t clean_next_ns;		/* the host has its slice until then */
	uint32_t gc_low;		/* free superblocks at which the paced collector works */
	enum stream_id gc_stream;	/* where it copies to */
	uint32_t gc_full_victims;	/* taken one after the other */
	struct rng gc_rng;
	uint32_t journal_used;	  /* units of host writes in it */
	uint32_t gc_gain;	  /* units that the victim gives beyond those to copy */
	uint64_t gc_credit;	  /* positions to look at, x gc_gain */
	bool collecting;	  /* no collection inside collection ... */
	bool in_fold;		  /* ... and no folding inside folding */
	uint64_t fold_credit_q16; /* positions x 65536 */
	bool folding;
	uint32_t fold_goal; /* cache superblocks at which folding stops */
	uint64_t campaign_next_units, campaign_left_units;
	uint64_t purges;
	struct idle_worker idle_fold, idle_campaign, idle_gc;
	bool quiet; /* in idle time: data move, timelines do not */
	uint64_t busy_until_ns, idle_until_ns;
	/* timelines */
	struct nand nand;
	struct link link;
	struct buffer buffer;
	uint64_t fw_ns;
	uint64_t erase_debt_ns; /* erases of single dies to be done, one die after the other ... */
	uint64_t erase_next_ns; /* ... not before this */
	uint32_t erase_die;	/* ... on this one next */
	struct sequences reads, writes;
	struct wear wear;
	struct refresh refresh;
	bool read_only; /* the spare is used up */
	struct heat heat;
	struct fault fault;
	struct cut_log cut;
	/* what positions carry besides their unit */
	bool carries, has_tags; /* anything; tags, once a write had one */
	uint32_t *tag,
		tag_now; /* by position, NULL: not kept; of the command that is being served */
	uint8_t *stored, stored_now;
	struct memory tag_memory, stored_memory;
	uint64_t stored_sum; /* programmed, in 1 / STORED_ALL units */
	struct mapcache map;
	struct ssd_stats stats;
	uint64_t erased_units; /* positions that were written and then erased */
	uint64_t memory_bytes;
};

/* Where a unit is mapped to, or NONE. */
static inline uint32_t l2p_get(const struct ssd *ssd, uint32_t unit)
{
	return ~ssd->not_l2p[unit];
}

/* Which unit was written to a position last, or NONE: it may since have been mapped elsewhere. */
static inline uint32_t p2l_get(const struct ssd *ssd, uint32_t ppn)
{
	return ~ssd->not_p2l[ppn];
}

static inline uint32_t ssd_sb_of(const struct ssd *ssd, uint32_t ppn)
{
	return (uint32_t)(((unsigned __int128)ssd->sb_reciprocal * ppn) >> 64);
}

static inline bool sb_is_cache(const struct ssd *ssd, uint32_t sb)
{
	return ssd->sb_state[sb] >= SB_CACHE_OPEN;
}

/* Of the flash: as heat has it, else as it was set. */
static inline int32_t ssd_temperature_mk(const struct ssd *ssd)
{
	const struct heat *h = &ssd->heat;

	if (h->next_ns == UINT64_MAX)
		return ssd->wear.temperature_mk;
	return (int32_t)((ssd->cfg.heat.ambient_c + h->rise_k[0] + h->rise_k[1]) * 1000);
}

static inline uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The firmware core: one thing after the other. Returns when it is done with it. */
static inline uint64_t fw_take(struct ssd *ssd, uint64_t t, uint64_t cost_ns)
{
	ssd->fw_ns = max_ns(ssd->fw_ns, t) + cost_ns;
	ssd->stats.fw_busy_ns += cost_ns;
	return ssd->fw_ns;
}

#endif
