/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/usage.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "device/mounts.h"
#include "device/sysfs.h"

#define DEPTH_MAX 16 /* of things built on things */

/* Is the device node `path`, as other programs write it, the device called `name`? */
static bool is_node(const char *path, const char *name)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	const char *node = real ? real : path;

	return !strncmp(node, "/dev/", 5) && !strcmp(node + 5, name);
}

struct mount_search {
	const char *name;
	unsigned major, minor;
	bool root;
	char point[512];
};

static bool mounted_here(void *user, const struct mount *mount)
{
	struct mount_search *search = user;

	/* File systems over several drives (btrfs) have a number of their own but name one drive. */
	if ((mount->major != search->major || mount->minor != search->minor) &&
	    !is_node(mount->source, search->name))
		return false;
	if (search->point[0] == '\0')
		snprintf(search->point, sizeof(search->point), "%s", mount->point);
	search->root = !strcmp(mount->point, "/");
	return search->root;
}

static bool mounted(const char *root, const char *name, char *buf, size_t size)
{
	struct mount_search search = { .name = name };
	char number[32];

	if (!sysfs_text(number, sizeof(number), "%s/sys/class/block/%s/dev", root, name) ||
	    !device_number_parse(number, &search.major, &search.minor))
		return false;
	mounts_walk(root, mounted_here, &search);
	if (search.root)
		snprintf(buf, size, "holds the root file system");
	else if (search.point[0])
		snprintf(buf, size, "is mounted at '%.200s'", search.point);
	return search.point[0] != '\0';
}

static bool swapped(const char *root, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX], line[PATH_MAX];
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/proc/swaps", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = '\0';
		if (is_node(line, name)) {
			snprintf(buf, size, "is used as swap");
			return true;
		}
	}
	return false;
}

/* A loop device made of a drive does not show up among its holders. */
static bool looped(const char *root, const char *name, char *buf, size_t size)
{
	char pattern[PATH_MAX];
	bool found = false;
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/sys/block/loop*/loop/backing_file", root);
	if (glob(pattern, 0, NULL, &files) != 0)
		return false;
	for (size_t i = 0; i < files.gl_pathc && !found; i++) {
		char backing[PATH_MAX], *loop = files.gl_pathv[i];

		found = sysfs_text(backing, sizeof(backing), "%s", loop) && is_node(backing, name);
		if (!found)
			continue;
		*strrchr(loop, '/') = '\0';
		*strrchr(loop, '/') = '\0';
		snprintf(buf, size, "is behind the loop device '%s'", strrchr(loop, '/') + 1);
	}
	globfree(&files);
	return found;
}

static bool device_used(const char *root, const char *name, int depth, char *buf, size_t size);

/* What is built on the device; used or not, it is not ours to overwrite. */
static bool held(const char *root, const char *name, int depth, char *buf, size_t size)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/class/block/%s/holders", root, name);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		char why[256], label[128];

		if (entry->d_name[0] == '.')
			continue;
		found = true;
		if (!sysfs_text(label, sizeof(label), "%s/sys/class/block/%s/dm/name", root,
				entry->d_name))
			snprintf(label, sizeof(label), "%.*s", (int)sizeof(label) - 1,
				 entry->d_name);
		if (device_used(root, entry->d_name, depth + 1, why, sizeof(why)))
			snprintf(buf, size, "is part of '%s', which %s", label, why);
		else
			snprintf(buf, size, "is part of '%s'", label);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool partition_used(const char *root, const char *name, int depth, char *buf, size_t size)
{
	char pattern[PATH_MAX];
	bool found = false;
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/sys/class/block/%s/*/partition", root, name);
	if (glob(pattern, 0, NULL, &files) != 0)
		return false;
	for (size_t i = 0; i < files.gl_pathc && !found; i++) {
		char *partition = files.gl_pathv[i], why[256];

		*strrchr(partition, '/') = '\0';
		partition = strrchr(partition, '/') + 1;
		found = device_used(root, partition, depth + 1, why, sizeof(why));
		if (found)
			snprintf(buf, size, "has a partition '%s' that %s", partition, why);
	}
	globfree(&files);
	return found;
}

static bool device_used(const char *root, const char *name, int depth, char *buf, size_t size)
{
	buf[0] = '\0';
	if (depth > DEPTH_MAX)
		return false;
	return mounted(root, name, buf, size) || swapped(root, name, buf, size) ||
	       held(root, name, depth, buf, size) || looped(root, name, buf, size) ||
	       partition_used(root, name, depth, buf, size);
}

bool usage_find(const char *root, const char *name, char *buf, size_t size)
{
	return device_used(root, name, 0, buf, size);
}
