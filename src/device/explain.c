/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/explain.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_off(const struct param *row, const void *config)
{
	const char *field = (const char *)config + row->offset;

	switch (row->type) {
	case PARAM_U32:
		return *(const uint32_t *)field == 0;
	case PARAM_U64:
	case PARAM_BYTES:
	case PARAM_NS:
		return *(const uint64_t *)field == 0;
	case PARAM_F64:
		return *(const double *)field == 0;
	case PARAM_BOOL:
		return !*(const bool *)field;
	case PARAM_ENUM:
		return *(const int *)field == 0;
	case PARAM_TEXT:
		break;
	}
	return !*field;
}

void explain_switches(struct explained *ret, const struct explain_switch *table,
		      const struct param *params, const void *config)
{
	for (; table->name; table++) {
		char names[256], *save = NULL;
		bool there = false, on = false;

		snprintf(names, sizeof(names), "%s", table->switches);
		for (char *name = strtok_r(names, " ", &save); name;
		     name = strtok_r(NULL, " ", &save)) {
			const struct param *row = param_find(params, name);

			there = there || row;
			on = on || (row && !is_off(row, config));
		}
		if (!there)
			continue;
		assert(ret->mechanisms < EXPLAIN_MAX);
		ret->mechanism[ret->mechanisms].name = table->name;
		ret->mechanism[ret->mechanisms].on = on;
		ret->mechanism[ret->mechanisms++].text = on ? table->on : table->off;
	}
}

void explain_fact(struct explained *ret, const char *name, double value, const char *unit,
		  const char *text)
{
	assert(ret->facts < EXPLAIN_MAX);
	ret->fact[ret->facts].name = name;
	ret->fact[ret->facts].value = value;
	ret->fact[ret->facts].unit = unit;
	ret->fact[ret->facts++].text = text;
}

/* H_n, exact where that is cheap. */
static double harmonic(uint32_t n)
{
	double ret = 0, x = n;

	if (n > 256)
		return log(x) + 0.57721566490153286 + 1 / (2 * x) - 1 / (12 * x * x);
	for (uint32_t i = 1; i <= n; i++)
		ret += 1.0 / i;
	return ret;
}

/*
 * The share x of victims with m valid units that makes the flow of superblocks through all levels balance; it
 * falls with m, and the right m is the one for which it is a share.
 */
static double victim_share(double r, uint32_t b, uint32_t m)
{
	double up = b * r * (harmonic(b) - harmonic(m + 1)) - ((double)b - m - 1);

	return up / (1 - b * r / (m + 1));
}

double explain_greedy_wa(double alpha, uint32_t b)
{
	double r = 1 / alpha;

	if (!(alpha > 1) || b < 2)
		return NAN;
	/* Victims hold less than the average: m + 1 < b r. */
	for (uint32_t m = 0; m + 1 < b * r; m++) {
		double x = victim_share(r, b, m);

		if (x >= 0 && x <= 1)
			return b / (b - (m + 1 - x));
	}
	return NAN;
}
