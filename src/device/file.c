/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.c - one file on a mounted file system, made by Assay: "file:PATH,size=4GiB".
 *
 * A new file gets its space at once, so that a full disk is found before the run and not in it. What was
 * reserved but never written the file system reads as zeros without asking the drive; the map of what was
 * written tells (device_counters.unwritten_read_bytes).
 */
#include "device/backends.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/param.h"
#include "base/units.h"
#include "device/fs.h"
#include "device/mark.h"

struct file_device {
	struct uring_device uring; /* first */
	uint64_t size_bytes;	   /* as asked for; 0: as it is */
	uint64_t lost_after_ns;
	bool keep, made; /* made: by this open */
	char path[PATH_MAX];
	char id[MARK_ID_SIZE];
};

static const struct param file_params[] = {
	{ "size", "bytes", PARAM_BYTES, offsetof(struct file_device, size_bytes), 0, 0x1p62, "0B",
	  NULL, "how large the file shall be; needed where it does not exist yet", "" },
	{ "keep", "", PARAM_BOOL, offsetof(struct file_device, keep), 0, 0, "true", NULL,
	  "leave the file there at the end", "" },
	{ "lost_after", "ns", PARAM_NS, offsetof(struct file_device, lost_after_ns), 1e8, 3.6e12,
	  "60s", NULL, "an I/O that takes longer is given up", "" },
	PARAM_END
};

static void file_trimmed(struct uring_device *u, uint64_t offset, uint64_t length)
{
	written_clear(u->written, offset, length);
}

static const struct uring_target file_target = { .trimmed = file_trimmed };

static int options(struct file_device *file, const struct device_spec *spec, struct err *err)
{
	param_defaults(file_params, file);
	for (unsigned i = 0; i < spec->options; i++) {
		if (param_set(file_params, file, spec->option[i].name, spec->option[i].value, err) <
		    0) {
			err_prefix(err, "cannot open '%s'", spec->text);
			return -ERR_USAGE;
		}
	}
	file->uring.lost_after_ns = file->lost_after_ns;
	snprintf(file->path, sizeof(file->path), "%s", spec->path);
	if (file->size_bytes % FS_BLOCK_BYTES)
		return err_set(err, -ERR_USAGE, "the size of '%s' is not a multiple of 4 KiB",
			       spec->text);
	return 0;
}

