/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/guard.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "device/sysfs.h"
#include "device/usage.h"

static int check_unused(const char *root, const struct device_spec *spec, const char *name,
			struct err *err)
{
	char use[256];

	if (!usage_find(root, name, use, sizeof(use)))
		return 0;
	return err_set(
		err, -ERR_REFUSED,
		"will not write to '%s': it %s; unmount or take apart what uses it, or choose "
		"another drive",
		spec->path, use);
}

/* Two drives with one serial number (cheap USB bridges): then the number does not say which is meant. */
static int check_unique(const char *root, const struct device_spec *spec,
			const struct drive_listing *whole, struct err *err)
{
	struct drive_listings drives;
	int r = drives_list_at(root, &drives, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < drives.n && r == 0; i++)
		if (!strcmp(drives.items[i].serial, whole->serial) &&
		    strcmp(drives.items[i].name, whole->name) != 0)
			r = err_set(
				err, -ERR_REFUSED,
				"will not write to '%s': the drive '%s' shows the same serial "
				"number '%s', so it does not say which is meant; detach the other",
				spec->path, drives.items[i].path, whole->serial);
	drive_listings_release(&drives);
	return r;
}

static int check_named(const struct device_spec *spec, const char *name,
		       const struct drive_listing *whole, struct err *err)
{
	const char *wanted = whole->serial[0] ? whole->serial : name;
	char size[32];

	if (!strcmp(spec->destroy, wanted))
		return 0;
	format_bytes_decimal(size, sizeof(size), (double)whole->size_bytes);
	if (spec->destroy[0] == '\0')
		return err_set(
			err, -ERR_REFUSED,
			"writing to '%s' (%s, %s) destroys what is on it; to allow that, say "
			"'--destroy %s'",
			spec->path, whole->model[0] ? whole->model : "unknown model", size, wanted);
	return err_set(err, -ERR_REFUSED,
		       "will not write to '%s': --destroy names '%s', but this is '%s' (%s, %s)",
		       spec->path, spec->destroy, wanted,
		       whole->model[0] ? whole->model : "unknown model", size);
}

int guard_check(const char *root, const struct device_spec *spec, const char *name,
		const struct drive_listing *whole, struct err *err)
{
	int r = check_unused(root, spec, name, err);

	if (r == 0)
		r = check_named(spec, name, whole, err);
	if (r == 0 && whole->serial[0])
		r = check_unique(root, spec, whole, err);
	if (r == 0 && sysfs_u64(0, "%s/sys/class/block/%s/ro", root, name) != 0)
		r = err_set(err, -EROFS, "cannot write to '%s': it is read-only", spec->path);
	return r;
}

static void free_probe(blkid_probe probe)
{
	blkid_free_probe(probe);
}
DEFINE_CLEANUP(blkid_probe, free_probe);

static void add_signature(blkid_probe probe, const char *key, char *buf, size_t size)
{
	const char *name;
	size_t used = strlen(buf);

	if (blkid_probe_lookup_value(probe, key, &name, NULL) == 0)
		snprintf(buf + used, size - used, "%s%s", used ? "," : "", name);
}

int guard_signatures(int fd, char *buf, size_t size)
{
	_cleanup_(cleanup_free_probe) blkid_probe probe = blkid_new_probe();

	buf[0] = '\0';
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0)
		return -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	blkid_probe_enable_partitions(probe, 1);
	for (;;) {
		/* 0: found something, 1: nothing more. */
		int r = blkid_do_probe(probe);

		if (r < 0)
			return -EIO;
		if (r > 0)
			return 0;
		if (blkid_probe_has_value(probe, "TYPE"))
			add_signature(probe, "TYPE", buf, size);
		else
			add_signature(probe, "PTTYPE", buf, size);
	}
}

static int claim_failed(const struct device_spec *spec, int error, struct err *err)
{
	switch (error) {
	case EBUSY:
		return err_set(
			err, -ERR_REFUSED,
			"will not write to '%s': the kernel says that it is in use, though not "
			"by what (another run, a mount of a container, ZFS, MD, LVM?)",
			spec->path);
	case EACCES:
	case EPERM:
		return err_set(err, -error, "may not write to '%s'; root may, or the group 'disk'",
			       spec->path);
	default:
		return err_sys(err, -error, "cannot open '%s' for writing", spec->path);
	}
}

static int check_signatures(const struct device_spec *spec, int fd, struct err *err)
{
	char found[256];
	int r = guard_signatures(fd, found, sizeof(found));

	if (r < 0)
		return err_sys(err, r, "cannot read '%s' to see what is on it", spec->path);
	if (found[0] == '\0' || !strcmp(found, spec->over))
		return 0;
	if (spec->over[0] == '\0')
		return err_set(
			err, -ERR_REFUSED,
			"will not write to '%s': there is %s on it; if that may be lost, say "
			"'--over %s' too",
			spec->path, found, found);
	return err_set(err, -ERR_REFUSED,
		       "will not write to '%s': --over names '%s', but there is %s on it",
		       spec->path, spec->over, found);
}

/* The claim is made for reading first, so that a "no" has opened nothing for writing. */
static int check_alone(const struct device_spec *spec, struct err *err)
{
	_cleanup_close_ int alone = open(spec->path, O_RDONLY | O_EXCL | O_CLOEXEC);

	return alone < 0 ? claim_failed(spec, errno, err) : check_signatures(spec, alone, err);
}

int guard_claim(const struct device_spec *spec, struct err *err)
{
	int fd, r = check_alone(spec, err);

	if (r < 0)
		return r;
	fd = open(spec->path, O_RDWR | O_EXCL | O_DIRECT | O_CLOEXEC);
	return fd < 0 ? claim_failed(spec, errno, err) : fd;
}
