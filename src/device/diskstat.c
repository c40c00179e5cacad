/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/diskstat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool diskstat_open(struct diskstat *stat, dev_t disk)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(disk), minor(disk));
	stat->fd = open(path, O_RDONLY | O_CLOEXEC);
	return stat->fd >= 0;
}

void diskstat_close(struct diskstat *stat)
{
	if (stat->fd >= 0)
		close(stat->fd);
	stat->fd = -1;
}

int diskstat_parse(const char *line, struct device_counters *ret)
{
	uint64_t f[11];
	char *end;

	for (int i = 0; i < 11; i++) {
		f[i] = strtoull(line, &end, 10);
		if (end == line)
			return -EINVAL;
		line = end;
	}
	ret->read_bytes = f[2] * 512;
	ret->written_bytes = f[6] * 512;
	ret->in_flight = f[8];
	ret->in_flight_ns = f[10] * 1000000;
	return 0;
}

int diskstat_read(const struct diskstat *stat, struct device_counters *ret)
{
	char line[512];
	ssize_t n;

	if (stat->fd < 0)
		return -ENOTSUP;
	n = pread(stat->fd, line, sizeof(line) - 1, 0);
	if (n < 0)
		return -errno;
	line[n] = '\0';
	return diskstat_parse(line, ret);
}
