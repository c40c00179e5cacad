/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * backends.h - every backend's table of operations, for the registry alone. A new backend is its file, one
 * line here, one in registry.c and one in meson.build.
 */
#ifndef ASSAY_DEVICE_BACKENDS_H
#define ASSAY_DEVICE_BACKENDS_H

#include "device/device.h"

extern const struct device_ops device_null, device_block, device_file, device_dir;
extern const struct device_ops device_sim;

#endif
