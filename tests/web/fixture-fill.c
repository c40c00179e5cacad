/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fixture-fill.c - a fill ladder as the experiment stores it, on a made-up drive of the shape of the source's
 * table (S0): a cache of 1.6 GB + 0.067 x free space, 406 MB/s in it and 229 behind it, and two modes of
 * small writes. Level 65 was not measured. Every repeat begins with a new drive.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The copy up to a level: five chunks, each its own phase. */
static void copy(struct fixture *f, double from, double level, unsigned repeat)
{
	for (unsigned pass = 1; pass <= 5; pass++) {
		double chunk = (level - from) / 100 * CAPACITY / 5,
		       fill = from + (level - from) * (pass - 1) / 5;
		double bytes = 0;
		char key[96];

		f->cache_limit = 1.6 * GB + 0.067 * (1 - fill / 100) * CAPACITY;
		fixture_load(f, &(struct fixture_load){ 0, 1 << 20, 2, 1, ORDER_SEQUENTIAL,
							(uint64_t)chunk, 100 * NS_PER_MS });
		snprintf(key, sizeof(key), "r%u/up/%g/copy/%u", repeat, level, pass);
		fixture_begin(f, key, "copy", level, repeat, pass);
		f->phase->state.fill_pct = fill;
		for (uint32_t i = 0; bytes < chunk; i++) {
			bool fast = f->cache_used < f->cache_limit;
			double mbps = (fast ? 406 : 229) *
				      (1 + (fast ? 0.006 : 0.03) * fixture_gauss(&f->rng));

			fixture_window(f, i, 100 * NS_PER_MS, mbps, true);
			bytes += mbps * 1e5;
			f->cache_used += fast ? mbps * 1e5 : 0;
			fixture_truth(f, fast ? "link" : "die", "none");
		}
		fixture_end(f);
	}
}

struct cell {
	const char *label, *way;
	double mbps, level;
	unsigned repeat;
	bool random, write;
};

static void cell(struct fixture *f, const struct cell *c)
{
	bool campaign = c->write && c->random && c->level >= 35 && rng_double(&f->rng) < 0.28;

	for (unsigned pass = 1; pass <= 5; pass++) {
		double rate =
			c->mbps * (1 + 0.004 * fixture_gauss(&f->rng)) * (campaign ? 0.757 : 1);
		char key[96];

		if (c->write && !c->random && c->level > 95)
			rate *= c->level > 98 ? 0.907 : 0.984;
		snprintf(key, sizeof(key), "r%u/%s/%g/%s/%u", c->repeat, c->way, c->level, c->label,
			 pass);
		fixture_load(f,
			     &(struct fixture_load){ c->write ? 0 : 100, c->random ? 4096 : 1 << 20,
						     c->random ? 32 : 8, c->random ? 16 : 1,
						     c->random ? ORDER_PERMUTED : ORDER_SEQUENTIAL,
						     960 << 20, 100 * NS_PER_MS });
		fixture_begin(f, key, c->label, c->level, c->repeat, pass);
		for (uint32_t i = 0; i < 50; i++)
			fixture_window(f, i, 100 * NS_PER_MS,
				       rate * (1 + 0.01 * fixture_gauss(&f->rng)), c->write);
		fixture_end(f);
		fixture_truth(f, c->write && !c->random ? "link" : "firmware",
			      campaign ? "campaign" : "none");
		fixture_rest(f, 5);
	}
}

static void bench(struct fixture *f, const char *way, double level, unsigned repeat)
{
	cell(f, &(struct cell){ "seq1m_q8t1_read", way, 443, level, repeat, false, false });
	cell(f, &(struct cell){ "seq1m_q8t1_write", way, 406, level, repeat, false, true });
	cell(f, &(struct cell){ "rnd4k_q32t16_read", way, 52, level, repeat, true, false });
	cell(f, &(struct cell){ "rnd4k_q32t16_write", way, 44.2, level, repeat, true, true });
	fixture_rest(f, 60);
}

