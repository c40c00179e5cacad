/* SPDX-License-Identifier: MIT */
#include "ssd/gc.h"

#include "ssd/ftl.h"
#include "ssd/gc-policy.h"
#include "ssd/pslc.h"

/* The fewest valid units; of equals the one with the lowest number. */
uint32_t gc_pick_greedy(struct ssd *ssd)
{
	uint32_t least = UINT32_MAX, group = 0, sb;

	for (uint32_t g = 0; g < ssd->groups; g++)
		if (ssd->group_min[g] < least) {
			least = ssd->group_min[g];
			group = g;
		}
	if (least >= KEY_INELIGIBLE)
		return NONE;
	for (sb = group * GROUP; ssd->key[sb] != least; sb++)
		;
	return sb;
}

/* In the order of gc_policy_words. */
static const struct gc_policy policies[] = {
	{ "greedy", gc_pick_greedy, false },
	{ "fifo", gc_pick_fifo, true },
	{ "cost-benefit", gc_pick_cost_benefit, false },
	{ "d-choices", gc_pick_choices, true },
	{ "random", gc_pick_random, true },
};

const char *const gc_policy_words[] = { "greedy",    "fifo",   "cost-benefit",
					"d-choices", "random", NULL };

bool gc_needs_age(int policy)
{
	return policies[policy].pick == gc_pick_fifo ||
	       policies[policy].pick == gc_pick_cost_benefit;
}

/*
 * Copying a victim in which everything is valid gains nothing. A policy that looks for the fewest valid units has
 * then nothing to collect; one that does not goes on to the next, but not round the whole drive.
 */
uint32_t gc_pick(struct ssd *ssd)
{
	const struct gc_policy *policy = &policies[ssd->cfg.gc.policy];
	bool round = ssd->gc_full_victims >= ssd->superblocks;
	uint32_t sb = round ? gc_pick_greedy(ssd) : policy->pick(ssd);

	if (sb == NONE || ssd->key[sb] < ssd->sb_written[sb]) {
		ssd->gc_full_victims = 0;
		return sb;
	}
	ssd->gc_full_victims++;
	return policy->takes_full && !round ? sb : NONE;
}

static bool enough(const struct ssd *ssd)
{
	return ftl_free_main(ssd) > ssd->gc_low;
}

/* Choose a victim; those without valid data are erased on the way. False: there is none, or no need. */
static bool victim_open(struct ssd *ssd)
{
	while (!enough(ssd)) {
		uint32_t sb = gc_pick(ssd), valid;

		if (sb == NONE)
			return false;
		valid = ssd->key[sb];
		if (valid) {
			ftl_set_state(ssd, sb, SB_VICTIM);
			ftl_cursor_open(ssd, &ssd->gc, sb);
			ssd->gc_gain = ssd->gc.written - valid;
			ssd->gc_credit = 0;
			return true;
		}
		ftl_set_state(ssd, sb, SB_VICTIM);
		ftl_erase(ssd, sb);
	}
	return false;
}

static void victim_close(struct ssd *ssd)
{
	uint32_t sb = ssd->gc.sb;

	ssd->gc.sb = NONE;
	ftl_erase(ssd, sb);
}

void gc_erase_empty(struct ssd *ssd)
{
	for (int i = 0; i < 2; i++) {
		uint32_t sb = gc_pick_greedy(ssd);

		if (sb == NONE || ssd->key[sb])
			return;
		ftl_set_state(ssd, sb, SB_VICTIM);
		ftl_erase(ssd, sb);
	}
}

void gc_make_room(struct ssd *ssd, uint64_t t)
{
	if (ssd->collecting)
		return;
	ssd->collecting = true;
	while (ftl_free_main(ssd) + 1 < ssd->gc_low) {
		if (!ssd->in_fold && pslc_over_limit(ssd)) {
			pslc_fold_block(ssd, t);
			continue;
		}
		if (ssd->gc.sb == NONE && !victim_open(ssd))
			break;
		ssd->stats.gc_units +=
			ftl_cursor_run(ssd, &ssd->gc, ssd->gc_stream,
				       ssd->gc.written - ssd->gc.position, UINT32_MAX, t);
		victim_close(ssd);
	}
	ssd->collecting = false;
}

void gc_pace(struct ssd *ssd, uint32_t n, uint64_t t)
{
	if (ssd->collecting || (ssd->gc.sb == NONE && enough(ssd)))
		return;
	ssd->collecting = true;
	if (ssd->gc.sb == NONE && !ssd->in_fold && pslc_over_limit(ssd))
		pslc_fold(ssd, n, t);
	else if (ssd->gc.sb != NONE || victim_open(ssd))
		ssd->gc_credit += (uint64_t)n * ssd->gc.written;
	while (ssd->gc.sb != NONE && ssd->gc_credit >= ssd->gc_gain) {
		/* A victim that gives nothing is moved whole. */
		uint64_t look = ssd->gc_gain ? ssd->gc_credit / ssd->gc_gain : ssd->gc.written;

		if (look > ssd->gc.written - ssd->gc.position)
			look = ssd->gc.written - ssd->gc.position;
		ssd->gc_credit -= look * ssd->gc_gain;
		ssd->stats.gc_units += ftl_cursor_run(ssd, &ssd->gc, ssd->gc_stream, (uint32_t)look,
						      UINT32_MAX, t);
		if (ssd->gc.position == ssd->gc.written) {
			victim_close(ssd);
			victim_open(ssd);
		}
	}
	ssd->collecting = false;
}
