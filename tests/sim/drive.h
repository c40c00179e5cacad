/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drive.h - small helpers for tests of the simulated drive as a library: configurations from text, and a
 * closed loop of a given depth.
 */
#ifndef ASSAY_TESTS_DRIVE_H
#define ASSAY_TESTS_DRIVE_H

#include <stdint.h>

#include "base/rng.h"
#include "ssd/ssd.h"

#define CLOSED_DEPTH_MAX 256u

/* Defaults, then "name=value name=value ...". Fails the test where it is refused. */
void drive_config(struct ssd_config *cfg, const char *text);
struct ssd *drive_new(const char *text);

/* A closed loop: the times at which its I/Os are done. Start it with all zeros but depth. */
struct closed {
	unsigned depth;
	uint64_t done_ns[CLOSED_DEPTH_MAX];
	uint64_t now_ns;
};

/* When the next I/O is given, and where to put its completion. */
uint64_t *closed_next(struct closed *c);
/* When all are done. */
uint64_t closed_end(const struct closed *c);

/* Write all units once, in order, 256 at a time. Returns when the drive is done. */
uint64_t drive_fill(struct ssd *ssd, struct closed *c);

#endif
