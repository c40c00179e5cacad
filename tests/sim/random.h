/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random.h - a model under long uniform random writes, one second at a time.
 */
#ifndef ASSAY_TESTS_SIM_RANDOM_H
#define ASSAY_TESTS_SIM_RANDOM_H

#include "ssd/ssd.h"

/* The drive of a model, options as in "NAME,OPTION=VALUE,...". The test fails where it cannot be made. */
struct ssd *model_drive(const char *text);

/* 4 KiB writes of uniform random addresses below `span_units` at a queue depth. */
struct random_load {
	uint32_t span_units;
	unsigned depth;
	uint64_t seed;
	uint32_t seconds;
};

/* Completions in each second, allocated; free it. */
uint32_t *random_seconds(struct ssd *ssd, const struct random_load *load);

double series_mean(const uint32_t *x, uint32_t from, uint32_t to);
/* Of the means of each `width` seconds in [from, to). */
double series_median(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width);
double series_variation(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width);
/* The least mean of `width` seconds; *ret_end is the second at which it ends. */
double series_least(const uint32_t *x, uint32_t from, uint32_t to, uint32_t width,
		    uint32_t *ret_end);

/*
 * The lag, seconds between two, at which the series is most like itself, beyond where it is first unlike itself
 * (zero crossing of the autocorrelation). *ret_p is the chance that white noise has as high a line in its
 * periodogram as the series has between these periods (Fisher 1929).
 */
double series_period(const uint32_t *x, uint32_t from, uint32_t to, uint32_t least, uint32_t most,
		     double *ret_p);

#endif
