/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage.h - who uses a block device: mounts, swap, and what is built on it or on its partitions.
 */
#ifndef ASSAY_DEVICE_USAGE_H
#define ASSAY_DEVICE_USAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Look at the device called `name` by the kernel, its partitions, and whatever holds them (LVM, MD, dm,
 * loop devices), to any depth. Where one is in use, writes a phrase that goes on after the drive's name
 * ("is mounted at '/mnt'", "holds the root file system", "has a partition 'sda2' that is used as swap") and
 * returns true; else buf is empty. What the kernel holds without saying why (ZFS, mounts of other
 * containers) is not seen here, but by O_EXCL.
 */
bool usage_find(const char *root, const char *name, char *buf, size_t size);

#endif
