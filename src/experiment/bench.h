/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench.h - the usual benchmark's cells on a small region: what quick runs by itself and fill at every level.
 *
 * CrystalDiskMark's order: all reads, then all writes; every cell in a number of runs with a gap between
 * them. Every run is a phase of its own (pass 1, 2, ...); a discarded warm-up is labelled "warmup".
 */
#ifndef ASSAY_EXPERIMENT_BENCH_H
#define ASSAY_EXPERIMENT_BENCH_H

#include "experiment/context.h"

DEFINE_VEC(numbers, double);

struct bench_cell {
	const char *name;  /* "SEQ1M Q8T1" */
	const char *label; /* "seq1m_q8t1", to which "_read" or "_write" is added */
	uint32_t block_bytes;
	enum load_order order;
	unsigned queue_depth, threads;
};

#define BENCH_CELLS_MAX 4

/* Known sets of cells, as words for a parameter table (NULL-terminated). */
enum bench_set { BENCH_DEFAULT, BENCH_NVME, BENCH_S0 };
extern const char *const bench_set_names[];

struct bench {
	struct bench_cell cell[BENCH_CELLS_MAX];
	unsigned cells;
	unsigned runs;
	uint64_t run_ns, gap_ns;
	unsigned passes_max; /* of the region, per run */
	bool warmup;
	struct content content;
	const char *tag; /* begins the label of every phase, "before_"; NULL: nothing */
};

/* Where and as what of the ladder the bench runs. */
struct bench_place {
	const char *prefix; /* of the keys, e.g. "r1/up/45" */
	unsigned repeat;
	double level_pct; /* NAN: does not apply */
	uint64_t offset_bytes, region_bytes;
};

/*
 * Bytes of the region: those that were asked for; where that is 0, min(1 GiB, 0.8 % of the capacity), whole MiB, small enough
 * for every fast cache, as the usual file is.
 */
uint64_t bench_region_bytes(const struct device_info *info, uint64_t asked_bytes);
/* Where it begins, at the end of the drive. */
uint64_t bench_region_offset(const struct device_info *info, uint64_t region_bytes);
/* -EINVAL with a sentence for a region that does not do. */
int bench_region_check(const struct device_info *info, uint64_t region_bytes, struct err *err);

/* The cells of a set; everything else in *ret is the caller's. */
void bench_use(struct bench *ret, enum bench_set set);
/* What bench_write_region() and bench_run() write together at most. */
uint64_t bench_write_bytes_max(const struct bench *b, uint64_t region_bytes);

/* Write the region sequentially, label "region". */
int bench_write_region(struct run_ctx *ctx, const struct bench *b, const struct bench_place *at,
		       struct err *err);
int bench_run(struct run_ctx *ctx, const struct bench *b, const struct bench_place *at,
	      struct err *err);

/* MB/s of every run of a cell, of a bench with this tag (NULL: none), warm-ups left out. */
int bench_scores(const struct run_ctx *ctx, const char *tag, const struct bench_cell *cell,
		 bool write, struct numbers *ret);

#endif
