/* SPDX-License-Identifier: MIT */
#include "ssd/refresh.h"

#include <stdlib.h>

#include "ssd/ftl.h"

#define S_NS 1000000000ull
#define DAY_NS (86400 * S_NS)
#define SLICE_NS 10000000u /* work under load is given in slices of this */
#define STEP_MK 1000	   /* a step of temperature */
#define LOOK_NS S_NS	   /* how often it is looked at */
#define WELL_ABOVE 6u	   /* levels: a quarter octave, 19 % */
#define FREE_LEAST 3u	   /* superblocks that must be free before data are moved */

static bool refreshes(const struct ssd *ssd)
{
	return ssd->cfg.refresh.days > 0 || ssd->cfg.refresh.rber > 0;
}

static bool is_old(const struct ssd *ssd, uint32_t sb, uint64_t now)
{
	const struct wear *w = &ssd->wear;

	if (ssd->cfg.refresh.days > 0 &&
	    (double)now / S_NS - w->programmed_s[sb] >= ssd->cfg.refresh.days * 86400)
		return true;
	return w->level[sb] >= ssd->refresh.level && w->level[sb] > w->fresh[sb] + WELL_ABOVE;
}

/* The superblock whose data are to be rewritten, oldest first; NONE: none is due. */
static uint32_t oldest(const struct ssd *ssd, uint64_t now)
{
	const struct wear *w = &ssd->wear;
	uint32_t ret = NONE;

	for (uint32_t sb = 0; refreshes(ssd) && sb < ssd->superblocks; sb++)
		if (ssd->sb_state[sb] == SB_MAIN && is_old(ssd, sb, now) &&
		    (ret == NONE || w->programmed_s[sb] < w->programmed_s[ret]))
			ret = sb;
	return ret;
}

/* The least worn closed superblock, where it is too far behind the most worn one; else NONE. */
static uint32_t least_worn(const struct ssd *ssd)
{
	const struct wear *w = &ssd->wear;
	uint64_t spread = (uint64_t)ssd->cfg.wear.level_spread * WEAR_CYCLE;
	uint32_t ret = NONE, most = 0;

	if (!spread)
		return NONE;
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++) {
		if (ssd->sb_state[sb] != SB_RETIRED && w->cycles[sb] > most)
			most = w->cycles[sb];
		if (ssd->sb_state[sb] == SB_MAIN && (ret == NONE || w->cycles[sb] < w->cycles[ret]))
			ret = sb;
	}
	return ret != NONE && most - w->cycles[ret] >= spread ? ret : NONE;
}

/* Begin with the next superblock. False: nothing is due, or there is no room now. */
static bool begin(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;
	uint32_t sb = oldest(ssd, now);

	r->levelling = sb == NONE;
	if (sb == NONE)
		sb = least_worn(ssd);
	r->due = sb != NONE;
	if (sb == NONE || ssd->free_count < FREE_LEAST)
		return false;
	ftl_set_state(ssd, sb, SB_VICTIM);
	ftl_cursor_open(ssd, &ssd->refreshing, sb);
	return true;
}

/* Spend the time since last_ns. */
static void move(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;
	struct cursor *c = &ssd->refreshing;
	const uint64_t unit_bytes_ns = S_NS * SSD_UNIT_BYTES;
	unsigned __int128 credit;
	uint64_t left;

	if (!r->due || now <= r->last_ns)
		return;
	credit = (unsigned __int128)(now - r->last_ns) * ssd->cfg.refresh.bytes_per_s;
	credit += r->credit_bytes_ns;
	left = (uint64_t)(credit / unit_bytes_ns);
	r->credit_bytes_ns = (uint64_t)(credit % unit_bytes_ns);
	r->last_ns = now;
	while (left && !ssd->read_only) {
		uint64_t *count;
		uint32_t n;

		if (c->sb == NONE && !begin(ssd, now))
			break;
		count = r->levelling ? &ssd->stats.level_units : &ssd->stats.refresh_units;
		n = c->written - c->position < left ? c->written - c->position : (uint32_t)left;
		r->moving = r->levelling;
		*count += ftl_cursor_run(ssd, c, STREAM_GC, n, n, now);
		r->moving = false;
		left -= n;
		if (c->position == c->written) {
			uint32_t sb = c->sb;

			c->sb = NONE;
			ftl_erase(ssd, sb);
			begin(ssd, now);
		}
	}
}

/* All calibrations up to now; what is left of the last one holds every die. */
static void calibrate(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;
	uint64_t every = ssd->cfg.calibration.every_ns, n, end;

	if (r->calibrate_ns > now)
		return;
	n = (now - r->calibrate_ns) / every + 1;
	r->calibrate_ns += n * every;
	ssd->stats.calibrations += n;
	end = r->calibrate_ns - every + ssd->cfg.calibration.pause_ns;
	for (uint32_t die = 0; end > now && die < ssd->cfg.geometry.dies; die++)
		nand_give(&ssd->nand, die, NAND_PAUSE, now, now, end - now);
}

static void plan(struct ssd *ssd)
{
	struct refresh *r = &ssd->refresh;

	r->next_ns = r->tick_ns < r->calibrate_ns ? r->tick_ns : r->calibrate_ns;
	if (r->look_ns < r->next_ns)
		r->next_ns = r->look_ns;
	if (r->due && !ssd->read_only && r->last_ns + SLICE_NS < r->next_ns)
		r->next_ns = r->last_ns + SLICE_NS;
}

void refresh_wake(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;

	if (r->due || (oldest(ssd, now) == NONE && least_worn(ssd) == NONE))
		return;
	r->due = true;
	r->last_ns = now;
	plan(ssd);
}

void refresh_run(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;

	/* Day by day, however long the rest: what falls due on one is done on the next. */
	while (r->tick_ns <= now) {
		move(ssd, r->tick_ns);
		wear_levels(ssd, r->tick_ns);
		refresh_wake(ssd, r->tick_ns);
		r->tick_ns += DAY_NS;
	}
	/* In idle time the temperature is that of its begin: the command that ends it looks. */
	if (r->look_ns <= now && !ssd->quiet) {
		if (abs(ssd_temperature_mk(ssd) - ssd->wear.levels_mk) >= STEP_MK)
			wear_levels(ssd, now);
		r->look_ns = now + LOOK_NS;
	}
	move(ssd, now);
	calibrate(ssd, now);
	plan(ssd);
}

void refresh_reset(struct ssd *ssd, uint64_t now)
{
	struct refresh *r = &ssd->refresh;
	const struct ssd_config *cfg = &ssd->cfg;

	ssd->refreshing.sb = NONE;
	*r = (struct refresh){ .level = UINT32_MAX };
	r->tick_ns = ssd->has_wear ? now + DAY_NS : UINT64_MAX;
	r->look_ns = ssd->has_wear && cfg->wear.cross_temperature > 0 ? now : UINT64_MAX;
	r->calibrate_ns = cfg->calibration.every_ns ? now + cfg->calibration.every_ns : UINT64_MAX;
	if (cfg->refresh.rber > 0)
		r->level = wear_level_of(ssd, cfg->refresh.rber);
	plan(ssd);
}
