/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MARK_NAME "user.assay"
#define MARK_SIZE 64

static int new_id(char id[MARK_ID_SIZE])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -EIO;
	snprintf(id, MARK_ID_SIZE, "%016" PRIx64, random);
	return 0;
}

static bool parse(const char *text, char id[MARK_ID_SIZE])
{
	return sscanf(text, "assay 1 %16[0-9a-f]", id) == 1;
}

static void beside(const char *path, char *buf, size_t size)
{
	snprintf(buf, size, "%s.assay", path);
}

/* Write a mark to a new file; returns its descriptor or a negative errno. */
static int write_new(const char *path, const char *text)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t n = strlen(text);
	int r;

	if (fd < 0)
		return -errno;
	if (write(fd, text, n) == (ssize_t)n)
		return fd;
	r = errno ? -errno : -ENOSPC;
	close(fd);
	unlink(path);
	return r;
}

static int read_mark(int fd, char id[MARK_ID_SIZE])
{
	char text[MARK_SIZE];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return parse(text, id);
}

int mark_set(const char *path, int fd, char id[MARK_ID_SIZE])
{
	char text[MARK_SIZE], other[PATH_MAX];
	int r = new_id(id);

	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "assay 1 %s", id);
	if (fsetxattr(fd, MARK_NAME, text, strlen(text), 0) == 0)
		return 0;
	if (errno != ENOTSUP)
		return -errno;
	beside(path, other, sizeof(other));
	/* Left over from a file that is gone: it marks nothing. */
	unlink(other);
	r = write_new(other, text);
	if (r < 0)
		return r;
	close(r);
	return 0;
}

int mark_get(const char *path, int fd, char id[MARK_ID_SIZE])
{
	char text[MARK_SIZE], other[PATH_MAX];
	_cleanup_close_ int mark = -1;
	ssize_t n = fgetxattr(fd, MARK_NAME, text, sizeof(text) - 1);

	if (n >= 0) {
		text[n] = '\0';
		return parse(text, id);
	}
	if (errno == ENODATA)
		return 0;
	if (errno != ENOTSUP)
		return -errno;
	beside(path, other, sizeof(other));
	mark = open(other, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return mark < 0 ? 0 : read_mark(mark, id);
}

void mark_remove(const char *path)
{
	char other[PATH_MAX];

	unlink(path);
	beside(path, other, sizeof(other));
	unlink(other);
}

int mark_folder(const char *path, char id[MARK_ID_SIZE])
{
	char mark[PATH_MAX], text[MARK_SIZE];
	int r = new_id(id);

	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "assay 1 %s", id);
	snprintf(mark, sizeof(mark), "%s/.assay", path);
	return write_new(mark, text);
}

int mark_folder_open(const char *path, char id[MARK_ID_SIZE])
{
	char mark[PATH_MAX];
	int fd, r;

	snprintf(mark, sizeof(mark), "%s/.assay", path);
	fd = open(mark, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	r = read_mark(fd, id);
	if (r > 0)
		return fd;
	close(fd);
	return r < 0 ? r : -ENOENT;
}
