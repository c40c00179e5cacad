/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim-ideal.c - the ideal drive as a kind of simulated drive.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "device/explain.h"
#include "device/simkind.h"
#include "device/truth.h"
#include "ssd/ideal.h"

struct sim_ideal {
	struct ideal ideal;
	uint64_t told_link_ns; /* at the last truth */
};

static int check(const void *config, const char **ret_name, struct err *err)
{
	return ideal_config_check(config, ret_name, err);
}

static int scale(void *config, uint64_t capacity_bytes, struct err *err)
{
	struct ideal_config *cfg = config;

	capacity_bytes -= capacity_bytes % IDEAL_UNIT_BYTES;
	if (!capacity_bytes)
		return err_set(err, -EINVAL, "capacity is less than %u bytes", IDEAL_UNIT_BYTES);
	cfg->capacity_bytes = capacity_bytes;
	return 0;
}

static struct sim_facts facts(const void *config)
{
	const struct ideal_config *cfg = config;

	return (struct sim_facts){ .capacity_bytes = cfg->capacity_bytes,
				   .trim = true,
				   .depth_max = SIM_DEPTH_MAX };
}

static int make(void **ret, const void *config, struct err *err)
{
	struct sim_ideal *drive = calloc(1, sizeof(*drive));

	if (!drive)
		return err_set(err, -ENOMEM, "no memory for a simulated drive");
	drive->ideal.cfg = *(const struct ideal_config *)config;
	*ret = drive;
	return 0;
}

static uint64_t memory_bytes(const void *base)
{
	(void)base;
	return sizeof(struct sim_ideal);
}

static void explain(const void *config, struct explained *ret)
{
	explain_ideal(config, ret);
}

static bool submit(void *base, uint64_t now, struct io *io, struct sim_done *ret)
{
	struct sim_ideal *drive = base;
	enum ideal_op op = io->op == IO_READ	? IDEAL_READ
			   : io->op == IO_WRITE ? IDEAL_WRITE
						: IDEAL_OTHER;

	ret->start_ns = now;
	ret->done_ns = ideal_command(&drive->ideal, now, op, io->length / IDEAL_UNIT_BYTES);
	ret->error = 0;
	return true;
}

static void purge(void *base)
{
	struct sim_ideal *drive = base;

	drive->ideal.read_units = drive->ideal.write_units = drive->ideal.link_busy_ns = 0;
	drive->told_link_ns = 0;
}

static void telemetry(void *base, struct telemetry *ret)
{
	const struct sim_ideal *drive = base;

	ret->host_written_bytes = (int64_t)(drive->ideal.write_units * IDEAL_UNIT_BYTES);
	ret->host_read_bytes = (int64_t)(drive->ideal.read_units * IDEAL_UNIT_BYTES);
}

static void truth(void *base, uint64_t span_ns, struct truth *t)
{
	struct sim_ideal *drive = base;

	t->host_written_bytes = drive->ideal.write_units * IDEAL_UNIT_BYTES;
	t->host_read_bytes = drive->ideal.read_units * IDEAL_UNIT_BYTES;
	t->alpha_eff = NAN;
	t->die_busy_share = NAN;
	t->link_busy_share =
		sim_share(drive->ideal.link_busy_ns, drive->told_link_ns, (double)span_ns);
	snprintf(t->binding, sizeof(t->binding), "%s", t->link_busy_share > 0 ? "link" : "none");
	snprintf(t->activity, sizeof(t->activity), "none");
	drive->told_link_ns = drive->ideal.link_busy_ns;
}

static void truth_start(void *base)
{
	struct sim_ideal *drive = base;

	drive->told_link_ns = drive->ideal.link_busy_ns;
}

static const char *const required[] = { "capacity", NULL };

const struct sim_kind sim_kind_ideal = {
	.name = "ideal",
	.sentence = "a link, and nothing behind it that takes time",
	.params = ideal_params,
	.required = required,
	.check = check,
	.scale = scale,
	.facts = facts,
	.explain = explain,
	.memory_bytes = memory_bytes,
	.make = make,
	.free = free,
	.submit = submit,
	.purge = purge,
	.telemetry = telemetry,
	.truth = truth,
	.truth_start = truth_start,
};
