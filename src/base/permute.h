/* SPDX-License-Identifier: MIT */
/*
 * permute.h - a seeded random order of the numbers 0 .. n-1, computed number by number without a table.
 *
 * A Feistel network (M. Luby and C. Rackoff, "How to construct pseudorandom permutations from pseudorandom
 * functions", SIAM J. Comput. 17, 1988) over the smallest number of bits that holds n, its halves alternately
 * mixed into each other, walked until the value falls below n again (J. Black and P. Rogaway, "Ciphers with
 * arbitrary finite domains", CT-RSA 2002): a bijection of [0, n) for every n, fewer than 2 walks in the mean.
 * Few bits (up to 10) take more rounds, since then a half has few values.
 *
 * Not for secrets. Plain data: may be copied, and shared between threads once initialised.
 */
#ifndef ASSAY_BASE_PERMUTE_H
#define ASSAY_BASE_PERMUTE_H

#include <stdint.h>

#define PERMUTE_ROUNDS_MAX 24
#define PERMUTE_N_MAX (1ull << 48)

struct permute {
	uint64_t n;
	uint64_t key[PERMUTE_ROUNDS_MAX];
	unsigned rounds; /* even */
	unsigned right_bits;
	uint64_t left_mask, right_mask;
};

/* The order that belongs to the seed; n from 1 to PERMUTE_N_MAX. */
void permute_init(struct permute *p, uint64_t n, uint64_t seed);

/* The number at place i of the order; i < n. */
uint64_t permute_at(const struct permute *p, uint64_t i);

#endif
