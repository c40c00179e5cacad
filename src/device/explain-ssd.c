/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain-ssd.c - what follows from the parameters of a simulated SSD.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "device/explain.h"
#include "ssd/config.h"

static const struct explain_switch switches[] = {
	{ "pSLC cache", "pslc.static pslc.share",
	  "writes go to cells with one bit first, and on to the main area later",
	  "writes go to the main area at once" },
	{ "cache reclaim", "pslc.reclaim",
	  "overwritten cache blocks are compacted and used again while the host writes",
	  "cache blocks are used again only when they were folded" },
	{ "mapping cache", "map.pages",
	  "only a part of the map is in memory: a miss reads flash, and a changed part is written "
	  "back",
	  "the whole map is in memory" },
	{ "read-ahead", "fw.readahead", "sequential reads are fetched before the host asks",
	  "every read begins when it is asked for" },
	{ "map journal", "journal.units",
	  "changes of the map are collected and written to flash when the journal is full",
	  "changes of the map cost nothing of their own" },
	{ "collection in idle time", "gc.idle_rate",
	  "free superblocks are made while the host is silent",
	  "free superblocks are made only when they are needed" },
	{ "wear-levelling campaign", "campaign.every",
	  "cold data are moved in campaigns, which slow writes while they last",
	  "cold data stay where they are" },
	{ "program suspend", "suspend.program", "a read interrupts the program that is in progress",
	  "a read waits for the program that is in progress" },
	{ "erase suspend", "suspend.erase", "a read interrupts the erase that is in progress",
	  "a read waits for the erase that is in progress" },
	{ "zero detection", "content.zero_detect", "zeros are unmapped instead of written",
	  "zeros are data" },
	{ "compression", "content.compress", "what compresses takes less flash",
	  "content does not matter" },
	{ "wear", "wear.endurance",
	  "cells wear: error rates grow, blocks and at last the drive die", "cells do not wear" },
	{ "refresh", "refresh.days refresh.rber", "old data are written again",
	  "data stay as they are" },
	{ "calibration pauses", "calibration.every", "the drive stops now and then",
	  "the drive never stops by itself" },
	{ "heat", "heat.r1 heat.r2", "work heats the drive, and a hot one slows itself down",
	  "temperature is not modelled" },
	{ "faults",
	  "fault.read_error fault.bad_length fault.late fault.stuck fault.drop_after fault.drop_at "
	  "fault.cut_every",
	  "commands fail, come late, or the drive drops off", "no command ever fails" },
	{ "power-loss protection", "buffer.protected", "what was acknowledged survives a power cut",
	  "what is in the buffer is lost in a power cut" },
	{ "TRIM", "link.trim", "deleted data are known to be free",
	  "the drive never learns what was deleted" },
	{ NULL, NULL, NULL, NULL },
};

static double per_s(double things, double ns)
{
	return ns > 0 ? things * 1e9 / ns : INFINITY;
}

/* Superblocks that collection cannot count on: the fixed cache, the reserve, the open ones. */
static double held(const struct ssd_config *cfg)
{
	return ssd_pslc_reserve(cfg) + cfg->gc.low + 2.0;
}

