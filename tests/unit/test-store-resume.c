/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run that was broken off goes on: replayed and compared byte for byte (simulated drives), or with its
 * finished phases handed out again (real ones).
 */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "store/private.h"
#include "store/store.h"
#include "test-store-make.h"

#define PHASES 5
#define WINDOWS 7

/* How far a run goes, and what is different in it. */
struct script {
	int phases;	    /* that are begun */
	int windows;	    /* of the last phase begun; WINDOWS: and it ends */
	int odd_phase;	    /* whose second window differs; 0: none */
	uint64_t load_seed; /* added to that of the first phase */
	int truths;
	bool verdict;
};

static const struct script whole = { PHASES, WINDOWS, 0, 0, 30, true };

static struct phase *asked(int i, const struct script *script)
{
	struct phase *p = phase_new();
	struct rng rng;

	assert_non_null(p);
	rng_init(&rng, 31, (uint64_t)i);
	make_phase_asked(&rng, p, (uint64_t)i);
	if (i == 1)
		p->load.seed += script->load_seed;
	return p;
}

static int write_phase(struct sink *sink, int i, const struct script *script, struct err *err)
{
	struct window *w = calloc(1, sizeof(*w));
	struct phase *p = asked(i, script);
	int windows = i == script->phases ? script->windows : WINDOWS;
	struct rng rng;
	int r;

	assert_non_null(w);
	r = sink->ops->phase_begin(sink, p, err);
	for (int k = 0; r == 0 && k < windows; k++) {
		rng_init(&rng, 32,
			 (uint64_t)i * 100 + (uint64_t)k +
				 (script->odd_phase == i && k == 1 ? 50 : 0));
		make_window(&rng, w, p->id, (uint32_t)k);
		r = sink->ops->window(sink, w, err);
	}
	rng_init(&rng, 33, (uint64_t)i);
	make_phase_result(&rng, p);
	if (r == 0 && windows == WINDOWS)
		r = sink->ops->phase_end(sink, p, err);
	free(w);
	free(p);
	return r;
}

static int write_rest(struct sink *sink, const struct script *script, struct err *err)
{
	struct telemetry t;
	struct verdict v;
	struct truth truth;
	struct rng rng;
	int r = 0;

	rng_init(&rng, 34, 0);
	for (int i = 0; r == 0 && i < script->truths; i++) {
		make_truth(&rng, &truth);
		make_telemetry(&rng, &t);
		r = sink->ops->truth(sink, &truth, err);
		if (r == 0)
			r = sink->ops->telemetry(sink, &t, err);
	}
	make_verdict(&rng, &v);
	if (r == 0 && script->verdict)
		r = sink->ops->verdict(sink, &v, err);
	return r;
}

static int write_run(struct store *store, const struct script *script, struct err *err)
{
	struct sink *sink = store_sink(store);
	int r = 0;

	for (int i = 1; r == 0 && i <= script->phases; i++)
		r = write_phase(sink, i, script, err);
	return r == 0 ? write_rest(sink, script, err) : r;
}

static void head(struct run *run)
{
	struct rng rng;

	rng_init(&rng, 30, 0);
	make_run(&rng, run, 1);
}

/* A store with the run as far as the script goes; not ended, as after a kill. */
static struct store *broken_off(const struct script *script)
{
	struct err err = { 0 };
	struct store *store;
	struct run run;

	head(&run);
	assert_ok(store_open(&store, NULL, false, &err));
	assert_ok(store_run_begin(store, &run, &err));
	assert_ok(write_run(store, script, &err));
	assert_ok(store_flush(store, &err));
	return store;
}

static int end(struct store *store, enum run_status status, struct err *err)
{
	struct run run;

	head(&run);
	run.status = status;
	return store_run_end(store, &run, err);
}

