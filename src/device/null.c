/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * null.c - a drive that completes everything at once, on the real clock: what the instrument itself costs.
 *
 * A submit reads the clock once for the batch, a reap likewise, as on a real drive, and completions come
 * back in the order of the submits. Nothing is rendered or stored. A cell whose rate is close to what the
 * same load reaches here is bound by the host and not by the drive.
 */
#include "device/backends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"
#include "device/clock.h"

struct null_device {
	struct device dev; /* first */
	uint64_t capacity_bytes;
	uint32_t block_bytes;
};

struct null_lane {
	struct lane lane; /* first */
	struct io **ring; /* of mask + 1 entries, in flight from tail to head */
	unsigned mask, head, tail;
};

static const struct param null_params[] = {
	{ "capacity", "bytes", PARAM_BYTES, offsetof(struct null_device, capacity_bytes), 0x1p20,
	  0x1p60, "1TB", NULL, "how large the drive says it is", "" },
	{ "block", "bytes", PARAM_U32, offsetof(struct null_device, block_bytes), 512, 65536, "512",
	  NULL, "size of a logical block", "" },
	PARAM_END
};

static int null_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	struct null_device *null = calloc(1, sizeof(*null));
	struct device_info *info;

	if (!null)
		return err_sys(err, -ENOMEM, "cannot open '%s'", spec->text);
	param_defaults(null_params, null);
	for (unsigned i = 0; i < spec->options; i++) {
		if (param_set(null_params, null, spec->option[i].name, spec->option[i].value, err) <
		    0) {
			free(null);
			err_prefix(err, "cannot open '%s'", spec->text);
			return -ERR_USAGE;
		}
	}
	null->dev.ops = &device_null;
	info = &null->dev.info;
	snprintf(info->kind, sizeof(info->kind), "null");
	snprintf(info->model, sizeof(info->model), "null");
	info->block_bytes = info->physical_block_bytes = null->block_bytes;
	info->capacity_bytes = info->span_bytes =
		null->capacity_bytes - null->capacity_bytes % null->block_bytes;
	info->ops = (1u << IO_OPS) - 1;
	info->trim_bytes_max = (1u << 30) - (1u << 30) % null->block_bytes;
	info->lanes_max = 4096;
	info->depth_max = 65536;
	info->real_time = true;
	*ret = &null->dev;
	return 0;
}

static void null_close(struct device *dev)
{
	free(dev);
}

static int null_lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec,
			  struct err *err)
{
	struct null_lane *null = calloc(1, sizeof(*null));
	unsigned room = 1;

	while (room < spec->depth)
		room *= 2;
	if (null)
		null->ring = calloc(room, sizeof(*null->ring));
	if (!null || !null->ring) {
		free(null);
		return err_sys(err, -ENOMEM, "cannot open a lane of '%s'", dev->info.kind);
	}
	null->mask = room - 1;
	*ret = &null->lane;
	return 0;
}

static void null_lane_close(struct lane *lane)
{
	struct null_lane *null = (struct null_lane *)lane;

	free(null->ring);
	free(null);
}

static uint64_t null_now_ns(struct lane *lane)
{
	(void)lane;
	return clock_now_ns();
}

static int null_submit(struct lane *lane, struct io *const *io, unsigned n)
{
	struct null_lane *null = (struct null_lane *)lane;
	uint64_t now = clock_now_ns();

	for (unsigned i = 0; i < n; i++) {
		io[i]->submit_ns = now;
		null->ring[null->head++ & null->mask] = io[i];
	}
	return (int)n;
}

static int null_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns)
{
	struct null_lane *null = (struct null_lane *)lane;
	unsigned n = null->head - null->tail;
	uint64_t now;

	if (n == 0) {
		clock_sleep_until(until_ns);
		return 0;
	}
	if (n > max)
		n = max;
	now = clock_now_ns();
	for (unsigned i = 0; i < n; i++) {
		struct io *io = null->ring[null->tail++ & null->mask];

		io->done_ns = now;
		io->result = (int32_t)io->length;
		done[i] = io;
	}
	return (int)n;
}

const struct device_ops device_null = {
	.name = "null",
	.help = "null[,capacity=SIZE,block=BYTES]: completes at once; what the instrument costs",
	.open = null_open,
	.close = null_close,
	.lane_open = null_lane_open,
	.lane_close = null_lane_close,
	.now_ns = null_now_ns,
	.submit = null_submit,
	.reap = null_reap,
};
