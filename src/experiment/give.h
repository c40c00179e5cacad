/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * give.h - an estimate as a verdict.
 */
#ifndef ASSAY_EXPERIMENT_GIVE_H
#define ASSAY_EXPERIMENT_GIVE_H

#include "analysis/estimate.h"
#include "data/verdict.h"

/* Add to *ret. -ENOMEM as usual. */
int give_estimate(struct verdicts *ret, const char *name, const char *unit,
		  const struct estimate *e, enum verdict_interval interval, const char *text);

#endif