/* Every table of one store as text. */
static char *dump(struct store *store)
{
	static const char *const tables[] = { "run",	   "environment", "phase",     "window",
					      "histogram", "oplog",	  "telemetry", "truth",
					      "verdict",   NULL };
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int i = 0; tables[i]; i++) {
		sqlite3_stmt *stmt = NULL;
		char sql[64];

		snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY 1, 2", tables[i]);
		assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL), SQLITE_OK);
		while (sqlite3_step(stmt) == SQLITE_ROW)
			for (int c = 0; c < sqlite3_column_count(stmt); c++) {
				const unsigned char *bytes = sqlite3_column_blob(stmt, c);
				int n = sqlite3_column_bytes(stmt, c);

				fprintf(out, "%s %d %d:", tables[i], sqlite3_column_type(stmt, c),
					n);
				for (int k = 0; k < n; k++)
					fprintf(out, "%02x", bytes[k]);
				fputc('\n', out);
			}
		sqlite3_finalize(stmt);
	}
	fclose(out);
	return text;
}

/* Broken off anywhere, the replay ends in the same bytes as a run that was never broken off. */
static void replay_completes(void **state)
{
	struct err err = { 0 };
	struct store *store = broken_off(&whole);
	char *expected, *got;

	(void)state;
	assert_ok(end(store, RUN_DONE, &err));
	expected = dump(store);
	store_close(store);
	for (int i = 0; i < 40; i++) {
		struct script script = { .phases = 1 + i % PHASES, .windows = i % (WINDOWS + 1) };

		script.truths = i % 3 ? i : 0;
		if (script.truths > whole.truths)
			script.truths = whole.truths;
		store = broken_off(&script);
		assert_ok(store_run_resume(store, "last", true, &err));
		assert_ok(write_run(store, &whole, &err));
		assert_ok(end(store, RUN_DONE, &err));
		got = dump(store);
		assert_string_equal(got, expected);
		free(got);
		store_close(store);
	}
	free(expected);
}

