/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "experiment/experiments.h"

/* One a line, so that adding is a line. */
/* clang-format off */
const struct experiment *const experiments[] = {
	&experiment_quick,
	&experiment_fill,
	&experiment_saturate,
	&experiment_load,
	NULL,
};
/* clang-format on */

const struct experiment *experiment_find(const char *name)
{
	for (size_t i = 0; experiments[i]; i++)
		if (!strcmp(experiments[i]->name, name))
			return experiments[i];
	return NULL;
}

const struct profile *profile_find(const struct experiment *e, const char *name)
{
	if (!name)
		return &e->profiles[0];
	for (const struct profile *p = e->profiles; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

void profile_apply(const struct experiment *e, const struct profile *p, void *params)
{
	char settings[512], *save = NULL;

	memset(params, 0, e->params_size);
	param_defaults(e->params, params);
	snprintf(settings, sizeof(settings), "%s", p->settings);
	for (char *item = strtok_r(settings, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
		char *value = strchr(item, '=');
		int r;

		assert(value);
		*value++ = '\0';
		r = param_set(e->params, params, item, value, NULL);
		assert(r == 0); /* or the profile is one that its own table refuses */
	}
}

/* With the NUL, so that two texts in turn are not one longer. */
static uint64_t fnv(uint64_t h, const char *text)
{
	return rng_fnv(h, text, strlen(text) + 1);
}

void profile_hash(const struct experiment *e, const struct profile *p, const void *params,
		  const struct run_options *options, char ret[20])
{
	char text[PARAM_TEXT_SIZE + 32];
	uint64_t h = fnv(RNG_FNV_START, e->name);

	h = fnv(h, p->name);
	snprintf(text, sizeof(text), "%u", p->version);
	h = fnv(h, text);
	for (const struct param *row = e->params; row->name; row++) {
		h = fnv(h, row->name);
		h = fnv(h, param_format(row, params, text, sizeof(text)));
	}
	h = fnv(h, recipe_names[options->prepare]);
	h = fnv(h, rest_format(&options->rest, text, sizeof(text)));
	snprintf(ret, 20, "%016llx", (unsigned long long)h);
}

unsigned repeat_once(const struct device_info *info)
{
	(void)info;
	return 1;
}

unsigned repeat_unless_it_wears(const struct device_info *info)
{
	return info->wears ? 1 : 3;
}