static const double levels[] = { 0,  5,	 10, 15, 20, 25, 30, 35, 40, 45, 50,
				 55, 60, 70, 75, 80, 85, 90, 95, 96, 99 };
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static void knee_verdicts(struct fixture *f)
{
	for (size_t i = 1; i < LEVELS; i++) {
		double free = (1 - levels[i - 1] / 100) * CAPACITY;
		double knee = 1.6 * GB + 0.067 * free,
		       copied = (levels[i] - levels[i - 1]) / 100 * CAPACITY;
		char name[64], text[200];

		snprintf(name, sizeof(name), "fill.copy_knee_bytes.%g", levels[i]);
		if (knee > copied) {
			snprintf(text, sizeof(text),
				 "the copy up to %g %% full shows no lasting fall of its speed",
				 levels[i]);
			fixture_verdict_status(f, name, STATUS_NOT_REACHED, text);
			continue;
		}
		snprintf(text, sizeof(text),
			 "the copy up to %g %% full slows down after %.2f GB, from 406 to 229 MB/s",
			 levels[i], knee / GB);
		fixture_verdict(f, name, knee, "bytes", 0.06 * GB, text);
	}
}

static void verdicts(struct fixture *f)
{
	fixture_verdict(f, "fill.seq1m_write_change_pct.to_90", -0.2, "%", 0.3,
			"SEQ1M write changes by -0.2 % from the empty drive to 90 % full");
	fixture_verdict(f, "fill.seq1m_write_change_pct.at_99", -9.3, "%", 0.4,
			"SEQ1M write changes by -9.3 % at 99 % full");
	fixture_verdict(f, "fill.seq1m_read_change_pct.to_90", 0.1, "%", 0.2,
			"SEQ1M read changes by +0.1 % from the empty drive to 90 % full");
	fixture_verdict(f, "fill.rnd4k_write_change_pct.to_90", -7.1, "%", 5.2,
			"RND4K write changes by -7.1 % +- 5.2 % from the empty drive to 90 % full");
	knee_verdicts(f);
	fixture_verdict(f, "fill.cache_share_of_free", 0.067, "", 0.003,
			"the fast cache grows with the free space: 0.067 of it, from 12 copies "
			"with a knee");
	fixture_verdict(f, "fill.cache_fixed_bytes", 1.61 * GB, "bytes", 0.11 * GB,
			"the part of the fast cache that is always there is 1.61 GB");
	fixture_verdict(
		f, "fill.regimes", 2, "", NAN,
		"over the fill level the copy has 2 regimes (BIC better than a line by 41), with "
		"breaks at 52 % (49 to 54)");
	fixture_verdict(f, "fill.rnd4k_write_modes", 2, "", NAN,
			"RND4K write has two modes, 33.4 and 44.2 MB/s, ratio 0.757; 61 of 315 "
			"scores are slow");
	fixture_verdict(f, "fill.concurrency", 512, "", 0.4,
			"rate times latency of RND4K Q32T16 gives 512.0 I/Os in flight where 512 "
			"were asked for");
}

void fixture_fill(struct fixture *f, bool down)
{
	for (unsigned repeat = 1; repeat <= 3; repeat++) {
		/* a new drive: its counters begin again */
		f->truth.host_written_bytes = f->truth.host_read_bytes =
			f->truth.nand_written_bytes = 0;
		f->truth.folded_bytes = 0;
		f->cache_used = 0;
		for (size_t i = 0; i < LEVELS; i++) {
			if (i) {
				copy(f, levels[i - 1], levels[i], repeat);
				fixture_rest(f, 60);
			}
			bench(f, "up", levels[i], repeat);
		}
		for (size_t i = LEVELS - 1; down && i-- > 0;)
			bench(f, "down", levels[i], repeat);
	}
	verdicts(f);
}
