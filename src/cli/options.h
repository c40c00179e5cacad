/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - the command line against parameter tables.
 *
 * "--name value" and "--name=value"; a yes/no option takes no value ("--name", "--no-name"). What does
 * not begin with "--" is a positional argument; "--" ends the options.
 */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/param.h"

#define OPTIONS_MAX 128

struct option_given {
	const char *name, *value;
	bool used;
};

struct options {
	struct option_given given[OPTIONS_MAX];
	unsigned given_n;
	const char *positional[OPTIONS_MAX];
	unsigned positional_n;
	bool help;
};

/* Split argv (without the command's name). `tables` (NULL-ended) tell which options take no value. */
int options_split(int argc, char **argv, const struct param *const *tables, struct options *ret,
		  struct err *err);
/* Give base what was given for its table. -ERR_USAGE with a sentence. */
int options_apply(struct options *o, const struct param *table, void *base, struct err *err);
/* After all tables: what nobody wanted. -ERR_USAGE with the nearest name. */
int options_finish(const struct options *o, const struct param *const *tables, struct err *err);

/* All of it for a command with one table; prints help and returns 1 where --help was given. */
struct command;
int options_read(const struct command *command, int argc, char **argv, void *base,
		 struct options *ret, struct err *err);

#endif
