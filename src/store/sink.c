/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink.c - records in: what is new is written, what is stored already (replay) is compared (replay.c).
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "store/private.h"

static struct store *of(struct sink *sink)
{
	return (struct store *)(void *)sink;
}

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int flush_if_due(struct store *store, struct err *err)
{
	if (store->pending_windows.n < STORE_PENDING_MAX &&
	    store->pending_truths.n < STORE_PENDING_MAX &&
	    store->pending_telemetries.n < STORE_PENDING_MAX &&
	    monotonic_ns() - store->flushed_ns < STORE_COMMIT_NS)
		return 0;
	return store_flush(store, err);
}

static int write_histogram(struct store *store, int64_t phase_row, int64_t idx, int flow,
			   const struct bytes *blob, struct err *err)
{
	sqlite3_stmt *stmt;
	int r;

	if (blob->n == 0)
		return 0;
	r = store_statement(store, INSERT_HISTOGRAM, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, phase_row);
	sqlite3_bind_int64(stmt, 2, idx);
	sqlite3_bind_int(stmt, 3, flow);
	sqlite3_bind_blob64(stmt, 4, blob->items, blob->n, SQLITE_STATIC);
	return store_run_statement(store, stmt, err);
}

static int write_window(struct store *store, const struct pending_window *w, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, INSERT_WINDOW, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, w->phase_row);
	sqlite3_bind_int64(stmt, 2, w->row.index);
	row_bind(stmt, 3, columns_window, &w->row);
	r = store_run_statement(store, stmt, err);
	for (int i = FLOW_READ; r == 0 && i <= FLOW_WRITE; i++) {
		const struct bytes blob = { store->blobs.items + w->blob[i], w->blob_bytes[i], 0 };

		r = write_histogram(store, w->phase_row, w->row.index, i, &blob, err);
	}
	return r;
}

/* A row that is numbered within the run: telemetry, truth, verdict. */
static int write_numbered(struct store *store, enum statement which, int64_t seq,
			  const struct column *columns, const void *base, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, which, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_int64(stmt, 2, seq);
	row_bind(stmt, 3, columns, base);
	return store_run_statement(store, stmt, err);
}

int store_write_pending(struct store *store, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < store->pending_windows.n; i++)
		r = write_window(store, &store->pending_windows.items[i], err);
	for (size_t i = 0; r == 0 && i < store->pending_telemetries.n; i++)
		r = write_numbered(store, INSERT_TELEMETRY, store->pending_telemetries.items[i].seq,
				   columns_telemetry,
				   &store->pending_telemetries.items[i].telemetry, err);
	for (size_t i = 0; r == 0 && i < store->pending_truths.n; i++)
		r = write_numbered(store, INSERT_TRUTH, store->pending_truths.items[i].seq,
				   columns_truth, &store->pending_truths.items[i].truth, err);
	return r;
}

void store_forget_pending(struct store *store)
{
	store->pending_windows.n = 0;
	store->pending_telemetries.n = 0;
	store->pending_truths.n = 0;
	store->blobs.n = 0;
	store->flushed_ns = monotonic_ns();
}

/* What waits stays where it is when it cannot be written, so that a later try may still succeed. */
int store_flush(struct store *store, struct err *err)
{
	int r;

	if (!store->pending_windows.n && !store->pending_telemetries.n &&
	    !store->pending_truths.n) {
		store->flushed_ns = monotonic_ns();
		return 0;
	}
	r = store_begin(store, err);
	if (r == 0)
		r = store_write_pending(store, err);
	if (r == 0)
		r = store_commit(store, err);
	if (r < 0)
		store_rollback(store);
	else
		store_forget_pending(store);
	return r;
}

static int insert_phase(struct store *store, const struct phase *phase, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, INSERT_PHASE, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_int(stmt, 2, 0);
	row_bind(stmt, row_bind(stmt, 3, columns_phase_asked, phase), columns_phase_result, phase);
	r = store_begin(store, err);
	if (r == 0)
		r = store_write_pending(store, err);
	if (r == 0)
		r = store_run_statement(store, stmt, err);
	store->phase_row = sqlite3_last_insert_rowid(store->db);
	if (r == 0)
		r = store_commit(store, err);
	if (r == 0) {
		store_forget_pending(store);
		return 0;
	}
	store_rollback(store);
	store->phase_row = 0;
	return r;
}

