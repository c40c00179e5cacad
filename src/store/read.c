/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * read.c - records out again.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/private.h"

static int prepare(struct store *store, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	int rc;

	if (!store->read_only) {
		int r = store_flush(store, err);

		if (r < 0)
			return r;
	}
	rc = sqlite3_prepare_v2(store->db, sql, -1, ret, NULL);
	return rc == SQLITE_OK ? 0 : store_err(store, rc, "read", err);
}

/* What a damaged row says is put behind the file's name. */
static int damaged(struct store *store, int r, struct err *err)
{
	if (r < 0)
		err_prefix(err, "cannot read '%s'", store->path);
	return r;
}

int store_find_run(struct store *store, const char *run_id, int64_t *ret_row, struct err *err)
{
	static const char by_id[] = "SELECT row, id FROM run WHERE substr(id, 1, length(?1)) = ?1 "
				    "ORDER BY id <> ?1, row LIMIT 2";
	static const char last[] =
		"SELECT row, id FROM run WHERE ?1 = 'last' ORDER BY row DESC LIMIT 1";
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	bool exact;
	int r;

	r = prepare(store, strcmp(run_id, "last") == 0 ? last : by_id, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_text(stmt, 1, run_id, -1, SQLITE_STATIC);
	r = store_next_row(store, stmt, err);
	if (r < 0)
		return r;
	if (r == 0 || !run_id[0])
		return err_set(err, -ENOENT, "there is no run '%s' in '%s'; see 'assay runs'",
			       run_id, store->path);
	*ret_row = sqlite3_column_int64(stmt, 0);
	exact = strcmp((const char *)sqlite3_column_text(stmt, 1), run_id) == 0;
	r = store_next_row(store, stmt, err);
	if (r == 1 && !exact)
		return err_set(err, -ENOTUNIQ,
			       "more than one run begins with '%s'; give more of its id, see "
			       "'assay runs'",
			       run_id);
	return r < 0 ? r : 0;
}

struct flow *store_phase_flow(const struct phase *phase, enum flow_kind kind)
{
	const struct flow *const flows[FLOWS] = { &phase->read, &phase->write, &phase->read_service,
						  &phase->write_service };

	return (struct flow *)(uintptr_t)flows[kind]; /* as const as the phase is */
}

/* The histograms of a phase (idx WHOLE_PHASE) or window into empty flows. */
static int read_histograms(struct store *store, int64_t phase_row, int64_t idx,
			   struct flow *const *flows, int n, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = store_statement(store, SELECT_HISTOGRAM, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, phase_row);
	sqlite3_bind_int64(stmt, 2, idx);
	while ((r = store_next_row(store, stmt, err)) == 1) {
		int flow = sqlite3_column_int(stmt, 0);

		if (flow < 0 || flow >= n ||
		    blob_decode(sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1),
				&flows[flow]->lat) < 0) {
			r = err_set(err, -EUCLEAN, "cannot read '%s': a histogram is damaged",
				    store->path);
			break;
		}
	}
	sqlite3_reset(stmt);
	return r;
}

int store_read_phase(struct store *store, sqlite3_stmt *stmt, struct phase *ret, struct err *err)
{
	struct flow *const flows[FLOWS] = { &ret->read, &ret->write, &ret->read_service,
					    &ret->write_service };
	int r = row_read(stmt, 2, columns_phase_asked, ret, err);

	if (r == 0)
		r = row_read(stmt, 2 + columns_count(columns_phase_asked), columns_phase_result,
			     ret, err);
	if (r < 0)
		return damaged(store, r, err);
	return read_histograms(store, sqlite3_column_int64(stmt, 0), WHOLE_PHASE, flows, FLOWS,
			       err);
}

static int prepare_phases(struct store *store, int64_t run_row, sqlite3_stmt **ret, struct err *err)
{
	struct sql sql = { .used = 0 };
	int r;

	sql_add(&sql, "SELECT row, finished, ");
	sql_names(&sql, columns_phase_asked);
	sql_add(&sql, ", ");
	sql_names(&sql, columns_phase_result);
	sql_add(&sql, " FROM phase WHERE run = ? AND finished ORDER BY id");
	r = prepare(store, sql.text, ret, err);
	if (r == 0)
		sqlite3_bind_int64(*ret, 1, run_row);
	return r;
}

