/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload.h - one struct that says everything about a load: what, where, in what order, how fast, until when.
 */
#ifndef ASSAY_DATA_WORKLOAD_H
#define ASSAY_DATA_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/content.h"

#define WORKLOAD_BLOCKS_MAX 8

enum load_mix {
	MIX_BERNOULLI, /* each I/O is a read with probability read_pct / 100 */
	MIX_ALTERNATE, /* strict alternation in the ratio read_pct : 100 - read_pct */
};

enum load_order {
	ORDER_SEQUENTIAL, /* each thread its own partition of the span, unless share_start */
	ORDER_PERMUTED,	  /* random, every address once per pass, by a permutation */
	ORDER_RANDOM,	  /* random, uniform, with repetition */
	ORDER_ZIPF, /* random, popularity falls with rank ^ -zipf_theta, ranks scattered over the span */
	ORDER_HOT_COLD, /* hot_ops_pct of the I/Os go to the first hot_span_pct of the span */
	ORDER_STRIDED,	/* sequential with a step of stride_bytes, wrapping */
};

enum load_arrival {
	ARRIVAL_CLOSED,	 /* the next I/O when one completes */
	ARRIVAL_FIXED,	 /* open loop: offered_iops at equal distances */
	ARRIVAL_POISSON, /* open loop: offered_iops with exponential distances */
};

struct block_size {
	uint32_t bytes;
	uint32_t weight; /* relative */
};

struct workload {
	double read_pct; /* 0 to 100 */
	enum load_mix mix;
	struct block_size block[WORKLOAD_BLOCKS_MAX];
	unsigned blocks; /* entries used, at least 1 */
	uint64_t span_offset_bytes, span_bytes;
	enum load_order order;
	bool share_start; /* sequential threads all begin at the start of the span */
	double zipf_theta, hot_ops_pct, hot_span_pct;
	uint64_t stride_bytes;
	unsigned queue_depth; /* per thread */
	unsigned threads;
	enum load_arrival arrival;
	double offered_iops;	 /* open loop: all threads together */
	uint64_t burst_ios;	 /* after so many I/Os of a thread ... */
	uint64_t burst_pause_ns; /* ... pause so long; 0: no pauses */
	struct content content;
	uint64_t ramp_ns;    /* run so long before the measured part begins */
	uint64_t stop_bytes; /* stop rules, whichever is first; 0: not used */
	uint64_t stop_ns;
	uint64_t stop_passes; /* of the span */
	uint64_t window_ns;   /* length of a window */
	bool trim;	      /* instead of reading and writing: discard the span once, in order */
	bool unwritten_read; /* set by the planner: reads touch addresses that were never written */
	uint64_t seed;
};

/* A closed loop of one 4 KiB random read at a time: the neutral start of every workload. */
void workload_init(struct workload *w);

/*
 * Check against a drive: block sizes multiple of `block_bytes`, span inside `capacity_bytes`, a stop rule,
 * depth and threads. Returns 0 or -EINVAL with a sentence.
 */
int workload_validate(const struct workload *w, uint64_t capacity_bytes, uint32_t block_bytes,
		      struct err *err);

/* The largest block size. */
uint32_t workload_block_max(const struct workload *w);

/* "SEQ1M Q8T1 write", "RND4K Q32T16 70% read": at most 47 characters. Returns buf. */
char *workload_name(const struct workload *w, char *buf, size_t size);

extern const char *const load_mix_names[], *const load_order_names[], *const load_arrival_names[];

#endif
