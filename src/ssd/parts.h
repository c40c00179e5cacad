/* SPDX-License-Identifier: MIT */
/*
 * parts.h - what a simulated drive is made of besides its maps: the streams that data are written to, the write
 * buffer, the link, and the cursors of background work. Only src/ssd/ includes it, through state.h.
 */
#ifndef ASSAY_SSD_PARTS_H
#define ASSAY_SSD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#define NONE UINT32_MAX
#define SEQUENTIAL_STREAMS 8u

/* What is written to where: each stream has its own open superblock. */
enum stream_id { STREAM_HOST, STREAM_CACHE, STREAM_FOLD, STREAM_GC, STREAMS };

struct stream {
	uint32_t sb;	/* open superblock, NONE: none */
	uint32_t base;	/* its first position */
	uint32_t off;	/* next position in it */
	uint32_t limit; /* positions in it in this mode */
	uint32_t program_units;
	uint32_t partial; /* units placed since the last program */
	uint32_t stored;  /* and their stored size, see compress.h */
	uint64_t done_ns; /* when the last program given will be done, 0: in idle time */
};

/* A program whose data are still in the buffer. */
struct buffer_entry {
	uint64_t done_ns;
	uint32_t units; /* of the host */
};

struct buffer {
	uint32_t capacity, used;   /* units */
	uint32_t pending[2];	   /* host units not in a program yet: STREAM_HOST, STREAM_CACHE */
	struct buffer_entry *heap; /* programs not yet released, the earliest first */
	uint32_t programs;
	uint64_t drained_ns; /* when every program given so far is done */
	uint64_t given_ns;   /* the same of those that a command gave */
};

struct link {
	uint64_t in_ns, out_ns; /* free from; the same timeline where half duplex (trap T11) */
	uint64_t *slot; /* when the queue's places fall free: a heap, least first, where ordered */
	uint32_t slots, used;
	bool ordered; /* then all are used */
};

/* A superblock that is being emptied position by position. */
struct cursor {
	uint32_t sb; /* NONE: none */
	uint32_t position, written;
	uint32_t asked;	   /* up to this position the map was asked for */
	uint32_t page_end; /* where the page of the position ends */
	uint32_t die;	   /* that it is on */
	bool is_read;	   /* the page is in the die's register */
};

struct idle_worker {
	uint64_t delay_ns;
	uint64_t bytes_per_s;	  /* 0: off */
	uint64_t credit_bytes_ns; /* idle time x rate not yet spent, in bytes x ns per second */
};

/* One sequential stream of commands as the firmware's detector sees it. */
struct sequence {
	uint32_t next_unit;
	uint64_t last_ns; /* when its last command reached the drive */
};

struct sequences {
	struct sequence entry[SEQUENTIAL_STREAMS];
	uint32_t oldest;
};

#endif