int store_phases(struct store *store, const char *run_id,
		 int (*each)(void *user, const struct phase *phase), void *user, struct err *err)
{
	_cleanup_free_ struct phase *phase = phase_new();
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int64_t run_row = 0;
	int r;

	if (!phase)
		return err_sys(err, -ENOMEM, "cannot read a phase");
	r = store_find_run(store, run_id, &run_row, err);
	if (r == 0)
		r = prepare_phases(store, run_row, &stmt, err);
	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		for (int i = 0; i < FLOWS; i++)
			flow_clear(store_phase_flow(phase, (enum flow_kind)i));
		r = store_read_phase(store, stmt, phase, err);
		if (r == 0)
			r = each(user, phase);
		if (r != 0)
			return r;
	}
	return r;
}

static int read_run(struct store *store, int64_t row, struct run *ret, struct err *err)
{
	sqlite3_stmt *stmt;
	const char *json;
	int r = store_statement(store, SELECT_RUN, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, row);
	r = store_next_row(store, stmt, err);
	assert(r != 0);
	if (r == 1)
		r = damaged(store, row_read(stmt, 2, columns_run, ret, err), err);
	if (r == 0) {
		json = (const char *)sqlite3_column_text(stmt, 1);
		ret->environment_json = json ? strdup(json) : NULL;
		if (json && !ret->environment_json)
			r = err_sys(err, -ENOMEM, "cannot read a run");
	}
	sqlite3_reset(stmt);
	return r;
}

static int read_verdicts(struct store *store, int64_t run_row, struct verdicts *ret,
			 struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct sql sql = { .used = 0 };
	struct verdict verdict;
	int r;

	sql_add(&sql, "SELECT ");
	sql_names(&sql, columns_verdict);
	sql_add(&sql, " FROM verdict WHERE run = ? ORDER BY seq");
	r = prepare(store, sql.text, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, run_row);
	while ((r = store_next_row(store, stmt, err)) == 1) {
		memset(&verdict, 0, sizeof(verdict));
		r = damaged(store, row_read(stmt, 0, columns_verdict, &verdict, err), err);
		if (r == 0 && verdicts_push(ret, verdict) < 0)
			r = err_sys(err, -ENOMEM, "cannot read the verdicts");
		if (r < 0)
			break;
	}
	return r;
}

static int load_phases(struct store *store, int64_t run_row, struct phases *ret, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int r = prepare_phases(store, run_row, &stmt, err);

	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		struct phase *phase = phase_new();

		if (!phase || phases_push(ret, phase) < 0) {
			free(phase);
			return err_sys(err, -ENOMEM, "cannot read the phases");
		}
		r = store_read_phase(store, stmt, phase, err);
	}
	return r;
}

static int load(struct store *store, const char *run_id, bool with_phases, struct run_record **ret,
		struct err *err)
{
	struct run_record *record = calloc(1, sizeof(*record));
	int64_t row = 0;
	int r;

	if (!record)
		return err_sys(err, -ENOMEM, "cannot read a run");
	r = store_find_run(store, run_id, &row, err);
	if (r == 0)
		r = read_run(store, row, &record->run, err);
	if (r == 0 && with_phases)
		r = load_phases(store, row, &record->phases, err);
	if (r == 0)
		r = read_verdicts(store, row, &record->verdicts, err);
	if (r < 0)
		run_record_free(record);
	else
		*ret = record;
	return r;
}

int store_run_load(struct store *store, const char *run_id, struct run_record **ret,
		   struct err *err)
{
	return load(store, run_id, true, ret, err);
}

int store_run_head(struct store *store, const char *run_id, struct run_record **ret,
		   struct err *err)
{
	return load(store, run_id, false, ret, err);
}

void run_record_free(struct run_record *record)
{
	if (!record)
		return;
	for (size_t i = 0; i < record->phases.n; i++)
		free(record->phases.items[i]);
	phases_release(&record->phases);
	verdicts_release(&record->verdicts);
	free(record->run.environment_json);
	free(record->run.arguments_json);
	free(record);
}

int store_runs(struct store *store, int (*each)(void *user, const struct run *run), void *user,
	       struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int r = prepare(store, "SELECT row FROM run ORDER BY row", &stmt, err);

	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		struct run run = { .environment_json = NULL };

		r = read_run(store, sqlite3_column_int64(stmt, 0), &run, err);
		if (r == 0)
			r = each(user, &run);
		free(run.environment_json);
		free(run.arguments_json);
		if (r != 0)
			return r;
	}
	return r;
}

static int find_phase(struct store *store, const char *run_id, uint64_t phase_id, int64_t *ret,
		      struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int64_t run_row = 0;
	int r = store_find_run(store, run_id, &run_row, err);

	if (r == 0)
		r = prepare(store, "SELECT row FROM phase WHERE run = ? AND id = ?", &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, run_row);
	sqlite3_bind_int64(stmt, 2, (int64_t)phase_id);
	r = store_next_row(store, stmt, err);
	if (r == 0)
		return err_set(err, -ENOENT, "run '%s' has no phase %llu", run_id,
			       (unsigned long long)phase_id);
	*ret = sqlite3_column_int64(stmt, 0);
	return r < 0 ? r : 0;
}