static int sink_phase_begin(struct sink *sink, const struct phase *phase, struct err *err)
{
	struct store *store = of(sink);
	int r = 0;

	assert(store->run_row && !store->phase_row);
	memcpy(store->phase_key, phase->key, sizeof(store->phase_key));
	store->phase_finished = false;
	store->windows = store->windows_stored = 0;
	store->oplog_chunks = 0;
	if (store->replay)
		r = store_replay_begin(store, phase, err);
	if (r < 0)
		store->phase_row = 0;
	return r != 0 ? (r < 0 ? r : 0) : insert_phase(store, phase, err);
}

static int sink_window(struct sink *sink, const struct window *window, struct err *err)
{
	struct store *store = of(sink);
	struct pending_window w = { .phase_row = store->phase_row };
	const struct flow *flows[2] = { &window->read, &window->write };
	size_t blobs_before = store->blobs.n;
	int r = 0;

	assert(store->phase_row && window->index == store->windows);
	window_row_from(&w.row, window);
	for (int i = 0; i < 2; i++) {
		w.blob[i] = store->blobs.n;
		if (blob_encode(&store->blobs, flows[i]) < 0)
			return err_sys(err, -ENOMEM, "cannot keep a window");
		w.blob_bytes[i] = store->blobs.n - w.blob[i];
	}
	if (store->windows < store->windows_stored) {
		r = store_replay_window(store, &w, err);
		store->blobs.n = blobs_before;
	} else if (store->phase_finished) {
		r = store_differs(store, err, "window", window->index, "idx");
	} else if (pending_windows_push(&store->pending_windows, w) < 0) {
		r = err_sys(err, -ENOMEM, "cannot keep a window");
	}
	if (r < 0)
		return r;
	store->windows++;
	return flush_if_due(store, err);
}

/* Stored as they lie in memory: 24 bytes, little-endian (docs/database.md). */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "operation log records are little-endian");
_Static_assert(sizeof(struct oplog_record) == 24, "operation log records are 24 bytes");

static int sink_oplog(struct sink *sink, uint64_t phase_id, const struct oplog_record *records,
		      uint32_t n, struct err *err)
{
	struct store *store = of(sink);
	sqlite3_stmt *stmt;
	int r = 0;

	(void)phase_id;
	assert(store->phase_row);
	if (store->replay)
		r = store_replay_oplog(store, records, n * sizeof(*records), err);
	if (r == 0)
		r = store_statement(store, INSERT_OPLOG, &stmt, err);
	else if (r == 1)
		store->oplog_chunks++;
	if (r != 0)
		return r < 0 ? r : 0;
	sqlite3_bind_int64(stmt, 1, store->phase_row);
	sqlite3_bind_int64(stmt, 2, store->oplog_chunks);
	sqlite3_bind_int64(stmt, 3, n);
	sqlite3_bind_blob64(stmt, 4, records, n * sizeof(*records), SQLITE_STATIC);
	r = store_run_statement(store, stmt, err);
	if (r == 0)
		store->oplog_chunks++;
	return r;
}

static int sink_telemetry(struct sink *sink, const struct telemetry *t, struct err *err)
{
	struct store *store = of(sink);
	struct pending_telemetry pending = { store->telemetry.next, *t };
	int r = 0;

	assert(store->run_row);
	if (pending.seq < store->telemetry.stored)
		r = store_replay_numbered(store, SELECT_TELEMETRY, pending.seq, columns_telemetry,
					  t, err);
	else if (pending_telemetries_push(&store->pending_telemetries, pending) < 0)
		r = err_sys(err, -ENOMEM, "cannot keep telemetry");
	if (r < 0)
		return r;
	store->telemetry.next++;
	return flush_if_due(store, err);
}

