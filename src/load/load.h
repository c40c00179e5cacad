/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.h - the one run loop: the only code that submits and reaps.
 *
 * A load of T threads is T lanes where the device has so many, each with a thread of its own; else the T
 * streams are spread over the lanes there are (a simulated drive: one). Every lane fills two window slots in
 * turn and hands the full one to the collector (the caller's thread), which merges them and calls the sink.
 * Where the device's clock stands while the caller works, one lane records in place, without threads.
 *
 * The measured part (the cell) begins after the ramp, with the load at its depth, and ends when the first
 * stop rule is met: what is still in flight then is drained outside the cell and not counted. A load
 * so short that everything was in flight at once is counted until its last completion.
 */
#ifndef ASSAY_LOAD_LOAD_H
#define ASSAY_LOAD_LOAD_H

#include <stdatomic.h>

#include "base/err.h"
#include "data/phase.h"
#include "data/series.h"
#include "data/sink.h"
#include "device/device.h"

/* Called now and then (not more than once per window) by the collector; may be NULL. */
struct load_progress {
	void (*tick)(void *user, const struct window *window);
	void *user;
};

struct load_run {
	struct device *dev;
	struct sink *sink; /* may be NULL */
	struct load_progress progress;
	const atomic_int *interrupt;   /* non-zero ends the load early; may be NULL */
	uint64_t run_start_ns;	       /* device clock at the start of the run */
	uint64_t written_before_bytes; /* by the run, before this phase */
	/* results */
	uint64_t issued_bytes, issued_write_bytes; /* submitted, ramp and drain too */
	uint64_t end_ns;			   /* device clock when the last I/O was back */
	bool interrupted;
};

/*
 * Run phase->load and fill in the results of the phase (from start_ns on). `series` may be NULL.
 * phase_begin and phase_end of the sink are the caller's. Returns 0; -ENOMEM; or what the device or the sink
 * failed with. I/Os that fail are counted, they are not an error.
 */
int load_run(struct load_run *run, struct phase *phase, struct series *series, struct err *err);

/* Let the device's clock run for so long with nothing in flight; ends early on interrupt. */
int load_rest(struct device *dev, uint64_t ns, const atomic_int *interrupt, struct err *err);

/* The device's clock now. */
int load_now(struct device *dev, uint64_t *ret_ns, struct err *err);

/*
 * I/Os a second that the instrument itself can do with this load on one lane, measured on a device that does
 * nothing (100 ms). A cell above 70 % of it times its lanes is host-bound.
 */
int load_ceiling(const struct workload *load, double *ret_iops, struct err *err);

#endif
