/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes into a store comes out of it, bit for bit; in memory, in a file, and in a file opened again. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "test-store-make.h"

#define PHASES 12
#define WINDOWS 600 /* of the last phase: more than two batches */

/* All that one run holds, to compare with. */
struct whole {
	struct run run;
	struct phase *phase[PHASES];
	struct window *window[PHASES][4]; /* a sample of the windows */
	struct verdict verdict[20];
	struct telemetry telemetry[40];
	struct truth truth[300];
	struct rng rng;
	size_t at;
	uint64_t phase_id;
};

static uint32_t windows_of(int phase)
{
	return phase == PHASES - 1 ? WINDOWS : (uint32_t)phase * 2;
}

/* The windows of phase i, the same at every call. */
static void window_at(struct window *w, int phase, uint32_t index)
{
	struct rng rng;

	rng_init(&rng, 77, (uint64_t)phase * 1000 + index);
	make_window(&rng, w, (uint64_t)phase + 1, index);
}

static void make_whole(struct whole *whole, uint64_t seed)
{
	memset(whole, 0, sizeof(*whole));
	rng_init(&whole->rng, seed, 1);
	make_run(&whole->rng, &whole->run, (unsigned)seed);
	for (int i = 0; i < PHASES; i++) {
		whole->phase[i] = phase_new();
		assert_non_null(whole->phase[i]);
		make_phase_asked(&whole->rng, whole->phase[i], (uint64_t)i + 1);
	}
	for (int i = 0; i < 20; i++)
		make_verdict(&whole->rng, &whole->verdict[i]);
	for (int i = 0; i < 40; i++)
		make_telemetry(&whole->rng, &whole->telemetry[i]);
	for (int i = 0; i < 300; i++)
		make_truth(&whole->rng, &whole->truth[i]);
}

static void release_whole(struct whole *whole)
{
	for (int i = 0; i < PHASES; i++)
		free(whole->phase[i]);
}

static void write_phase(struct sink *sink, struct whole *whole, int i)
{
	struct window *w = calloc(1, sizeof(*w));
	struct err err = { 0 };

	assert_non_null(w);
	assert_ok(sink->ops->phase_begin(sink, whole->phase[i], &err));
	for (uint32_t k = 0; k < windows_of(i); k++) {
		window_at(w, i, k);
		assert_ok(sink->ops->window(sink, w, &err));
	}
	make_phase_result(&whole->rng, whole->phase[i]);
	assert_ok(sink->ops->phase_end(sink, whole->phase[i], &err));
	free(w);
}

static void write_whole(struct store *store, struct whole *whole)
{
	struct sink *sink;
	struct err err = { 0 };

	assert_ok(store_run_begin(store, &whole->run, &err));
	sink = store_sink(store);
	for (int i = 0; i < PHASES; i++)
		write_phase(sink, whole, i);
	for (int i = 0; i < 40; i++)
		assert_ok(sink->ops->telemetry(sink, &whole->telemetry[i], &err));
	for (int i = 0; i < 300; i++)
		assert_ok(sink->ops->truth(sink, &whole->truth[i], &err));
	for (int i = 0; i < 20; i++)
		assert_ok(sink->ops->verdict(sink, &whole->verdict[i], &err));
	whole->run.status = RUN_DONE;
	whole->run.drive_s *= 2;
	whole->run.written_bytes /= 3;
	assert_ok(store_run_end(store, &whole->run, &err));
}

static int same_window(void *user, const struct window *window)
{
	struct whole *whole = user;
	struct window *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	window_at(w, (int)whole->phase_id - 1, (uint32_t)whole->at++);
	assert_memory_equal(window, w, sizeof(*w));
	free(w);
	return 0;
}

static int same_truth(void *user, const struct truth *truth)
{
	struct whole *whole = user;

	assert_memory_equal(truth, &whole->truth[whole->at++], sizeof(*truth));
	return 0;
}

static int same_telemetry(void *user, const struct telemetry *t)
{
	struct whole *whole = user;

	assert_memory_equal(t, &whole->telemetry[whole->at++], sizeof(*t));
	return 0;
}

static int same_phase(void *user, const struct phase *phase)
{
	struct whole *whole = user;

	assert_memory_equal(phase, whole->phase[whole->at++], sizeof(*phase));
	return 0;
}

static void same_head(const struct run *a, const struct run *b)
{
	struct run x = *a, y = *b;

	assert_string_equal(a->environment_json, b->environment_json);
	assert_string_equal(a->arguments_json, b->arguments_json);
	x.environment_json = y.environment_json = NULL;
	x.arguments_json = y.arguments_json = NULL;
	assert_memory_equal(&x, &y, sizeof(x));
}

static void check_whole(struct store *store, struct whole *whole)
{
	struct run_record *record = NULL;
	struct err err = { 0 };

	assert_ok(store_run_load(store, whole->run.id, &record, &err));
	same_head(&record->run, &whole->run);
	assert_int_equal(record->phases.n, PHASES);
	for (int i = 0; i < PHASES; i++)
		assert_memory_equal(record->phases.items[i], whole->phase[i], sizeof(struct phase));
	assert_int_equal(record->verdicts.n, 20);
	assert_memory_equal(record->verdicts.items, whole->verdict, sizeof(whole->verdict));
	run_record_free(record);
	for (int i = 0; i < PHASES; i++) {
		whole->at = 0;
		whole->phase_id = (uint64_t)i + 1;
		assert_ok(store_windows(store, whole->run.id, whole->phase_id, same_window, whole,
					&err));
		assert_int_equal(whole->at, windows_of(i));
	}
	whole->at = 0;
	assert_ok(store_truth(store, whole->run.id, same_truth, whole, &err));
	assert_int_equal(whole->at, 300);
	whole->at = 0;
	assert_ok(store_telemetry(store, whole->run.id, same_telemetry, whole, &err));
	assert_int_equal(whole->at, 40);
	whole->at = 0;
	assert_ok(store_phases(store, whole->run.id, same_phase, whole, &err));
	assert_int_equal(whole->at, PHASES);
}

static void in_memory(void **state)
{
	struct store *store;
	struct whole whole;
	struct err err = { 0 };

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	for (uint64_t seed = 1; seed <= 3; seed++) {
		make_whole(&whole, seed);
		write_whole(store, &whole);
		check_whole(store, &whole);
		release_whole(&whole);
	}
	store_close(store);
}

/* Two runs in one file, closed, opened again for reading only. */
static void in_a_file(void **state)
{
	char folder[] = "/tmp/assay-test-XXXXXX", path[64];
	struct whole whole[2];
	struct store *store;
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/runs.db", folder);
	for (int i = 0; i < 2; i++) {
		make_whole(&whole[i], 10 + (uint64_t)i);
		assert_ok(store_open(&store, path, false, &err));
		write_whole(store, &whole[i]);
		store_close(store);
	}
	assert_ok(store_open(&store, path, true, &err));
	for (int i = 0; i < 2; i++) {
		check_whole(store, &whole[i]);
		release_whole(&whole[i]);
	}
	store_close(store);
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* nothing else was left beside it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_memory),
		cmocka_unit_test(in_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
