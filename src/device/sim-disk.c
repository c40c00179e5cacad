/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim-disk.c - the simulated hard disk as a kind of simulated drive. It keeps its commands.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/explain.h"
#include "device/simkind.h"
#include "device/truth.h"
#include "ssd/disk.h"

struct sim_disk {
	struct disk *disk;
	struct disk_stats told; /* at the last truth */
};

static int check(const void *config, const char **ret_name, struct err *err)
{
	return disk_config_check(config, ret_name, err);
}

static int scale(void *config, uint64_t capacity_bytes, struct err *err)
{
	return disk_config_scale(config, capacity_bytes, err);
}

static struct sim_facts facts(const void *config)
{
	const struct disk_config *cfg = config;

	return (struct sim_facts){ .capacity_bytes = cfg->capacity_bytes,
				   .seed = cfg->seed,
				   .depth_max = DISK_WAITING_MAX };
}

static int make(void **ret, const void *config, struct err *err)
{
	struct sim_disk *drive = calloc(1, sizeof(*drive));
	int r;

	if (!drive)
		return err_set(err, -ENOMEM, "no memory for a simulated drive");
	r = disk_new(&drive->disk, config, err);
	if (r < 0) {
		free(drive);
		return r;
	}
	*ret = drive;
	return 0;
}

static void drive_free(void *base)
{
	struct sim_disk *drive = base;

	disk_free(drive->disk);
	free(drive);
}

static uint64_t memory_bytes(const void *base)
{
	return disk_memory_bytes(((const struct sim_disk *)base)->disk);
}

static void explain(const void *config, struct explained *ret)
{
	explain_disk(config, ret);
}

static bool submit(void *base, uint64_t now, struct io *io, struct sim_done *ret)
{
	struct disk_command c = { .op = io->op == IO_READ    ? DISK_READ
					: io->op == IO_WRITE ? DISK_WRITE
							     : DISK_FLUSH,
				  .unit = (uint32_t)(io->offset / DISK_UNIT_BYTES),
				  .units = io->length / DISK_UNIT_BYTES,
				  .tag = io };

	(void)ret;
	disk_submit(((struct sim_disk *)base)->disk, now, &c);
	return false;
}

static bool next(void *base, uint64_t until, struct sim_done *ret)
{
	struct disk_done done;

	if (!disk_next(((struct sim_disk *)base)->disk, until, &done))
		return false;
	*ret = (struct sim_done){ done.tag, done.start_ns, done.done_ns, 0 };
	return true;
}

static uint64_t kept_ns(void *base, uint64_t now)
{
	uint64_t ret;

	disk_in_flight(((struct sim_disk *)base)->disk, now, &ret);
	return ret;
}

static void idle(void *base, uint64_t now)
{
	disk_idle(((struct sim_disk *)base)->disk, now);
}

static void purge(void *base)
{
	struct sim_disk *drive = base;

	disk_purge(drive->disk);
	memset(&drive->told, 0, sizeof(drive->told));
}

static void telemetry(void *base, struct telemetry *ret)
{
	struct disk_stats s;

	disk_get_stats(((struct sim_disk *)base)->disk, &s);
	ret->host_written_bytes = (int64_t)(s.write_units * DISK_UNIT_BYTES);
	ret->host_read_bytes = (int64_t)(s.read_units * DISK_UNIT_BYTES);
}

static uint64_t arm_ns(const struct disk_stats *s)
{
	return s->seek_ns + s->rotate_ns + s->transfer_ns;
}

static void truth(void *base, uint64_t span_ns, struct truth *t)
{
	struct sim_disk *drive = base;
	struct disk_stats s;
	double arm;

	disk_get_stats(drive->disk, &s);
	t->host_written_bytes = s.write_units * DISK_UNIT_BYTES;
	t->host_read_bytes = s.read_units * DISK_UNIT_BYTES;
	t->cache_used_bytes = s.dirty_units * DISK_UNIT_BYTES;
	t->cache_limit_bytes = disk_get_config(drive->disk)->cache.write_bytes;
	t->alpha_eff = NAN;
	t->die_busy_share = NAN;
	t->link_busy_share = sim_share(s.link_busy_ns, drive->told.link_busy_ns, (double)span_ns);
	arm = sim_share(arm_ns(&s), arm_ns(&drive->told), (double)span_ns);
	snprintf(t->binding, sizeof(t->binding), "%s",
		 arm > 0 && arm >= t->link_busy_share ? "arm"
		 : t->link_busy_share > 0	      ? "link"
						      : "none");
	snprintf(t->activity, sizeof(t->activity), "%s",
		 s.destages > drive->told.destages ? "destaging" : "none");
	drive->told = s;
}

static void truth_start(void *base)
{
	struct sim_disk *drive = base;

	disk_get_stats(drive->disk, &drive->told);
}

static const char *const required[] = { "capacity", "rpm", "rate.", "seek.", "link.", NULL };

const struct sim_kind sim_kind_disk = {
	.name = "disk",
	.sentence = "rotating platters under one arm",
	.params = disk_params,
	.required = required,
	.check = check,
	.scale = scale,
	.facts = facts,
	.explain = explain,
	.memory_bytes = memory_bytes,
	.make = make,
	.free = drive_free,
	.submit = submit,
	.next = next,
	.kept_ns = kept_ns,
	.idle = idle,
	.purge = purge,
	.telemetry = telemetry,
	.truth = truth,
	.truth_start = truth_start,
};
