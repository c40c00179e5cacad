/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "barrier.h"

#include "test.h"

#include <string.h>

#include "base/units.h"

#define FILE_UNITS (1u << 20) /* 4 GiB */
#define FILE_BLOCKS (FILE_UNITS / BARRIER_BLOCK)
#define TEST_NS (60 * NS_PER_S)
#define PHASE_BLOCKS 256u /* 64 MiB: six superblocks of the X25-E */

static void command(struct barrier *b, bool write, uint32_t unit, struct ssd_times *t)
{
	if (write)
		ssd_write(b->ssd, b->now_ns, unit, BARRIER_BLOCK, NULL, t);
	else
		ssd_read(b->ssd, b->now_ns, unit, BARRIER_BLOCK, t);
	assert_int_equal(t->error, 0);
	assert_true(t->start_ns >= b->now_ns && t->accept_ns >= t->start_ns &&
		    t->done_ns >= t->accept_ns);
}

void barrier_test(struct barrier *b, unsigned threads, enum barrier_pattern pattern,
		  struct barrier_cell *ret)
{
	bool write = pattern == SEQ_WRITE || pattern == RND_WRITE;
	bool random = pattern == RND_WRITE || pattern == RND_READ;
	struct closed c = { .depth = threads, .now_ns = b->now_ns };
	uint32_t blocks[BARRIER_THREADS] = { 0 };
	uint64_t start = b->now_ns, n = 0;
	struct ssd_stats was, is;

	memset(ret, 0, sizeof(*ret));
	ssd_get_stats(b->ssd, &was);
	for (unsigned i = 0; i < threads; i++)
		c.done_ns[i] = start;
	for (;;) {
		uint64_t *slot = closed_next(&c);
		unsigned thread = (unsigned)(slot - c.done_ns);
		uint32_t block = blocks[thread]++;
		struct ssd_times t;

		/* All threads have as much to do, and one command at a time: the first to be ready says when. */
		if (block == FILE_BLOCKS || c.now_ns - start >= TEST_NS)
			break;
		if (random)
			block = (uint32_t)rng_below(&b->rng, FILE_BLOCKS);
		b->now_ns = c.now_ns;
		command(b, write, thread * FILE_UNITS + block * BARRIER_BLOCK, &t);
		*slot = t.done_ns;
		n++;
		if (t.done_ns - b->now_ns > ret->longest_ns)
			ret->longest_ns = t.done_ns - b->now_ns;
	}
	b->now_ns = closed_end(&c);
	ssd_get_stats(b->ssd, &is);
	ret->mbps = (double)n * BARRIER_BLOCK * SSD_UNIT_BYTES / (double)(b->now_ns - start) * 1e3;
	if (write)
		ret->copies = (double)(is.gc_units - was.gc_units) /
			      (double)(is.host_write_units - was.host_write_units);
	ret->clean_share = (double)(is.clean_ns - was.clean_ns) / (double)(b->now_ns - start);
}

void barrier_init(struct barrier *b, struct ssd *ssd, uint64_t seed)
{
	memset(b, 0, sizeof(*b));
	b->ssd = ssd;
	rng_init(&b->rng, seed, 0);
	for (uint64_t n = rng_below(&b->rng, PHASE_BLOCKS); n; n--) {
		struct ssd_times t;

		command(b, true, (uint32_t)n * BARRIER_BLOCK, &t);
		b->now_ns = t.done_ns;
	}
}

void barrier_ladder(struct barrier *b)
{
	for (unsigned rung = 0; rung <= BARRIER_THREADS; rung++) {
		unsigned threads = rung < BARRIER_THREADS ? rung + 1 : BARRIER_THREADS;

		for (int p = 0; p < BARRIER_PATTERNS; p++)
			barrier_test(b, threads, (enum barrier_pattern)p, &b->cell[rung][p]);
	}
}

double barrier_ratio(const struct barrier *b, enum barrier_pattern pattern)
{
	return b->cell[BARRIER_THREADS][pattern].mbps / b->cell[0][pattern].mbps;
}
