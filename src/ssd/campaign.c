/* SPDX-License-Identifier: MIT */
#include "ssd/campaign.h"

#include "ssd/ftl.h"

#define RNG_STREAM_PHASE 1

void campaign_reset(struct ssd *ssd)
{
	uint64_t start = ssd->cfg.campaign.start_bytes / SSD_UNIT_BYTES;
	uint64_t every = ssd->cfg.campaign.every_bytes / SSD_UNIT_BYTES;
	struct rng rng;

	ssd->campaign.sb = NONE;
	ssd->campaign_left_units = 0;
	ssd->campaign_next_units = UINT64_MAX;
	if (!every)
		return;
	if (!start)
		start = (uint64_t)ssd->superblocks * ssd->sb_units;
	/* A purge does not bring the firmware back to the same phase: repeats of a run differ in it. */
	rng_init(&rng, ssd->cfg.seed, RNG_STREAM_PHASE + ssd->purges);
	ssd->campaign_next_units = start + rng_below(&rng, every);
}

/* The closed superblock that was written longest ago. */
static uint32_t coldest(const struct ssd *ssd)
{
	uint32_t ret = NONE;
	uint64_t oldest = UINT64_MAX;

	for (uint32_t sb = 0; sb < ssd->superblocks; sb++)
		if (ssd->sb_state[sb] == SB_MAIN && ssd->sb_closed[sb] < oldest) {
			oldest = ssd->sb_closed[sb];
			ret = sb;
		}
	return ret;
}

static void campaign_end(struct ssd *ssd)
{
	ssd->campaign_left_units = 0;
	if (ssd->campaign.sb != NONE)
		ftl_set_state(ssd, ssd->campaign.sb, SB_MAIN);
	ssd->campaign.sb = NONE;
}

uint64_t campaign_move(struct ssd *ssd, uint64_t n, uint64_t t)
{
	struct cursor *c = &ssd->campaign;
	uint64_t moved = 0;

	if (n > ssd->campaign_left_units)
		n = ssd->campaign_left_units;
	while (moved < n) {
		if (c->sb == NONE) {
			uint32_t sb = coldest(ssd);

			if (sb == NONE) {
				ssd->campaign_left_units = moved; /* nothing is left to move */
				break;
			}
			ftl_set_state(ssd, sb, SB_VICTIM);
			ftl_cursor_open(ssd, c, sb);
		}
		moved += ftl_cursor_run(ssd, c, STREAM_GC, c->written - c->position,
					(uint32_t)(n - moved), t);
		if (c->position == c->written) {
			uint32_t sb = c->sb;

			c->sb = NONE;
			ftl_erase(ssd, sb);
		}
	}
	ssd->stats.campaign_units += moved;
	ssd->campaign_left_units -= moved;
	if (!ssd->campaign_left_units)
		campaign_end(ssd);
	return moved;
}

uint64_t campaign_slice(struct ssd *ssd, uint64_t t)
{
	if (ssd->stats.host_write_units >= ssd->campaign_next_units) {
		ssd->campaign_next_units += ssd->cfg.campaign.every_bytes / SSD_UNIT_BYTES;
		ssd->campaign_left_units = ssd->cfg.campaign.copy_bytes / SSD_UNIT_BYTES;
		ssd->stats.campaigns++;
	}
	if (!ssd->campaign_left_units)
		return 0;
	campaign_move(ssd, ssd->cfg.campaign.slice_units, t);
	return ssd->cfg.campaign.slice_ns;
}
