/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the machine says of its drives: identity, use and the guard, on made-up trees of /sys and /proc, so
 * that drives which the test machine does not have are tried too.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/diskstat.h"
#include "device/guard.h"
#include "device/health.h"
#include "device/identity.h"
#include "device/mounts.h"
#include "device/sysfs.h"
#include "device/usage.h"
#include "device/written.h"

static char root[64];

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", root, name);
	for (char *c = path + strlen(root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
}

static void put_bytes(const char *name, const void *bytes, size_t n)
{
	char path[PATH_MAX];
	FILE *f;

	path_of(path, sizeof(path), name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static void link_to(const char *target, const char *name)
{
	char path[PATH_MAX], to[PATH_MAX];

	path_of(path, sizeof(path), name);
	snprintf(to, sizeof(to), "%s/%s", root, target);
	assert_int_equal(symlink(to, path), 0);
}

static void put_at(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	put(path, text);
}

/* A block device as sysfs has it; `at` below /sys/devices. */
static void make_device(const char *at, const char *number)
{
	const char *name = strrchr(at, '/') + 1;
	char folder[256], path[PATH_MAX];

	snprintf(folder, sizeof(folder), "sys/devices/%s", at);
	put_at(folder, "dev", number);
	put_at(folder, "size", "234441648\n");
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	link_to(folder, path);
	snprintf(path, sizeof(path), "sys/dev/block/%.*s", (int)strcspn(number, "\n"), number);
	link_to(folder, path);
}

static void make_drive(const char *at, const char *number)
{
	char folder[256], path[PATH_MAX];

	make_device(at, number);
	snprintf(folder, sizeof(folder), "sys/devices/%s", at);
	snprintf(path, sizeof(path), "sys/block/%s", strrchr(at, '/') + 1);
	link_to(folder, path);
	put_at(folder, "queue/rotational", "0\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* A machine: SATA sda with root and swap, USB sdb free, NVMe free, sdc and sdd of one serial, md, dm, zram. */
static int machine(void **state)
{
	static const unsigned char page[] = {
		0, 0x80, 0, 12, ' ', ' ', 'S', 'N', '-', '1', '2', '3'
	};

	(void)state;
	snprintf(root, sizeof(root), "/tmp/assay-machine.XXXXXX");
	assert_non_null(mkdtemp(root));
	make_drive("pci/ata1/sda", "8:0\n");
	put("sys/devices/pci/ata1/sda/device/vendor", "ATA     \n");
	put("sys/devices/pci/ata1/sda/device/model", "INTEL SSDSA2CW30\n");
	put("sys/devices/pci/ata1/sda/device/rev", "0302\n");
	put_bytes("sys/devices/pci/ata1/sda/device/vpd_pg80", page, sizeof(page));
	put("sys/devices/pci/ata1/sda/device/hwmon/hwmon3/temp1_input", "41500\n");
	make_device("pci/ata1/sda/sda1", "8:1\n");
	put("sys/devices/pci/ata1/sda/sda1/partition", "1\n");
	make_device("pci/ata1/sda/sda2", "8:2\n");
	put("sys/devices/pci/ata1/sda/sda2/partition", "2\n");
	make_device("pci/ata1/sda/sda3", "8:3\n");
	put("sys/devices/pci/ata1/sda/sda3/partition", "3\n");
	make_drive("pci/usb1/sdb", "8:16\n");
	put("sys/devices/pci/usb1/sdb/device/vendor", "JMicron\n");
	put("sys/devices/pci/usb1/sdb/device/model", "Generic\n");
	put("sys/devices/pci/usb1/sdb/removable", "1\n");
	put("run/udev/data/b8:16", "S:disk/by-id/usb-x\nE:ID_MODEL=Other\nE:ID_SERIAL_SHORT=U77\n"
				   "E:ID_REVISION=0107\n");
	make_drive("pci/nvme/nvme0/nvme0n1", "259:0\n");
	put("sys/devices/pci/nvme/nvme0/nvme0n1/device/model", "SHGP31-500GM          \n");
	put("sys/devices/pci/nvme/nvme0/nvme0n1/device/serial", "  FD0AN \n");
	put("sys/devices/pci/nvme/nvme0/nvme0n1/device/firmware_rev", "31060C20\n");
	put("sys/devices/pci/nvme/nvme0/nvme0n1/device/hwmon1/temp1_input", "52850\n");
	make_drive("pci/usb2/sdc", "8:32\n");
	put("sys/devices/pci/usb2/sdc/serial", "0123456789\n");
	make_drive("pci/usb3/sdd", "8:48\n");
	put("sys/devices/pci/usb3/sdd/serial", "0123456789\n");
	make_drive("pci/ata2/sde", "8:64\n");
	put("sys/devices/pci/ata2/sde/device/serial", "E5\n");
	make_device("pci/ata2/sde/sde1", "8:65\n");
	put("sys/devices/pci/ata2/sde/sde1/partition", "1\n");
	make_drive("virtual/block/dm-0", "253:0\n");
	put("sys/devices/virtual/block/dm-0/dm/name", "vault\n");
	put("sys/devices/pci/ata2/sde/sde1/holders/dm-0/dev", "253:0\n");
	make_drive("virtual/block/md0", "9:0\n");
	make_drive("virtual/block/zram0", "252:0\n");
	make_drive("virtual/block/loop7", "7:7\n");
	put("sys/devices/virtual/block/loop7/loop/backing_file", "/dev/sdb\n");
	make_drive("virtual/block/loop8", "7:8\n");
	put("sys/devices/virtual/block/loop8/size", "0\n");
	put("proc/self/mountinfo",
	    "21 26 0:20 / /proc rw,relatime - proc proc rw\n"
	    "26 1 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw\n"
	    "30 26 253:0 / /srv/my\\040data rw - xfs /dev/mapper/vault rw\n"
	    "31 26 0:45 /sub /pool rw - btrfs /dev/sda3 rw,space_cache\n"
	    "not a line\n");
	put("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2  partition 1 0 -2\n");
	return 0;
}

static int machine_gone(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void identities(void **state)
{
	struct drive_listing d;

	(void)state;
	drive_identify(root, "sda", false, &d);
	assert_string_equal(d.model, "INTEL SSDSA2CW30");
	assert_string_equal(d.serial, "SN-123");
	assert_string_equal(d.firmware, "0302");
	assert_int_equal(d.size_bytes, 234441648ull * 512);
	assert_true(isnan(d.temperature_c));
	drive_identify(root, "sdb", false, &d);
	assert_string_equal(d.model, "JMicron Generic");
	assert_string_equal(d.serial, "U77");
	assert_string_equal(d.firmware, "0107");
	assert_true(d.removable);
	drive_identify(root, "nvme0n1", true, &d);
	assert_string_equal(d.model, "SHGP31-500GM");
	assert_string_equal(d.serial, "FD0AN");
	assert_string_equal(d.firmware, "31060C20");
	assert_true(fabs(d.temperature_c - 52.85) < 1e-9);
	drive_identify(root, "loop7", false, &d);
	assert_string_equal(d.serial, "");
	assert_string_equal(d.model, "loop device on /dev/sdb");
	/* Unknown to the machine: gaps, no harm. */
	drive_identify(root, "nvme9n9", false, &d);
	assert_int_equal(d.size_bytes, 0);
	assert_string_equal(d.model, "");
}

static void lists(void **state)
{
	static const char *const names[] = {
		"loop7", "nvme0n1", "sda", "sdb", "sdc", "sdd", "sde"
	};
	struct drive_listings drives;

	(void)state;
	assert_int_equal(drives_list_at(root, &drives, NULL), 0);
	assert_int_equal(drives.n, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(drives.items[i].name, names[i]);
	assert_string_equal(drives.items[1].in_use, "");
	assert_non_null(strstr(drives.items[2].in_use, "root file system"));
	drive_listings_release(&drives);
	assert_int_equal(drives_list_at("/nothing", &drives, NULL), -ENOENT);
}

static void uses(void **state)
{
	static const struct {
		const char *name, *use;
	} cases[] = {
		{ "sda", "has a partition 'sda1' that holds the root file system" },
		{ "sda1", "holds the root file system" },
		{ "sda2", "is used as swap" },
		/* btrfs has a device number of its own; only the source names the drive. */
		{ "sda3", "is mounted at '/pool'" },
		{ "sdb", "is behind the loop device 'loop7'" },
		{ "sdc", "" },
		{ "nvme0n1", "" },
		{ "sde", "has a partition 'sde1' that is part of 'vault', which is mounted at "
			 "'/srv/my data'" },
		{ "dm-0", "is mounted at '/srv/my data'" },
		{ "loop7", "" },
	};
	char use[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(usage_find(root, cases[i].name, use, sizeof(use)),
				 cases[i].use[0] != '\0');
		assert_string_equal(use, cases[i].use);
	}
	/* Mounted only where process 1 sees it. */
	put("proc/1/mountinfo", "26 1 259:0 / /elsewhere rw - ext4 /dev/nvme0n1 rw\n");
	assert_true(usage_find(root, "nvme0n1", use, sizeof(use)));
	put("proc/1/mountinfo", "");
	/* Part of something that is not mounted: still not ours. */
	put("sys/devices/pci/nvme/nvme0/nvme0n1/holders/md0/dev", "9:0\n");
	assert_true(usage_find(root, "nvme0n1", use, sizeof(use)));
	assert_string_equal(use, "is part of 'md0'");
	/* Things built on themselves do not hang us. */
	put("sys/devices/virtual/block/md0/holders/md0/dev", "9:0\n");
	assert_true(usage_find(root, "md0", use, sizeof(use)));
}

static void guards(void **state)
{
	static const struct {
		const char *name, *destroy;
		int code;
		const char *says;
	} cases[] = {
		{ "sda", "SN-123", -ERR_REFUSED, "root file system" },
		{ "sda2", "SN-123", -ERR_REFUSED, "swap" },
		{ "nvme0n1", "", -ERR_REFUSED, "'--destroy FD0AN'" },
		{ "nvme0n1", "FD0A", -ERR_REFUSED, "names 'FD0A', but this is 'FD0AN'" },
		{ "nvme0n1", "fd0an", -ERR_REFUSED, "names 'fd0an'" },
		{ "nvme0n1", "nvme0n1", -ERR_REFUSED, "but this is 'FD0AN'" },
		{ "nvme0n1", "FD0AN", 0, "" },
		{ "sdc", "0123456789", -ERR_REFUSED, "'/dev/sdd' shows the same serial" },
		{ "sdd", "0123456789", -ERR_REFUSED, "'/dev/sdc' shows the same serial" },
		{ "loop7", "", -ERR_REFUSED, "'--destroy loop7'" },
		{ "loop7", "loop", -ERR_REFUSED, "but this is 'loop7'" },
		{ "loop7", "loop7", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct device_spec spec = { 0 };
		struct drive_listing whole;
		struct err err = { 0 };
		char name[32];

		snprintf(spec.path, sizeof(spec.path), "/dev/%s", cases[i].name);
		snprintf(spec.destroy, sizeof(spec.destroy), "%s", cases[i].destroy);
		sysfs_whole_drive(root, cases[i].name, name, sizeof(name));
		drive_identify(root, name, false, &whole);
		assert_int_equal(guard_check(root, &spec, cases[i].name, &whole, &err),
				 cases[i].code);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].name, err.text);
	}
	put("sys/devices/virtual/block/loop7/ro", "1\n");
	{
		struct device_spec spec = { .path = "/dev/loop7", .destroy = "loop7" };
		struct drive_listing whole;

		drive_identify(root, "loop7", false, &whole);
		assert_int_equal(guard_check(root, &spec, "loop7", &whole, NULL), -EROFS);
	}
}

static void names(void **state)
{
	char name[32];

	(void)state;
	sysfs_whole_drive(root, "sda2", name, sizeof(name));
	assert_string_equal(name, "sda");
	sysfs_whole_drive(root, "nvme0n1", name, sizeof(name));
	assert_string_equal(name, "nvme0n1");
	sysfs_name(root, 8, 65, name, sizeof(name));
	assert_string_equal(name, "sde1");
	sysfs_name(root, 99, 99, name, sizeof(name));
	assert_string_equal(name, "");
}

static void mount_lines(void **state)
{
	struct mount m;

	(void)state;
	assert_true(mount_parse("44 26 7:0 / /mnt\\134x rw,relatime - fuseblk /dev/loop0 "
				"rw,user_id=0\n",
				&m));
	assert_string_equal(m.point, "/mnt\\x");
	assert_int_equal(m.major, 7);
	assert_string_equal(m.type, "fuseblk");
	assert_string_equal(m.options, "rw,user_id=0");
	assert_false(mount_parse("", &m));
	assert_false(mount_parse("44 26 7 / /mnt rw - ext4 x y", &m));
	assert_false(mount_parse("44 26 7:0 / /mnt rw ext4 x y", &m));
}

static void disk_counters(void **state)
{
	struct device_counters c = { .unwritten_read_bytes = 5 };

	(void)state;
	/* The line of Documentation/block/stat.rst, with discards and flushes behind. */
	assert_int_equal(diskstat_parse("  392   11   8000   52  210  9  4096  77  3  120  4567 "
					"1 2 3 4 5 6\n",
					&c),
			 0);
	assert_int_equal(c.read_bytes, 8000 * 512);
	assert_int_equal(c.written_bytes, 4096 * 512);
	assert_int_equal(c.in_flight_ns, 4567000000ull);
	assert_int_equal(c.unwritten_read_bytes, 5);
	assert_int_equal(diskstat_parse("1 2 3 4 5 6 7 8 9 10", &c), -EINVAL);
	assert_int_equal(diskstat_parse("", &c), -EINVAL);
}

static void smart_output(void **state)
{
	struct smart s;

	(void)state;
	assert_int_equal(
		smart_parse("{\"model_name\": \"M\", \"serial_number\": \"S\", "
			    "\"firmware_version\": \"F\", \"temperature\": {\"current\": 37},"
			    "\"nvme_smart_health_information_log\": {\"percentage_used\": 3}}",
			    &s),
		0);
	assert_string_equal(s.model, "M");
	assert_string_equal(s.serial, "S");
	assert_string_equal(s.firmware, "F");
	assert_true(s.health.temperature_c == 37 && s.health.wear_pct == 3);
	assert_int_equal(smart_parse("{\"endurance_used\": {\"current_percent\": 9}, "
				     "\"model_name\": 5}",
				     &s),
			 0);
	assert_true(s.health.wear_pct == 9 && isnan(s.health.temperature_c));
	assert_string_equal(s.model, "");
	assert_int_equal(smart_parse("smartctl: not found", &s), -EINVAL);
	assert_int_equal(smart_parse("[]", &s), -EINVAL);
	assert_int_equal(smart_parse("", &s), -EINVAL);
}

/* The map of written units against a plain array. */
static void written_map(void **state)
{
	enum { UNITS = 300 };
	struct written *w = written_new(UNITS * WRITTEN_UNIT - 100);
	bool model[UNITS] = { false };
	unsigned seed = 1;

	(void)state;
	assert_non_null(w);
	for (int round = 0; round < 20000; round++) {
		unsigned first = (unsigned)rand_r(&seed) % UNITS, n, count = 0;
		bool all = true, none = true, set = rand_r(&seed) % 2;

		n = 1 + (unsigned)rand_r(&seed) % (UNITS - first);
		if (n > 70 && rand_r(&seed) % 4)
			n = 1 + n % 3;
		for (unsigned i = first; i < first + n; i++)
			model[i] = set;
		if (set)
			written_set(w, (uint64_t)first * WRITTEN_UNIT, n * WRITTEN_UNIT);
		else
			written_clear(w, (uint64_t)first * WRITTEN_UNIT, n * WRITTEN_UNIT);
		first = (unsigned)rand_r(&seed) % UNITS;
		n = 1 + (unsigned)rand_r(&seed) % (UNITS - first);
		for (unsigned i = first; i < first + n; i++) {
			all = all && model[i];
			none = none && !model[i];
		}
		for (unsigned i = 0; i < UNITS; i++)
			count += model[i];
		assert_int_equal(written_all(w, first * WRITTEN_UNIT, n * WRITTEN_UNIT), all);
		assert_int_equal(written_none(w, first * WRITTEN_UNIT, n * WRITTEN_UNIT), none);
		assert_int_equal(written_bytes(w), count * WRITTEN_UNIT);
	}
	/* A touched unit is written, and only a covered one is cleared. */
	written_clear(w, 0, UNITS * WRITTEN_UNIT);
	written_set(w, WRITTEN_UNIT - 1, 2);
	assert_int_equal(written_bytes(w), 2 * WRITTEN_UNIT);
	written_clear(w, 1, WRITTEN_UNIT);
	assert_int_equal(written_bytes(w), 2 * WRITTEN_UNIT);
	assert_false(written_all(w, 0, (uint64_t)UNITS * 2 * WRITTEN_UNIT));
	written_free(w);
	written_free(NULL);
}

static void written_of_file(void **state)
{
	char path[] = "/tmp/assay-written.XXXXXX", block[8192] = { 1 };
	struct written *w = written_new(1 << 20);
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && w);
	unlink(path);
	assert_int_equal(ftruncate(fd, 1 << 19), 0);
	assert_int_equal(pwrite(fd, block, sizeof(block), 65536), sizeof(block));
	assert_int_equal(written_from_file(w, fd, 1 << 19), 0);
	assert_true(written_all(w, (1 << 19) + 65536, sizeof(block)));
	assert_true(written_none(w, 0, (1 << 19) + 65536));
	close(fd);
	written_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(identities, machine, machine_gone),
		cmocka_unit_test_setup_teardown(lists, machine, machine_gone),
		cmocka_unit_test_setup_teardown(uses, machine, machine_gone),
		cmocka_unit_test_setup_teardown(guards, machine, machine_gone),
		cmocka_unit_test_setup_teardown(names, machine, machine_gone),
		cmocka_unit_test(mount_lines),
		cmocka_unit_test(disk_counters),
		cmocka_unit_test(smart_output),
		cmocka_unit_test(written_map),
		cmocka_unit_test(written_of_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
