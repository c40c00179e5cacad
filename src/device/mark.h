/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mark.h - how a file says that Assay made it and that its bytes are nobody's: the extended attribute
 * "user.assay", or where the file system has none, a file beside it with ".assay" behind its name.
 * The mark is "assay 1 ID", where ID is random and names this file for good.
 */
#ifndef ASSAY_DEVICE_MARK_H
#define ASSAY_DEVICE_MARK_H

#include <stddef.h>

#define MARK_ID_SIZE 20

/* Mark a file that was just made; writes its ID. 0 or a negative errno. */
int mark_set(const char *path, int fd, char id[MARK_ID_SIZE]);
/* 1 and the ID where the file is marked, 0 where not, or a negative errno. */
int mark_get(const char *path, int fd, char id[MARK_ID_SIZE]);
/* Remove the file and its mark. */
void mark_remove(const char *path);

/* The same for a folder of ours: the mark is the file ".assay" in it; returns a descriptor of that, or -errno. */
int mark_folder(const char *path, char id[MARK_ID_SIZE]);
/* -ENOENT where the folder has no mark. */
int mark_folder_open(const char *path, char id[MARK_ID_SIZE]);

#endif
