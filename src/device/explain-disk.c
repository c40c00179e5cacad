/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain-disk.c - what follows from the parameters of a simulated hard disk, and of the ideal drive.
 */
#include <math.h>
#include <string.h>

#include "device/explain.h"
#include "ssd/disk.h"
#include "ssd/ideal.h"

static const struct explain_switch disk_switches[] = {
	{ "write-back cache", "cache.write", "writes are done when they are in memory",
	  "writes are done when they are on the platters" },
	{ "read-ahead", "cache.readahead", "the heads read on behind each read",
	  "only what is asked for is read" },
	{ "ageing", "ncq.age", "commands that wait count as nearer",
	  "the nearest command always goes first" },
	{ NULL, NULL, NULL, NULL },
};

void explain_disk(const struct disk_config *cfg, struct explained *ret)
{
	double turn = 60e9 / cfg->rpm;
	double lone = (double)cfg->seek.average_ns + turn / 2 + (double)cfg->overhead_ns +
		      (double)cfg->link.command_ns + (double)cfg->link.read_unit_ns;

	memset(ret, 0, sizeof(*ret));
	explain_switches(ret, disk_switches, disk_params, cfg);
	explain_fact(ret, "a turn", turn, "ns", "60 s / rpm; a read waits for half of one");
	explain_fact(ret, "a lone random read", lone, "ns",
		     "average seek, half a turn, overhead and link");
	explain_fact(ret, "random reads, one at a time", 1e9 / lone, "1/s", "one after the other");
	explain_fact(ret, "outermost zone", (double)cfg->outer_bytes_per_s, "bytes/s", "sustained");
	explain_fact(ret, "innermost zone", (double)cfg->inner_bytes_per_s, "bytes/s", "sustained");
	explain_fact(ret, "link, reads", DISK_UNIT_BYTES * 1e9 / (double)cfg->link.read_unit_ns,
		     "bytes/s", "4 KiB / time of a unit");
	explain_fact(ret, "write cache", (double)cfg->cache.write_bytes, "bytes",
		     "a burst of that size is done at the speed of the link");
}

void explain_ideal(const struct ideal_config *cfg, struct explained *ret)
{
	memset(ret, 0, sizeof(*ret));
	explain_fact(ret, "a lone command", (double)cfg->latency_ns, "ns",
		     "and its bytes on the link");
	if (cfg->read_unit_ns)
		explain_fact(ret, "link, reads", IDEAL_UNIT_BYTES * 1e9 / (double)cfg->read_unit_ns,
			     "bytes/s", "4 KiB / time of a unit");
	if (cfg->write_unit_ns)
		explain_fact(ret, "link, writes",
			     IDEAL_UNIT_BYTES * 1e9 / (double)cfg->write_unit_ns, "bytes/s",
			     "4 KiB / time of a unit");
}
