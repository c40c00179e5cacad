/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diskstat.h - the kernel's own count of what reached a disk: /sys/dev/block/MAJOR:MINOR/stat.
 *
 * Fields: Documentation/block/stat.rst of the kernel; sectors are 512 bytes. Field 11, time in queue, is
 * the sum of the times that requests were at the disk, in ms: the integral of the number in flight. It
 * counts from the moment a request has its tag, so a disk with 128 tags never shows more than 128, however
 * many a program believes to have in flight.
 */
#ifndef ASSAY_DEVICE_DISKSTAT_H
#define ASSAY_DEVICE_DISKSTAT_H

#include <stdbool.h>
#include <sys/types.h>

#include "device/device.h"

struct diskstat {
	int fd; /* of the stat file; -1: none */
};

/* Where no such disk is known to the kernel: fd is -1 and false is returned. */
bool diskstat_open(struct diskstat *stat, dev_t disk);
void diskstat_close(struct diskstat *stat);
/* 0 or a negative errno; touches only the fields it knows. */
int diskstat_read(const struct diskstat *stat, struct device_counters *ret);

/* Parse one such line; -EINVAL where it is not one. */
int diskstat_parse(const char *line, struct device_counters *ret);

#endif
