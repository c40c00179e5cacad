/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * context.h - what an experiment works through: phases, rests and preparation on one drive, with the drive's
 * state, the write budget and the plan kept on the side.
 */
#ifndef ASSAY_EXPERIMENT_CONTEXT_H
#define ASSAY_EXPERIMENT_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "data/phase.h"
#include "data/series.h"
#include "data/sink.h"
#include "device/device.h"
#include "experiment/extents.h"

enum recipe { RECIPE_FRESH, RECIPE_SEQUENTIAL, RECIPE_AS_IS };
extern const char *const recipe_names[];

enum rest_kind { REST_FOR, REST_UNTIL_TEMPERATURE };

struct rest_policy {
	enum rest_kind kind;
	uint64_t for_ns;
	double temperature_c;
};

/* "for:120s", "120s", "until-temperature:45". -EINVAL with a sentence. */
int rest_parse(const char *text, struct rest_policy *ret, struct err *err);
char *rest_format(const struct rest_policy *rest, char *buf, size_t size);

struct run_options {
	enum recipe prepare;
	struct rest_policy rest;
	unsigned repeat;
	uint64_t seed;
	uint64_t max_written_bytes; /* 0: no bound */
};

/* What is asked of one phase. */
struct ask {
	char key[96];
	char label[48];
	unsigned repeat, pass; /* 0: does not apply */
	double level_pct;      /* NAN: does not apply */
	struct workload load;  /* its seed is derived from the key */
};

/* What came out of a phase, small enough to keep them all. */
struct outcome {
	struct ask ask;
	uint64_t start_ns, end_ns;
	uint64_t written_bytes; /* by the run until the phase's end */
	uint64_t fill_bytes;	/* of the drive, at the phase's start */
	uint64_t read_ops, write_ops, read_bytes, write_bytes, errors;
	double read_lat_ns_mean, write_lat_ns_mean;
	double in_flight_mean, in_flight_device_mean;
	uint32_t notes;
	struct series series;
};

/* MB/s of one direction; the phase must have a length. */
static inline double outcome_mbps(const struct outcome *o, bool write)
{
	return (double)(write ? o->write_bytes : o->read_bytes) * 1e3 /
	       (double)(o->end_ns - o->start_ns);
}

DEFINE_VEC(outcomes, struct outcome *);

/* One line of a plan: a phase or a rest. */
struct plan_item {
	char label[48]; /* "rest" */
	uint64_t write_bytes_max;
	uint64_t time_ns_max; /* 0: bounded by bytes only */
	uint64_t bytes;	      /* that the phase moves at most; 0: bounded by time only */
};

DEFINE_VEC(plan_items, struct plan_item);
DEFINE_VEC(sentences, char *);

/* What a watcher is told while a phase runs and at its end. */
struct progress {
	const char *label;
	double level_pct;
	unsigned repeat, repeats;
	unsigned item, items;		    /* of the plan */
	double read_mbps, write_mbps, iops; /* of the last window */
	double phase_elapsed_s;
	double eta_s; /* wall time left, NAN: not known yet */
};

struct run_ctx {
	/* set by the caller */
	struct device *dev;
	const struct device_info *info;
	struct sink *sink; /* NULL while planning */
	struct run_options options;
	const atomic_int *interrupt;
	void (*watch)(void *user, const struct progress *progress);
	void *watch_user;
	uint64_t (*wall_ns)(void); /* for the ETA only */
	bool planning;
	struct plan_items plan; /* made by planning; used for the ETA while running */
	bool plan_destroys;	/* it writes, discards or purges */
	/* kept by the context */
	struct outcomes outcomes;
	struct sentences remarks;	   /* what was skipped and why; owned */
	struct extents filled;		   /* what this run knows to hold data */
	bool fill_known;		   /* nothing else does */
	int64_t written_since_purge_bytes; /* -1: not known */
	uint64_t written_bytes;
	uint64_t run_start_ns, last_io_ns; /* device clock */
	bool started;
	uint64_t wall_start_ns, watched_wall_ns;
	uint64_t drive_ns; /* time of phases and rests so far */
	bool purge_pending;
	uint64_t rest_pending_ns;
	double rest_temperature_c; /* NAN: none pending */
	uint64_t phase_id;
	unsigned item;	     /* in the plan */
	double ceiling_iops; /* of the instrument on one lane; 0: not measured */
	struct outcome *current;
};

void run_ctx_release(struct run_ctx *ctx);

/* The plan is made: forget what it pretended to have done, keep the plan. */
void run_ctx_planned(struct run_ctx *ctx);

/*
 * Run one phase, or list it, or fetch it from the store. *ret (may be NULL) stays owned by the context.
 * Returns 0; -EINTR where it was interrupted (what there is, is stored); -ERR_REFUSED with a sentence where
 * the phase could write more than the budget has left; or what failed.
 */
int phase_run(struct run_ctx *ctx, const struct ask *ask, struct outcome **ret, struct err *err);

/* Rest by the run's policy, or for so long. Done when the next phase begins (not at all before a stored one). */
int phase_rest(struct run_ctx *ctx);
int phase_rest_for(struct run_ctx *ctx, uint64_t ns);

/* Bring the drive into the run's recipe; `prefix` begins the keys of what that takes. */
int phase_prepare(struct run_ctx *ctx, const char *prefix, unsigned repeat, struct err *err);

/* Discard [begin, end); only where the drive can (info.ops). Keyed like a phase. */
int phase_trim(struct run_ctx *ctx, const struct ask *head, uint64_t begin, uint64_t end,
	       struct err *err);

/* Bytes of the drive that hold data as far as this run knows, others' (dir:) included. */
uint64_t run_fill_bytes(const struct run_ctx *ctx);

/* Say what was left out and why; printed with the result. */
int run_remark(struct run_ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Totals of the plan. Time assumes `mbps_guess` where only bytes bound a phase. */
uint64_t plan_write_bytes(const struct run_ctx *ctx);
double plan_seconds(const struct run_ctx *ctx, double mbps_guess);

#endif
