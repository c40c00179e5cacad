/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * environment.h - what a result depends on beside the drive: kernel, processor, queue settings, ourselves.
 */
#ifndef ASSAY_CLI_ENVIRONMENT_H
#define ASSAY_CLI_ENVIRONMENT_H

#include "device/device.h"

/* One JSON object, malloc'd; NULL: no memory. `ceiling_iops` 0: not measured. */
char *environment_json(const struct device *dev, double ceiling_iops);
/* {"argv": [...]} and back; both malloc'd. */
char *arguments_json(int argc, char **argv);
int arguments_parse(const char *json, int *ret_argc, char ***ret_argv, struct err *err);
void arguments_free(int argc, char **argv);

#endif
