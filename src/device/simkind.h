/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simkind.h - a kind of simulated drive, as models and the backend `sim` see it: a parameter table and a few
 * functions. A new kind is a file with one such struct and a line in sim_kinds[] (simkind.c).
 *
 * Most kinds know when a command will be done as soon as it is given. A drive that reorders does not: its
 * submit() keeps the command and next() gives completions when the clock gets there.
 */
#ifndef ASSAY_DEVICE_SIMKIND_H
#define ASSAY_DEVICE_SIMKIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/param.h"
#include "data/telemetry.h"
#include "device/device.h"

#define SIM_DEPTH_MAX 1048576u

struct explained;
struct truth;

/* When a command reached the drive (it may have waited at the host for its turn) and when it was done. */
struct sim_done {
	struct io *io;
	uint64_t start_ns, done_ns; /* done_ns UINT64_MAX: it never comes back */
	int error;		    /* 0 or a negative errno */
};

/* What the rest of the program may rely on. */
struct sim_facts {
	uint64_t capacity_bytes, seed;
	bool trim;	    /* TRIM and write-zeroes reach the drive */
	unsigned depth_max; /* I/Os under way at most, those that wait at the host too */
};

struct sim_kind {
	const char *name;	    /* as in a model's `kind` */
	const char *sentence;	    /* what it is */
	const struct param *params; /* of its configuration, "capacity" among them */
	const char *const *
		required; /* no model may leave these to a default: names, or beginnings "x."; NULL ends */
	/* What no single row can check; *ret_name is then the parameter to blame. 0 or -EINVAL. */
	int (*check)(const void *config, const char **ret_name, struct err *err);
	/* Change the capacity and what is a share of it. 0 or -EINVAL. */
	int (*scale)(void *config, uint64_t capacity_bytes, struct err *err);
	struct sim_facts (*facts)(const void *config);
	/* What follows from the parameters (explain.h). */
	void (*explain)(const void *config, struct explained *ret);

	int (*make)(void **ret, const void *config, struct err *err);
	void (*free)(void *drive);
	uint64_t (*memory_bytes)(const void *drive);
	/* Give a command. True: ret (but for io) says when it is done; false: next() will. */
	bool (*submit)(void *drive, uint64_t now_ns, struct io *io, struct sim_done *ret);
	/*
	 * The next completion at or before until_ns, in order of time; false: there is none. Decides nothing
	 * that happens at until_ns or later. NULL: submit() always knows.
	 */
	bool (*next)(void *drive, uint64_t until_ns, struct sim_done *ret);
	/* Sum over the commands that submit() kept of the time they have been at the drive. With next(). */
	uint64_t (*kept_ns)(void *drive, uint64_t now_ns);
	/*
	 * When everything in flight was lost the last time (power, or the drive dropped off), and the error. Asked
	 * when a command failed. NULL: never.
	 */
	int (*broken)(void *drive, uint64_t *ret_at_ns);
	/* Nothing was in flight until now_ns. May be NULL. */
	void (*idle)(void *drive, uint64_t now_ns);
	void (*purge)(void *drive);
	/*
	 * As a real drive does it, in place of purge(). *now_ns is the clock, and then when it is done. 0 or -ENOTSUP
	 * with a sentence. May be NULL.
	 */
	int (*purge_by)(void *drive, enum purge_method method, uint64_t *now_ns, struct err *err);
	void (*prefetch)(void *drive, const struct io *io); /* may be NULL */
	/* Fill in what there is; at_ns is set. */
	void (*telemetry)(void *drive, struct telemetry *ret);
	/* Fill in what happened since truth_start() or the last call, span_ns ago; at_ns is set. */
	void (*truth)(void *drive, uint64_t span_ns, struct truth *ret);
	void (*truth_start)(void *drive);
};

extern const struct sim_kind sim_kind_ssd, sim_kind_disk, sim_kind_ideal;

/* All kinds, ended by NULL; the first is what a model is that names none. */
extern const struct sim_kind *const sim_kinds[];

/* The kind with that name, or NULL. */
const struct sim_kind *sim_kind_find(const char *name);

/* Busy time over a span, at most 1. */
double sim_share(uint64_t busy_ns, uint64_t before_ns, double span_ns);

#endif
