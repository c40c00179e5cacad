/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a simulated drive takes of memory: nothing after it was made (each call is counted, through the linker's
 * --wrap), and pages only where it was written.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rng.h"
#include "ssd/ssd.h"

static unsigned allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t n)
{
	allocations++;
	return __real_realloc(old, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	allocations++;
	return __real_aligned_alloc(align, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	allocations++;
	return __real_mmap(at, n, prot, flags, fd, offset);
}

static void set(struct ssd_config *cfg, const char *name, const char *value)
{
	struct err err = { 0 };

	if (param_set(ssd_params, cfg, name, value, &err) < 0)
		fail_msg("%s", err.text);
}

static struct ssd *make(const struct ssd_config *cfg)
{
	struct err err = { 0 };
	struct ssd *ret = NULL;

	if (ssd_new(&ret, cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

/* Reads, writes, trims, flushes, idle time and purges of a drive with everything on. */
static void exercise(struct ssd *ssd, uint32_t units)
{
	struct ssd_data data = { .ratio = 0.5, .tag = 1 };
	struct ssd_stats stats;
	struct ssd_times t = { 0 };
	struct rng rng;

	rng_init(&rng, 1, 2);
	for (int i = 0; i < 200000; i++) {
		uint32_t unit = (uint32_t)rng_below(&rng, units - 64);
		uint32_t n = 1 + (uint32_t)rng_below(&rng, 64);
		uint64_t what = rng_below(&rng, 1000);

		data.fua = what < 5;
		ssd_prefetch(ssd, unit);
		if (what < 700)
			ssd_write(ssd, t.done_ns, unit, n, &data, &t);
		else if (what < 900)
			ssd_read(ssd, t.done_ns, unit, n, &t);
		else if (what < 950)
			ssd_trim(ssd, t.done_ns, unit, n, &t);
		else if (what < 960)
			ssd_flush(ssd, t.done_ns, &t);
		else if (what < 970)
			ssd_idle(ssd, t.done_ns += 100000000);
		else if (what == 999 && i > 150000)
			ssd_purge(ssd);
		ssd_get_stats(ssd, &stats);
	}
	assert_true(stats.nand_units > 0);
}

static void nothing_after_set_up(void **state)
{
	static const char *const options[][2] = {
		{ "capacity", "256MiB" },	   { "geometry.superblock_units", "768" },
		{ "geometry.superblocks", "110" }, { "geometry.dies", "4" },
		{ "pslc.static", "4MiB" },	   { "pslc.share", "0.1" },
		{ "pslc.full", "fold" },	   { "pslc.idle_rate", "100MB" },
		{ "campaign.every", "64MiB" },	   { "campaign.copy", "4MiB" },
		{ "wear.endurance", "3000" },	   { "aged", "1" },
	};
	struct ssd_config cfg;
	struct ssd *ssd;
	unsigned before;

	(void)state;
	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		set(&cfg, options[i][0], options[i][1]);
	allocations = 0;
	ssd = make(&cfg);
	assert_true(allocations > 10); /* the counter counts */
	before = allocations;
	exercise(ssd, 65536);
	assert_int_equal(allocations, before);
	ssd_free(ssd);
}

/* ThreadSanitizer keeps four bytes of its own for each that a program touches: what is resident says nothing then. */
#ifdef __SANITIZE_THREAD__
#define SHADOWED true
#else
#define SHADOWED false
#endif

static uint64_t resident_bytes(void)
{
	char line[256] = "", *end;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	(void)strtoull(line, &end, 10); /* all of it */
	return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* 8 TB: 16 GB of maps when full. What is written of it in order costs 8 bytes a unit, and a purge gives it back. */
static void only_what_was_written(void **state)
{
	const uint32_t units = 8000000000000u / SSD_UNIT_BYTES, written = 1u << 20;
	uint64_t before = resident_bytes(), after;
	struct ssd_config cfg;
	struct ssd_times t = { 0 };
	struct ssd *ssd;

	(void)state;
	if (SHADOWED) {
		printf("# not looked at under ThreadSanitizer\n");
		return;
	}
	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	cfg.capacity_bytes = (uint64_t)units * SSD_UNIT_BYTES;
	cfg.geometry.dies = 64;
	cfg.geometry.superblock_units = 64 * 24 * 64;
	cfg.geometry.superblocks = 8 + (uint32_t)(1.07 * units / cfg.geometry.superblock_units);
	ssd = make(&cfg);
	assert_true(ssd_memory_bytes(ssd) > 16000000000u);
	for (uint32_t unit = 0; unit < written; unit += 256)
		ssd_write(ssd, t.done_ns, unit + units / 2 / 256 * 256, 256, NULL, &t);
	after = resident_bytes();
	printf("# an 8 TB drive with 4 GiB written: %.1f MiB of %.1f GiB\n",
	       (double)(after - before) / 0x1p20, (double)ssd_memory_bytes(ssd) / 0x1p30);
	/* Huge pages: up to 2 MiB more at each end of each array. */
	assert_true(after - before < 8 * (uint64_t)written + (16u << 20));
	ssd_purge(ssd);
	assert_true(resident_bytes() < before + (8u << 20));
	ssd_free(ssd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_after_set_up),
		cmocka_unit_test(only_what_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
