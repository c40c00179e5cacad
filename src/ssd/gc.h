/* SPDX-License-Identifier: MIT */
/*
 * gc.h - collection of the main area: which superblock (a table of policies), when, and at what pace.
 *
 * Paced: while no more than gc.low superblocks are free, each unit that is placed in the main area lets the
 * collector look at b / (b - J) positions of its victim (b positions, J of them valid when it was chosen),
 * so that a superblock falls free for each that is filled. Where the pace was not enough, whole victims are
 * collected before a superblock is opened. A victim in which nothing is valid is only erased.
 */
#ifndef ASSAY_SSD_GC_H
#define ASSAY_SSD_GC_H

#include <stdbool.h>
#include <stdint.h>

struct ssd;

struct gc_policy {
	const char *name;
	uint32_t (*pick)(struct ssd *ssd); /* an eligible superblock, or NONE */
	bool takes_full; /* may pick one in which all is valid while others hold garbage */
};

extern const char *const gc_policy_words[];

/* Whether the policy looks at when superblocks were closed. */
bool gc_needs_age(int policy);

/* The victim that the configured policy takes; NONE where there is none, or nothing to gain. */
uint32_t gc_pick(struct ssd *ssd);

/* The fewest valid units; of equals the one with the lowest number. */
uint32_t gc_pick_greedy(struct ssd *ssd);

/*
 * Erase closed superblocks in which nothing is valid, without waiting for the pool to run low: else garbage
 * fills the flash and the cache finds no superblocks. Called before each opening, which takes one, it erases
 * two at most: garbage does not grow, and a large TRIM does not become one long stall.
 */
void gc_erase_empty(struct ssd *ssd);

/* Before a superblock is opened for host or fold data. */
void gc_make_room(struct ssd *ssd, uint64_t t);

/* After n units were placed in the main area. */
void gc_pace(struct ssd *ssd, uint32_t n, uint64_t t);

#endif
