/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eta.h - progress and time left, private to this folder.
 *
 * Method: the plan lists every phase and rest that is still to come. A phase is expected to take as long as
 * finished ones of its label took, else its time bound or its bytes at an assumed speed. That is time of the
 * drive's clock; it is turned into wall time by the ratio seen so far.
 */
#ifndef ASSAY_EXPERIMENT_ETA_H
#define ASSAY_EXPERIMENT_ETA_H

#include "data/window.h"
#include "experiment/context.h"

/* A load_progress.tick: user is the struct run_ctx. */
void watch_window(void *user, const struct window *window);
void watch_rest(struct run_ctx *ctx);

#endif
