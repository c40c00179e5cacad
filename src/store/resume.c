/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resume.c - going on with a run that was killed, interrupted or failed.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "store/private.h"

/* Run a statement with one parameter, the row of the run; `ret` (may be NULL) gets its first number. */
static int with_run(struct store *store, const char *sql, int64_t *ret, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(stmt, 1, store->run_row);
		rc = sqlite3_step(stmt);
	}
	if (rc == SQLITE_ROW && ret)
		*ret = sqlite3_column_int64(stmt, 0);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return store_err(store, rc, "write to", err);
	return 0;
}

/*
 * A phase that Ctrl-C ended is whole in itself, but it is not the phase that was asked for: it is run again.
 * It is the last one and carries its note (bit 7, NOTE_INTERRUPTED).
 */
#define BROKEN_OFF "run = ?1 AND notes & 128 AND id = (SELECT max(id) FROM phase WHERE run = ?1)"

_Static_assert(NOTE_INTERRUPTED == 128, "the SQL above knows the bit");

/* Forget phases and all that belongs to them. */
static int forget_phases(struct store *store, const char *which, struct err *err)
{
	static const char *const tables[] = { "histogram", "window", "oplog" };
	struct sql sql = { .used = 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(tables) / sizeof(tables[0]); i++) {
		sql.used = 0;
		sql_add(&sql, "DELETE FROM %s WHERE phase IN (SELECT row FROM phase WHERE %s)",
			tables[i], which);
		r = with_run(store, sql.text, NULL, err);
	}
	sql.used = 0;
	sql_add(&sql, "DELETE FROM phase WHERE %s", which);
	return r == 0 ? with_run(store, sql.text, NULL, err) : r;
}

/* The drive kept its state, so what was begun cannot be begun again as it was: forget it. */
static int prepare_to_go_on(struct store *store, struct err *err)
{
	int r = forget_phases(store, BROKEN_OFF, err);

	if (r == 0)
		r = forget_phases(store, "run = ?1 AND NOT finished", err);
	if (r == 0)
		r = with_run(store, "DELETE FROM verdict WHERE run = ?1", NULL, err);
	return r;
}

#define AFTER_THE_LAST_PHASE(table)                                                                \
	"DELETE FROM " table " WHERE run = ?1 AND seq >= (SELECT min(seq) FROM " table             \
	" WHERE run = ?1 AND at_ns >= (SELECT ifnull(max(end_ns), 0) FROM phase"                   \
	" WHERE run = ?1 AND finished))"

/*
 * What a run that came to its end has stored must all come again. One that did not may have stored what only
 * its breaking off brought about: a phase cut short, a last sample at an odd moment, verdicts on half the
 * data. That is forgotten; it comes again anyway.
 */
static int prepare_to_replay(struct store *store, struct err *err)
{
	int64_t done = 0;
	int r = with_run(store, "SELECT status = 'done' FROM run WHERE row = ?1", &done, err);

	if (r < 0 || done)
		return r;
	r = forget_phases(store, BROKEN_OFF, err);
	if (r == 0)
		r = with_run(store, AFTER_THE_LAST_PHASE("truth"), NULL, err);
	if (r == 0)
		r = with_run(store, AFTER_THE_LAST_PHASE("telemetry"), NULL, err);
	if (r == 0)
		r = with_run(store, "DELETE FROM verdict WHERE run = ?1", NULL, err);
	return r;
}

/* Series are numbered without gaps, so how many are stored is where the next one goes. */
static int resume_numbering(struct store *store, struct err *err)
{
	static const char *const sql[] = {
		"SELECT count(*) FROM telemetry WHERE run = ?1",
		"SELECT count(*) FROM truth WHERE run = ?1",
		"SELECT count(*) FROM verdict WHERE run = ?1",
		"SELECT count(*) FROM phase WHERE run = ?1",
	};
	struct numbering *const series[] = { &store->telemetry, &store->truth, &store->verdict,
					     &store->phases };
	int r = 0;

	for (size_t i = 0; r == 0 && i < 4; i++) {
		r = with_run(store, sql[i], &series[i]->stored, err);
		series[i]->next = store->replay ? 0 : series[i]->stored;
	}
	return r;
}

int store_run_resume(struct store *store, const char *run_id, bool replay, struct err *err)
{
	int64_t row = 0;
	int r;

	assert(!store->read_only);
	r = store_flush(store, err);
	if (r == 0)
		r = store_find_run(store, run_id, &row, err);
	if (r == 0)
		r = store_lock_run(store, row, err);
	if (r == 0)
		r = store_begin(store, err);
	if (r < 0)
		return r;
	store_enter_run(store, row);
	store->resumed = true;
	store->replay = replay;
	r = replay ? prepare_to_replay(store, err) : prepare_to_go_on(store, err);
	if (r == 0)
		r = resume_numbering(store, err);
	if (r == 0)
		r = with_run(store,
			     "UPDATE run SET status = 'running', message = '' WHERE row = ?1", NULL,
			     err);
	if (r == 0)
		r = store_commit(store, err);
	if (r < 0) {
		store_rollback(store);
		store->run_row = 0;
	}
	return r;
}
