/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/private.h"
#include "store/schema.h"

struct statement_text {
	enum { INSERT, SELECT, UPDATE, COUNT } kind;
	const char *table;
	const char *fixed; /* columns before those of the tables below */
	int fixed_n;
	const struct column *columns[2];
	const char *tail;
};

static const struct statement_text statements[STATEMENTS] = {
	[INSERT_RUN] = { INSERT, "run", "", 0, { columns_run }, "" },
	[UPDATE_RUN] = { UPDATE, "run", "", 0, { columns_run }, " WHERE row = ?" },
	[SELECT_RUN] = { SELECT,
			 "run LEFT JOIN environment AS e ON e.run = run.row",
			 "row, e.json",
			 2,
			 { columns_run },
			 " WHERE row = ?" },
	[INSERT_PHASE] = { INSERT,
			   "phase",
			   "run, finished",
			   2,
			   { columns_phase_asked, columns_phase_result },
			   "" },
	[UPDATE_PHASE] = { UPDATE,
			   "phase",
			   "",
			   0,
			   { columns_phase_asked, columns_phase_result },
			   ", finished = 1 WHERE row = ?" },
	[SELECT_PHASE_BY_ID] = { SELECT,
				 "phase",
				 "row, finished",
				 2,
				 { columns_phase_asked, columns_phase_result },
				 " WHERE run = ? AND id = ?" },
	[SELECT_PHASE_BY_KEY] = { SELECT,
				  "phase",
				  "row, finished",
				  2,
				  { columns_phase_asked, columns_phase_result },
				  " WHERE run = ? AND key = ? AND finished" },
	[INSERT_WINDOW] = { INSERT, "window", "phase, idx", 2, { columns_window }, "" },
	[SELECT_WINDOW] = { SELECT,
			    "window",
			    "idx",
			    1,
			    { columns_window },
			    " WHERE phase = ? AND idx = ?" },
	[SELECT_WINDOW_COUNT] = { COUNT, "window", "", 0, { NULL }, " WHERE phase = ?" },
	[INSERT_HISTOGRAM] = { INSERT, "histogram", "phase, idx, flow, buckets", 4, { NULL }, "" },
	[SELECT_HISTOGRAM] = { SELECT,
			       "histogram",
			       "flow, buckets",
			       2,
			       { NULL },
			       " WHERE phase = ? AND idx = ? ORDER BY flow" },
	[INSERT_OPLOG] = { INSERT, "oplog", "phase, chunk, records, data", 4, { NULL }, "" },
	[SELECT_OPLOG] = { SELECT,
			   "oplog",
			   "records, data",
			   2,
			   { NULL },
			   " WHERE phase = ? AND chunk = ?" },
	[INSERT_TELEMETRY] = { INSERT, "telemetry", "run, seq", 2, { columns_telemetry }, "" },
	[SELECT_TELEMETRY] = { SELECT,
			       "telemetry",
			       "seq",
			       1,
			       { columns_telemetry },
			       " WHERE run = ? AND seq = ?" },
	[INSERT_TRUTH] = { INSERT, "truth", "run, seq", 2, { columns_truth }, "" },
	[SELECT_TRUTH] = { SELECT,
			   "truth",
			   "seq",
			   1,
			   { columns_truth },
			   " WHERE run = ? AND seq = ?" },
	[INSERT_VERDICT] = { INSERT, "verdict", "run, seq", 2, { columns_verdict }, "" },
	[SELECT_VERDICT] = { SELECT,
			     "verdict",
			     "seq",
			     1,
			     { columns_verdict },
			     " WHERE run = ? AND seq = ?" },
};

static void statement_sql(struct sql *sql, const struct statement_text *s)
{
	struct sql columns = { .used = 0 };
	int n = s->fixed_n;

	sql_add(&columns, "%s", s->fixed);
	for (int i = 0; i < 2 && s->columns[i]; i++) {
		if (columns.used)
			sql_add(&columns, ", ");
		if (s->kind == UPDATE)
			sql_assignments(&columns, s->columns[i]);
		else
			sql_names(&columns, s->columns[i]);
		n += columns_count(s->columns[i]);
	}
	switch (s->kind) {
	case INSERT:
		sql_add(sql, "INSERT INTO %s (%s) VALUES (", s->table, columns.text);
		for (int i = 0; i < n; i++)
			sql_add(sql, i ? ", ?" : "?");
		sql_add(sql, ")");
		break;
	case SELECT:
		sql_add(sql, "SELECT %s FROM %s%s", columns.text, s->table, s->tail);
		break;
	case UPDATE:
		sql_add(sql, "UPDATE %s SET %s%s", s->table, columns.text, s->tail);
		break;
	case COUNT:
		sql_add(sql, "SELECT count(*) FROM %s%s", s->table, s->tail);
		break;
	}
}

int store_statement(struct store *store, enum statement which, sqlite3_stmt **ret, struct err *err)
{
	struct sql sql = { .used = 0 };
	int rc;

	if (!store->statement[which]) {
		statement_sql(&sql, &statements[which]);
		rc = sqlite3_prepare_v3(store->db, sql.text, -1, SQLITE_PREPARE_PERSISTENT,
					&store->statement[which], NULL);
		if (rc != SQLITE_OK)
			return store_err(store, rc, "use", err);
	}
	*ret = store->statement[which];
	sqlite3_reset(*ret);
	sqlite3_clear_bindings(*ret);
	return 0;
}

