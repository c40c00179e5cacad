/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guard.h - may this block device be written to? The order of the questions is the order of the sentences:
 * is it in use (then nothing helps), was it named with --destroy, can it be had alone, does it hold
 * something that --over does not name. Every "no" is -ERR_REFUSED, says why and what to do, and comes
 * before anything was opened for writing. See docs/safety.md.
 */
#ifndef ASSAY_DEVICE_GUARD_H
#define ASSAY_DEVICE_GUARD_H

#include "base/err.h"
#include "device/device.h"
#include "device/identity.h"

/*
 * The questions that sysfs and /proc answer. `name` is the kernel's name of what will be written, `whole`
 * the drive it is (a partition of). Opens nothing.
 */
int guard_check(const char *root, const struct device_spec *spec, const char *name,
		const struct drive_listing *whole, struct err *err);

/* The questions that the device answers; returns a descriptor of it, O_DIRECT, O_EXCL and for writing. */
int guard_claim(const struct device_spec *spec, struct err *err);

/*
 * What libblkid finds on the device: "ext4", or several with commas ("dos,ntfs"); "" for nothing. 0, or a
 * negative errno where it cannot be read.
 */
int guard_signatures(int fd, char *buf, size_t size);

#endif
