/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/schema.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "store/private.h"

static int steps_count(const char *const *steps)
{
	int n = 0;

	while (steps[n])
		n++;
	return n;
}

int schema_version(void)
{
	return steps_count(schema_steps);
}

static int number(sqlite3 *db, const char *path, const char *sql, int64_t *ret, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	if (rc != SQLITE_ROW)
		return store_sqlite_err(db, rc, path, "open", err);
	return 0;
}

static int check(sqlite3 *db, const char *path, int version_max, int64_t *ret_version,
		 struct err *err)
{
	int64_t tables = 0, id = 0;
	int r = number(db, path, "PRAGMA user_version", ret_version, err);

	if (r == 0)
		r = number(db, path, "PRAGMA application_id", &id, err);
	if (r == 0)
		r = number(db, path, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (r < 0)
		return r;
	if (id != SCHEMA_APPLICATION_ID && (tables > 0 || *ret_version != 0 || id != 0))
		return err_set(err, -EINVAL,
			       "'%s' is a database of another program; give another file with --db",
			       path);
	if (*ret_version > version_max)
		return err_set(err, -ENOTSUP,
			       "'%s' was written by a newer Assay (schema %lld, this one knows "
			       "%d); use that version, or another file with --db",
			       path, (long long)*ret_version, version_max);
	return 0;
}

/* Another process may have made the same steps meanwhile: look again inside the transaction. */
static int apply(sqlite3 *db, const char *path, const char *const *steps, struct err *err)
{
	int n = steps_count(steps), rc = SQLITE_OK;
	int64_t version = 0;
	char sql[96];
	int r;

	r = check(db, path, n, &version, err);
	if (r < 0)
		return r;
	for (int64_t i = version; i < n && rc == SQLITE_OK; i++)
		rc = sqlite3_exec(db, steps[i], NULL, NULL, NULL);
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d; PRAGMA application_id = %d", n,
		 SCHEMA_APPLICATION_ID);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : store_sqlite_err(db, rc, path, "set up", err);
}

int schema_bring(sqlite3 *db, const char *path, const char *const *steps, int read_only,
		 struct err *err)
{
	int n = steps_count(steps);
	int64_t version = 0;
	int rc, r;

	r = check(db, path, n, &version, err);
	if (r < 0 || version == n)
		return r;
	if (read_only && version == 0)
		return err_set(err, -ENOENT, "'%s' is empty: no run was ever stored in it", path);
	if (read_only)
		return err_set(err, -EROFS,
			       "'%s' was written by an older Assay (schema %lld of %d) and is open "
			       "for reading only; open it once where it can be written",
			       path, (long long)version, n);
	rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return store_sqlite_err(db, rc, path, "write to", err);
	r = apply(db, path, steps, err);
	if (r < 0)
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}
