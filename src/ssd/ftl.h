/* SPDX-License-Identifier: MIT */
/*
 * ftl.h - the page map: superblocks, streams, placing and moving units.
 *
 * `t` is always the present; data that arrive later say so (`from_ns`). In quiet mode (idle time, closed
 * form) data move and timelines do not.
 */
#ifndef ASSAY_SSD_FTL_H
#define ASSAY_SSD_FTL_H

#include "ssd/state.h"

/*
 * Positions whose units collection asks the memory for in one go, while it works on those before. In one go
 * and not one with each position, since what takes long is to find the page, and a processor finds several
 * pages at a time only where the questions come close together.
 */
#define FTL_AHEAD 32u

/* Superblocks that may still be opened for the main area: the fixed cache's own are not spare (S1). */
static inline uint32_t ftl_free_main(const struct ssd *ssd)
{
	uint32_t kept =
		ssd->cache_reserve > ssd->cache_blocks ? ssd->cache_reserve - ssd->cache_blocks : 0;

	return ssd->free_count > kept ? ssd->free_count - kept : 0;
}

/* n valid units less in a superblock. */
static inline void ftl_invalidate(struct ssd *ssd, uint32_t sb, uint32_t n)
{
	uint32_t key = ssd->key[sb] -= n;

	if (key < ssd->group_min[sb / GROUP])
		ssd->group_min[sb / GROUP] = key;
}

/* All superblocks free, nothing mapped. */
void ftl_reset(struct ssd *ssd);

/* Open a superblock for the stream; collects first where the main area is short of free ones. */
void ftl_open(struct ssd *ssd, enum stream_id id, uint64_t t);

/*
 * Write n consecutive logical units (at most what is left of the program unit) to the stream, whose
 * superblock is open. Gives the program where one is complete; its data are there at from_ns. Returns when
 * the program will be done, 0 where none was given.
 */
uint64_t ftl_place(struct ssd *ssd, enum stream_id id, uint32_t unit, uint32_t n, uint64_t t,
		   uint64_t from_ns);

/* Units that may be placed before the next program. */
static inline uint32_t ftl_room(const struct stream *s)
{
	return s->program_units - s->partial;
}

/* n consecutive units hold no data any more: those of them that were mapped. */
void ftl_unmap(struct ssd *ssd, uint32_t unit, uint32_t n);

/* Complete a partial program unit with padding. Returns when its program will be done, 0: nothing to do. */
uint64_t ftl_pad(struct ssd *ssd, enum stream_id id, uint64_t t);

/* Close the stream's full superblock, of which every program was given. */
void ftl_close(struct ssd *ssd, enum stream_id id);

/* Begin to empty a closed superblock. */
void ftl_cursor_open(struct ssd *ssd, struct cursor *c, uint32_t sb);

/*
 * Look at up to n next positions of the superblock that is being emptied and move those that are valid to the
 * stream, at most `most`. There must be n positions. Returns how many were moved.
 */
uint32_t ftl_cursor_run(struct ssd *ssd, struct cursor *c, enum stream_id id, uint32_t n,
			uint32_t most, uint64_t t);

/* Erase a superblock in which nothing is valid, and put it back to the free ones, unless that fails. */
void ftl_erase(struct ssd *ssd, uint32_t sb);

/*
 * Dies are erased one after the other as programs are given, with a break of three times as long, so that the
 * others work on and the write buffer hides the erase. Where more waits than four superblocks' erases, dies
 * are erased together.
 */
void ftl_erase_some(struct ssd *ssd, uint64_t t);

/* Set the state of a superblock and whether collection may take it. */
void ftl_set_state(struct ssd *ssd, uint32_t sb, enum sb_state state);

#endif
