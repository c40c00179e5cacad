/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/uring.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"
#include "device/clock.h"
#include "device/health.h"

int uring_device_init(struct uring_device *u, const struct device_ops *ops, const char *kind,
		      uint32_t n_fds)
{
	struct device_info *info = &u->dev.info;

	u->dev.ops = ops;
	u->piece_shift = 63;
	u->lost_after_ns = 60 * NS_PER_S;
	u->stat.fd = -1;
	u->wear_pct = NAN;
	snprintf(info->kind, sizeof(info->kind), "%s", kind);
	info->lanes_max = URING_LANES_MAX;
	info->depth_max = URING_DEPTH_MAX;
	info->needs_data = true;
	info->state_persists = true;
	info->wears = true;
	info->real_time = true;
	info->stamp_error_ns = URING_STAMP_ERROR_NS;
	u->fds = calloc(n_fds, sizeof(*u->fds));
	if (!u->fds)
		return -ENOMEM;
	for (u->n_fds = 0; u->n_fds < n_fds; u->n_fds++)
		u->fds[u->n_fds] = -1;
	return 0;
}

void uring_device_release(struct uring_device *u)
{
	/* Closing a file with an I/O that is lost in it may never return. */
	bool lost = __atomic_load_n(&u->lost, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < u->n_fds && !lost; i++)
		if (u->fds[i] >= 0)
			close(u->fds[i]);
	diskstat_close(&u->stat);
	if (lost)
		return; /* a thread aside may still look at the rest */
	free(u->fds);
	written_free(u->written);
}

int uring_counters(struct device *dev, struct device_counters *ret)
{
	struct uring_device *u = (struct uring_device *)dev;
	int r;

	*ret = (struct device_counters){ 0 };
	r = diskstat_read(&u->stat, ret);
	ret->unwritten_read_bytes = __atomic_load_n(&u->unwritten_read, __ATOMIC_RELAXED);
	return r;
}

int uring_telemetry(struct device *dev, struct telemetry *ret)
{
	struct uring_device *u = (struct uring_device *)dev;
	struct health health;
	int r = health_read("", u->drive_name, &health);

	if (r < 0)
		return r;
	*ret = (struct telemetry){ .at_ns = clock_now_ns(),
				   .temperature_c = health.temperature_c,
				   .wear_pct =
					   isnan(health.wear_pct) ? u->wear_pct : health.wear_pct,
				   .throttled_s = health.throttled_s,
				   .host_written_bytes = health.host_written_bytes,
				   .host_read_bytes = health.host_read_bytes };
	return 0;
}
