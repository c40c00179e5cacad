/* SPDX-License-Identifier: MIT */
/*
 * rng.h - seeded random numbers: the same seed gives the same numbers on every compiler and machine.
 *
 * The generator is xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * ACM TOMS 47, 2021), its state filled by splitmix64. A stream is a second seed: every consumer (each load
 * stream, each part of the simulated drive) takes its own, so that adding a consumer changes no other.
 */
#ifndef ASSAY_BASE_RNG_H
#define ASSAY_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* splitmix64: a good 64-bit mix of any 64-bit value, also used to derive seeds from seeds. */
static inline uint64_t rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline void rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t x = rng_mix(seed) ^ rng_mix(stream + 0x6a09e667f3bcc909u);

	for (int i = 0; i < 4; i++)
		rng->s[i] = x = rng_mix(x + (uint64_t)i);
}

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_u64(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t ret = rng_rotl(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return ret;
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): spreads bytes over 64 bits; begin with RNG_FNV_START. */
#define RNG_FNV_START 0xcbf29ce484222325u

static inline uint64_t rng_fnv(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h;
}

/* Uniform in [0, n), n > 0. The bias of the multiply method is below n / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_u64(rng) * n) >> 64);
}

/* Uniform in [0, 1) with 53 bits. */
static inline double rng_double(struct rng *rng)
{
	return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

/* Exponential with the given mean. */
double rng_exp(struct rng *rng, double mean);

#endif
