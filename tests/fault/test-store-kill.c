/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A writer that is killed at any moment loses at most the last batch: the file opens, what is in it is what
 * was written, and a replay completes it to the bytes of a run that was never killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store-writer.h"
#include "test-store-make.h"

#define KILLS 20
#define BATCH 256

struct shared {
	volatile uint64_t begun, handed;
};

static void sleep_us(long us)
{
	const struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The process that is killed. */
static void writer_process(const char *path, struct shared *shared)
{
	struct err err = { 0 };
	struct store *store;

	if (store_open(&store, path, false, &err) < 0 || writer_begin(store, &err) < 0)
		_exit(1);
	shared->begun = 1;
	if (writer_write(store, &shared->handed, &err) < 0 || writer_end(store, &err) < 0)
		_exit(1);
	store_close(store);
	_exit(0);
}

static void remove_files(const char *path)
{
	char name[96];

	unlink(path);
	snprintf(name, sizeof(name), "%s-wal", path);
	unlink(name);
	snprintf(name, sizeof(name), "%s-shm", path);
	unlink(name);
	snprintf(name, sizeof(name), "%s-journal", path); /* killed while the file was made */
	unlink(name);
}

/* Write from the start and kill after `seconds`; true where that came before the end. */
static bool write_and_kill(const char *path, struct shared *shared, double seconds)
{
	double until = now_s() + seconds;
	int status;
	pid_t pid;

	shared->begun = shared->handed = 0;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		writer_process(path, shared);
	while (now_s() < until && waitpid(pid, &status, WNOHANG) == 0)
		sleep_us(100);
	if (kill(pid, SIGKILL) < 0)
		return false;
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status);
}

static void resume(const char *path)
{
	struct err err = { 0 };
	struct store *store;

	assert_ok(store_open(&store, path, false, &err));
	assert_ok(store_run_resume(store, "last", true, &err));
	assert_ok(writer_write(store, NULL, &err));
	assert_ok(writer_end(store, &err));
	store_close(store);
}

static void must_open(const char *path)
{
	struct err err = { 0 };
	struct store *store;

	assert_ok(store_open(&store, path, false, &err));
	store_close(store);
}

static void killed(void **state)
{
	char folder[] = "/tmp/assay-test-XXXXXX", path[64], whole[64];
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned killed_midway = 0;
	double began, took;
	struct rng rng;
	char *expected;

	(void)state;
	assert_true(shared != MAP_FAILED);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/killed.db", folder);
	snprintf(whole, sizeof(whole), "%s/whole.db", folder);
	began = now_s();
	assert_false(write_and_kill(whole, shared, 60));
	took = now_s() - began;
	assert_int_equal(writer_check(whole), WRITER_PHASES * WRITER_WINDOWS);
	expected = writer_dump(whole);
	assert_true(strlen(expected) > 100000);
	rng_init(&rng, (uint64_t)getpid(), 0);
	print_message("seed %d, a whole run takes %.3f s\n", (int)getpid(), took);
	for (int i = 0; i < KILLS; i++) {
		uint64_t there;
		char *got;

		remove_files(path);
		if (!write_and_kill(path, shared, took * rng_double(&rng)))
			continue;
		if (!shared->begun) { /* no run yet, but it opens */
			must_open(path);
			continue;
		}
		there = writer_check(path);
		print_message("killed after %llu windows, %llu are there\n",
			      (unsigned long long)shared->handed, (unsigned long long)there);
		assert_true(there + BATCH >= shared->handed);
		assert_true(there <= shared->handed + 1);
		killed_midway += there < WRITER_PHASES * WRITER_WINDOWS && there > 0;
		resume(path);
		got = writer_dump(path);
		assert_string_equal(got, expected);
		free(got);
	}
	assert_true(killed_midway >= KILLS / 4);
	free(expected);
	remove_files(path);
	remove_files(whole);
	assert_int_equal(rmdir(folder), 0);
	munmap(shared, sizeof(*shared));
}

/* A slow run, one window now and then: what is older than a second or so is there. */
static void killed_while_slow(void **state)
{
	char folder[] = "/tmp/assay-test-XXXXXX", path[64];
	struct window *w = calloc(1, sizeof(*w));
	struct phase *p = phase_new();
	int64_t windows = 0;
	sqlite3 *db;
	pid_t pid;

	(void)state;
	assert_true(w && p);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/slow.db", folder);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct err err = { 0 };
		struct store *store;
		struct sink *sink;

		if (store_open(&store, path, false, &err) < 0 || writer_begin(store, &err) < 0)
			_exit(1);
		sink = store_sink(store);
		p->id = 1;
		if (sink->ops->phase_begin(sink, p, &err) < 0)
			_exit(1);
		for (w->index = 0; w->index < 100; w->index++) {
			w->length_ns = 1;
			if (sink->ops->window(sink, w, &err) < 0)
				_exit(1);
			sleep_us(50000);
		}
		_exit(0);
	}
	sleep_us(2600000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	{
		sqlite3_stmt *stmt;

		assert_int_equal(
			sqlite3_prepare_v2(db, "SELECT count(*) FROM window", -1, &stmt, NULL),
			SQLITE_OK);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		windows = sqlite3_column_int64(stmt, 0);
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
	print_message("%lld windows of 50 ms are there after 2.6 s\n", (long long)windows);
	assert_true(windows >= 15 && windows <= 53);
	free(w);
	free(p);
	remove_files(path);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed),
		cmocka_unit_test(killed_while_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
