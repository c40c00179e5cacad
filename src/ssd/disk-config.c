/* SPDX-License-Identifier: MIT */
#include "ssd/disk.h"

#include <errno.h>

#include "ssd/disk-cache.h"
#include "ssd/disk-media.h"

#define AT(field) offsetof(struct disk_config, field)
#define SECOND 1e9
#define TB 1e12

/* clang-format off */
const struct param disk_params[] = {
	{ "capacity", "bytes", PARAM_BYTES, AT(capacity_bytes), 1 << 20, 16 * TB, "500GB", NULL,
	  "addressable bytes", "16 TB is what 32-bit unit numbers reach" },
	{ "seed", "", PARAM_U64, AT(seed), 0, 0x1p63, "1", NULL,
	  "seed of the angle at which the platters stand at the start", "chosen" },

	{ "rpm", "1/min", PARAM_U32, AT(rpm), 1000, 30000, "7200", NULL,
	  "turns of the platters a minute", "usual speeds: 4200 to 15000" },
	{ "heads", "", PARAM_U32, AT(heads), 1, 64, "4", NULL,
	  "surfaces; a cylinder has a track on each", "typical: 2 to 16" },
	{ "zones", "", PARAM_U32, AT(zones), 1, DISK_ZONES_MAX, "16", NULL,
	  "rings of tracks that hold the same, of equal width", "typical: 10 to 30" },
	{ "rate.outer", "bytes/s", PARAM_BYTES, AT(outer_bytes_per_s), 1e6, 1e9, "105MB", NULL,
	  "sustained rate of the outermost zone, skew and head switches included", "data sheet" },
	{ "rate.inner", "bytes/s", PARAM_BYTES, AT(inner_bytes_per_s), 1e6, 1e9, "50MB", NULL,
	  "sustained rate of the innermost zone", "data sheet" },

	{ "seek.track", "ns", PARAM_NS, AT(seek.track_ns), 1000, SECOND, "1ms", NULL,
	  "seek to the next cylinder, or to another head of one", "data sheet" },
	{ "seek.average", "ns", PARAM_NS, AT(seek.average_ns), 1000, SECOND, "11ms", NULL,
	  "mean read seek between random addresses", "data sheet" },
	{ "seek.full", "ns", PARAM_NS, AT(seek.full_ns), 1000, SECOND, "20ms", NULL,
	  "seek over all cylinders", "data sheet" },
	{ "seek.write", "ns", PARAM_NS, AT(seek.write_ns), 0, SECOND, "1ms", NULL,
	  "by how much longer a seek settles before a write", "data sheet: write less read seek" },
	{ "overhead", "ns", PARAM_NS, AT(overhead_ns), 0, SECOND, "100us", NULL,
	  "controller time of a command; at depth hidden behind the arm", "typical" },

	{ "cache", "bytes", PARAM_BYTES, AT(cache.bytes), 0, 1e9, "16MiB", NULL,
	  "memory for reading and writing", "data sheet" },
	{ "cache.write", "bytes", PARAM_BYTES, AT(cache.write_bytes), 0, 1e9, "8MiB", NULL,
	  "of it, for writes that are acknowledged and not yet on the platters; 0: write-through", "firmware policy" },
	{ "cache.segments", "", PARAM_U32, AT(cache.segments), 1, DISK_SEGMENTS_MAX, "16", NULL,
	  "ranges into which the rest is divided for reads", "typical: 8 to 32" },
	{ "cache.readahead", "bytes", PARAM_BYTES, AT(cache.readahead_bytes), 0, 1e9, "512KiB", NULL,
	  "read on behind each read, while nothing else is to be done", "at most what a segment holds" },
	{ "cache.delay", "ns", PARAM_NS, AT(cache.delay_ns), 0, 10 * SECOND, "20ms", NULL,
	  "pause of the reads after which the cache is written back while it is less than half full", "firmware policy" },

	{ "link.queue", "", PARAM_U32, AT(link.queue), 1, 256, "32", NULL,
	  "commands at the drive at most; more wait at the host", "NCQ: 32; SAS: more" },
	{ "link.read_unit", "ns", PARAM_NS, AT(link.read_unit_ns), 0, SECOND, "15us", NULL,
	  "time of 4 KiB from the drive", "SATA 3 Gb/s: 273 MB/s" },
	{ "link.write_unit", "ns", PARAM_NS, AT(link.write_unit_ns), 0, SECOND, "15us", NULL,
	  "time of 4 KiB to the drive", "SATA 3 Gb/s: 273 MB/s" },
	{ "link.command", "ns", PARAM_NS, AT(link.command_ns), 0, SECOND, "2us", NULL,
	  "time of a command on the link", "typical" },

	{ "ncq.age", "", PARAM_F64, AT(age_weight), 0, 1, "0.02", NULL,
	  "by how much of its waiting time a command counts as nearer; 0: the nearest always, which can starve others",
	  "chosen; Jacobson and Wilkes 1991 discuss it" },
	PARAM_END
};
/* clang-format on */

int disk_config_check(const struct disk_config *cfg, const char **ret_name, struct err *err)
{
	const char *unused, **name = ret_name ? ret_name : &unused;
	struct disk_media media;

	*name = "capacity";
	if (cfg->capacity_bytes % DISK_UNIT_BYTES)
		return err_set(err, -EINVAL, "capacity is not a multiple of %u bytes",
			       DISK_UNIT_BYTES);
	if (cfg->capacity_bytes / DISK_UNIT_BYTES >= UINT32_MAX)
		return err_set(err, -EINVAL, "capacity is more than 2^32 - 2 units of %u bytes",
			       DISK_UNIT_BYTES);
	*name = "rate.inner";
	if (cfg->inner_bytes_per_s > cfg->outer_bytes_per_s)
		return err_set(err, -EINVAL, "rate.inner is more than rate.outer");
	*name = "cache.write";
	if (cfg->cache.write_bytes > cfg->cache.bytes)
		return err_set(err, -EINVAL, "cache.write is more than the cache");
	*name = "cache.readahead";
	if (cfg->cache.readahead_bytes >
	    (cfg->cache.bytes - cfg->cache.write_bytes) / cfg->cache.segments)
		return err_set(err, -EINVAL,
			       "cache.readahead is more than a segment of the cache holds");
	return disk_media_make(&media, cfg, name, err);
}

int disk_config_scale(struct disk_config *cfg, uint64_t capacity_bytes, struct err *err)
{
	capacity_bytes -= capacity_bytes % DISK_UNIT_BYTES;
	if (!capacity_bytes)
		return err_set(err, -EINVAL, "capacity is less than %u bytes", DISK_UNIT_BYTES);
	cfg->capacity_bytes = capacity_bytes;
	return 0;
}