static int sink_truth(struct sink *sink, const struct truth *truth, struct err *err)
{
	struct store *store = of(sink);
	struct pending_truth pending = { store->truth.next, *truth };
	int r = 0;

	assert(store->run_row);
	if (pending.seq < store->truth.stored)
		r = store_replay_numbered(store, SELECT_TRUTH, pending.seq, columns_truth, truth,
					  err);
	else if (pending_truths_push(&store->pending_truths, pending) < 0)
		r = err_sys(err, -ENOMEM, "cannot keep truth");
	if (r < 0)
		return r;
	store->truth.next++;
	return flush_if_due(store, err);
}

static int encode_flows(const struct phase *phase, struct bytes blobs[FLOWS])
{
	for (int i = 0; i < FLOWS; i++)
		if (blob_encode(&blobs[i], store_phase_flow(phase, (enum flow_kind)i)) < 0)
			return -ENOMEM;
	return 0;
}

static int finish_phase(struct store *store, const struct phase *phase, const struct bytes *blobs,
			struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, UPDATE_PHASE, &stmt, err), next;

	if (r < 0)
		return r;
	next = row_bind(stmt, 1, columns_phase_asked, phase);
	next = row_bind(stmt, next, columns_phase_result, phase);
	sqlite3_bind_int64(stmt, next, store->phase_row);
	r = store_begin(store, err);
	if (r == 0)
		r = store_write_pending(store, err);
	if (r == 0)
		r = store_run_statement(store, stmt, err);
	for (int i = 0; r == 0 && i < FLOWS; i++)
		r = write_histogram(store, store->phase_row, WHOLE_PHASE, i, &blobs[i], err);
	if (r == 0)
		r = store_commit(store, err);
	if (r < 0)
		store_rollback(store);
	else
		store_forget_pending(store);
	return r;
}

static int sink_phase_end(struct sink *sink, const struct phase *phase, struct err *err)
{
	struct bytes blobs[FLOWS] = { { 0 } };
	struct store *store = of(sink);
	int r = encode_flows(phase, blobs);

	assert(store->phase_row);
	if (r < 0)
		err_sys(err, r, "cannot keep a phase");
	else if (store->phase_finished)
		r = store_replay_end(store, phase, blobs, err);
	else
		r = finish_phase(store, phase, blobs, err);
	for (int i = 0; i < FLOWS; i++)
		bytes_release(&blobs[i]);
	if (r == 0)
		store->phase_row = 0;
	return r;
}

static int sink_verdict(struct sink *sink, const struct verdict *verdict, struct err *err)
{
	struct store *store = of(sink);
	int64_t seq = store->verdict.next;
	int r;

	assert(store->run_row);
	if (seq < store->verdict.stored)
		r = store_replay_numbered(store, SELECT_VERDICT, seq, columns_verdict, verdict,
					  err);
	else
		r = write_numbered(store, INSERT_VERDICT, seq, columns_verdict, verdict, err);
	if (r == 0)
		store->verdict.next++;
	return r;
}

static int sink_phase_stored(struct sink *sink, const char *key, struct phase *ret,
			     struct series *ret_series, struct err *err)
{
	struct store *store = of(sink);
	int64_t phase_row = 0;
	sqlite3_stmt *stmt;
	int r;

	assert(store->run_row);
	if (!store->resumed || store->replay)
		return 0;
	r = store_statement(store, SELECT_PHASE_BY_KEY, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, store->run_row);
	sqlite3_bind_text(stmt, 2, key, -1, SQLITE_STATIC);
	r = store_next_row(store, stmt, err);
	if (r == 1) {
		phase_row = sqlite3_column_int64(stmt, 0);
		r = store_read_phase(store, stmt, ret, err);
		if (r == 0)
			r = 1;
	}
	sqlite3_reset(stmt);
	if (r == 1) {
		int failed = store_series(store, phase_row, ret_series, err);

		r = failed < 0 ? failed : 1;
	}
	return r;
}

const struct sink_ops store_sink_ops = {
	.phase_begin = sink_phase_begin,
	.window = sink_window,
	.oplog = sink_oplog,
	.telemetry = sink_telemetry,
	.truth = sink_truth,
	.phase_end = sink_phase_end,
	.verdict = sink_verdict,
	.phase_stored = sink_phase_stored,
};
