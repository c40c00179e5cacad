/* SPDX-License-Identifier: MIT */
#include "ssd/config.h"

#include <errno.h>

#include "ssd/gc-clean.h"
#include "ssd/gc.h"
#include "ssd/heat.h"
#include "ssd/mapcache.h"
#include "ssd/prefill.h"
#include "ssd/ssd.h"
#include "ssd/wear.h"

static uint64_t pslc_block_units(const struct ssd_config *cfg)
{
	return cfg->geometry.superblock_units / ssd_bits(cfg);
}

uint32_t ssd_pslc_reserve(const struct ssd_config *cfg)
{
	uint64_t block_bytes = pslc_block_units(cfg) * SSD_UNIT_BYTES;

	if (!cfg->pslc.static_bytes)
		return 0;
	return (uint32_t)((cfg->pslc.static_bytes + block_bytes - 1) / block_bytes);
}

/* Superblocks for all units. */
static uint64_t superblocks_full(const struct ssd_config *cfg)
{
	uint64_t units = cfg->capacity_bytes / SSD_UNIT_BYTES;

	return (units + cfg->geometry.superblock_units - 1) / cfg->geometry.superblock_units;
}

/* ... and the free reserve and the open ones besides. */
static uint64_t superblocks_open(const struct ssd_config *cfg)
{
	return cfg->gc.low + (ssd_has_pslc(cfg) ? 5 : 3);
}

uint32_t ssd_superblocks_needed(const struct ssd_config *cfg)
{
	uint32_t more = cfg->gc.high > cfg->gc.low ? cfg->gc.high - cfg->gc.low : 0;

	return (uint32_t)(superblocks_full(cfg) + ssd_pslc_reserve(cfg) + superblocks_open(cfg)) +
	       more;
}

static int check_geometry(const struct ssd_config *cfg, const char **name, struct err *err)
{
	uint32_t stripe = cfg->nand.program_units * cfg->geometry.dies;
	uint32_t page = cfg->geometry.planes * cfg->geometry.page_units;

	*name = "geometry.dies";
	if (cfg->geometry.dies % cfg->geometry.channels)
		return err_set(err, -EINVAL, "%u dies cannot be spread evenly over %u channels",
			       cfg->geometry.dies, cfg->geometry.channels);
	*name = "nand.program_units";
	if (cfg->nand.program_units % page)
		return err_set(
			err, -EINVAL,
			"nand.program_units (%u) is not a multiple of a page of every plane (%u)",
			cfg->nand.program_units, page);
	*name = "geometry.superblock_units";
	if (cfg->geometry.superblock_units % stripe)
		return err_set(
			err, -EINVAL,
			"geometry.superblock_units (%u) is not a multiple of a program unit on "
			"every die (%u)",
			cfg->geometry.superblock_units, stripe);
	*name = "geometry.superblocks";
	if ((uint64_t)cfg->geometry.superblocks * cfg->geometry.superblock_units >= UINT32_MAX)
		return err_set(err, -EINVAL, "more than 2^32 - 2 units of flash");
	*name = "capacity";
	if (cfg->capacity_bytes % SSD_UNIT_BYTES)
		return err_set(err, -EINVAL, "capacity is not a multiple of %u bytes",
			       SSD_UNIT_BYTES);
	return 0;
}

static int check_pslc(const struct ssd_config *cfg, const char **name, struct err *err)
{
	uint32_t stripe = cfg->pslc.nand.program_units * cfg->geometry.dies;
	uint32_t page = cfg->geometry.planes * cfg->geometry.page_units;

	*name = "pslc.static";
	if (ssd_bits(cfg) == 1)
		return err_set(err, -EINVAL, "a pSLC cache on a drive whose cells hold one bit");
	*name = "pslc.program_units";
	if (cfg->pslc.nand.program_units % page)
		return err_set(
			err, -EINVAL,
			"pslc.program_units (%u) is not a multiple of a page of every plane (%u)",
			cfg->pslc.nand.program_units, page);
	if (cfg->geometry.superblock_units % ssd_bits(cfg) || pslc_block_units(cfg) % stripe)
		return err_set(err, -EINVAL,
			       "a superblock in pSLC mode (%llu units) is not a multiple of a pSLC "
			       "program unit on every die (%u)",
			       (unsigned long long)pslc_block_units(cfg), stripe);
	*name = "pslc.share";
	if (cfg->pslc.share * ssd_bits(cfg) > 1)
		return err_set(
			err, -EINVAL,
			"pslc.share %g needs %g times the free space, as a pSLC cell holds one "
			"bit of %u",
			cfg->pslc.share, cfg->pslc.share * ssd_bits(cfg), ssd_bits(cfg));
	return 0;
}

