/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cannot be opened or written ends in one sentence with the path, the right errno, and nothing changed. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/private.h"
#include "store/schema.h"
#include "store/store.h"
#include "test-store-make.h"

struct place {
	char folder[32], path[64];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	snprintf(place->folder, sizeof(place->folder), "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	snprintf(place->path, sizeof(place->path), "%s/r?%%#.db", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	char path[80];

	snprintf(path, sizeof(path), "%s-wal", place->path);
	unlink(path);
	snprintf(path, sizeof(path), "%s-shm", place->path);
	unlink(path);
	unlink(place->path);
	chmod(place->folder, 0700);
	assert_int_equal(rmdir(place->folder), 0);
	free(place);
	return 0;
}

static void must_say(const struct err *err, int r, int code, const char *path, const char *says)
{
	if (r != code || !strstr(err->text, path) || !strstr(err->text, says))
		fail_msg("%d (want %d): '%s' (want '%s' and '%s')", r, code, err->text, path, says);
	assert_int_equal(err->code, code);
	assert_null(strchr(err->text, '\n'));
}

static void one_run(struct store *store, unsigned number)
{
	struct err err = { 0 };
	struct rng rng;
	struct run run;

	rng_init(&rng, 3, number);
	make_run(&rng, &run, number);
	assert_ok(store_run_begin(store, &run, &err));
	for (int i = 1; i <= 40; i++) {
		struct phase *p = phase_new();

		assert_non_null(p);
		make_phase_asked(&rng, p, (uint64_t)i);
		assert_ok(store_sink(store)->ops->phase_begin(store_sink(store), p, &err));
		make_phase_result(&rng, p);
		assert_ok(store_sink(store)->ops->phase_end(store_sink(store), p, &err));
		free(p);
	}
	assert_ok(store_run_end(store, &run, &err));
}

static void make_database(const char *path)
{
	struct err err = { 0 };
	struct store *store;

	assert_ok(store_open(&store, path, false, &err));
	one_run(store, 1);
	store_close(store);
}

static void write_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static char *read_file(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "r");
	char *bytes = malloc(1 << 20);

