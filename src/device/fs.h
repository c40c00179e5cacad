/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fs.h - the file system under a file or folder drive: whether it is a disk at all, how much of it may be
 * used, and which disk it is on.
 */
#ifndef ASSAY_DEVICE_FS_H
#define ASSAY_DEVICE_FS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "device/device.h"
#include "device/uring.h"

#define FS_BLOCK_BYTES 4096u

struct fs {
	char type[32];		 /* "ext4", "fuseblk"; empty: not known */
	uint64_t capacity_bytes; /* of the file system */
	uint64_t free_bytes;	 /* that we could have */
	uint64_t leave_bytes;	 /* of these, not to be used */
	dev_t disk;		 /* 0: no disk is known below */
};

/*
 * Look at the file system that `path` (which exists) lies on. -ENOTSUP with a sentence where it keeps
 * files in memory: that would not be a measurement of a drive.
 */
int fs_look(struct fs *ret, const char *path, const struct device_spec *spec, struct err *err);

/* How much more may be written, by the rule of free_bytes and leave_bytes. */
uint64_t fs_usable(const struct fs *fs);

/* The sentence for an open() that failed with `error`, of a file that `what` to be done with. */
int fs_open_failed(const struct fs *fs, const char *path, int error, struct err *err);

/* -ENOTSUP with a sentence where the first block cannot be read past the page cache. */
int fs_probe_direct(const struct fs *fs, int fd, const char *path, struct err *err);

/* Take the lock that says "a run is using this"; -ERR_REFUSED where another has it. */
int fs_lock(int fd, const char *path, struct err *err);

/* Reserve [0, bytes) of the file and make it so long. 0 or a negative errno. */
int fs_reserve(int fd, uint64_t bytes);

/* Fill in counters, drive name, model, serial and firmware of the disk below. */
void fs_describe(const struct fs *fs, struct uring_device *u);

#endif
