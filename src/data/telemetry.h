/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * telemetry.h - what a drive says of itself while it works. NAN or -1: it does not say.
 */
#ifndef ASSAY_DATA_TELEMETRY_H
#define ASSAY_DATA_TELEMETRY_H

#include <stdint.h>

struct telemetry {
	uint64_t at_ns; /* drive's clock since the start of the run */
	double temperature_c;
	double wear_pct;	    /* Percentage Used */
	double throttled_s;	    /* time spent throttled for heat, in all */
	int64_t host_written_bytes; /* by the drive's own counter */
	int64_t host_read_bytes;
};

#endif
