/* SPDX-License-Identifier: MIT */
/*
 * disk-state.h - the inside of a simulated hard disk; only disk.c and disk-arm.c include it.
 */
#ifndef ASSAY_SSD_DISK_STATE_H
#define ASSAY_SSD_DISK_STATE_H

#include "ssd/disk-cache.h"
#include "ssd/disk-media.h"

#define NEVER UINT64_MAX
#define QUEUE_MAX 256u

struct command {
	enum disk_op op;
	uint32_t unit, end;
	uint32_t left; /* units of a write that are not in the cache yet */
	uint64_t given_ns, start_ns, ready_ns;
	void *tag;
};

/* Reading on behind the last read, from next at from_ns up to limit; what lies before it is kept from start. */
struct ahead {
	bool on;
	uint32_t start, next, limit;
	uint64_t from_ns;
};

struct disk {
	struct disk_config cfg;
	struct disk_media media;
	uint32_t write_units, readahead_units;
	struct command *waiting; /* at the host: a ring of DISK_WAITING_MAX */
	uint32_t wait_head, wait_n;
	struct command queue[QUEUE_MAX]; /* at the drive and not decided, in the order they came */
	uint32_t n;
	struct disk_done done[QUEUE_MAX]; /* decided: a heap, the earliest first */
	uint32_t done_n;
	uint64_t arm_ns;       /* the arm is free */
	uint32_t head;	       /* the unit behind the last that it passed; see head_at() */
	uint32_t destaging;    /* units that are being written back, until arm_ns */
	uint64_t dirty_ns;     /* when the cache had its first unit to write back */
	uint64_t last_read_ns; /* the end of the last read */
	uint64_t link_ns;
	struct ahead ahead;
	struct dirty dirty;
	struct segments segments;
	struct disk_stats stats;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Half duplex. A credit, as its users do not come in the order of time (nand.h): asked for at t, what crosses is
 * there at ready_ns.
 */
static inline uint64_t link_take(struct disk *d, uint64_t t, uint64_t ready_ns, uint64_t cost_ns)
{
	d->link_ns = later(d->link_ns, t) + cost_ns;
	d->stats.link_busy_ns += cost_ns;
	return later(d->link_ns, ready_ns + cost_ns);
}

static inline void finish(struct disk *d, const struct command *c, uint64_t done_ns)
{
	uint32_t i = d->done_n++;

	for (; i > 0 && d->done[(i - 1) / 2].done_ns > done_ns; i = (i - 1) / 2)
		d->done[i] = d->done[(i - 1) / 2];
	d->done[i] = (struct disk_done){ c->tag, c->start_ns, done_ns };
	if (c->op == DISK_READ)
		d->last_read_ns = later(d->last_read_ns, done_ns);
}

static inline void queue_remove(struct disk *d, uint32_t i)
{
	d->n--;
	for (; i < d->n; i++)
		d->queue[i] = d->queue[i + 1];
}

/* Whether a read needs no arm at t; reading on then goes further. */
bool read_hits(struct disk *d, const struct command *c, uint64_t t);
/* It is served from memory, from t on. */
void serve_hit(struct disk *d, const struct command *c, uint64_t t);
/* Reading on ends. */
void ahead_stop(struct disk *d, uint64_t t);

/* When the arm is free and has work, if nothing else comes; NEVER: there is none. */
uint64_t arm_due(const struct disk *d);
/* It is that time: what is done next is chosen, and begins. */
void arm_decide(struct disk *d, uint64_t t);

#endif