int store_run_statement(struct store *store, sqlite3_stmt *stmt, struct err *err)
{
	int rc = sqlite3_step(stmt);

	if (rc != SQLITE_DONE) {
		int r = store_err(store, rc, "write to", err);

		sqlite3_reset(stmt);
		return r;
	}
	sqlite3_reset(stmt);
	return 0;
}

int store_next_row(struct store *store, sqlite3_stmt *stmt, struct err *err)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : store_err(store, rc, "read", err);
}

static int execute(struct store *store, const char *sql, const char *action, struct err *err)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_err(store, rc, action, err);
}

int store_begin(struct store *store, struct err *err)
{
	return execute(store, "BEGIN IMMEDIATE", "write to", err);
}

int store_commit(struct store *store, struct err *err)
{
	int r = execute(store, "COMMIT", "write to", err);

	if (r < 0)
		store_rollback(store);
	return r;
}

void store_rollback(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/*
 * A database that was closed well needs no -wal or -shm beside it. Where the folder cannot be written SQLite
 * cannot make them, and must be told that nobody will change the file under it.
 */
static int open_immutable(struct store *store, const char *path)
{
	_cleanup_free_ char *wal = NULL;
	struct sql uri = { .used = 0 };
	struct stat st;
	int rc;

	if (asprintf(&wal, "%s-wal", path) < 0)
		return SQLITE_NOMEM;
	if (stat(wal, &st) == 0 && st.st_size > 0)
		return SQLITE_CANTOPEN;
	if (strlen(path) * 3 + 32 > sizeof(uri.text))
		return SQLITE_CANTOPEN;
	sql_add(&uri, "file:");
	for (const char *p = path; *p; p++)
		sql_add(&uri, strchr("?#%", *p) ? "%%%02X" : "%c", (unsigned char)*p);
	sql_add(&uri, "?immutable=1");
	sqlite3_close_v2(store->db);
	store->db = NULL;
	rc = sqlite3_open_v2(uri.text, &store->db,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	return rc == SQLITE_OK ? sqlite3_exec(store->db, "PRAGMA user_version", NULL, NULL, NULL)
			       : rc;
}

/*
 * Opened for writing where that can be, though nothing is: only then can SQLite tidy up behind itself, and
 * read what a killed run left in the write-ahead log.
 */
static int open_read_only(struct store *store, const char *path, struct err *err)
{
	int rc;

	if (access(path, F_OK) < 0)
		return err_sys(err, -errno, "cannot open the database '%s'", path);
	rc = sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(store->db, "PRAGMA query_only = 1; PRAGMA user_version", NULL,
				  NULL, NULL);
	if (rc == SQLITE_CANTOPEN && access(path, R_OK) == 0)
		rc = open_immutable(store, path);
	return rc == SQLITE_OK ? 0 : store_err(store, rc, "open", err);
}

/* Why a file cannot be made or written: where that fails SQLite tries to read, and tells of that error. */
static int why_not_writable(const char *path)
{
	_cleanup_free_ char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;

	if (access(path, F_OK) == 0)
		return access(path, W_OK) < 0 ? -errno : -EACCES;
	if (!folder)
		return -ENOMEM;
	if (slash)
		slash[slash == folder] = '\0';
	return access(slash ? folder : ".", W_OK | X_OK) < 0 ? -errno : -ENOENT;
}

static int open_writable(struct store *store, const char *path, struct err *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	int rc = sqlite3_open_v2(path ? path : ":memory:", &store->db, flags, NULL);

	if (rc == SQLITE_OK && sqlite3_db_readonly(store->db, "main") != 1)
		return 0;
	if (rc == SQLITE_OK || sqlite3_system_errno(store->db) == ENOENT) {
		int code = why_not_writable(path);

		return err_set(err, code, "cannot write to '%s': %s; give another file with --db",
			       store->path, strerror(-code));
	}
	return store_err(store, rc, "open", err);
}

/* Before the mode is changed: WAL would already write to another program's database. */
static int set_up(struct store *store, struct err *err)
{
	int r;

	sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
	sqlite3_extended_result_codes(store->db, 1);
	r = schema_bring(store->db, store->path, schema_steps, store->read_only, err);
	if (r < 0 || store->read_only)
		return r;
	return execute(store,
		       "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		       "PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -8000",
		       "write to", err);
}

int store_open(struct store **ret, const char *path, bool read_only, struct err *err)
{
	struct store *store = calloc(1, sizeof(*store));
	int r;

	assert(path || !read_only);
	if (!store)
		return err_sys(err, -ENOMEM, "cannot open a store");
	store->sink.ops = &store_sink_ops;
	store->read_only = read_only;
	store->lock = -1;
	store->path = strdup(path ? path : "the store in memory");
	if (!store->path) {
		r = err_sys(err, -ENOMEM, "cannot open a store");
		goto out_close;
	}
	r = read_only ? open_read_only(store, path, err) : open_writable(store, path, err);
	if (r == 0)
		r = set_up(store, err);
	if (r < 0)
		goto out_close;
	*ret = store;
	return 0;
out_close:
	store_close(store);
	return r;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->db && !store->read_only)
		(void)store_flush(store, NULL);
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statement[i]);
	store_unlock_run(store);
	sqlite3_close_v2(store->db);
	pending_windows_release(&store->pending_windows);
	pending_telemetries_release(&store->pending_telemetries);
	pending_truths_release(&store->pending_truths);
	bytes_release(&store->blobs);
	free(store->path);
	free(store);
}

struct sink *store_sink(struct store *store)
{
	assert(store->run_row);
	return &store->sink;
}
