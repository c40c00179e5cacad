/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/backends.h"

#include <stddef.h>

/* One a line, so that adding is a line. */
/* clang-format off */
const struct device_ops *const device_backends[] = {
	&device_block,
	&device_file,
	&device_dir,
	&device_sim,
	&device_null,
	NULL,
};
/* clang-format on */
