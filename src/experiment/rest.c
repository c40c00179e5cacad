/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/context.h"

int rest_parse(const char *text, struct rest_policy *ret, struct err *err)
{
	struct rest_policy rest = { 0 };
	const char *value = text;
	int r;

	if (!strncmp(text, "until-temperature:", 18)) {
		rest.kind = REST_UNTIL_TEMPERATURE;
		r = parse_double(text + 18, &rest.temperature_c, err);
		if (r == 0 && (rest.temperature_c < 1 || rest.temperature_c > 120))
			r = err_set(err, -ERANGE,
				    "a temperature of '%s' °C is out of range (1 to 120)",
				    text + 18);
	} else {
		if (!strncmp(text, "for:", 4))
			value = text + 4;
		r = parse_time(value, &rest.for_ns, err);
	}
	if (r < 0) {
		err_prefix(err, "rest (for:TIME or until-temperature:CELSIUS)");
		return r;
	}
	*ret = rest;
	return 0;
}

char *rest_format(const struct rest_policy *rest, char *buf, size_t size)
{
	if (rest->kind == REST_UNTIL_TEMPERATURE)
		snprintf(buf, size, "until-temperature:%g", rest->temperature_c);
	else
		snprintf(buf, size, "for:%lluns", (unsigned long long)rest->for_ns);
	return buf;
}
