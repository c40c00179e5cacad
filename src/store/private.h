/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * private.h - what the files of this folder share.
 *
 * Windows, truth and telemetry wait in memory and are written in one short transaction every wall second or
 * every 256 windows. Nothing holds the write lock in between, so that two runs can share a file.
 */
#ifndef ASSAY_STORE_PRIVATE_H
#define ASSAY_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "data/telemetry.h"
#include "device/truth.h"
#include "store/blob.h"
#include "store/row.h"
#include "store/store.h"
#include "store/window_row.h"

#define STORE_PENDING_MAX 256
#define STORE_COMMIT_NS 1000000000ull
#define STORE_BUSY_MS 15000

enum statement {
	INSERT_RUN,
	UPDATE_RUN,
	SELECT_RUN,
	INSERT_PHASE,
	UPDATE_PHASE,
	SELECT_PHASE_BY_ID,
	SELECT_PHASE_BY_KEY,
	INSERT_WINDOW,
	SELECT_WINDOW,
	SELECT_WINDOW_COUNT,
	INSERT_HISTOGRAM,
	SELECT_HISTOGRAM,
	INSERT_OPLOG,
	SELECT_OPLOG,
	INSERT_TELEMETRY,
	SELECT_TELEMETRY,
	INSERT_TRUTH,
	SELECT_TRUTH,
	INSERT_VERDICT,
	SELECT_VERDICT,
	STATEMENTS,
};

/* Rows of table histogram: idx of a phase's totals, and the column `flow`. */
#define WHOLE_PHASE (-1)
enum flow_kind { FLOW_READ, FLOW_WRITE, FLOW_READ_SERVICE, FLOW_WRITE_SERVICE, FLOWS };

struct pending_window {
	int64_t phase_row;
	struct window_row row;
	size_t blob[2], blob_bytes[2]; /* where in store.blobs, and how long: read, write */
};

struct pending_telemetry {
	int64_t seq;
	struct telemetry telemetry;
};

struct pending_truth {
	int64_t seq;
	struct truth truth;
};

DEFINE_VEC(pending_windows, struct pending_window);
DEFINE_VEC(pending_telemetries, struct pending_telemetry);
DEFINE_VEC(pending_truths, struct pending_truth);

/* A series that is numbered 0, 1, ... over a run. */
struct numbering {
	int64_t next;	/* of the next record */
	int64_t stored; /* records below this are stored already (replay) */
};

struct store {
	struct sink sink; /* first, so that the sink is the store */
	sqlite3 *db;
	char *path; /* as in sentences */
	bool read_only;
	sqlite3_stmt *statement[STATEMENTS];
	/* the run that the sink writes to */
	int64_t run_row; /* 0: none */
	bool resumed, replay;
	int lock; /* held while the run is written; -1: none (lock.c) */
	struct numbering telemetry, truth, verdict;
	struct numbering phases; /* only counted (replay) */
	/* the phase that is open */
	int64_t phase_row; /* 0: none */
	char phase_key[sizeof(((struct phase *)0)->key)];
	bool phase_finished; /* stored as finished before (replay) */
	uint32_t windows, windows_stored;
	int64_t oplog_chunks;
	/* what waits */
	struct pending_windows pending_windows;
	struct pending_telemetries pending_telemetries;
	struct pending_truths pending_truths;
	struct bytes blobs;
	uint64_t flushed_ns;
};

static inline void cleanup_sqlite_stmt(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}
#define _cleanup_stmt_ _cleanup_(cleanup_sqlite_stmt)

/* "cannot ACTION 'PATH': cause; what to do", and the errno that fits. */
int store_sqlite_err(sqlite3 *db, int rc, const char *path, const char *action, struct err *err);
int store_err(struct store *store, int rc, const char *action, struct err *err);

/* A prepared statement, made when first needed, reset and without bindings. */
int store_statement(struct store *store, enum statement which, sqlite3_stmt **ret, struct err *err);
/* Step a statement that gives no rows, and reset it. */
int store_run_statement(struct store *store, sqlite3_stmt *stmt, struct err *err);
/* Step to the next row: 1, 0 at the end, or an error. Does not reset. */
int store_next_row(struct store *store, sqlite3_stmt *stmt, struct err *err);

int store_begin(struct store *store, struct err *err);	/* takes the write lock */
int store_commit(struct store *store, struct err *err); /* rolls back where it fails */
void store_rollback(struct store *store);

/* Write what waits, within a transaction of the caller; store_flush() makes its own. */
int store_write_pending(struct store *store, struct err *err);
void store_forget_pending(struct store *store);
int store_flush(struct store *store, struct err *err);

/* The row of a run by id, beginning of an id, or "last". */
int store_find_run(struct store *store, const char *run_id, int64_t *ret_row, struct err *err);
/* Fill a phase from the current row of a SELECT_PHASE statement, with its histograms. */
int store_read_phase(struct store *store, sqlite3_stmt *stmt, struct phase *ret, struct err *err);
struct flow *store_phase_flow(const struct phase *phase, enum flow_kind kind);

/* Keep other processes from writing to a run: -EBUSY where one does. */
int store_lock_run(struct store *store, int64_t row, struct err *err);
void store_unlock_run(struct store *store);

/* Make a run (0: none) the one that the sink writes to, with nothing counted yet. */
void store_enter_run(struct store *store, int64_t row);

/* Append the windows of a phase. */
int store_series(struct store *store, int64_t phase_row, struct series *ret, struct err *err);

/* Replay: 1 where it is stored and the same, 0 where it is not stored, -EBADMSG where it differs. */
int store_replay_begin(struct store *store, const struct phase *phase, struct err *err);
int store_replay_oplog(struct store *store, const void *data, size_t n, struct err *err);
/* Replay of what must be stored: 0 or -EBADMSG. */
int store_replay_window(struct store *store, const struct pending_window *w, struct err *err);
int store_replay_end(struct store *store, const struct phase *phase, const struct bytes *blobs,
		     struct err *err);
int store_replay_numbered(struct store *store, enum statement which, int64_t seq,
			  const struct column *columns, const void *base, struct err *err);
/* -EBADMSG: "'column' of WHAT NUMBER of phase ... differs". */
int store_differs(struct store *store, struct err *err, const char *what, int64_t number,
		  const char *column);

extern const struct sink_ops store_sink_ops;

#endif
