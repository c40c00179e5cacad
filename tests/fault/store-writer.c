/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store-writer.h"

#include <sqlite3.h>

#include "test-store-make.h"

/* Latencies as of a real window: some hundred operations around one value. */
static void window_at(struct window *w, uint64_t phase, uint32_t index)
{
	struct rng rng;

	rng_init(&rng, 41, phase * 100000 + index);
	flow_clear(&w->read);
	flow_clear(&w->write);
	w->phase_id = phase;
	w->index = index;
	w->start_ns = index * 100000000ull;
	w->length_ns = 100000000;
	w->written_bytes = (phase * WRITER_WINDOWS + index) << 20;
	w->in_flight_ns = make_u64(&rng) >> 20;
	for (int i = 0; i < 300; i++)
		flow_record(&w->write, 20000 + rng_below(&rng, 1u << (8 + index % 12)), 4096);
}

static struct phase *phase_at(uint64_t id)
{
	struct phase *p = phase_new();
	struct rng rng;

	assert_non_null(p);
	rng_init(&rng, 42, id);
	make_phase_asked(&rng, p, id);
	return p;
}

static int write_phase(struct sink *sink, uint64_t id, volatile uint64_t *handed, struct err *err)
{
	struct window *w = calloc(1, sizeof(*w));
	struct phase *p = phase_at(id);
	struct truth truth = { 0 };
	struct rng rng;
	int r;

	assert_non_null(w);
	rng_init(&rng, 43, id);
	r = sink->ops->phase_begin(sink, p, err);
	for (uint32_t i = 0; r == 0 && i < WRITER_WINDOWS; i++) {
		window_at(w, id, i);
		r = sink->ops->window(sink, w, err);
		if (r < 0)
			break;
		if (handed)
			++*handed;
		make_truth(&rng, &truth);
		r = sink->ops->truth(sink, &truth, err);
	}
	make_phase_result(&rng, p);
	if (r == 0)
		r = sink->ops->phase_end(sink, p, err);
	free(w);
	free(p);
	return r;
}

int writer_write(struct store *store, volatile uint64_t *handed, struct err *err)
{
	struct sink *sink = store_sink(store);
	struct verdict v;
	struct rng rng;
	int r = 0;

	for (uint64_t id = 1; r == 0 && id <= WRITER_PHASES; id++)
		r = write_phase(sink, id, handed, err);
	rng_init(&rng, 44, 0);
	make_verdict(&rng, &v);
	return r == 0 ? sink->ops->verdict(sink, &v, err) : r;
}

static void head(struct run *run)
{
	struct rng rng;

	rng_init(&rng, 45, 0);
	make_run(&rng, run, 1);
}

int writer_begin(struct store *store, struct err *err)
{
	struct run run;

	head(&run);
	return store_run_begin(store, &run, err);
}

int writer_end(struct store *store, struct err *err)
{
	struct run run;

	head(&run);
	run.status = RUN_DONE;
	return store_run_end(store, &run, err);
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t value = -1;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* With other means than the store's: what SQLite itself says of the file. */
static int64_t check_file(const char *path)
{
	sqlite3_stmt *stmt = NULL;
	int64_t phases;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "ok");
	sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	assert_int_equal(number(db, "SELECT count(*) FROM phase WHERE NOT finished") > 1, 0);
	phases = number(db, "SELECT count(*) FROM phase");
	sqlite3_close(db);
	return phases;
}

struct check {
	uint64_t phase, windows;
	uint32_t next;
	struct window *expected;
};

static int check_window(void *user, const struct window *w)
{
	struct check *check = user;

	window_at(check->expected, check->phase, check->next++);
	assert_memory_equal(w, check->expected, sizeof(*w));
	check->windows++;
	return 0;
}

uint64_t writer_check(const char *path)
{
	struct check check = { .expected = calloc(1, sizeof(struct window)) };
	int64_t phases = check_file(path);
	struct err err = { 0 };
	struct store *store;

	assert_non_null(check.expected);
	assert_ok(store_open(&store, path, true, &err));
	for (check.phase = 1; check.phase <= (uint64_t)phases; check.phase++) {
		check.next = 0;
		assert_ok(store_windows(store, "last", check.phase, check_window, &check, &err));
		/* Only the last phase may be cut short. */
		if (check.phase < (uint64_t)phases)
			assert_int_equal(check.next, WRITER_WINDOWS);
	}
	store_close(store);
	free(check.expected);
	return check.windows;
}

char *writer_dump(const char *path)
{
	static const char *const queries[] = {
		"SELECT id, status, written_bytes FROM run",
		"SELECT * FROM phase ORDER BY run, id",
		"SELECT * FROM window ORDER BY phase, idx",
		"SELECT phase, idx, flow, hex(buckets) FROM histogram ORDER BY phase, idx, flow",
		"SELECT * FROM truth ORDER BY run, seq",
		"SELECT * FROM verdict ORDER BY run, seq",
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	sqlite3 *db;

	assert_non_null(out);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		sqlite3_stmt *stmt = NULL;

		assert_int_equal(sqlite3_prepare_v2(db, queries[i], -1, &stmt, NULL), SQLITE_OK);
		while (sqlite3_step(stmt) == SQLITE_ROW)
			for (int c = 0; c < sqlite3_column_count(stmt); c++) {
				const unsigned char *value = sqlite3_column_text(stmt, c);

				fprintf(out, "%s\n", value ? (const char *)value : "NULL");
			}
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
	fclose(out);
	return text;
}
