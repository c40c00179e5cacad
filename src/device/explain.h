/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain.h - what follows from the parameters of a model: which mechanisms are on, and what to expect of it.
 */
#ifndef ASSAY_DEVICE_EXPLAIN_H
#define ASSAY_DEVICE_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/param.h"

#define EXPLAIN_MAX 40

struct explained {
	struct {
		const char *name;
		bool on;
		const char *text; /* what that means */
	} mechanism[EXPLAIN_MAX];
	unsigned mechanisms;
	struct {
		const char *name;
		double value;
		const char *unit; /* "bytes", "bytes/s", "1/s", "%", "ns", "" */
		const char *text; /* how it follows */
	} fact[EXPLAIN_MAX];
	unsigned facts;
};

/* One mechanism: on where any of its switches is not 0, false or the first of its words. */
struct explain_switch {
	const char *name;
	const char *
		switches; /* names of parameters, with blanks between; none of them there: no such mechanism */
	const char *on, *off;
};

void explain_switches(struct explained *ret, const struct explain_switch *table,
		      const struct param *params, const void *config);
void explain_fact(struct explained *ret, const char *name, double value, const char *unit,
		  const char *text);

struct ssd_config;
struct disk_config;
struct ideal_config;

void explain_ssd(const struct ssd_config *cfg, struct explained *ret);
void explain_disk(const struct disk_config *cfg, struct explained *ret);
void explain_ideal(const struct ideal_config *cfg, struct explained *ret);

/*
 * Write amplification of greedy collection under uniform random writes: alpha = physical / logical units, b units in a
 * superblock. Exact for infinitely many superblocks: a victim holds one of two successive numbers of valid
 * units (after Bux and Iliadis, "Performance of greedy garbage collection in flash-based solid-state drives",
 * 2010). NAN where alpha is not above 1.
 */
double explain_greedy_wa(double alpha, uint32_t b);

#endif
