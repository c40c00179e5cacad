/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phase.h - one measured stretch of a run: what was asked, in what state the drive was, what came out.
 */
#ifndef ASSAY_DATA_PHASE_H
#define ASSAY_DATA_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/flow.h"
#include "data/workload.h"

/* What makes a number doubtful; a set of bits. */
enum phase_note {
	NOTE_HOST_BOUND = 1u << 0,	  /* close to what the instrument itself can do */
	NOTE_DEPTH_NOT_REACHED = 1u << 1, /* the device saw fewer I/Os than were asked for */
	NOTE_UNWRITTEN_READ = 1u << 2,	  /* read addresses that were never written */
	NOTE_CACHE_SERVED = 1u << 3, /* the device's counters show fewer bytes than were moved */
	NOTE_THROTTLED = 1u << 4,
	NOTE_NOT_STEADY = 1u << 5,
	NOTE_SPAN_NOT_COVERED = 1u << 6, /* the stop rule came before one pass of the span */
	NOTE_INTERRUPTED = 1u << 7,
};
#define PHASE_NOTES 8u
extern const char *const phase_note_names[PHASE_NOTES]; /* by bit */

/* The drive at the start of a phase. Unknown: negative bytes, NAN otherwise; null in JSON. */
struct drive_state {
	int64_t written_since_purge_bytes;
	double fill_pct, idle_before_s, temperature_c, wear_pct;
};

struct phase {
	/* what was asked */
	uint64_t id; /* 1, 2, ... in the order of the run */
	char key[96]; /* unique within the run and the same on resume: "r1/up/45/bench/seq1m_write/3" */
	char label[48];	  /* what users filter by: "copy", "seq1m_q8t1_write" */
	unsigned repeat;  /* 1 is the first; 0: does not apply */
	unsigned pass;	  /* 1 is the first; 0: does not apply */
	double level_pct; /* fill ladder; NAN: does not apply */
	struct workload load;
	/* what came out */
	struct drive_state state;
	uint64_t start_ns,
		end_ns; /* of the measured part, on the drive's clock since the start of the run */
	uint64_t written_bytes; /* by the run until the phase's end */
	struct flow read, write;
	struct flow read_service, write_service; /* open loop: from submit to done; else empty */
	double read_in_flight_mean, write_in_flight_mean; /* time integrals; 0 where no such I/O */
	double in_flight_device_mean; /* as the device counts; NAN: it does not say */
	double in_flight_device_max;  /* the same, the most of one sample a window; NAN likewise */
	uint64_t stamp_error_ns;
	uint32_t notes; /* enum phase_note */
};

/* Allocate an empty phase (it is large: never on the stack). NULL: no memory. Free with free(). */
struct phase *phase_new(void);

static inline double phase_seconds(const struct phase *p)
{
	return (double)(p->end_ns - p->start_ns) / 1e9;
}

/* MB/s and I/O per second of a flow over the phase; 0 where the phase has no length. */
double phase_mbps(const struct phase *p, const struct flow *flow);
double phase_iops(const struct phase *p, const struct flow *flow);

#endif
