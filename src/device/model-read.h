/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-read.h - the YAML of a model; only model.c uses it.
 */
#ifndef ASSAY_DEVICE_MODEL_READ_H
#define ASSAY_DEVICE_MODEL_READ_H

#include "device/model.h"

/* Fill a model of zeros from the file at its path, not yet checked as a whole. -EINVAL, or what reading gave. */
int model_read(struct model *m, struct err *err);

/* -EINVAL with the file and the line (0: none) in front of the sentence. */
int model_refuse(const struct model *m, int line, struct err *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The entry of a parameter, or NULL. */
struct model_value *model_value_of(struct model *m, const char *name);

#endif
