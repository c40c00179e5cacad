/* SPDX-License-Identifier: MIT */
/*
 * buffer.h - the write buffer: a host unit holds its place from its arrival until its program is done.
 *
 * Places are released in the order in which programs complete, whatever stream and die they went to: pSLC
 * programs must not wait for TLC ones, nor all dies for one that is being erased. Hence a heap, the earliest
 * first.
 */
#ifndef ASSAY_SSD_BUFFER_H
#define ASSAY_SSD_BUFFER_H

#include "ssd/state.h"

static inline struct buffer_entry buffer_pop(struct buffer *b)
{
	struct buffer_entry *heap = b->heap, ret = heap[0], last = heap[--b->programs];
	uint32_t i = 0, n = b->programs;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= n)
			break;
		if (child + 1 < n && heap[child + 1].done_ns < heap[child].done_ns)
			child++;
		if (heap[child].done_ns >= last.done_ns)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return ret;
}

/* Take n places. Returns the time, not before t, at which they are free. */
static inline uint64_t buffer_admit(struct buffer *b, uint32_t n, uint64_t t)
{
	while (b->used + n > b->capacity) {
		struct buffer_entry e;

		/* ssd_config_check(): two program units fit, and no more than that waits for a program. */
		assert(b->programs > 0);
		e = buffer_pop(b);
		b->used -= e.units;
		t = max_ns(t, e.done_ns);
	}
	b->used += n;
	return t;
}

/* A program of the stream was given that carries the host units taken for it since its last one. */
static inline void buffer_push(struct buffer *b, enum stream_id id, uint64_t done_ns)
{
	uint32_t *pending = &b->pending[id == STREAM_CACHE], i;

	b->drained_ns = max_ns(b->drained_ns, done_ns);
	b->given_ns = max_ns(b->given_ns, done_ns);
	if (!*pending)
		return; /* copies alone, in a stream that the host shares with collection */
	i = b->programs++;
	for (; i > 0 && b->heap[(i - 1) / 2].done_ns > done_ns; i = (i - 1) / 2)
		b->heap[i] = b->heap[(i - 1) / 2];
	b->heap[i] = (struct buffer_entry){ done_ns, *pending };
	*pending = 0;
}

/* Likewise; a drive that can lose its power notes when the data are safe. */
static inline void buffer_programmed(struct ssd *ssd, enum stream_id id, uint64_t done_ns)
{
	buffer_push(&ssd->buffer, id, done_ns);
	if (ssd->cut.entry)
		cut_programmed(ssd, id == STREAM_CACHE, done_ns);
}

#endif