static void explain_space(const struct ssd_config *cfg, struct explained *ret)
{
	double sb = cfg->geometry.superblock_units, raw = cfg->geometry.superblocks * sb;
	double units = (double)cfg->capacity_bytes / SSD_UNIT_BYTES;
	double alpha = (raw - held(cfg) * sb) / units, wa = explain_greedy_wa(alpha, (uint32_t)sb);
	double share = cfg->pslc.share * (double)cfg->capacity_bytes,
	       fixed = (double)cfg->pslc.static_bytes;
	double unit_ns;

	explain_fact(ret, "raw capacity", raw * SSD_UNIT_BYTES, "bytes",
		     "superblocks x their size");
	explain_fact(ret, "over-provisioning", 100 * (raw / units - 1), "%",
		     "raw / addressable - 1");
	explain_fact(ret, "spare factor", 100 * (1 - units / raw), "%", "1 - addressable / raw");
	explain_fact(ret, "effective over-provisioning", 100 * (alpha - 1), "%",
		     "without fixed cache, reserve and open superblocks");
	if (cfg->gc.policy == 0) {
		explain_fact(ret, "write amplification", wa, "",
			     "full drive, uniform random writes, greedy collection, steady state");
		/* A copy reads a page of its own; an erase is shared by the units of the block. */
		unit_ns = wa * (double)cfg->nand.program_ns / cfg->nand.program_units +
			  (wa - 1) * (double)cfg->nand.read_ns +
			  wa * (double)cfg->nand.erase_ns * cfg->geometry.dies / sb;
		explain_fact(ret, "steady random writes, dies", per_s(cfg->geometry.dies, unit_ns),
			     "1/s", "4 KiB: amplified programs, reads of copies and erases");
	}
	if (ssd_has_pslc(cfg)) {
		explain_fact(ret, "cache, empty drive", fixed + share, "bytes",
			     "fixed part + share of all");
		explain_fact(ret, "cache, full drive", fixed, "bytes", "fixed part");
	}
}

static void explain_rates(const struct ssd_config *cfg, struct explained *ret)
{
	double page = cfg->geometry.planes * cfg->geometry.page_units * (double)SSD_UNIT_BYTES;
	double dies = cfg->geometry.dies;

	explain_fact(ret, "link, reads", per_s(SSD_UNIT_BYTES, (double)cfg->link.read_unit_ns),
		     "bytes/s", "4 KiB / time of a unit");
	explain_fact(ret, "link, writes", per_s(SSD_UNIT_BYTES, (double)cfg->link.write_unit_ns),
		     "bytes/s", "4 KiB / time of a unit");
	explain_fact(ret, "dies, main area, programs",
		     per_s(dies * cfg->nand.program_units * SSD_UNIT_BYTES,
			   (double)cfg->nand.program_ns),
		     "bytes/s", "dies x program unit / tPROG");
	explain_fact(ret, "dies, main area, reads", per_s(dies * page, (double)cfg->nand.read_ns),
		     "bytes/s", "dies x a page of every plane / tR");
	explain_fact(ret, "dies, random reads",
		     per_s(dies * (cfg->planes_independent ? cfg->geometry.planes : 1),
			   (double)cfg->nand.read_ns),
		     "1/s",
		     "one page at a time on each die, or on each plane where they are independent");
	if (ssd_has_pslc(cfg))
		explain_fact(ret, "dies, pSLC, programs",
			     per_s(dies * cfg->pslc.nand.program_units * SSD_UNIT_BYTES,
				   (double)cfg->pslc.nand.program_ns),
			     "bytes/s", "dies x program unit / tPROG in pSLC mode");
	explain_fact(ret, "channels",
		     per_s((double)cfg->geometry.channels * SSD_UNIT_BYTES,
			   (double)cfg->channel_unit_ns),
		     "bytes/s", "channels x 4 KiB / time of a unit");
	explain_fact(ret, "firmware, reads", per_s(1, (double)cfg->fw.read_ns), "1/s",
		     "commands one after the other");
	explain_fact(ret, "firmware, writes", per_s(1, (double)cfg->fw.write_ns), "1/s",
		     "commands one after the other");
	explain_fact(ret, "a lone 4 KiB read",
		     (double)(cfg->link.read_command_ns + cfg->fw.read_ns + cfg->fw.random_read_ns +
			      cfg->nand.read_ns + cfg->channel_unit_ns + cfg->link.read_unit_ns),
		     "ns", "command, firmware, tR, channel and link, one after the other");
}

void explain_ssd(const struct ssd_config *cfg, struct explained *ret)
{
	memset(ret, 0, sizeof(*ret));
	explain_switches(ret, switches, ssd_params, cfg);
	explain_space(cfg, ret);
	explain_rates(cfg, ret);
}
