/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lane_load.h - one lane's share of a load, private to this folder: its streams, its windows, its stop.
 *
 * Owned by the lane's thread while it runs; the collector touches only the slots handed over and, after the
 * end, the totals.
 */
#ifndef ASSAY_LOAD_LANE_LOAD_H
#define ASSAY_LOAD_LANE_LOAD_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "data/window.h"
#include "load/load.h"
#include "load/stream.h"

#define WINDOW_SLOTS 8u

/* What all lanes of a load share. */
struct load_shared {
	const struct workload *load;
	struct device *dev;
	const atomic_int *interrupt;
	atomic_uint_fast64_t
		bytes_left;   /* chunk counter of a byte-bounded load; UINT64_MAX: no bound */
	uint64_t start_ns;    /* start of the ramp; set by lane 0 before the others go */
	uint32_t chunk_bytes; /* how much a lane claims at once */
};

struct window_slot {
	struct window window;
	bool last;
};

struct load_io {
	struct io io; /* first, so that a struct io * is one of these */
	unsigned stream;
};

/* A stream with what paces it. */
struct paced_stream {
	struct stream stream;
	struct load_io **idle; /* its I/Os that are not in flight */
	unsigned idle_n;
	uint64_t due_ns;    /* open loop: of the next I/O */
	uint64_t resume_ns; /* after a pause */
	uint64_t burst_left;
};

struct lane_load {
	struct load_shared *shared;
	unsigned index;
	struct lane *lane;
	struct paced_stream *streams;
	unsigned streams_n;
	struct load_io *ios;
	struct io **ready; /* to be submitted */
	struct io **done;
	unsigned ios_n, ready_n, done_max;
	unsigned flying;
	uint64_t quota_bytes; /* claimed from the chunk counter, not yet issued */
	bool timed;	      /* open loop or pauses: streams have due times */
	bool stopped;	      /* no more is issued */
	/* the cell */
	uint64_t begin_ns, limit_ns;
	bool ramping;	    /* the cell has not begun */
	unsigned ramp_left; /* I/Os of the first round that have not come back */
	uint64_t edge_ns, integrated_ns;
	uint64_t read_flying, write_flying;
	uint64_t read_flying_ns, write_flying_ns;
	uint64_t recorded;
	struct window *window;			   /* being filled */
	uint64_t written_bytes;			   /* completed writes, ramp and drain too */
	uint64_t issued_bytes, issued_write_bytes; /* reads and writes; writes */
	struct flow *read_service, *write_service; /* open loop only */
	/* windows on their way to the collector */
	struct window_slot *slot;
	uint32_t slot_fill, slot_take;
	sem_t full, empty;
	void (*deliver)(void *user,
			struct window_slot *slot); /* in place of the ring, NULL: the ring */
	void *deliver_user;
	/* the end */
	int result;
	struct err err;
	uint64_t end_ns; /* when everything was back */
};

/* Allocate what the lane will need. Streams index, index + lanes, ... of the load are its own. */
int lane_load_init(struct lane_load *l, struct load_shared *shared, unsigned index, unsigned lanes);
void lane_load_release(struct lane_load *l);

/* Open the lane; run by the thread that will call lane_load_run(). */
int lane_load_open(struct lane_load *l);
/* Run from shared->start_ns to the end; sets result, err, limit_ns, end_ns. Delivers every window. */
void lane_load_run(struct lane_load *l);

#endif
