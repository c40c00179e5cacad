/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block.c - a block device as it is: "/dev/nvme0n1", a partition, a loop device.
 */
#include "device/backends.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/param.h"
#include "device/guard.h"
#include "device/identity.h"
#include "device/sysfs.h"
#include "device/uring.h"

enum block_trim { BLOCK_TRIM_AUTO, BLOCK_TRIM_CALL };

struct block_device {
	struct uring_device uring; /* first */
	char name[32];		   /* the kernel's, of the device itself */
	uint64_t lost_after_ns;
	int trim; /* enum block_trim */
};

static const char *const trim_words[] = { "auto", "call", NULL };

static const struct param block_params[] = {
	{ "lost_after", "ns", PARAM_NS, offsetof(struct block_device, lost_after_ns), 1e8, 3.6e12,
	  "60s", NULL, "an I/O that takes longer is given up", "" },
	{ "trim", "", PARAM_ENUM, offsetof(struct block_device, trim), 0, 0, "auto", trim_words,
	  "how to discard: through the ring where Linux can (6.12), or by a call on a thread aside",
	  "" },
	PARAM_END
};

static int block_trim(struct uring_device *u, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };

	return ioctl(u->fds[0], BLKDISCARD, range) < 0 ? -errno : 0;
}

static const struct uring_target block_target = { .trim = block_trim };

/* BLOCK_URING_CMD_DISCARD is in Linux from 6.12 on. */
static bool ring_discards(void)
{
	struct utsname name;
	unsigned long major, minor;
	char *end;

	if (uname(&name) < 0)
		return false;
	major = strtoul(name.release, &end, 10);
	if (*end != '.')
		return false;
	minor = strtoul(end + 1, NULL, 10);
	return major > 6 || (major == 6 && minor >= 12);
}

static int find(const struct device_spec *spec, struct stat *st, struct err *err)
{
	if (stat(spec->path, st) < 0)
		return errno != ENOENT ? err_sys(err, -errno, "cannot look at '%s'", spec->path)
				       : err_set(err, -ENOENT,
						 "there is no device '%s'; 'assay drives' lists "
						 "those there are",
						 spec->path);
	if (S_ISBLK(st->st_mode))
		return 0;
	if (S_ISCHR(st->st_mode))
		return err_set(
			err, -ENOTBLK,
			"'%s' is a character device, not a drive; 'assay drives' lists drives",
			spec->path);
	return err_set(err, -ENOTBLK, "'%s' is not a block device; for a file write 'file:%s'",
		       spec->path, spec->path);
}

