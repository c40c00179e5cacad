/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis.h - what the tests of src/analysis/ share: the source's fill table and random draws. */
#ifndef ASSAY_TESTS_UNIT_ANALYSIS_H
#define ASSAY_TESTS_UNIT_ANALYSIS_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/segment.h"
#include "base/rng.h"

#define S0_LEVELS 21
#define S0_COLUMNS 9

enum s0_column {
	S0_FILL_PCT,
	S0_SEQ1M_READ,
	S0_SEQ1M_WRITE,
	S0_RND4K_READ,
	S0_RND4K_WRITE,
	S0_RND4K_READ_IOPS,
	S0_RND4K_WRITE_IOPS,
	S0_RND4K_READ_US,
	S0_RND4K_WRITE_US,
};

/* tests/data/s0-fill-ladder.csv, by columns. */
static inline void s0_load(double table[S0_COLUMNS][S0_LEVELS])
{
	const char *root = getenv("ASSAY_SOURCE_DIR");
	char path[512], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/s0-fill-ladder.csv", root ? root : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	for (int level = 0; level < S0_LEVELS; level++) {
		char *at = line;

		assert_non_null(fgets(line, sizeof(line), f));
		for (int column = 0; column < S0_COLUMNS; column++) {
			char *end;

			table[column][level] = strtod(at, &end);
			assert_ptr_not_equal(end, at);
			at = end + 1;
		}
	}
	fclose(f);
}

static inline double normal(struct rng *rng)
{
	return rng_normal_pair(rng).a;
}

#endif