	assert_true(f && bytes);
	*ret_n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static void sql(const char *path, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* Opening for reading or writing fails so, and leaves the file as it was. */
static void refused(const char *path, int code, const char *says)
{
	struct store *store = NULL;
	struct err err = { 0 };
	size_t n, n_after;
	char *before = read_file(path, &n), *after;

	for (int read_only = 0; read_only < 2; read_only++) {
		must_say(&err, store_open(&store, path, read_only, &err), code, path, says);
		assert_null(store);
	}
	after = read_file(path, &n_after);
	assert_int_equal(n, n_after);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
}

static void not_a_database(void **state)
{
	const struct place *place = *state;
	static const char text[] =
		"This is a letter to my grandmother, and it is not a database at all, "
		"though it is long enough to hold the header of one.";

	write_file(place->path, text, sizeof(text));
	refused(place->path, -EINVAL, "not a database");
}

static void of_another_program(void **state)
{
	const struct place *place = *state;

	sql(place->path, "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')");
	refused(place->path, -EINVAL, "another program");
	sql(place->path, "DROP TABLE bookmarks; PRAGMA application_id = 7");
	refused(place->path, -EINVAL, "another program");
}

static void newer(void **state)
{
	const struct place *place = *state;

	make_database(place->path);
	sql(place->path, "PRAGMA user_version = 9999");
	refused(place->path, -ENOTSUP, "newer Assay (schema 9999");
}

/* Garbage over the pages after the first: it opens or not, but no read crashes or invents a run. */
static void damaged(void **state)
{
	const struct place *place = *state;
	unsigned found = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct run_record *record = NULL;
		struct store *store = NULL;
		struct err err = { 0 };
		struct rng rng;
		size_t n;
		char *bytes;
		int r;

		unlink(place->path);
		make_database(place->path);
		bytes = read_file(place->path, &n);
		rng_init(&rng, seed, 9);
		for (int i = 0; i < 60; i++)
			bytes[100 + rng_below(&rng, n - 100)] = (char)rng_u64(&rng);
		write_file(place->path, bytes, n);
		free(bytes);
		r = store_open(&store, place->path, seed % 2, &err);
		if (r == 0)
			r = store_run_load(store, "last", &record, &err);
		if (r < 0) {
			assert_non_null(strstr(err.text, place->path));
			found += r == -EUCLEAN;
		}
		run_record_free(record);
		store_close(store);
	}
	assert_true(found > 10);
}

static void cut_short(void **state)
{
	const struct place *place = *state;
	struct run_record *record = NULL;
	struct store *store = NULL;
	struct err err = { 0 };
	struct stat st;
	int r;

	make_database(place->path);
	assert_int_equal(stat(place->path, &st), 0);
	assert_int_equal(truncate(place->path, st.st_size / 2), 0);
	r = store_open(&store, place->path, true, &err);
	if (r == 0)
		r = store_run_load(store, "last", &record, &err);
	must_say(&err, r, -EUCLEAN, place->path, "damaged");
	store_close(store);
}

static void nowhere(void **state)
{
	const struct place *place = *state;
	struct store *store = NULL;
	struct err err = { 0 };
	char path[128];

	must_say(&err, store_open(&store, place->path, true, &err), -ENOENT, place->path,
		 "No such file");
	assert_int_equal(access(place->path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/none/a.db", place->folder);
	must_say(&err, store_open(&store, path, false, &err), -ENOENT, path, "No such file");
	must_say(&err, store_open(&store, place->folder, false, &err), -EISDIR, place->folder,
		 "Is a directory");
	write_file(place->path, "", 0);
	must_say(&err, store_open(&store, place->path, true, &err), -ENOENT, place->path, "empty");
}

static void no_such_run(void **state)
{
	struct run_record *record = NULL;
	struct err err = { 0 };
	struct store *store;

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	must_say(&err, store_run_load(store, "last", &record, &err), -ENOENT, "last", "no run");
	one_run(store, 1);
	one_run(store, 2);
	must_say(&err, store_run_load(store, "2026", &record, &err), -ENOTUNIQ, "2026", "more");
	must_say(&err, store_run_load(store, "", &record, &err), -ENOENT, "", "no run");
	must_say(&err, store_run_load(store, "%", &record, &err), -ENOENT, "%", "no run");
	must_say(&err, store_run_load(store, "20261130-224501x", &record, &err), -ENOENT,
		 "20261130-224501x", "no run");
	assert_ok(store_run_load(store, "20261130-224501", &record, &err));
	assert_int_equal(strncmp(record->run.id, "20261130-224501", 15), 0);
	run_record_free(record);
	store_close(store);
}

/* Another process writes: after the patience of the busy timeout one sentence, and it works afterwards. */
static void busy(void **state)
{
	const struct place *place = *state;
	struct store *store;
	struct err err = { 0 };
	struct rng rng;
	struct run run;
	sqlite3 *other;

	make_database(place->path);
	assert_ok(store_open(&store, place->path, false, &err));
	sqlite3_busy_timeout(store->db, 20);
	assert_int_equal(sqlite3_open(place->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	rng_init(&rng, 3, 5);
	make_run(&rng, &run, 5);
	must_say(&err, store_run_begin(store, &run, &err), -EBUSY, place->path, "another process");
	assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_ok(store_run_begin(store, &run, &err));
	sqlite3_close(other);
	store_close(store);
}

/* Two runs write to one file at the same time, and both are whole. */
static void two_writers(void **state)
{
	const struct place *place = *state;
	struct store *store[2];
	struct phase *p[2];
	struct window *w = calloc(1, sizeof(*w));
	struct err err = { 0 };
	struct rng rng;
	struct run run;

	assert_non_null(w);
	rng_init(&rng, 8, 1);
	for (int i = 0; i < 2; i++) {
		assert_ok(store_open(&store[i], place->path, false, &err));
		make_run(&rng, &run, (unsigned)i);
		assert_ok(store_run_begin(store[i], &run, &err));
		p[i] = phase_new();
		assert_non_null(p[i]);
		make_phase_asked(&rng, p[i], 1);
		assert_ok(store_sink(store[i])->ops->phase_begin(store_sink(store[i]), p[i], &err));
	}
	for (uint32_t k = 0; k < 1500; k++)
		for (int i = 0; i < 2; i++) {
			make_window(&rng, w, 1, k);
			assert_ok(store_sink(store[i])->ops->window(store_sink(store[i]), w, &err));
		}
	for (int i = 0; i < 2; i++) {
		struct series series = { 0 };

		assert_ok(store_sink(store[i])->ops->phase_end(store_sink(store[i]), p[i], &err));
		assert_ok(store_series(store[i], i + 1, &series, &err));
		assert_int_equal(series.n, 1500);
		series_release(&series);
		free(p[i]);
		store_close(store[i]);
	}
	free(w);
}

/* A later version adds a step: an older file is brought forward, rows kept; only where it can be written. */
static void migrates(void **state)
{
	const struct place *place = *state;
	const char *steps[] = { schema_steps[0], "ALTER TABLE run ADD COLUMN mood TEXT", NULL };
	const char *broken[] = { schema_steps[0], "ALTER TABLE run ADD COLUMN mood TEXT",
				 "CREATE TABLE nonsense (", NULL };
	struct err err = { 0 };
	sqlite3 *db;

	make_database(place->path);
	assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
	must_say(&err, schema_bring(db, place->path, steps, 1, &err), -EROFS, place->path,
		 "older Assay (schema 1 of 2)");
	assert_true(schema_bring(db, place->path, broken, 0, &err) < 0);
	assert_int_equal(sqlite3_exec(db, "SELECT mood FROM run", NULL, NULL, NULL), SQLITE_ERROR);
	assert_ok(schema_bring(db, place->path, steps, 0, &err));
	assert_ok(schema_bring(db, place->path, steps, 1, &err));
	assert_int_equal(sqlite3_exec(db, "SELECT mood FROM run", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	refused(place->path, -ENOTSUP, "newer");
}

int main(void)
{
#define IN_A_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		IN_A_PLACE(not_a_database), IN_A_PLACE(of_another_program),
		IN_A_PLACE(newer),	    IN_A_PLACE(damaged),
		IN_A_PLACE(cut_short),	    IN_A_PLACE(nowhere),
		IN_A_PLACE(busy),	    IN_A_PLACE(two_writers),
		IN_A_PLACE(migrates),	    cmocka_unit_test(no_such_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