/* The spare holds the fixed cache, the free reserve and the open superblocks, or collection locks up. */
static int check_spare(const struct ssd_config *cfg, const char **name, struct err *err)
{
	uint64_t need = superblocks_full(cfg), fixed = ssd_pslc_reserve(cfg), spare;

	*name = "geometry.superblocks";
	if (cfg->geometry.superblocks <= need)
		return err_set(err, -EINVAL,
			       "%u superblocks do not hold the capacity, which needs %llu",
			       cfg->geometry.superblocks, (unsigned long long)need);
	spare = cfg->geometry.superblocks - need;
	*name = "pslc.static";
	if (fixed > spare)
		return err_set(
			err, -EINVAL,
			"the fixed pSLC cache takes %llu superblocks, more than the spare (%llu)",
			(unsigned long long)fixed, (unsigned long long)spare);
	*name = "geometry.superblocks";
	if (spare < fixed + superblocks_open(cfg) - cfg->gc.low + cfg->gc.high &&
	    cfg->gc.high > cfg->gc.low)
		return err_set(
			err, -EINVAL,
			"the spare (%llu superblocks) is too small for pslc.static (%llu), gc.high "
			"(%u) and open superblocks (%llu)",
			(unsigned long long)spare, (unsigned long long)fixed, cfg->gc.high,
			(unsigned long long)superblocks_open(cfg) - cfg->gc.low);
	if (spare < fixed + superblocks_open(cfg))
		return err_set(
			err, -EINVAL,
			"the spare (%llu superblocks) is too small for pslc.static (%llu), gc.low "
			"(%u) and open superblocks (%llu)",
			(unsigned long long)spare, (unsigned long long)fixed, cfg->gc.low,
			(unsigned long long)superblocks_open(cfg) - cfg->gc.low);
	return 0;
}

static int check_rest(const struct ssd_config *cfg, const char **name, struct err *err)
{
	uint32_t program = cfg->nand.program_units;

	if (ssd_has_pslc(cfg) && cfg->pslc.nand.program_units > program)
		program = cfg->pslc.nand.program_units;
	*name = "buffer";
	if (cfg->buffer_units < 2 * program)
		return err_set(err, -EINVAL,
			       "buffer (%u units) must hold two program units of %u units",
			       cfg->buffer_units, program);
	*name = "link.queue";
	if (cfg->link.kind == LINK_USB_BOT && cfg->link.queue != 1)
		return err_set(err, -EINVAL, "a usb-bot link carries one command at a time, not %u",
			       cfg->link.queue);
	if (cfg->link.kind == LINK_SATA && cfg->link.queue > 32)
		return err_set(err, -EINVAL,
			       "a sata link carries 32 commands at a time (NCQ), not %u",
			       cfg->link.queue);
	*name = "link.trim";
	if (cfg->link.kind == LINK_USB_BOT && cfg->link.trim)
		return err_set(err, -EINVAL, "a usb-bot link does not pass TRIM");
	*name = "gc.high";
	if ((cfg->gc.pacing != PACING_PACED || cfg->gc.idle_bytes_per_s) &&
	    cfg->gc.high <= cfg->gc.low)
		return err_set(
			err, -EINVAL,
			"gc.high (%u) must be above gc.low (%u) where cleaning goes between them",
			cfg->gc.high, cfg->gc.low);
	*name = "journal.a1";
	if (cfg->journal.a1_ns < cfg->journal.a0_ns)
		return err_set(err, -EINVAL, "journal.a1 is less than journal.a0");
	*name = "gc.mixed";
	if (cfg->gc.mixed && ssd_has_pslc(cfg))
		return err_set(err, -EINVAL, "gc.mixed does not go with a pSLC cache");
	*name = "purge.by";
	if (cfg->purge_by == SSD_PURGE_DISCARD && !cfg->link.trim)
		return err_set(err, -EINVAL, "purge.by discard on a link that passes no TRIM");
	*name = "campaign.copy";
	if (cfg->campaign.copy_bytes > cfg->campaign.every_bytes)
		return err_set(
			err, -EINVAL,
			"campaign.copy is more than campaign.every: a campaign would never end");
	return 0;
}

