/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/run.h"

#include <stddef.h>

const char *const run_status_names[] = { "running", "done", "interrupted", "failed", NULL };
