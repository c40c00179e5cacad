/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink.h - where records go. The store implements it; the command line connects it.
 *
 * Everything is passed by pointer and copied by the sink before it returns. Calls come from one thread at
 * a time, in order: phase_begin, windows 0..n, phase_end; telemetry and truth between any of them.
 * Every call returns 0, or a negative errno with a sentence; a failing sink ends the run.
 */
#ifndef ASSAY_DATA_SINK_H
#define ASSAY_DATA_SINK_H

#include <stdint.h>

#include "base/err.h"
#include "data/phase.h"
#include "data/series.h"
#include "data/telemetry.h"
#include "data/verdict.h"
#include "data/window.h"

struct truth; /* device/truth.h: only store, report and tests may look inside */

/* One record of the operation log: 24 bytes. */
struct oplog_record {
	uint64_t
		offset_bytes_op; /* offset in bytes, a multiple of 512; low bits: 0 read, 1 write */
	uint64_t submit_ns;	 /* since the start of the phase */
	uint32_t lat_ns_low;	 /* latency in ns, low 32 bits */
	uint16_t lat_ns_high;	 /* and the next 16 */
	uint16_t length_blocks;	 /* 512-byte blocks, 0xffff: more */
};

#define OPLOG_CHUNK_RECORDS 65536u

struct sink;

struct sink_ops {
	int (*phase_begin)(struct sink *sink, const struct phase *phase, struct err *err);
	int (*window)(struct sink *sink, const struct window *window, struct err *err);
	int (*oplog)(struct sink *sink, uint64_t phase_id, const struct oplog_record *records,
		     uint32_t n, struct err *err);
	int (*telemetry)(struct sink *sink, const struct telemetry *t, struct err *err);
	int (*truth)(struct sink *sink, const struct truth *truth, struct err *err);
	int (*phase_end)(struct sink *sink, const struct phase *phase, struct err *err);
	int (*verdict)(struct sink *sink, const struct verdict *verdict, struct err *err);
	/*
	 * Resume: fill `ret` and append the phase's windows to `ret_series` where a finished phase of this
	 * key is stored, and return 1; 0 where there is none.
	 */
	int (*phase_stored)(struct sink *sink, const char *key, struct phase *ret,
			    struct series *ret_series, struct err *err);
};

struct sink {
	const struct sink_ops *ops;
};

#endif
