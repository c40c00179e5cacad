/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * barrier.h - the protocol by which the 80 % barrier (S2) is looked for, against a drive as a library.
 *
 * A rung of n threads: sequential write, sequential read, random write, random read, in this order and without rest.
 * Each thread has one 256 KiB command at a time on its own 4 GiB, and stops after 60 s or 4 GiB. A file comes into
 * being by being written. The ladder goes from one thread to seven; the last rung is done twice and its second pass
 * counts. The source tells neither order nor duration: both are chosen here.
 */
#ifndef ASSAY_TESTS_BARRIER_H
#define ASSAY_TESTS_BARRIER_H

#include "drive.h"

#define BARRIER_THREADS 7u
#define BARRIER_BLOCK 64u /* units: 256 KiB */

enum barrier_pattern { SEQ_WRITE, SEQ_READ, RND_WRITE, RND_READ, BARRIER_PATTERNS };

/* What a test of one pattern measured. */
struct barrier_cell {
	double mbps;
	uint64_t longest_ns; /* single command */
	double copies;	     /* units copied for each that the host wrote; 0: none written */
	double clean_share;  /* of the time in which the drive was stopped for cleaning */
};

struct barrier {
	struct ssd *ssd;
	uint64_t now_ns;
	struct rng rng;
	/* [n - 1]; the last rung twice */
	struct barrier_cell cell[BARRIER_THREADS + 1][BARRIER_PATTERNS];
};

/* The drive is the caller's. The phase, drawn from the seed, is what had been written before the ladder began. */
void barrier_init(struct barrier *b, struct ssd *ssd, uint64_t seed);

void barrier_test(struct barrier *b, unsigned threads, enum barrier_pattern pattern,
		  struct barrier_cell *ret);
void barrier_ladder(struct barrier *b);

/* The value with seven threads (second pass) over that with one. */
double barrier_ratio(const struct barrier *b, enum barrier_pattern pattern);

#endif
