/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window.h - one interval of a phase: what was done in it. Windows without completions are written too.
 */
#ifndef ASSAY_DATA_WINDOW_H
#define ASSAY_DATA_WINDOW_H

#include <stdint.h>

#include "data/flow.h"

struct window {
	uint64_t phase_id;
	uint32_t index;	    /* 0 is the first of the phase; no gaps */
	uint64_t start_ns;  /* since the start of the phase's measured part */
	uint64_t length_ns; /* the last window of a phase may be shorter */
	uint64_t
		written_bytes; /* second clock: bytes written to the drive in this run until the window's end */
	uint64_t in_flight_ns; /* integral of the number of I/Os in flight over the window */
	uint64_t backlog;      /* open loop: I/Os due but not yet submitted at the window's end */
	struct flow read, write;
};

#endif
