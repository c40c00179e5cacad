/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * experiments.h - the experiments by name, one line each; only the registry needs them so.
 */
#ifndef ASSAY_EXPERIMENT_EXPERIMENTS_H
#define ASSAY_EXPERIMENT_EXPERIMENTS_H

#include "experiment/experiment.h"

extern const struct experiment experiment_quick;
extern const struct experiment experiment_fill;
extern const struct experiment experiment_saturate;
extern const struct experiment experiment_load;

#endif