static int open_read_only(const struct device_spec *spec, struct err *err)
{
	int fd = open(spec->path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return err_set(err, -errno, "may not read '%s'; root may, or the group 'disk'",
			       spec->path);
	if (fd < 0 && errno == ENXIO)
		return err_set(err, -ENXIO, "'%s' has nothing behind it (no medium, no file)",
			       spec->path);
	return fd < 0 ? err_sys(err, -errno, "cannot open '%s'", spec->path) : fd;
}

/* Two runs on one drive would measure each other. udev respects this lock as well. */
static int lock(const struct device_spec *spec, int fd, struct err *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return err_set(err, -ERR_REFUSED,
		       "another program has '%s' locked; is a run going on there?", spec->path);
}

static int fill_sizes(struct block_device *block, int fd, const char *path, struct err *err)
{
	struct device_info *info = &block->uring.dev.info;
	unsigned physical = 0;
	int logical = 0;

	if (ioctl(fd, BLKGETSIZE64, &info->capacity_bytes) < 0 ||
	    ioctl(fd, BLKSSZGET, &logical) < 0 || ioctl(fd, BLKPBSZGET, &physical) < 0)
		return err_sys(err, -errno, "cannot find out how large '%s' is", path);
	info->block_bytes = (uint32_t)logical;
	info->physical_block_bytes = physical;
	info->capacity_bytes -= info->capacity_bytes % info->block_bytes;
	info->span_bytes = info->capacity_bytes;
	if (info->span_bytes == 0)
		return err_set(err, -ENXIO, "'%s' has a size of 0; is there a medium in it?", path);
	return 0;
}

static void fill_operations(struct block_device *block, const char *whole, bool read_only)
{
	struct device_info *info = &block->uring.dev.info;
	uint64_t discard = sysfs_u64(0, "/sys/class/block/%s/queue/discard_max_bytes", whole);
	uint64_t zeroes = sysfs_u64(0, "/sys/class/block/%s/queue/write_zeroes_max_bytes", whole);

	info->ops = 1u << IO_READ;
	if (read_only)
		return;
	info->ops |= 1u << IO_WRITE | 1u << IO_FLUSH;
	if (discard) {
		/* Longer ones the kernel would cut up; then the latency would be that of several. */
		uint64_t max = discard < URING_TRIM_BYTES_MAX ? discard : URING_TRIM_BYTES_MAX;

		info->ops |= 1u << IO_TRIM;
		info->trim_bytes_max = (uint32_t)(max - max % info->physical_block_bytes);
		block->uring.trim = block->trim == BLOCK_TRIM_AUTO && ring_discards()
					    ? URING_TRIM_COMMAND
					    : URING_TRIM_CALL;
	}
	if (zeroes) {
		info->ops |= 1u << IO_WRITE_ZEROES;
		if (!discard)
			info->trim_bytes_max = 1u << 20;
	}
}

/* "2" of "nvme0n1p2", so that partitions of a drive have ledgers of their own; "" of the whole drive. */
static const char *partition_suffix(const char *whole, const char *name)
{
	size_t n = strlen(name);

	if (!strcmp(whole, name))
		return "";
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return name + n;
}

static void fill_identity(struct block_device *block, const struct drive_listing *whole)
{
	struct device_info *info = &block->uring.dev.info;
	char backing[512];

	snprintf(info->model, sizeof(info->model), "%s", whole->model);
	snprintf(info->serial, sizeof(info->serial), "%s",
		 whole->serial[0] ? whole->serial : block->name);
	snprintf(info->firmware, sizeof(info->firmware), "%s", whole->firmware);
	snprintf(block->uring.drive_name, sizeof(block->uring.drive_name), "%s", whole->name);
	block->uring.wear_pct = whole->wear_pct;
	if (whole->serial[0])
		snprintf(info->state_key, sizeof(info->state_key), "block:%.40s:%.60s:%.8s",
			 whole->model, whole->serial, partition_suffix(whole->name, block->name));
	else if (sysfs_text(backing, sizeof(backing), "/sys/class/block/%s/loop/backing_file",
			    whole->name))
		/* Loop numbers are given out anew each time; what is behind one stays. */
		snprintf(info->state_key, sizeof(info->state_key), "loop:%.*s",
			 (int)sizeof(info->state_key) - 6, backing);
	info->budget_default_bytes = uring_budget_bytes(info->capacity_bytes);
}

static int options(struct block_device *block, const struct device_spec *spec, struct err *err)
{
	param_defaults(block_params, block);
	for (unsigned i = 0; i < spec->options; i++) {
		if (param_set(block_params, block, spec->option[i].name, spec->option[i].value,
			      err) < 0) {
			err_prefix(err, "cannot open '%s'", spec->path);
			return -ERR_USAGE;
		}
	}
	block->uring.lost_after_ns = block->lost_after_ns;
	return 0;
}

/* Everything up to a descriptor that may be used. */
static int claim(struct block_device *block, const struct device_spec *spec,
		 struct drive_listing *whole, struct err *err)
{
	char whole_name[sizeof(whole->name)];
	struct stat st = { 0 };
	int fd, r = find(spec, &st, err);

	if (r < 0)
		return r;
	sysfs_name("", major(st.st_rdev), minor(st.st_rdev), block->name, sizeof(block->name));
	if (block->name[0] == '\0')
		return err_set(err, -ENXIO, "there is no drive behind the device node '%s'",
			       spec->path);
	sysfs_whole_drive("", block->name, whole_name, sizeof(whole_name));
	drive_identify("", whole_name, true, whole);
	if (!spec->read_only) {
		r = guard_check("", spec, block->name, whole, err);
		if (r < 0)
			return r;
	}
	fd = spec->read_only ? open_read_only(spec, err) : guard_claim(spec, err);
	if (fd < 0)
		return fd;
	block->uring.fds[0] = fd;
	block->uring.dev.info.counts = diskstat_open(&block->uring.stat, st.st_rdev);
	return lock(spec, fd, err);
}

static void block_close(struct device *dev)
{
	struct uring_device *u = (struct uring_device *)dev;

	uring_device_release(u);
	if (!u->lost)
		free(u);
}

static int block_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	struct block_device *block = calloc(1, sizeof(*block));
	struct drive_listing whole;
	int r;

	if (!block || uring_device_init(&block->uring, &device_block, "block", 1) < 0) {
		free(block);
		return err_sys(err, -ENOMEM, "cannot open '%s'", spec->path);
	}
	block->uring.target = &block_target;
	r = options(block, spec, err);
	if (r == 0)
		r = claim(block, spec, &whole, err);
	if (r == 0)
		r = fill_sizes(block, block->uring.fds[0], spec->path, err);
	if (r < 0) {
		block_close(&block->uring.dev);
		return r;
	}
	fill_operations(block, whole.name, spec->read_only && !spec->look);
	fill_identity(block, &whole);
	*ret = &block->uring.dev;
	return 0;
}

static int block_purge(struct device *dev, enum purge_method method, struct err *err)
{
	struct uring_device *u = (struct uring_device *)dev;
	uint64_t step = dev->info.trim_bytes_max;

	if (method != PURGE_DEFAULT && method != PURGE_DISCARD)
		return err_set(err, -ENOTSUP, "'%s' can only be purged by discard here, not by %s",
			       dev->info.serial, purge_method_names[method]);
	if (!(dev->info.ops & 1u << IO_TRIM))
		return err_set(err, -ENOTSUP,
			       "'%s' cannot discard, so it cannot be purged this way",
			       dev->info.serial);
	for (uint64_t at = 0; at < dev->info.span_bytes; at += step) {
		uint64_t rest = dev->info.span_bytes - at;
		int r = block_trim(u, at, rest < step ? rest : step);

		if (r < 0)
			return err_sys(err, r, "cannot discard '%s'", dev->info.serial);
	}
	return 0;
}

const struct device_ops device_block = {
	.name = "block",
	.help = "/dev/NAME: a drive or a partition; writing needs --destroy SERIAL",
	.open = block_open,
	.close = block_close,
	.lane_open = uring_lane_open,
	.lane_close = uring_lane_close,
	.now_ns = uring_lane_now_ns,
	.submit = uring_lane_submit,
	.reap = uring_lane_reap,
	.counters = uring_counters,
	.telemetry = uring_telemetry,
	.purge = block_purge,
};
