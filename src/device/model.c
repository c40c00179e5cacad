/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/device.h"
#include "device/model-read.h"

DEFINE_CLEANUP(struct model *, model_free);

#define SUFFIX ".yaml"
#define FOLDERS 3

/* Where models are looked for, in this order; returns how many. */
static unsigned folders(const char *first, const char *ret[FOLDERS])
{
	unsigned n = 0;

	if (first && *first)
		ret[n++] = first;
	ret[n++] = ASSAY_MODELS_SOURCE;
	ret[n++] = ASSAY_MODELS_INSTALLED;
	return n;
}

/* The path of a model given by name or path. */
static int find(const char *name, const char *folder, char *ret_path, size_t size, struct err *err)
{
	const char *dir[FOLDERS];
	size_t len = strlen(name);
	unsigned n = folders(folder, dir);

	if (strchr(name, '/') ||
	    (len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX))) {
		if ((size_t)snprintf(ret_path, size, "%s", name) >= size)
			return err_set(err, -ENAMETOOLONG, "path of model '%s' is too long", name);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		if ((size_t)snprintf(ret_path, size, "%s/%s%s", dir[i], name, SUFFIX) < size &&
		    access(ret_path, F_OK) == 0)
			return 0;
	return err_set(err, -ENOENT, "there is no model '%s'; see 'assay models'", name);
}

int model_load(struct model **ret, const char *name, const char *folder, struct err *err)
{
	_cleanup_(cleanup_model_free) struct model *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return err_set(err, -ENOMEM, "no memory for model '%s'", name);
	r = find(name, folder, m->path, sizeof(m->path), err);
	if (r < 0)
		return r;
	r = model_read(m, err);
	if (r == 0)
		r = model_check(m, err);
	if (r < 0)
		return r;
	*ret = m;
	m = NULL;
	return 0;
}

void model_free(struct model *model)
{
	free(model);
}

/* After a change of capacity: what else it changed. */
static void note_scaled(struct model *m, const union model_config *before)
{
	char was[64], is[64];

	for (unsigned i = 0; i < m->values; i++) {
		struct model_value *v = &m->value[i];

		param_format(v->row, before, was, sizeof(was));
		param_format(v->row, &m->any, is, sizeof(is));
		if (strcmp(was, is) != 0) {
			snprintf(v->value, sizeof(v->value), "%s", is);
			v->origin = MODEL_FROM_SCALE;
		}
	}
}

int model_set(struct model *m, const char *name, const char *value, struct err *err)
{
	struct model_value *v = model_value_of(m, name);
	union model_config before = m->any;
	int r;

	if (!v)
		return param_set(m->kind->params, &m->any, name, value,
				 err); /* says what is near */
	r = param_parse(v->row, &m->any, value, err);
	if (r < 0)
		return r;
	if (!strcmp(name, "capacity")) {
		uint64_t bytes = m->kind->facts(&m->any).capacity_bytes;

		m->any = before;
		r = m->kind->scale(&m->any, bytes, err);
		if (r < 0) {
			m->any = before;
			return r;
		}
		note_scaled(m, &before);
	}
	snprintf(v->value, sizeof(v->value), "%s", value);
	snprintf(v->source, sizeof(v->source), "given with the drive");
	v->origin = MODEL_FROM_USER;
	return 0;
}

/* "aged=30d" is short for aged.days=30. */
static int set_option(struct model *m, const char *name, const char *value, struct err *err)
{
	size_t n = strlen(value);
	char days[64];

	if (strcmp(name, "aged") != 0 || n < 2 || n >= sizeof(days) || value[n - 1] != 'd')
		return model_set(m, name, value, err);
	snprintf(days, sizeof(days), "%.*s", (int)(n - 1), value);
	return model_set(m, "aged.days", days, err);
}

/* Capacity first, since it scales others; then everything else in the order given. */
int model_options(struct model *m, const struct device_spec *spec, struct err *err)
{
	const char *capacity = device_spec_option(spec, "capacity");
	char seed[32];
	int r = 0;

	if (capacity)
		r = model_set(m, "capacity", capacity, err);
	if (r == 0 && !device_spec_option(spec, "seed") && spec->seed &&
	    param_find(m->kind->params, "seed")) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long)spec->seed);
		r = model_set(m, "seed", seed, err);
	}
	for (unsigned i = 0; r == 0 && i < spec->options; i++)
		if (strcmp(spec->option[i].name, "capacity") != 0)
			r = set_option(m, spec->option[i].name, spec->option[i].value, err);
	return r < 0 ? r : model_check(m, err);
}

int model_check(const struct model *m, struct err *err)
{
	const char *blame = NULL;
	struct err why = { 0 };
	int line = m->parameters_line;

	if (m->kind->check(&m->any, &blame, &why) == 0)
		return 0;
	for (unsigned i = 0; i < m->values; i++)
		if (!strcmp(m->value[i].row->name, blame)) {
			if (m->value[i].origin >= MODEL_FROM_USER)
				return err_set(err, -EINVAL, "model '%s' with these options: %s",
					       m->name, why.text);
			if (m->value[i].line)
				line = m->value[i].line;
		}
	return model_refuse(m, line, err, "%s", why.text);
}

static int is_model(const struct dirent *e)
{
	size_t len = strlen(e->d_name), n = strlen(SUFFIX);

	return len > n && len - n < 64 && !strcmp(e->d_name + len - n, SUFFIX);
}

int model_list(const char *folder, int (*each)(void *user, const char *name, const char *path),
	       void *user, struct err *err)
{
	const char *dir[FOLDERS];
	unsigned n = folders(folder, dir);

	for (unsigned i = 0; i < n; i++) {
		struct dirent **entry;
		int count = scandir(dir[i], &entry, is_model, alphasort), r = 0;

		if (count < 0)
			continue;
		for (int k = 0; k < count; k++) {
			char path[1024], name[64];

			snprintf(path, sizeof(path), "%s/%s", dir[i], entry[k]->d_name);
			snprintf(name, sizeof(name), "%.*s",
				 (int)(strlen(entry[k]->d_name) - strlen(SUFFIX)),
				 entry[k]->d_name);
			if (r == 0)
				r = each(user, name, path);
			free(entry[k]);
		}
		free(entry);
		return r;
	}
	return err_set(err, -ENOENT, "no folder with models was found");
}
