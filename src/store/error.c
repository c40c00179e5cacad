/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "store/private.h"

/* What SQLite's code means for a person, and as errno. */
static const struct meaning {
	int rc; /* primary code */
	int code;
	const char *cause; /* NULL: what the system or SQLite says */
	const char *remedy;
} meanings[] = {
	{ SQLITE_BUSY, -EBUSY, "another process is writing to it",
	  "wait until that is done, or give another file with --db" },
	{ SQLITE_LOCKED, -EBUSY, "it is in use by this process", "give another file with --db" },
	{ SQLITE_FULL, -ENOSPC, "the disk is full",
	  "free some space and go on with 'assay resume', or give another file with --db" },
	{ SQLITE_READONLY, -EROFS, "it, or the folder it lies in, cannot be written",
	  "give another file with --db" },
	{ SQLITE_CANTOPEN, -EACCES, NULL, "give another file with --db" },
	{ SQLITE_PERM, -EACCES, NULL, "give another file with --db" },
	{ SQLITE_NOTADB, -EINVAL, "it is not a database", "give another file with --db" },
	{ SQLITE_CORRUPT, -EUCLEAN, "the file is damaged",
	  "rescue what is left with the .recover command of sqlite3, or give another file with "
	  "--db" },
	{ SQLITE_IOERR, -EIO, NULL, "check the disk that it lies on" },
	{ SQLITE_NOMEM, -ENOMEM, "Cannot allocate memory", "" },
	{ SQLITE_TOOBIG, -EFBIG, NULL, "" },
};

/* The errno behind a code, where the system gave one. */
static int system_errno(sqlite3 *db, int rc)
{
	int number = db ? sqlite3_system_errno(db) : 0;

	if ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_IOERR &&
	    (rc & 0xff) != SQLITE_PERM)
		return 0;
	return number;
}

int store_sqlite_err(sqlite3 *db, int rc, const char *path, const char *action, struct err *err)
{
	int number = system_errno(db, rc);
	const struct meaning *m = NULL;
	const char *cause;

	if (number == ENOSPC || number == EDQUOT)
		rc = SQLITE_FULL;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].rc == (rc & 0xff))
			m = &meanings[i];
	if (!m)
		return err_set(err, -EIO, "cannot %s '%s': %s", action, path,
			       db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
	cause = m->cause;
	if (!cause)
		cause = number ? strerror(number) : db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
	return err_set(err, number && !m->cause ? -number : m->code, "cannot %s '%s': %s%s%s",
		       action, path, cause, m->remedy[0] ? "; " : "", m->remedy);
}

int store_err(struct store *store, int rc, const char *action, struct err *err)
{
	return store_sqlite_err(store->db, rc, store->path, action, err);
}
