/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.c - a run that is computed again: what comes must be what is stored, byte for byte.
 */
#include <errno.h>
#include <string.h>

#include "store/private.h"

int store_differs(struct store *store, struct err *err, const char *what, int64_t number,
		  const char *column)
{
	return err_set(
		err, -EBADMSG,
		"the run does not come out as it is stored in '%s': '%s' of %s %lld of phase "
		"'%s' differs; was the program or the model changed? then start a new run",
		store->path, column, what, (long long)number, store->phase_key);
}

/* Look for a stored phase of this id: what was asked must be the same. */
int store_replay_begin(struct store *store, const struct phase *phase, struct err *err)
{
	const struct column *differing;
	sqlite3_stmt *stmt;
	int r = store_statement(store, SELECT_PHASE_BY_ID, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_int64(stmt, 2, (int64_t)phase->id);
	r = store_next_row(store, stmt, err);
	if (r == 1) {
		store->phase_row = sqlite3_column_int64(stmt, 0);
		store->phase_finished = sqlite3_column_int(stmt, 1) != 0;
		store->phases.next++;
		differing = row_differs(stmt, 2, columns_phase_asked, phase);
		if (differing)
			r = store_differs(store, err, "phase", (int64_t)phase->id, differing->name);
	}
	sqlite3_reset(stmt);
	if (r <= 0)
		return r;
	r = store_statement(store, SELECT_WINDOW_COUNT, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->phase_row);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		store->windows_stored = (uint32_t)sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return r;
}

/* Compare the stored histograms of a window or a phase with blobs, one a flow. */
static int compare_histograms(struct store *store, int64_t idx, const struct bytes *blobs,
			      int flows, struct err *err)
{
	bool seen[FLOWS] = { false }, same = true;
	sqlite3_stmt *stmt;
	int r = store_statement(store, SELECT_HISTOGRAM, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->phase_row);
	sqlite3_bind_int64(stmt, 2, idx);
	while ((r = store_next_row(store, stmt, err)) == 1) {
		int flow = sqlite3_column_int(stmt, 0);
		size_t n = (size_t)sqlite3_column_bytes(stmt, 1);

		same = same && flow >= 0 && flow < flows && n == blobs[flow].n &&
		       memcmp(sqlite3_column_blob(stmt, 1), blobs[flow].items, n) == 0;
		if (same)
			seen[flow] = true;
	}
	sqlite3_reset(stmt);
	if (r < 0)
		return r;
	for (int i = 0; i < flows; i++)
		same = same && seen[i] == (blobs[i].n > 0);
	if (!same)
		return store_differs(store, err, idx < 0 ? "the totals" : "window",
				     idx < 0 ? 0 : idx, "histogram");
	return 0;
}

int store_replay_window(struct store *store, const struct pending_window *w, struct err *err)
{
	const struct bytes blobs[2] = {
		{ store->blobs.items + w->blob[0], w->blob_bytes[0], 0 },
		{ store->blobs.items + w->blob[1], w->blob_bytes[1], 0 },
	};
	const struct column *differing = NULL;
	sqlite3_stmt *stmt;
	int r = store_statement(store, SELECT_WINDOW, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->phase_row);
	sqlite3_bind_int64(stmt, 2, w->row.index);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		differing = row_differs(stmt, 1, columns_window, &w->row);
	sqlite3_reset(stmt);
	if (r == 0 || differing)
		return store_differs(store, err, "window", w->row.index,
				     r ? differing->name : "idx");
	return r < 0 ? r : compare_histograms(store, w->row.index, blobs, 2, err);
}

int store_replay_oplog(struct store *store, const void *data, size_t n, struct err *err)
{
	bool same = true;
	sqlite3_stmt *stmt;
	int r = store_statement(store, SELECT_OPLOG, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->phase_row);
	sqlite3_bind_int64(stmt, 2, store->oplog_chunks);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		same = (size_t)sqlite3_column_bytes(stmt, 1) == n &&
		       memcmp(sqlite3_column_blob(stmt, 1), data, n) == 0;
	sqlite3_reset(stmt);
	if (!same)
		return store_differs(store, err, "operation log", store->oplog_chunks, "data");
	return r;
}

int store_replay_numbered(struct store *store, enum statement which, int64_t seq,
			  const struct column *columns, const void *base, struct err *err)
{
	const struct column *differing = NULL;
	sqlite3_stmt *stmt;
	int r = store_statement(store, which, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_int64(stmt, 2, seq);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		differing = row_differs(stmt, 1, columns, base);
	sqlite3_reset(stmt);
	if (r == 0 || differing)
		return store_differs(store, err,
				     which == SELECT_TRUTH	 ? "truth record"
				     : which == SELECT_TELEMETRY ? "telemetry record"
								 : "verdict",
				     seq, r ? differing->name : "seq");
	return r < 0 ? r : 0;
}

int store_replay_end(struct store *store, const struct phase *phase, const struct bytes *blobs,
		     struct err *err)
{
	const struct column *differing = NULL;
	sqlite3_stmt *stmt;
	int r;

	if (store->windows != store->windows_stored)
		return store_differs(store, err, "the windows", store->windows, "count");
	r = store_statement(store, SELECT_PHASE_BY_ID, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_int64(stmt, 2, (int64_t)phase->id);
	r = store_next_row(store, stmt, err);
	if (r == 1)
		differing = row_differs(stmt, 2, columns_phase_asked, phase);
	if (r == 1 && !differing)
		differing = row_differs(stmt, 2 + columns_count(columns_phase_asked),
					columns_phase_result, phase);
	sqlite3_reset(stmt);
	if (r == 0 || differing)
		return store_differs(store, err, "phase", (int64_t)phase->id,
				     r ? differing->name : "id");
	return r < 0 ? r : compare_histograms(store, WHOLE_PHASE, blobs, FLOWS, err);
}
