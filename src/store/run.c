/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.c - runs begin and end; and the ledger of drives.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/private.h"

void store_enter_run(struct store *store, int64_t row)
{
	store->run_row = row;
	store->phase_row = 0;
	store->resumed = store->replay = false;
	store->telemetry = store->truth = store->verdict = (struct numbering){ 0, 0 };
	store->phases = (struct numbering){ 0, 0 };
	store_forget_pending(store);
}

static int insert_environment(struct store *store, const char *json, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, "INSERT INTO environment VALUES (?, ?)", -1, &stmt,
				    NULL);

	if (rc != SQLITE_OK)
		return store_err(store, rc, "write to", err);
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_text(stmt, 2, json, -1, SQLITE_STATIC);
	return store_run_statement(store, stmt, err);
}

static int insert_run(struct store *store, const struct run *run, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, INSERT_RUN, &stmt, err);
	int rc;

	if (r < 0)
		return r;
	row_bind(stmt, 1, columns_run, run);
	rc = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	if (rc == SQLITE_CONSTRAINT_UNIQUE)
		return err_set(err, -EEXIST, "a run '%s' is stored in '%s' already", run->id,
			       store->path);
	if (rc != SQLITE_DONE)
		return store_err(store, rc, "write to", err);
	store_enter_run(store, sqlite3_last_insert_rowid(store->db));
	r = store_lock_run(store, store->run_row, err);
	if (r < 0)
		return r;
	return insert_environment(store, run->environment_json, err);
}

int store_run_begin(struct store *store, const struct run *run, struct err *err)
{
	struct run head = *run;
	int r;

	assert(!store->read_only);
	head.status = RUN_RUNNING;
	r = store_flush(store, err);
	if (r == 0)
		r = store_begin(store, err);
	if (r == 0)
		r = insert_run(store, &head, err);
	if (r == 0)
		r = store_commit(store, err);
	if (r < 0) {
		store_rollback(store);
		store->run_row = 0;
	}
	return r;
}

static bool all_met(const struct numbering *series)
{
	return series->next >= series->stored;
}

/* A replay that was done must have met all that was stored. */
static int check_replayed(struct store *store, const struct run *run, struct err *err)
{
	if (!store->replay || run->status != RUN_DONE)
		return 0;
	if (all_met(&store->telemetry) && all_met(&store->truth) && all_met(&store->verdict) &&
	    all_met(&store->phases))
		return 0;
	return err_set(err, -EBADMSG,
		       "the run does not come out as it is stored in '%s': more was stored than it "
		       "gave now; was the program or the model changed? then start a new run",
		       store->path);
}

int store_run_end(struct store *store, const struct run *run, struct err *err)
{
	static const char sql[] = "UPDATE run SET status = ?2, message = ?3, wall_s = ?4, "
				  "drive_s = ?5, written_bytes = ?6 WHERE row = ?1";
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc, r;

	assert(store->run_row);
	r = store_flush(store, err);
	if (r == 0)
		r = check_replayed(store, run, err);
	if (r < 0)
		return r;
	rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
	if (rc != SQLITE_OK)
		return store_err(store, rc, "write to", err);
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_text(stmt, 2, run_status_names[run->status], -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 3, run->message, -1, SQLITE_STATIC);
	sqlite3_bind_double(stmt, 4, run->wall_s);
	sqlite3_bind_double(stmt, 5, run->drive_s);
	sqlite3_bind_int64(stmt, 6, (int64_t)run->written_bytes);
	r = store_run_statement(store, stmt, err);
	if (r == 0) {
		store_enter_run(store, 0);
		store_unlock_run(store);
	}
	return r;
}

static int64_t or_unknown(sqlite3_stmt *stmt, int i)
{
	return sqlite3_column_type(stmt, i) == SQLITE_NULL ? -1 : sqlite3_column_int64(stmt, i);
}

int store_ledger_get(struct store *store, const char *state_key, struct ledger *ret,
		     struct err *err)
{
	static const char sql[] = "SELECT written_since_purge_bytes, fill_bytes, last_io_unix_s "
				  "FROM ledger WHERE drive = ?";
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
	int r;

	if (rc != SQLITE_OK)
		return store_err(store, rc, "read", err);
	sqlite3_bind_text(stmt, 1, state_key, -1, SQLITE_STATIC);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		*ret = (struct ledger){ or_unknown(stmt, 0), or_unknown(stmt, 1),
					or_unknown(stmt, 2) };
	else if (r == 0)
		*ret = (struct ledger){ -1, -1, -1 };
	return r < 0 ? r : 0;
}

int store_ledger_set(struct store *store, const char *state_key, const struct ledger *ledger,
		     struct err *err)
{
	static const char sql[] = "INSERT OR REPLACE INTO ledger VALUES (?, ?, ?, ?)";
	const int64_t values[] = { ledger->written_since_purge_bytes, ledger->fill_bytes,
				   ledger->last_io_unix_s };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

	assert(!store->read_only);
	if (rc != SQLITE_OK)
		return store_err(store, rc, "write to", err);
	sqlite3_bind_text(stmt, 1, state_key, -1, SQLITE_STATIC);
	for (int i = 0; i < 3; i++)
		if (values[i] >= 0)
			sqlite3_bind_int64(stmt, i + 2, values[i]);
	return store_run_statement(store, stmt, err);
}
