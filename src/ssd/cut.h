/* SPDX-License-Identifier: MIT */
/*
 * cut.h - power cuts: what was written, not flushed, and lost.
 *
 * A log keeps, for each unit of the host whose program is not done, what the unit held before. At a cut the log is
 * gone through from its newest entry: a unit goes back to its newest version that is in flash. The map itself is taken
 * as journalled: what was discarded stays discarded, and data that the drive itself was moving are safe, as real
 * firmware erases their source only when the copy is in flash.
 *
 * Going back costs no position: the older version is read from where the lost one would lie, as if the firmware had
 * put it there at power-up. A unit that held nothing before is unmapped. So every program is still accounted for, and
 * the log need not hold up an erase.
 *
 * The log has room for the buffer twice. Where commands are so long that more is on its way, the oldest entries
 * count as safe: a cut may lose what was not flushed, it need not.
 */
#ifndef ASSAY_SSD_CUT_H
#define ASSAY_SSD_CUT_H

#include <stdbool.h>
#include <stdint.h>

struct ssd;

struct cut_entry {
	uint64_t
		done_ns; /* of the program that carries the new version; UINT64_MAX: not given yet */
	uint32_t unit, tag; /* what it held before ... */
	bool mapped;	    /* ... and whether it held anything */
	bool cache;	    /* the new version goes to the cache */
};

struct cut_log {
	struct cut_entry *entry; /* ring of `mask` + 1; NULL: not kept */
	uint64_t *safe;		 /* bitmap of units, for use during a cut */
	uint32_t mask;
	uint64_t head, tail; /* entries [head, tail) */
	uint32_t pending[2]; /* of these without a program, main area and cache */
};

/* Before n units from `unit` on are placed for the host, at `now`. */
void cut_note(struct ssd *ssd, bool cache, uint32_t unit, uint32_t n, uint64_t now);

/* The program that carries what was placed last in that stream was given. */
void cut_programmed(struct ssd *ssd, bool cache, uint64_t done_ns);

/* Nothing is in the buffer any more. */
void cut_forget(struct ssd *ssd);

#endif
