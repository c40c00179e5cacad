/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target without a fuzzing engine: over every file of the folders given, and over a number of
 * seeded mutations of each, so that a plain test run also sees inputs that nobody wrote down. With an engine
 * (clang -fsanitize=fuzzer) this file is left out.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/rng.h"

#define INPUT_MAX 4096
#define MUTATIONS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly `size` bytes, so that a sanitizer sees a read beyond the end. */
static void run_one(const uint8_t *data, size_t size)
{
	_cleanup_free_ uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
}

/* One to four changes of a byte: another value, a bit, one more, one less, or a piece moved. */
static size_t mutate(uint8_t *data, size_t size, struct rng *rng)
{
	static const char likely[] = "0123456789.eE+-%BkMGTinsmuhd \n=:,";

	for (uint64_t n = 1 + rng_below(rng, 4); n > 0; n--) {
		size_t at = rng_below(rng, size + 1);
		uint8_t value = (uint8_t)(rng_below(rng, 2)
						  ? (uint8_t)likely[rng_below(rng, sizeof(likely))]
						  : rng_u64(rng));

		switch (rng_below(rng, 4)) {
		case 0:
			if (at < size)
				data[at] = value;
			break;
		case 1:
			if (at < size)
				data[at] ^= (uint8_t)(1u << rng_below(rng, 8));
			break;
		case 2:
			if (size == INPUT_MAX)
				break;
			memmove(data + at + 1, data + at, size - at);
			data[at] = value;
			size++;
			break;
		default:
			if (at == size)
				break;
			memmove(data + at, data + at + 1, size - at - 1);
			size--;
		}
	}
	return size;
}

static int run_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	uint8_t data[INPUT_MAX], changed[INPUT_MAX];
	struct rng rng;
	size_t size;

	if (!f)
		return -errno;
	size = fread(data, 1, sizeof(data), f);
	run_one(data, size);
	rng_init(&rng, size, size ? data[0] : 0);
	for (int i = 0; i < MUTATIONS; i++) {
		memcpy(changed, data, size);
		run_one(changed, mutate(changed, size, &rng));
	}
	return 0;
}

static int run_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int files = 0;

	if (!dir)
		return -errno;
	while (files >= 0 && (entry = readdir(dir))) {
		char path[4096];
		int r;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		r = run_file(path);
		files = r < 0 ? r : files + 1;
	}
	closedir(dir);
	return files;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++) {
		int r = run_folder(argv[i]);

		if (r < 0) {
			fprintf(stderr, "cannot read '%s': %s\n", argv[i], strerror(-r));
			return 1;
		}
		files += r;
	}
	printf("%d files, %d mutations each\n", files, MUTATIONS);
	/* A corpus that was lost must not look like a pass. */
	return files == 0;
}
