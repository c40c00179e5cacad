/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - how far a run is, on stderr: a live line on a terminal, a plain line every ten seconds else.
 */
#ifndef ASSAY_CLI_PROGRESS_H
#define ASSAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "experiment/context.h"

struct progress_line {
	bool quiet, live, shown;
	unsigned width;
	uint64_t last_ns;
};

/* The host's monotonic clock, ns. */
uint64_t progress_wall_ns(void);
void progress_begin(struct progress_line *line, bool quiet);
/* A run_ctx watch function; user is the struct progress_line. */
void progress_watch(void *user, const struct progress *progress);
void progress_end(struct progress_line *line);

#endif
