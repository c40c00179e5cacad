/* SPDX-License-Identifier: MIT */
#include "base/permute.h"

#include <assert.h>

#include "base/rng.h"

void permute_init(struct permute *p, uint64_t n, uint64_t seed)
{
	unsigned bits = 2;

	assert(n > 0 && n <= PERMUTE_N_MAX);
	while ((n - 1) >> bits)
		bits++;
	*p = (struct permute){ .n = n, .right_bits = bits / 2 };
	p->right_mask = (1ull << bits / 2) - 1;
	p->left_mask = (1ull << (bits - bits / 2)) - 1;
	p->rounds = bits <= 10 ? PERMUTE_ROUNDS_MAX : 6;
	/* n is part of the key: orders of neighbouring sizes have nothing in common. */
	seed = rng_mix(seed) ^ rng_mix(n);
	for (unsigned i = 0; i < PERMUTE_ROUNDS_MAX; i++)
		p->key[i] = seed = rng_mix(seed + i);
}

/*
 * A product of x with a changed copy of itself is not linear in x. Its middle bits depend on all of x and key;
 * the lowest ones do not, and the highest barely change between neighbours, hence the shift.
 */
static inline uint64_t round_function(uint64_t x, uint64_t key)
{
	unsigned __int128 product =
		(unsigned __int128)(x + key) * ((x + key) ^ 0xe7037ed1a0b428dbu);

	return (uint64_t)(product >> 64) ^ (uint64_t)product >> 32;
}

uint64_t permute_at(const struct permute *p, uint64_t i)
{
	assert(i < p->n);
	do {
		uint64_t left = i >> p->right_bits, right = i & p->right_mask;

		for (unsigned r = 0; r < p->rounds; r += 2) {
			left ^= round_function(right, p->key[r]) & p->left_mask;
			right ^= round_function(left, p->key[r + 1]) & p->right_mask;
		}
		i = left << p->right_bits | right;
	} while (i >= p->n);
	return i;
}
