/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill_view.h - what the parts of the fill ladder's analysis share; private to this folder.
 */
#ifndef ASSAY_EXPERIMENT_FILL_VIEW_H
#define ASSAY_EXPERIMENT_FILL_VIEW_H

#include <stdbool.h>
#include <string.h>

#include "analysis/estimate.h"
#include "experiment/fill.h"

struct fill_view {
	const struct run_ctx *ctx;
	const struct fill_params *p;
	struct fill_levels levels;
	struct verdicts *ret;
};

/* Only the way up is judged. */
static inline bool fill_upward(const struct outcome *o)
{
	return strstr(o->ask.key, "/up/") != NULL && o->end_ns > o->start_ns;
}

int fill_give(struct fill_view *v, const char *name, const char *unit, const struct estimate *e,
	      const char *text);

/* Knees of the copies, the cache they speak of, and the regimes of the copy over the fill level. */
int fill_copy_verdicts(struct fill_view *v);

#endif