int ssd_config_check(const struct ssd_config *cfg, const char **ret_name, struct err *err)
{
	const char *unused, **name = ret_name ? ret_name : &unused;
	int r = check_geometry(cfg, name, err);

	if (r == 0 && ssd_has_pslc(cfg))
		r = check_pslc(cfg, name, err);
	if (r == 0)
		r = check_spare(cfg, name, err);
	if (r == 0)
		r = check_rest(cfg, name, err);
	if (r == 0)
		r = heat_check(cfg, name, err);
	return r < 0 ? r : wear_check(cfg, name, err);
}

/* value x to / from, rounded to the nearest. */
static uint64_t scale(uint64_t value, uint64_t to, uint64_t from)
{
	return (uint64_t)(((unsigned __int128)value * to + from / 2) / from);
}

/* Whether half a superblock is still a whole number of stripes in both cell modes. */
static bool can_halve(const struct ssd_config *cfg)
{
	uint32_t dies = cfg->geometry.dies;

	if (cfg->geometry.superblock_units % (2 * dies * cfg->nand.program_units))
		return false;
	return !ssd_has_pslc(cfg) ||
	       cfg->geometry.superblock_units %
			       (2 * ssd_bits(cfg) * dies * cfg->pslc.nand.program_units) ==
		       0;
}

int ssd_config_scale(struct ssd_config *cfg, uint64_t capacity_bytes, struct err *err)
{
	uint64_t from = cfg->capacity_bytes, blocks, old_blocks = cfg->geometry.superblocks;

	capacity_bytes -= capacity_bytes % SSD_UNIT_BYTES;
	if (!capacity_bytes)
		return err_set(err, -EINVAL, "capacity is less than %u bytes", SSD_UNIT_BYTES);
	blocks = scale(cfg->geometry.superblocks, capacity_bytes, from);
	while (blocks < 1024 && can_halve(cfg)) {
		cfg->geometry.superblock_units /= 2;
		cfg->nand.erase_ns /= 2;
		cfg->pslc.nand.erase_ns /= 2;
		cfg->heat.erase_block_uj /= 2;
		cfg->geometry.superblocks *= 2;
		blocks = scale(cfg->geometry.superblocks, capacity_bytes, from);
	}
	if (blocks > UINT32_MAX)
		blocks = UINT32_MAX;
	cfg->geometry.superblocks = (uint32_t)blocks;
	cfg->capacity_bytes = capacity_bytes;
	if (cfg->gc.high) {
		/* Marks of cleaning are shares of the drive; the paced collector's reserve is not. */
		cfg->gc.high = (uint32_t)scale(cfg->gc.high, blocks, old_blocks);
		cfg->gc.low = (uint32_t)scale(cfg->gc.low, blocks, old_blocks);
		if (cfg->gc.low < GC_FLOOR)
			cfg->gc.low = GC_FLOOR;
	}
	cfg->pslc.static_bytes = scale(cfg->pslc.static_bytes, capacity_bytes, from);
	cfg->pslc.free_kept_bytes = scale(cfg->pslc.free_kept_bytes, capacity_bytes, from);
	cfg->pslc.fold_low_bytes = scale(cfg->pslc.fold_low_bytes, capacity_bytes, from);
	if (cfg->map.pages) {
		cfg->map.pages = (uint32_t)scale(cfg->map.pages, capacity_bytes, from);
		if (!cfg->map.pages)
			cfg->map.pages = 1;
	}
	cfg->campaign.every_bytes = scale(cfg->campaign.every_bytes, capacity_bytes, from);
	cfg->campaign.start_bytes = scale(cfg->campaign.start_bytes, capacity_bytes, from);
	cfg->campaign.copy_bytes = scale(cfg->campaign.copy_bytes, capacity_bytes, from);
	return 0;
}
