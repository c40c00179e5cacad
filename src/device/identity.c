/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/identity.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "device/health.h"
#include "device/sysfs.h"
#include "device/usage.h"

static void keep(char *dest, size_t size, const char *text)
{
	if (dest[0] == '\0')
		snprintf(dest, size, "%.*s", (int)size - 1, text);
}

/* Unit serial number page of SCSI: 4 bytes of head, then the number (SPC-6, 7.7.22). */
static void serial_from_vpd(const char *root, const char *name, struct drive_listing *d)
{
	unsigned char page[4 + sizeof(d->serial)];
	char path[PATH_MAX], text[sizeof(d->serial)];
	_cleanup_fclose_ FILE *f = NULL;
	size_t n, length, out = 0;

	snprintf(path, sizeof(path), "%s/sys/class/block/%s/device/vpd_pg80", root, name);
	f = fopen(path, "re");
	n = f ? fread(page, 1, sizeof(page), f) : 0;
	if (n < 5 || page[1] != 0x80)
		return;
	length = page[3] < n - 4 ? page[3] : n - 4;
	for (size_t i = 0; i < length && out < sizeof(text) - 1; i++)
		if (page[4 + i] > ' ' && page[4 + i] < 0x7f)
			text[out++] = (char)page[4 + i];
	text[out] = '\0';
	keep(d->serial, sizeof(d->serial), text);
}

static void from_sysfs(const char *root, const char *name, struct drive_listing *d)
{
	char at[PATH_MAX], vendor[32], model[64], text[PATH_MAX];

	snprintf(at, sizeof(at), "%s/sys/class/block/%s", root, name);
	d->size_bytes = sysfs_u64(0, "%s/size", at) * 512;
	d->rotational = sysfs_u64(0, "%s/queue/rotational", at) != 0;
	d->removable = sysfs_u64(0, "%s/removable", at) != 0;
	d->read_only = sysfs_u64(0, "%s/ro", at) != 0;
	sysfs_text(vendor, sizeof(vendor), "%s/device/vendor", at);
	if (sysfs_text(model, sizeof(model), "%s/device/model", at)) {
		/* SCSI names the vendor beside the model; libata says "ATA", PCI a number. */
		bool real =
			vendor[0] && strcmp(vendor, "ATA") != 0 && strncmp(vendor, "0x", 2) != 0;

		snprintf(text, sizeof(text), "%s%s%s", real ? vendor : "", real ? " " : "", model);
		keep(d->model, sizeof(d->model), text);
	} else if (sysfs_text(text, sizeof(text), "%s/device/name", at)) {
		keep(d->model, sizeof(d->model), text);
	}
	if (sysfs_text(text, sizeof(text), "%s/device/serial", at) ||
	    sysfs_text(text, sizeof(text), "%s/serial", at))
		keep(d->serial, sizeof(d->serial), text);
	serial_from_vpd(root, name, d);
	if (sysfs_text(text, sizeof(text), "%s/device/firmware_rev", at) ||
	    sysfs_text(text, sizeof(text), "%s/device/rev", at))
		keep(d->firmware, sizeof(d->firmware), text);
	if (sysfs_text(text, sizeof(text), "%s/loop/backing_file", at)) {
		char model_text[PATH_MAX + 32];

		snprintf(model_text, sizeof(model_text), "loop device on %s", text);
		keep(d->model, sizeof(d->model), model_text);
	}
}

/* udev replaces white space by underscores; the rest is as the drive says it. */
static void from_udev(const char *root, const char *name, struct drive_listing *d)
{
	char number[32], path[PATH_MAX], line[512];
	_cleanup_fclose_ FILE *f = NULL;

	if (!sysfs_text(number, sizeof(number), "%s/sys/class/block/%s/dev", root, name))
		return;
	snprintf(path, sizeof(path), "%s/run/udev/data/b%s", root, number);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "E:ID_SERIAL_SHORT=", 18))
			keep(d->serial, sizeof(d->serial), line + 18);
		else if (!strncmp(line, "E:ID_MODEL=", 11))
			keep(d->model, sizeof(d->model), line + 11);
		else if (!strncmp(line, "E:ID_REVISION=", 14))
			keep(d->firmware, sizeof(d->firmware), line + 14);
	}
}

static void from_drive(const char *root, const char *name, struct drive_listing *d)
{
	struct health health;
	struct smart smart;

	if (health_read(root, name, &health) == 0) {
		d->temperature_c = health.temperature_c;
		d->wear_pct = health.wear_pct;
	}
	if (strncmp(name, "sd", 2) != 0 || smart_read(name, &smart) < 0)
		return;
	/* Through a USB bridge the kernel sees the bridge's names; smartctl sees the drive's. */
	if (smart.model[0])
		snprintf(d->model, sizeof(d->model), "%s", smart.model);
	if (smart.firmware[0])
		snprintf(d->firmware, sizeof(d->firmware), "%s", smart.firmware);
	keep(d->serial, sizeof(d->serial), smart.serial);
	if (isnan(d->temperature_c))
		d->temperature_c = smart.health.temperature_c;
	if (isnan(d->wear_pct))
		d->wear_pct = smart.health.wear_pct;
}

void drive_identify(const char *root, const char *name, bool ask, struct drive_listing *ret)
{
	*ret = (struct drive_listing){ .temperature_c = NAN, .wear_pct = NAN };
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)sizeof(ret->name) - 1, name);
	snprintf(ret->path, sizeof(ret->path), "/dev/%s", ret->name);
	/* sysfs writes "!" where a device node has "/". */
	for (char *c = ret->path; *c; c++)
		if (*c == '!')
			*c = '/';
	from_sysfs(root, name, ret);
	from_udev(root, name, ret);
	if (ask)
		from_drive(root, name, ret);
}

/* What is not a drive to be measured: nothing behind it, memory, or made of other drives. */
static bool listed(const char *root, const char *name)
{
	static const char *const skipped[] = { "ram", "zram", "dm-", "md", "sr", "fd" };

	for (size_t i = 0; i < sizeof(skipped) / sizeof(*skipped); i++)
		if (!strncmp(name, skipped[i], strlen(skipped[i])))
			return false;
	return name[0] != '.' && sysfs_u64(0, "%s/sys/class/block/%s/hidden", root, name) == 0 &&
	       sysfs_u64(0, "%s/sys/class/block/%s/size", root, name) > 0;
}

static int list(const char *root, bool ask, struct drive_listings *ret, struct err *err)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int n, r = 0;

	snprintf(path, sizeof(path), "%s/sys/block", root);
	n = scandir(path, &entries, NULL, versionsort);
	if (n < 0)
		return err_sys(err, -errno, "cannot list the drives in '%s'", path);
	*ret = (struct drive_listings){ 0 };
	for (int i = 0; i < n; i++) {
		struct drive_listing d;

		if (r == 0 && listed(root, entries[i]->d_name)) {
			drive_identify(root, entries[i]->d_name, ask, &d);
			usage_find(root, entries[i]->d_name, d.in_use, sizeof(d.in_use));
			r = drive_listings_push(ret, d);
		}
		free(entries[i]);
	}
	free(entries);
	if (r < 0) {
		drive_listings_release(ret);
		return err_sys(err, r, "cannot list the drives");
	}
	return 0;
}

int drives_list(struct drive_listings *ret, struct err *err)
{
	return list("", true, ret, err);
}

int drives_list_at(const char *root, struct drive_listings *ret, struct err *err)
{
	return list(root, false, ret, err);
}
