/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mounts.h - /proc/PID/mountinfo, one line at a time (Documentation/filesystems/proc.rst, 3.5).
 */
#ifndef ASSAY_DEVICE_MOUNTS_H
#define ASSAY_DEVICE_MOUNTS_H

#include <stdbool.h>

struct mount {
	unsigned major, minor;
	char point[512];
	char type[64];
	char source[512];
	char options[1024]; /* the super block's */
};

/* "MAJOR:MINOR"; false where it is not that. */
bool device_number_parse(const char *text, unsigned *ret_major, unsigned *ret_minor);

/* False where the line is not one. */
bool mount_parse(const char *line, struct mount *ret);

/*
 * Call each() for every mount that we can see: in our own mount namespace and in that of process 1. Ends
 * with the first that returns true, and returns whether there was one.
 */
bool mounts_walk(const char *root, bool (*each)(void *user, const struct mount *mount), void *user);

#endif
