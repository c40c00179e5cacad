/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/verdict.h"

const char *const verdict_status_names[] = {
	"measured", "not_identifiable", "not_reached", "not_supported", "refused", NULL,
};

const char *const verdict_interval_names[] = { "none", "within_run", "between_runs", NULL };
