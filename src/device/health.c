/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/health.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libnvme.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "device/sysfs.h"

#define KELVIN_OF_0_C 273

/* The log counts in thousands of 512 bytes, rounded up, in 128 bits. */
static int64_t data_units_bytes(const uint8_t units[16])
{
	uint64_t low;

	memcpy(&low, units, sizeof(low));
	return low < INT64_MAX / 512000 ? (int64_t)(low * 512000) : -1;
}

static int smart_log_read(const char *name, struct health *ret)
{
	struct nvme_smart_log log;
	char path[64];
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	memset(&log, 0, sizeof(log));
	if (nvme_get_log_smart(fd, NVME_NSID_ALL, true, &log) != 0)
		return -EIO;
	ret->temperature_c = log.temperature[0] + 256 * log.temperature[1] - KELVIN_OF_0_C;
	ret->wear_pct = log.percent_used;
	ret->throttled_s = (double)le32toh(log.thm_temp1_total_time) +
			   (double)le32toh(log.thm_temp2_total_time);
	ret->host_written_bytes = data_units_bytes(log.data_units_written);
	ret->host_read_bytes = data_units_bytes(log.data_units_read);
	return 0;
}

static double hwmon_temperature(const char *root, const char *name)
{
	static const char *const places[] = { "hwmon*", "hwmon/hwmon*" };
	double ret = NAN;

	for (int i = 0; i < 2 && isnan(ret); i++) {
		char pattern[512];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/sys/class/block/%s/device/%s/temp1_input",
			 root, name, places[i]);
		if (glob(pattern, 0, NULL, &found) == 0) {
			uint64_t millidegrees = sysfs_u64(UINT64_MAX, "%s", found.gl_pathv[0]);

			if (millidegrees != UINT64_MAX)
				ret = (double)millidegrees / 1000;
			globfree(&found);
		}
	}
	return ret;
}

int health_read(const char *root, const char *name, struct health *ret)
{
	*ret = (struct health){ NAN, NAN, NAN, -1, -1 };
	if (name[0] == '\0')
		return -ENOTSUP;
	if (root[0] == '\0' && !strncmp(name, "nvme", 4) && smart_log_read(name, ret) == 0)
		return 0;
	ret->temperature_c = hwmon_temperature(root, name);
	return isnan(ret->temperature_c) ? -ENOTSUP : 0;
}
