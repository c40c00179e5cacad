/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sysfs.h - small files of /sys and /proc.
 *
 * Functions of this folder that look at the machine take `root`, the folder before /sys, /proc and /run:
 * "" on the real one, a made-up tree in tests of drives that the test machine does not have.
 */
#ifndef ASSAY_DEVICE_SYSFS_H
#define ASSAY_DEVICE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line without white space around it; "" and false where there is none. */
bool sysfs_text(char *buf, size_t size, const char *path_format, ...)
	__attribute__((format(printf, 3, 4)));
/* A whole number; `other` where there is none. */
uint64_t sysfs_u64(uint64_t other, const char *path_format, ...)
	__attribute__((format(printf, 2, 3)));
bool sysfs_exists(const char *path_format, ...) __attribute__((format(printf, 1, 2)));

/* The whole drive that a partition is of ("sda" of "sda2"), or the name itself. */
void sysfs_whole_drive(const char *root, const char *name, char *buf, size_t size);
/* Kernel name of a block device by number, e.g. "nvme0n1p2"; "" where there is none. */
void sysfs_name(const char *root, unsigned major, unsigned minor, char *buf, size_t size);

#endif
