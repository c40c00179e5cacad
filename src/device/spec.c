/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spec.c - a DRIVE as people write it: KIND[:PATH][,name=value...], or a path below /dev.
 *
 * A comma in a path is written "\,". What an option may be is the backend's matter; here only the form is
 * checked, so that the same few sentences answer for every backend.
 */
#include "device/device.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/param.h"

#define DRIVE_DEFAULT "sim:sm2258xt-120g-usb"

const char *device_spec_option(const struct device_spec *spec, const char *name)
{
	for (unsigned i = 0; i < spec->options; i++)
		if (!strcmp(spec->option[i].name, name))
			return spec->option[i].value;
	return NULL;
}

/* Copy up to the next bare comma, dropping the backslash before one. -E2BIG: longer than dest. */
static int take_field(const char **text, char *dest, size_t size)
{
	const char *s = *text;
	size_t n = 0;

	for (; *s && *s != ','; s++) {
		if (s[0] == '\\' && s[1] == ',')
			s++;
		if (n + 1 >= size)
			return -E2BIG;
		dest[n++] = *s;
	}
	dest[n] = '\0';
	*text = s;
	return 0;
}

static int take_option(const char **text, struct device_spec *spec, struct err *err)
{
	char field[sizeof(spec->option->name) + sizeof(spec->option->value)];
	char *equals;
	size_t name_length;

	if (take_field(text, field, sizeof(field)) < 0)
		return err_set(err, -ERR_USAGE, "the drive '%s' has an option that is too long",
			       spec->text);
	equals = strchr(field, '=');
	if (!equals || equals == field)
		return err_set(err, -ERR_USAGE,
			       "the drive '%s' has an option '%s' that is not NAME=VALUE",
			       spec->text, field);
	*equals = '\0';
	name_length = (size_t)(equals - field);
	if (name_length >= sizeof(spec->option->name) ||
	    strlen(equals + 1) >= sizeof(spec->option->value))
		return err_set(err, -ERR_USAGE, "the drive '%s' has an option that is too long",
			       spec->text);
	if (device_spec_option(spec, field))
		return err_set(err, -ERR_USAGE, "the drive '%s' gives '%s' twice", spec->text,
			       field);
	if (spec->options == DEVICE_OPTIONS_MAX)
		return err_set(err, -ERR_USAGE, "the drive '%s' has more than %d options",
			       spec->text, DEVICE_OPTIONS_MAX);
	memcpy(spec->option[spec->options].name, field, name_length + 1);
	memcpy(spec->option[spec->options].value, equals + 1, strlen(equals + 1) + 1);
	spec->options++;
	return 0;
}

static bool kind_known(const char *kind)
{
	for (size_t i = 0; device_backends[i]; i++)
		if (!strcmp(device_backends[i]->name, kind))
			return true;
	return false;
}

static int unknown_kind(const struct device_spec *spec, struct err *err)
{
	const char *nearest = NULL;
	unsigned best = 3;

	for (size_t i = 0; device_backends[i]; i++) {
		unsigned d = param_distance(spec->kind, device_backends[i]->name);

		if (d < best) {
			best = d;
			nearest = device_backends[i]->name;
		}
	}
	if (nearest)
		return err_set(err, -ERR_USAGE,
			       "there is no kind of drive called '%s'; did you mean '%s:'?",
			       spec->kind, nearest);
	return err_set(err, -ERR_USAGE,
		       "there is no kind of drive called '%s'; a drive is /dev/NAME, file:PATH, "
		       "dir:PATH, sim:MODEL or null",
		       spec->kind);
}

/* The kind, and `rest` at what follows its colon (or at the path itself). */
static int take_kind(struct device_spec *spec, const char **rest, struct err *err)
{
	size_t n = strcspn(*rest, ":,/");

	if (!strncmp(*rest, "/dev/", 5)) {
		snprintf(spec->kind, sizeof(spec->kind), "block");
		return 0;
	}
	if ((*rest)[n] == '/' || !strcmp(*rest, ".") || !strcmp(*rest, ".."))
		return err_set(err, -ERR_USAGE,
			       "'%s' is not below /dev; write 'file:%s' for a file or 'dir:%s' for "
			       "a folder on a mounted file system",
			       spec->text, spec->text, spec->text);
	if (n == 0)
		return err_set(err, -ERR_USAGE,
			       "the drive '%s' does not begin with a kind or with /dev/",
			       spec->text);
	if (n >= sizeof(spec->kind))
		return err_set(err, -ERR_USAGE, "there is no kind of drive called '%.*s'", (int)n,
			       *rest);
	memcpy(spec->kind, *rest, n);
	spec->kind[n] = '\0';
	if (!kind_known(spec->kind))
		return unknown_kind(spec, err);
	*rest += n;
	if (**rest == ':')
		++*rest;
	return 0;
}

static int check_path(const struct device_spec *spec, struct err *err)
{
	bool wanted = strcmp(spec->kind, "null") != 0;

	if (wanted && spec->path[0] == '\0')
		return err_set(err, -ERR_USAGE, "the drive '%s' does not say which; write '%s:%s'",
			       spec->text, spec->kind,
			       !strcmp(spec->kind, "sim") ? "MODEL" : "PATH");
	if (!wanted && spec->path[0] != '\0')
		return err_set(err, -ERR_USAGE,
			       "the drive 'null' takes no path ('%s'), only options", spec->path);
	return 0;
}

int device_spec_parse(const char *text, struct device_spec *ret, struct err *err)
{
	struct device_spec spec = { 0 };
	const char *rest;
	int r;

	if (text[0] == '\0')
		text = DRIVE_DEFAULT;
	if (strlen(text) >= sizeof(spec.text))
		return err_set(err, -ERR_USAGE,
			       "the drive '%.40s...' is longer than %zu characters", text,
			       sizeof(spec.text) - 1);
	memcpy(spec.text, text, strlen(text) + 1);
	rest = spec.text;
	r = take_kind(&spec, &rest, err);
	if (r < 0)
		return r;
	if (take_field(&rest, spec.path, sizeof(spec.path)) < 0)
		return err_set(err, -ERR_USAGE,
			       "the path of the drive '%s' is longer than %zu characters",
			       spec.text, sizeof(spec.path) - 1);
	r = check_path(&spec, err);
	while (r == 0 && *rest == ',') {
		rest++;
		r = take_option(&rest, &spec, err);
	}
	if (r == 0)
		*ret = spec;
	return r;
}
