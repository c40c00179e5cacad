/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock.c - one process a run: a run that is still being written must not be resumed.
 *
 * The lock is a socket address in the abstract namespace of Linux (unix(7)), named by the file and the run.
 * The kernel gives it up when the process ends, however that ends, and nothing is left in a folder. A lock
 * on the file itself would get in the way of SQLite's own (closing any descriptor drops them all).
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "store/private.h"

void store_unlock_run(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	store->lock = -1;
}

/* Where there are no sockets, or the file is in memory, there is no lock, and that is no reason to fail. */
int store_lock_run(struct store *store, int64_t row, struct err *err)
{
	const char *path = sqlite3_db_filename(store->db, "main");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;
	int n, fd;

	store_unlock_run(store);
	if (!path || !path[0] || stat(path, &st) < 0)
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "assay/%llx/%llx/%lld",
		     (unsigned long long)st.st_dev, (unsigned long long)st.st_ino, (long long)row);
	if (bind(fd, (const struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) < 0 &&
	    errno == EADDRINUSE) {
		close(fd);
		return err_set(err, -EBUSY,
			       "cannot go on with a run in '%s': another process is still making "
			       "it; wait until that ends, or stop it",
			       store->path);
	}
	store->lock = fd;
	return 0;
}