static int read_window(struct store *store, sqlite3_stmt *stmt, int64_t phase_row,
		       struct window *window, struct err *err)
{
	struct flow *const flows[] = { &window->read, &window->write };
	struct window_row row;
	int r;

	flow_clear(&window->read);
	flow_clear(&window->write);
	row.index = (uint32_t)sqlite3_column_int64(stmt, 0);
	r = row_read(stmt, 1, columns_window, &row, err);
	if (r < 0)
		return damaged(store, r, err);
	window_row_to(&row, window);
	return read_histograms(store, phase_row, row.index, flows, 2, err);
}

int store_windows(struct store *store, const char *run_id, uint64_t phase_id,
		  int (*each)(void *user, const struct window *window), void *user, struct err *err)
{
	_cleanup_free_ struct window *window = calloc(1, sizeof(*window));
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct sql sql = { .used = 0 };
	int64_t phase_row = 0;
	int r;

	if (!window)
		return err_sys(err, -ENOMEM, "cannot read a window");
	r = find_phase(store, run_id, phase_id, &phase_row, err);
	if (r < 0)
		return r;
	sql_add(&sql, "SELECT idx, ");
	sql_names(&sql, columns_window);
	sql_add(&sql, " FROM window WHERE phase = ? ORDER BY idx");
	r = prepare(store, sql.text, &stmt, err);
	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, phase_row);
	window->phase_id = phase_id;
	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		r = read_window(store, stmt, phase_row, window, err);
		if (r == 0)
			r = each(user, window);
		if (r != 0)
			return r;
	}
	return r;
}

int store_series(struct store *store, int64_t phase_row, struct series *ret, struct err *err)
{
	static const char sql[] = "SELECT start_ns, length_ns, read_ops, write_ops, read_bytes, "
				  "write_bytes, max(read_lat_ns_max, write_lat_ns_max) "
				  "FROM window WHERE phase = ? ORDER BY idx";
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int r = prepare(store, sql, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, phase_row);
	while ((r = store_next_row(store, stmt, err)) == 1) {
		struct point point = {
			.start_ns = (uint64_t)sqlite3_column_int64(stmt, 0),
			.length_ns = (uint64_t)sqlite3_column_int64(stmt, 1),
			.read_ops = (uint64_t)sqlite3_column_int64(stmt, 2),
			.write_ops = (uint64_t)sqlite3_column_int64(stmt, 3),
			.read_bytes = (uint64_t)sqlite3_column_int64(stmt, 4),
			.write_bytes = (uint64_t)sqlite3_column_int64(stmt, 5),
			.lat_ns_max = (uint64_t)sqlite3_column_int64(stmt, 6),
		};

		if (series_push(ret, point) < 0)
			return err_sys(err, -ENOMEM, "cannot read the windows of a phase");
	}
	return r;
}

/* Prepare to walk a series that is numbered within a run. */
static int walk(struct store *store, const char *run_id, const char *table,
		const struct column *columns, sqlite3_stmt **ret, struct err *err)
{
	struct sql sql = { .used = 0 };
	int64_t run_row = 0;
	int r = store_find_run(store, run_id, &run_row, err);

	if (r < 0)
		return r;
	sql_add(&sql, "SELECT ");
	sql_names(&sql, columns);
	sql_add(&sql, " FROM %s WHERE run = ? ORDER BY seq", table);
	r = prepare(store, sql.text, ret, err);
	if (r == 0)
		sqlite3_bind_int64(*ret, 1, run_row);
	return r;
}

int store_truth(struct store *store, const char *run_id,
		int (*each)(void *user, const struct truth *truth), void *user, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct truth truth = { 0 };
	int r = walk(store, run_id, "truth", columns_truth, &stmt, err);

	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		r = damaged(store, row_read(stmt, 0, columns_truth, &truth, err), err);
		if (r == 0)
			r = each(user, &truth);
		if (r != 0)
			return r;
	}
	return r;
}

int store_telemetry(struct store *store, const char *run_id,
		    int (*each)(void *user, const struct telemetry *t), void *user, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	struct telemetry t = { 0 };
	int r = walk(store, run_id, "telemetry", columns_telemetry, &stmt, err);

	while (r == 0 && (r = store_next_row(store, stmt, err)) == 1) {
		r = damaged(store, row_read(stmt, 0, columns_telemetry, &t, err), err);
		if (r == 0)
			r = each(user, &t);
		if (r != 0)
			return r;
	}
	return r;
}
