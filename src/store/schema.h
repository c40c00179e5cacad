/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema.h - the tables and how an older file becomes a newer one.
 *
 * PRAGMA user_version counts the steps that a file has been through. A step is never changed once released:
 * a change of the schema is a new step behind the others. docs/database.md tells people what is in there.
 */
#ifndef ASSAY_STORE_SCHEMA_H
#define ASSAY_STORE_SCHEMA_H

#include <sqlite3.h>

#include "base/err.h"

#define SCHEMA_APPLICATION_ID                                                                      \
	0x41535341 /* "ASSA": tells our files from other programs' databases */

extern const char *const schema_steps[]; /* NULL-terminated */
int schema_version(void);		 /* how many steps there are */

/*
 * Bring `db` (called `path` in sentences) from its version to the last of `steps`, all or nothing. 0, or
 * -ENOTSUP where it is newer, -EINVAL where it is no database or another program's, or what SQLite says.
 * `read_only` checks only, and gives -EROFS where steps are missing.
 */
int schema_bring(sqlite3 *db, const char *path, const char *const *steps, int read_only,
		 struct err *err);

#endif