/* The folder of a file that may not exist. */
static void folder_of(const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(buf, size, ".");
	else
		snprintf(buf, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* Is there room for it? `has_bytes` of it are there already. */
static int fits(const struct file_device *file, const struct fs *fs, uint64_t has_bytes,
		struct err *err)
{
	char wanted[32], usable[32], left[32];

	if (file->size_bytes <= has_bytes || file->size_bytes - has_bytes <= fs_usable(fs))
		return 0;
	format_bytes_decimal(wanted, sizeof(wanted), (double)file->size_bytes);
	format_bytes_decimal(usable, sizeof(usable), (double)fs_usable(fs));
	format_bytes_decimal(left, sizeof(left), (double)fs->leave_bytes);
	return err_set(err, -ENOSPC,
		       "cannot make '%s' %s large: only %s may be used, since %s are left free; "
		       "ask for less or change --leave-free",
		       file->path, wanted, usable, left);
}

static int none_yet(const struct file_device *file, struct err *err)
{
	return err_set(err, -ENOENT,
		       "there is no file '%s' yet; to have it made, say how large: "
		       "'file:%s,size=4GiB'",
		       file->path, file->path);
}

static int look_at_none(const struct file_device *file, const struct fs *fs, struct err *err)
{
	return file->size_bytes ? fits(file, fs, 0, err) : none_yet(file, err);
}

static int make(struct file_device *file, const struct fs *fs, struct err *err)
{
	int fd, r;

	if (file->size_bytes == 0)
		return none_yet(file, err);
	fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0600);
	if (fd < 0) {
		r = errno;
		/* Some file systems make the file before they refuse direct I/O. */
		if (r == EINVAL)
			unlink(file->path);
		return fs_open_failed(fs, file->path, r, err);
	}
	file->uring.fds[0] = fd;
	file->made = true;
	r = mark_set(file->path, fd, file->id);
	return r < 0 ? err_sys(err, r, "cannot mark '%s' as made by assay", file->path) : 0;
}

/* An existing file: only if it is ours, or if nothing will be written. */
static int reopen(struct file_device *file, const struct fs *fs, bool read_only, struct err *err)
{
	struct stat st;
	int r, fd = open(file->path, (read_only ? O_RDONLY : O_RDWR) | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		return fs_open_failed(fs, file->path, errno, err);
	file->uring.fds[0] = fd;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "'%s' is not a regular file", file->path);
	r = mark_get(file->path, fd, file->id);
	if (r < 0 && !read_only)
		return err_sys(err, r, "cannot see whether '%s' was made by assay", file->path);
	if (r == 0 && !read_only)
		return err_set(
			err, -ERR_REFUSED,
			"will not write to '%s': assay did not make it; give the name of a file "
			"that does not exist",
			file->path);
	return 0;
}

static int open_file(struct file_device *file, const struct device_spec *spec, struct fs *fs,
		     struct err *err)
{
	char place[PATH_MAX];
	struct stat st;
	bool exists;
	int r;

	exists = stat(file->path, &st) == 0;
	if (exists)
		snprintf(place, sizeof(place), "%s", file->path);
	else
		folder_of(file->path, place, sizeof(place));
	if (stat(place, &st) < 0)
		return err_sys(err, -errno, "cannot look at the folder '%s'", place);
	r = fs_look(fs, place, spec, err);
	if (r < 0)
		return r;
	if (!exists && spec->look)
		return look_at_none(file, fs, err);
	if (!exists)
		r = spec->read_only ? err_set(err, -ENOENT, "there is no file '%s'", file->path)
				    : make(file, fs, err);
	else
		r = reopen(file, fs, spec->read_only, err);
	return r < 0 ? r : fs_lock(file->uring.fds[0], file->path, err);
}

/* Bring the file to its size, within the free space it may use. */
static int resize(struct file_device *file, const struct fs *fs, struct err *err)
{
	int fd = file->uring.fds[0], r;
	struct stat st;
	uint64_t has;

	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot look at '%s'", file->path);
	if (file->size_bytes == 0)
		file->size_bytes = (uint64_t)st.st_size;
	has = (uint64_t)st.st_blocks * 512;
	r = fits(file, fs, has, err);
	if (r < 0)
		return r;
	if ((uint64_t)st.st_size > file->size_bytes && ftruncate(fd, (off_t)file->size_bytes) < 0)
		return err_sys(err, -errno, "cannot shorten '%s'", file->path);
	r = fs_reserve(fd, file->size_bytes);
	return r < 0 ? err_sys(err, r, "cannot get the space for '%s'", file->path) : 0;
}

/* What an existing file holds. */
static int map_written(struct file_device *file, struct err *err)
{
	struct uring_device *u = &file->uring;
	struct stat st;
	int r = 0;

	if (fstat(u->fds[0], &st) < 0)
		return err_sys(err, -errno, "cannot look at '%s'", file->path);
	file->size_bytes = (uint64_t)st.st_size / FS_BLOCK_BYTES * FS_BLOCK_BYTES;
	if (file->size_bytes == 0)
		return err_set(err, -EINVAL, "'%s' is smaller than 4 KiB", file->path);
	u->written = written_new(file->size_bytes);
	if (!u->written)
		return err_sys(err, -ENOMEM, "cannot open '%s'", file->path);
	if (!file->made)
		r = written_from_file(u->written, u->fds[0], 0);
	return r < 0 ? err_sys(err, r, "cannot see what '%s' holds", file->path) : 0;
}

static void file_close(struct device *dev)
{
	struct file_device *file = (struct file_device *)dev;

	uring_device_release(&file->uring);
	if (file->uring.lost)
		return;
	if (file->made && !file->keep)
		mark_remove(file->path);
	free(file);
}

static void fill_info(struct file_device *file, const struct device_spec *spec)
{
	struct device_info *info = &file->uring.dev.info;
	int fd = file->uring.fds[0];

	info->capacity_bytes = info->span_bytes = file->size_bytes;
	info->budget_default_bytes = uring_budget_bytes(file->size_bytes);
	info->ops = 1u << IO_READ;
	if (file->id[0])
		snprintf(info->state_key, sizeof(info->state_key), "file:%s", file->id);
	if (spec->read_only && !spec->look)
		return;
	info->ops |= 1u << IO_WRITE | 1u << IO_FLUSH;
	/* Asking for a hole behind the end changes nothing and tells whether there can be holes. */
	if (spec->look || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				    (off_t)file->size_bytes, FS_BLOCK_BYTES) == 0) {
		info->ops |= 1u << IO_TRIM;
		info->trim_bytes_max = URING_TRIM_BYTES_MAX;
		file->uring.trim = URING_TRIM_PUNCH;
	}
}

static int file_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	struct file_device *file = calloc(1, sizeof(*file));
	struct fs fs = { 0 };
	int r;

	if (!file || uring_device_init(&file->uring, &device_file, "file", 1) < 0) {
		free(file);
		return err_sys(err, -ENOMEM, "cannot open '%s'", spec->path);
	}
	file->uring.target = &file_target;
	r = options(file, spec, err);
	if (r == 0)
		r = open_file(file, spec, &fs, err);
	if (r == 0 && !spec->read_only)
		r = resize(file, &fs, err);
	if (r == 0 && file->uring.fds[0] >= 0)
		r = map_written(file, err);
	if (r == 0 && file->uring.fds[0] >= 0)
		r = fs_probe_direct(&fs, file->uring.fds[0], file->path, err);
	if (r < 0) {
		/* Nothing is left behind of what failed. */
		file->keep = false;
		file_close(&file->uring.dev);
		return r;
	}
	fs_describe(&fs, &file->uring);
	fill_info(file, spec);
	*ret = &file->uring.dev;
	return 0;
}

const struct device_ops device_file = {
	.name = "file",
	.help = "file:PATH[,size=SIZE]: a file of its own on a mounted file system",
	.open = file_open,
	.close = file_close,
	.lane_open = uring_lane_open,
	.lane_close = uring_lane_close,
	.now_ns = uring_lane_now_ns,
	.submit = uring_lane_submit,
	.reap = uring_lane_reap,
	.counters = uring_counters,
	.telemetry = uring_telemetry,
};
