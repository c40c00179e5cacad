/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "device/identity.h"
#include "device/mounts.h"
#include "device/sysfs.h"

#define LEAVE_FREE_BYTES (2ull << 30)
#define LEAVE_FREE_SHARE 20 /* a twentieth */

struct search {
	unsigned major, minor;
	struct mount mount;
};

/* The last mount with our number is the one on top. */
static bool mount_matches(void *user, const struct mount *mount)
{
	struct search *search = user;

	if (mount->major == search->major && mount->minor == search->minor)
		search->mount = *mount;
	return false;
}

static bool in_memory(const char *path)
{
	struct statfs st;

	return statfs(path, &st) == 0 && (st.f_type == TMPFS_MAGIC || st.f_type == RAMFS_MAGIC ||
					  st.f_type == HUGETLBFS_MAGIC);
}

/* An overlay keeps what is written in its upper folder; where that is hidden from us nothing is known. */
static bool overlay_in_memory(const struct mount *mount)
{
	const char *upper = strstr(mount->options, "upperdir=");
	char path[sizeof(mount->options)];

	if (strcmp(mount->type, "overlay") != 0 || !upper)
		return false;
	upper += strlen("upperdir=");
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(upper, ","), upper);
	return in_memory(path);
}

static dev_t disk_of(const struct mount *mount, dev_t number)
{
	struct stat source;

	/* File systems with a number of their own (btrfs, FUSE, ZFS) may still name their disk. */
	if (major(number) != 0)
		return number;
	if (mount->source[0] == '/' && stat(mount->source, &source) == 0 && S_ISBLK(source.st_mode))
		return source.st_rdev;
	return 0;
}

int fs_look(struct fs *ret, const char *path, const struct device_spec *spec, struct err *err)
{
	struct search search = { 0 };
	struct statfs sizes;
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	if (stat(path, &st) < 0 || statfs(path, &sizes) < 0)
		return err_sys(err, -errno, "cannot look at '%s'", path);
	search.major = major(st.st_dev);
	search.minor = minor(st.st_dev);
	mounts_walk("", mount_matches, &search);
	if (in_memory(path) || overlay_in_memory(&search.mount))
		return err_set(
			err, -ENOTSUP,
			"'%s' is kept in memory (%s), so there is no drive to measure; choose "
			"a place on a disk",
			path, search.mount.type[0] ? search.mount.type : "tmpfs");
	snprintf(ret->type, sizeof(ret->type), "%.*s", (int)sizeof(ret->type) - 1,
		 search.mount.type);
	ret->capacity_bytes = (uint64_t)sizes.f_blocks * (uint64_t)sizes.f_frsize;
	ret->free_bytes = (uint64_t)sizes.f_bavail * (uint64_t)sizes.f_frsize;
	ret->leave_bytes = ret->capacity_bytes / LEAVE_FREE_SHARE;
	if (ret->leave_bytes < LEAVE_FREE_BYTES)
		ret->leave_bytes = LEAVE_FREE_BYTES;
	if (spec->leave_free_given)
		ret->leave_bytes = spec->leave_free_bytes;
	ret->disk = disk_of(&search.mount, st.st_dev);
	return 0;
}

uint64_t fs_usable(const struct fs *fs)
{
	return fs->free_bytes > fs->leave_bytes ? fs->free_bytes - fs->leave_bytes : 0;
}

static int no_direct(const struct fs *fs, const char *path, struct err *err)
{
	return err_set(err, -ENOTSUP,
		       "the file system of '%s'%s%s%s cannot do direct I/O, so memory would be "
		       "measured instead of the drive; choose another place",
		       path, fs->type[0] ? " (" : "", fs->type, fs->type[0] ? ")" : "");
}

int fs_open_failed(const struct fs *fs, const char *path, int error, struct err *err)
{
	switch (error) {
	case EINVAL:
		return no_direct(fs, path, err);
	case EACCES:
	case EPERM:
		return err_set(err, -error,
			       "may not write to '%s'; choose a place that you may write to", path);
	case EROFS:
		return err_set(err, -error,
			       "cannot write to '%s': its file system is mounted read-only", path);
	case EISDIR:
		return err_set(err, -error, "'%s' is a folder; write 'dir:%s' to measure in it",
			       path, path);
	default:
		return err_sys(err, -error, "cannot open '%s'", path);
	}
}

int fs_probe_direct(const struct fs *fs, int fd, const char *path, struct err *err)
{
	_cleanup_free_ void *block = aligned_alloc(FS_BLOCK_BYTES, FS_BLOCK_BYTES);

	if (!block)
		return err_sys(err, -ENOMEM, "cannot open '%s'", path);
	if (pread(fd, block, FS_BLOCK_BYTES, 0) >= 0)
		return 0;
	return errno == EINVAL ? no_direct(fs, path, err)
			       : err_sys(err, -errno, "cannot read '%s'", path);
}

int fs_lock(int fd, const char *path, struct err *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_sys(err, -errno, "cannot lock '%s'", path);
	return err_set(err, -ERR_REFUSED, "another run is using '%s'; let it end first", path);
}

int fs_reserve(int fd, uint64_t bytes)
{
	if (fallocate(fd, 0, 0, (off_t)bytes) == 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	/* Then space is taken as it is written. */
	return ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
}

void fs_describe(const struct fs *fs, struct uring_device *u)
{
	struct device_info *info = &u->dev.info;
	struct drive_listing drive;
	char name[32];

	info->block_bytes = info->physical_block_bytes = FS_BLOCK_BYTES;
	if (!fs->disk)
		return;
	info->counts = diskstat_open(&u->stat, fs->disk);
	sysfs_name("", major(fs->disk), minor(fs->disk), name, sizeof(name));
	if (name[0] == '\0')
		return;
	sysfs_whole_drive("", name, u->drive_name, sizeof(u->drive_name));
	drive_identify("", u->drive_name, false, &drive);
	snprintf(info->model, sizeof(info->model), "%s", drive.model);
	snprintf(info->serial, sizeof(info->serial), "%s",
		 drive.serial[0] ? drive.serial : u->drive_name);
	snprintf(info->firmware, sizeof(info->firmware), "%s", drive.firmware);
}
