/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static void trim(char *text)
{
	size_t n = strlen(text), start = 0;

	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	while (isspace((unsigned char)text[start]))
		start++;
	memmove(text, text + start, n - start + 1);
}

static bool read_line(const char *path, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (!f || !fgets(buf, (int)size, f)) {
		buf[0] = '\0';
		return false;
	}
	trim(buf);
	return true;
}

bool sysfs_text(char *buf, size_t size, const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	return read_line(path, buf, size) && buf[0] != '\0';
}

uint64_t sysfs_u64(uint64_t other, const char *path_format, ...)
{
	char path[PATH_MAX], line[64], *end;
	unsigned long long value;
	va_list args;

	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	if (!read_line(path, line, sizeof(line)) || !isdigit((unsigned char)line[0]))
		return other;
	errno = 0;
	value = strtoull(line, &end, 10);
	return errno || *end ? other : value;
}

bool sysfs_exists(const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, path_format);
	vsnprintf(path, sizeof(path), path_format, args);
	va_end(args);
	return access(path, F_OK) == 0;
}

void sysfs_whole_drive(const char *root, const char *name, char *buf, size_t size)
{
	_cleanup_free_ char *real = NULL;
	char path[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%s/sys/class/block/%s", root, name);
	if (sysfs_exists("%s/partition", path))
		real = realpath(path, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	if (!slash) {
		snprintf(buf, size, "%s", name);
		return;
	}
	/* /sys/devices/.../sda/sda2: the folder above is the drive. */
	*slash = '\0';
	slash = strrchr(real, '/');
	snprintf(buf, size, "%s", slash ? slash + 1 : name);
}

void sysfs_name(const char *root, unsigned major, unsigned minor, char *buf, size_t size)
{
	_cleanup_free_ char *real = NULL;
	char path[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", root, major, minor);
	real = realpath(path, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	snprintf(buf, size, "%s", slash ? slash + 1 : "");
}
