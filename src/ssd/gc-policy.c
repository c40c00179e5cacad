/* SPDX-License-Identifier: MIT */
#include "ssd/gc-policy.h"

#include "ssd/gc.h"

#define RNG_STREAM_CHOICES (1ull << 32)

void gc_policy_reset(struct ssd *ssd)
{
	rng_init(&ssd->gc_rng, ssd->cfg.seed, RNG_STREAM_CHOICES + ssd->purges);
	ssd->gc_full_victims = 0;
}

static uint32_t group_end(const struct ssd *ssd, uint32_t group)
{
	uint32_t end = (group + 1) * GROUP;

	return end < ssd->superblocks ? end : ssd->superblocks;
}

void gc_policy_refresh(struct ssd *ssd, uint32_t group)
{
	uint64_t oldest = UINT64_MAX;

	for (uint32_t sb = group * GROUP; sb < group_end(ssd, group); sb++)
		if (ssd->key[sb] < KEY_INELIGIBLE && ssd->sb_closed[sb] < oldest)
			oldest = ssd->sb_closed[sb];
	ssd->group_oldest[group] = oldest;
}

uint32_t gc_pick_fifo(struct ssd *ssd)
{
	uint64_t oldest = UINT64_MAX;
	uint32_t group = 0, sb;

	for (uint32_t g = 0; g < ssd->groups; g++)
		if (ssd->group_oldest[g] < oldest) {
			oldest = ssd->group_oldest[g];
			group = g;
		}
	if (oldest == UINT64_MAX)
		return NONE;
	for (sb = group * GROUP; ssd->key[sb] >= KEY_INELIGIBLE || ssd->sb_closed[sb] != oldest;
	     sb++)
		;
	return sb;
}

/* age x (1 - u) / u; the factor of two changes no order. */
static double worth(const struct ssd *ssd, uint32_t valid, uint64_t closed)
{
	double age = (double)(ssd->close_count - closed + 1);

	return age * (double)(ssd->sb_units - valid) / (double)valid;
}

uint32_t gc_pick_cost_benefit(struct ssd *ssd)
{
	uint32_t ret = NONE;
	double best = -1;

	for (uint32_t g = 0; g < ssd->groups; g++) {
		uint32_t least = ssd->group_min[g];

		if (ssd->group_oldest[g] == UINT64_MAX)
			continue;
		if (least && worth(ssd, least, ssd->group_oldest[g]) <= best)
			continue;
		for (uint32_t sb = g * GROUP; sb < group_end(ssd, g); sb++) {
			double w;

			if (ssd->key[sb] >= KEY_INELIGIBLE)
				continue;
			if (!ssd->key[sb])
				return sb;
			w = worth(ssd, ssd->key[sb], ssd->sb_closed[sb]);
			if (w > best) {
				best = w;
				ret = sb;
			}
		}
	}
	return ret;
}

/* One of those that collection may take, each with the same chance. */
static uint32_t draw(struct ssd *ssd)
{
	/* They are the most of the superblocks whenever collection runs; on a drive that is nearly empty look on. */
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t sb = (uint32_t)rng_below(&ssd->gc_rng, ssd->superblocks);

		if (ssd->key[sb] < KEY_INELIGIBLE)
			return sb;
	}
	return gc_pick_greedy(ssd);
}

static uint32_t pick_of(struct ssd *ssd, uint32_t choices)
{
	uint32_t ret = draw(ssd);

	for (uint32_t i = 1; i < choices && ret != NONE; i++) {
		uint32_t sb = draw(ssd);

		if (ssd->key[sb] < ssd->key[ret])
			ret = sb;
	}
	return ret;
}

uint32_t gc_pick_choices(struct ssd *ssd)
{
	return pick_of(ssd, ssd->cfg.gc.choices);
}

uint32_t gc_pick_random(struct ssd *ssd)
{
	return pick_of(ssd, 1);
}
