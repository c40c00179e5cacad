/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"

static const struct param *find(const struct param *const *tables, const char *name, size_t len)
{
	for (; *tables; tables++)
		for (const struct param *row = *tables; row->name; row++)
			if (strlen(row->name) == len && !strncmp(row->name, name, len))
				return row;
	return NULL;
}

static int give(struct options *o, const char *name, const char *value, struct err *err)
{
	if (o->given_n == OPTIONS_MAX)
		return err_set(err, -ERR_USAGE, "more than %d options", OPTIONS_MAX);
	for (unsigned i = 0; i < o->given_n; i++)
		if (!strcmp(o->given[i].name, name))
			return err_set(err, -ERR_USAGE, "option '--%s' was given twice", name);
	o->given[o->given_n++] = (struct option_given){ name, value, false };
	return 0;
}

/* One option at argv[*i]; moves *i over a value that stands by itself. */
static int split_option(int argc, char **argv, int *i, const struct param *const *tables,
			struct options *o, struct err *err)
{
	char *name = argv[*i] + 2;
	char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct param *row = find(tables, name, len);

	if (!strcmp(name, "help")) {
		o->help = true;
		return 0;
	}
	if (!equals && !strncmp(name, "no-", 3)) {
		const struct param *negated = find(tables, name + 3, len - 3);

		if (negated && negated->type == PARAM_BOOL)
			return give(o, name + 3, "no", err);
	}
	if (equals) {
		*equals = '\0';
		return give(o, name, equals + 1, err);
	}
	if (row && row->type == PARAM_BOOL)
		return give(o, name, "yes", err);
	if (!row)
		return give(o, name, NULL, err);
	if (*i + 1 >= argc)
		return err_set(err, -ERR_USAGE, "option '--%s' needs a value", name);
	return give(o, name, argv[++*i], err);
}

int options_split(int argc, char **argv, const struct param *const *tables, struct options *ret,
		  struct err *err)
{
	bool only_positional = false;

	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < argc; i++) {
		int r;

		if (only_positional || strncmp(argv[i], "-", 1) != 0 || !strcmp(argv[i], "-")) {
			if (ret->positional_n == OPTIONS_MAX)
				return err_set(err, -ERR_USAGE, "too many arguments");
			ret->positional[ret->positional_n++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			only_positional = true;
			continue;
		}
		if (!strcmp(argv[i], "-h")) {
			ret->help = true;
			continue;
		}
		if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			r = give(ret, "output", argv[++i], err);
		} else if (strncmp(argv[i], "--", 2) != 0) {
			return err_set(err, -ERR_USAGE, "there is no option '%s'", argv[i]);
		} else {
			r = split_option(argc, argv, &i, tables, ret, err);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int options_apply(struct options *o, const struct param *table, void *base, struct err *err)
{
	for (unsigned i = 0; i < o->given_n; i++) {
		struct option_given *g = &o->given[i];
		const struct param *row = param_find(table, g->name);

		if (!row)
			continue;
		g->used = true;
		if (!g->value)
			return err_set(err, -ERR_USAGE, "option '--%s' needs a value", g->name);
		if (param_parse(row, base, g->value, err) < 0) {
			err_prefix(err, "option '--%s'", g->name);
			return -ERR_USAGE;
		}
	}
	return 0;
}

int options_finish(const struct options *o, const struct param *const *tables, struct err *err)
{
	for (unsigned i = 0; i < o->given_n; i++) {
		const char *nearest = NULL;
		unsigned best = 4;

		if (o->given[i].used)
			continue;
		for (const struct param *const *t = tables; *t; t++) {
			const char *name = param_nearest(*t, o->given[i].name, &best);

			if (name)
				nearest = name;
		}
		if (nearest)
			return err_set(err, -ERR_USAGE,
				       "there is no option '--%s'; did you mean '--%s'?",
				       o->given[i].name, nearest);
		return err_set(err, -ERR_USAGE, "there is no option '--%s'", o->given[i].name);
	}
	return 0;
}

int options_read(const struct command *command, int argc, char **argv, void *base,
		 struct options *ret, struct err *err)
{
	static const struct param none[] = { PARAM_END };
	const struct param *table = command->options ? command->options : none;
	const struct param *const tables[] = { table, NULL };
	int r = options_split(argc - 1, argv + 1, tables, ret, err);

	if (r == 0 && ret->help) {
		help_command(command);
		return 1;
	}
	if (base)
		param_defaults(table, base);
	if (r == 0)
		r = options_apply(ret, table, base, err);
	if (r == 0)
		r = options_finish(ret, tables, err);
	if (r < 0)
		return r;
	if (ret->positional_n < command->positional_min ||
	    ret->positional_n > command->positional_max)
		return err_set(err, -ERR_USAGE, "'assay %s' takes %s; see 'assay %s --help'",
			       command->name,
			       *command->arguments ? command->arguments : "no arguments",
			       command->name);
	return 0;
}