/* A replay that comes out otherwise stops with -EBADMSG and says what differs and where. */
static void replay_notices(void **state)
{
	static const struct {
		struct script script;
		const char *says;
	} cases[] = {
		{ { PHASES, WINDOWS, 3, 0, 30, true }, "window 1" },
		{ { PHASES, WINDOWS, 0, 1, 30, true }, "load_seed" },
		{ { PHASES - 1, WINDOWS, 0, 0, 30, true }, "more was stored" },
		{ { PHASES, WINDOWS, 0, 0, 29, true }, "verdict" },
		{ { PHASES, WINDOWS, 0, 0, 30, false }, "more was stored" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct store *store = broken_off(&whole);
		struct err err = { 0 };
		int r;

		assert_ok(end(store, RUN_DONE, &err));
		assert_ok(store_run_resume(store, "last", true, &err));
		r = write_run(store, &cases[i].script, &err);
		if (r == 0)
			r = end(store, RUN_DONE, &err);
		assert_int_equal(r, -EBADMSG);
		assert_non_null(strstr(err.text, cases[i].says));
		assert_non_null(strstr(err.text, "start a new run"));
		store_close(store);
	}
}

/* One stored byte that changed is noticed, wherever it is. */
static void replay_notices_a_byte(void **state)
{
	static const char *const changes[] = {
		"UPDATE window SET write_ops = write_ops + 1 WHERE phase = 2 AND idx = 3",
		"UPDATE window SET start_ns = start_ns + 1 WHERE phase = 1 AND idx = 0",
		"UPDATE phase SET notes = notes + 1 WHERE row = 4",
		"UPDATE phase SET key = key || 'x' WHERE row = 4",
		"UPDATE phase SET blocks = '512*1' WHERE row = 5",
		"UPDATE phase SET fill_pct = ifnull(fill_pct, 0) + 1e-9 WHERE row = 2",
		("UPDATE histogram SET buckets = buckets || x'0101' WHERE "
		 "(phase, idx, flow) = (SELECT phase, idx, flow FROM histogram WHERE idx = -1 "
		 "LIMIT "
		 "1)"),
		("DELETE FROM histogram WHERE "
		 "(phase, idx, flow) = (SELECT phase, idx, flow FROM histogram WHERE idx > 0 LIMIT "
		 "1)"),
		"UPDATE truth SET activity = activity || 'x' WHERE seq = 9",
		"UPDATE telemetry SET at_ns = at_ns + 1 WHERE seq = 29",
		"UPDATE verdict SET text = text || '.'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct store *store = broken_off(&whole);
		const char *change = changes[i];
		struct err err = { 0 };

		assert_ok(end(store, RUN_DONE, &err));
		assert_int_equal(sqlite3_exec(store->db, change, NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_changes(store->db), 1);
		assert_ok(store_run_resume(store, "last", true, &err));
		assert_int_equal(write_run(store, &whole, &err), -EBADMSG);
		store_close(store);
	}
}

static void same_series(struct sink *sink, int i)
{
	struct phase *stored = phase_new(), *p = asked(i, &whole);
	struct window *w = calloc(1, sizeof(*w));
	struct series series = { 0 };
	struct err err = { 0 };
	struct rng rng;

	assert_true(stored && w);
	assert_int_equal(sink->ops->phase_stored(sink, p->key, stored, &series, &err), 1);
	rng_init(&rng, 33, (uint64_t)i);
	make_phase_result(&rng, p);
	assert_memory_equal(stored, p, sizeof(*p));
	assert_int_equal(series.n, WINDOWS);
	for (int k = 0; k < WINDOWS; k++) {
		rng_init(&rng, 32, (uint64_t)i * 100 + (uint64_t)k);
		make_window(&rng, w, p->id, (uint32_t)k);
		assert_int_equal(series.items[k].start_ns, w->start_ns);
		assert_int_equal(series.items[k].length_ns, w->length_ns);
		assert_int_equal(series.items[k].read_ops, w->read.ops);
		assert_int_equal(series.items[k].write_ops, w->write.ops);
		assert_int_equal(series.items[k].read_bytes, w->read.bytes);
		assert_int_equal(series.items[k].write_bytes, w->write.bytes);
	}
	series_release(&series);
	free(w);
	free(p);
	free(stored);
}

/* Stores what Ctrl-C leaves: the last phase cut short but ended, a late sample, a verdict on half of it. */
static struct store *interrupted(void)
{
	const struct script script = {
		.phases = 3, .windows = WINDOWS, .truths = 4, .verdict = true
	};
	struct window *w = calloc(1, sizeof(*w));
	struct err err = { 0 };
	struct store *store;
	struct sink *sink;
	struct phase *p;
	struct run run;
	struct rng rng;

	assert_non_null(w);
	head(&run);
	assert_ok(store_open(&store, NULL, false, &err));
	assert_ok(store_run_begin(store, &run, &err));
	sink = store_sink(store);
	assert_ok(write_phase(sink, 1, &script, &err));
	assert_ok(write_phase(sink, 2, &script, &err));
	p = asked(3, &whole);
	assert_ok(sink->ops->phase_begin(sink, p, &err));
	rng_init(&rng, 32, 300);
	make_window(&rng, w, 3, 0);
	w->length_ns /= 3;
	assert_ok(sink->ops->window(sink, w, &err));
	p->notes = NOTE_INTERRUPTED;
	p->end_ns = 12345;
	assert_ok(sink->ops->phase_end(sink, p, &err));
	assert_ok(write_rest(sink, &script, &err));
	assert_ok(sink->ops->telemetry(sink, &(struct telemetry){ .at_ns = UINT64_MAX / 2 }, &err));
	assert_ok(end(store, RUN_INTERRUPTED, &err));
	free(p);
	free(w);
	return store;
}

/* A phase that Ctrl-C ended is run again, and the end is that of a run that was left alone. */
static void after_ctrl_c(void **state)
{
	struct err err = { 0 };
	struct store *store = broken_off(&whole);
	struct phase *p = asked(3, &whole);
	struct series series = { 0 };
	char *expected, *got;

	(void)state;
	assert_ok(end(store, RUN_DONE, &err));
	expected = dump(store);
	store_close(store);
	store = interrupted();
	assert_ok(store_run_resume(store, "last", true, &err));
	assert_ok(write_run(store, &whole, &err));
	assert_ok(end(store, RUN_DONE, &err));
	got = dump(store);
	assert_string_equal(got, expected);
	store_close(store);
	free(got);
	free(expected);
	store = interrupted();
	assert_ok(store_run_resume(store, "last", false, &err));
	assert_int_equal(
		store_sink(store)->ops->phase_stored(store_sink(store), p->key, p, &series, &err),
		0);
	free(p);
	p = asked(2, &whole);
	assert_int_equal(
		store_sink(store)->ops->phase_stored(store_sink(store), p->key, p, &series, &err),
		1);
	series_release(&series);
	free(p);
	store_close(store);
}

/* A run that is still being made is nobody else's; once its process has ended it is. */
static void still_running(void **state)
{
	char folder[] = "/tmp/assay-test-XXXXXX", path[64];
	struct store *store, *other;
	struct err err = { 0 };
	struct run run;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/runs.db", folder);
	head(&run);
	assert_ok(store_open(&store, path, false, &err));
	assert_ok(store_run_begin(store, &run, &err));
	assert_ok(store_open(&other, path, false, &err));
	for (int replay = 0; replay < 2; replay++) {
		assert_int_equal(store_run_resume(other, "last", replay, &err), -EBUSY);
		assert_non_null(strstr(err.text, "another process"));
	}
	store_close(store);
	assert_ok(store_run_resume(other, "last", true, &err));
	assert_ok(write_run(other, &whole, &err));
	assert_ok(end(other, RUN_DONE, &err));
	store_close(other);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

/* A drive that kept its state: finished phases are handed out, the unfinished one is run again. */
static void goes_on(void **state)
{
	struct script script = { .phases = 4, .windows = 3, .truths = 5, .verdict = true };
	struct store *store = broken_off(&script);
	struct run_record *record = NULL;
	struct phase *p = asked(4, &whole);
	struct series series = { 0 };
	struct err err = { 0 };
	struct sink *sink;

	(void)state;
	assert_ok(store_run_resume(store, "last", false, &err));
	sink = store_sink(store);
	for (int i = 1; i <= 3; i++)
		same_series(sink, i);
	assert_int_equal(sink->ops->phase_stored(sink, p->key, p, &series, &err), 0);
	assert_int_equal(sink->ops->phase_stored(sink, "no such key", p, &series, &err), 0);
	assert_int_equal(series.n, 0);
	for (int i = 4; i <= PHASES; i++)
		assert_ok(write_phase(sink, i, &whole, &err));
	assert_ok(write_rest(sink, &script, &err));
	assert_ok(end(store, RUN_DONE, &err));
	assert_ok(store_run_load(store, "last", &record, &err));
	assert_int_equal(record->phases.n, PHASES);
	assert_int_equal(record->verdicts.n, 1);
	assert_int_equal(record->run.status, RUN_DONE);
	run_record_free(record);
	free(p);
	store_close(store);
}

/* A new run has nothing to hand out, even where another one of the same file has such a key. */
static void new_run_starts_empty(void **state)
{
	struct store *store = broken_off(&whole);
	struct phase *p = asked(1, &whole);
	struct series series = { 0 };
	struct err err = { 0 };
	struct sink *sink;
	struct run run;

	(void)state;
	assert_ok(end(store, RUN_DONE, &err));
	head(&run);
	run.id[0] = 'x';
	assert_ok(store_run_begin(store, &run, &err));
	sink = store_sink(store);
	assert_int_equal(sink->ops->phase_stored(sink, p->key, p, &series, &err), 0);
	assert_int_equal(end(store, RUN_FAILED, &err), 0);
	assert_int_equal(store_run_begin(store, &run, &err), -EEXIST);
	free(p);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_completes),	 cmocka_unit_test(replay_notices),
		cmocka_unit_test(replay_notices_a_byte), cmocka_unit_test(goes_on),
		cmocka_unit_test(new_run_starts_empty),	 cmocka_unit_test(after_ctrl_c),
		cmocka_unit_test(still_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
