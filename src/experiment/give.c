/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/give.h"

#include <stdio.h>

int give_estimate(struct verdicts *ret, const char *name, const char *unit,
		  const struct estimate *e, enum verdict_interval interval, const char *text)
{
	struct verdict verdict = {
		.value = e->value,
		.low = e->low,
		.high = e->high,
		.n = e->n,
		.interval = interval,
		.status = e->status,
	};

	snprintf(verdict.name, sizeof(verdict.name), "%s", name);
	snprintf(verdict.unit, sizeof(verdict.unit), "%s", unit);
	snprintf(verdict.text, sizeof(verdict.text), "%s", text);
	return verdicts_push(ret, verdict);
}
