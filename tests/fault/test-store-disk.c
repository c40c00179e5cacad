/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file system under the store fills up, or cannot be written. Needs root for its own small mounts; else it
 * is skipped (77).
 */
#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store-writer.h"
#include "test-store-make.h"

#define SKIP 77

struct place {
	char folder[32], path[64];
};

static int mount_small(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	snprintf(place->folder, sizeof(place->folder), "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	snprintf(place->path, sizeof(place->path), "%s/runs.db", place->folder);
	assert_int_equal(mount("assay-test", place->folder, "tmpfs", 0, "size=1500k"), 0);
	*state = place;
	return 0;
}

static int unmount(void **state)
{
	struct place *place = *state;

	assert_int_equal(umount(place->folder), 0);
	assert_int_equal(rmdir(place->folder), 0);
	free(place);
	return 0;
}

/* One sentence; the windows committed so far are there; with more room the run goes on to its end. */
static void full(void **state)
{
	const struct place *place = *state;
	uint64_t handed = 0, there;
	struct err err = { 0 };
	struct store *store;
	int r;

	assert_ok(store_open(&store, place->path, false, &err));
	assert_ok(writer_begin(store, &err));
	r = writer_write(store, &handed, &err);
	assert_int_equal(r, -ENOSPC);
	print_message("%s\n", err.text);
	assert_non_null(strstr(err.text, place->path));
	assert_non_null(strstr(err.text, "full"));
	assert_non_null(strstr(err.text, "assay resume"));
	store_close(store);
	there = writer_check(place->path);
	print_message("%llu windows handed over, %llu there\n", (unsigned long long)handed,
		      (unsigned long long)there);
	assert_true(there > 500 && there + 256 >= handed && there < handed);
	assert_int_equal(mount(NULL, place->folder, NULL, MS_REMOUNT, "size=64m"), 0);
	assert_ok(store_open(&store, place->path, false, &err));
	assert_ok(store_run_resume(store, "last", true, &err));
	assert_ok(writer_write(store, NULL, &err));
	assert_ok(writer_end(store, &err));
	store_close(store);
	assert_int_equal(writer_check(place->path), WRITER_PHASES * WRITER_WINDOWS);
}

static void full_from_the_start(void **state)
{
	const struct place *place = *state;
	struct err err = { 0 };
	struct store *store;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/filler", place->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	while (fputs("................................................................", f) >= 0 &&
	       fflush(f) == 0)
		;
	fclose(f);
	assert_int_equal(store_open(&store, place->path, false, &err), -ENOSPC);
	assert_non_null(strstr(err.text, place->path));
}

/* A finished file can be read where nothing can be written; making or writing one is refused. */
static void read_only(void **state)
{
	const struct place *place = *state;
	struct run_record *record = NULL;
	struct store *store = NULL;
	struct err err = { 0 };
	char other[64];

	assert_int_equal(mount(NULL, place->folder, NULL, MS_REMOUNT, "size=64m"), 0);
	assert_ok(store_open(&store, place->path, false, &err));
	assert_ok(writer_begin(store, &err));
	assert_ok(writer_write(store, NULL, &err));
	assert_ok(writer_end(store, &err));
	store_close(store);
	assert_int_equal(mount(NULL, place->folder, NULL, MS_REMOUNT | MS_RDONLY, "size=64m"), 0);
	assert_ok(store_open(&store, place->path, true, &err));
	assert_ok(store_run_load(store, "last", &record, &err));
	assert_int_equal(record->phases.n, WRITER_PHASES);
	run_record_free(record);
	store_close(store);
	assert_int_equal(store_open(&store, place->path, false, &err), -EROFS);
	assert_non_null(strstr(err.text, place->path));
	assert_non_null(strstr(err.text, "--db"));
	snprintf(other, sizeof(other), "%s/new.db", place->folder);
	assert_int_equal(store_open(&store, other, false, &err), -EROFS);
	assert_non_null(strstr(err.text, other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full, mount_small, unmount),
		cmocka_unit_test_setup_teardown(full_from_the_start, mount_small, unmount),
		cmocka_unit_test_setup_teardown(read_only, mount_small, unmount),
	};
	char folder[] = "/tmp/assay-test-XXXXXX";
	int can;

	if (geteuid() != 0 || !mkdtemp(folder)) {
		print_message("needs root\n");
		return SKIP;
	}
	can = mount("assay-test", folder, "tmpfs", 0, "size=64k");
	if (can == 0)
		umount(folder);
	rmdir(folder);
	if (can < 0) {
		print_message("cannot mount a tmpfs here\n");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
