/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.h - a subcommand: its words, its options, what it does. One file each, one line in commands.c.
 *
 * --help and the manual page are made from this table and the option rows; nothing is written twice.
 */
#ifndef ASSAY_CLI_COMMAND_H
#define ASSAY_CLI_COMMAND_H

#include <stddef.h>

#include "base/err.h"
#include "base/param.h"

struct command {
	const char *name;
	const char *arguments; /* "EXPERIMENT", "RUN..." */
	const char *summary;   /* one line */
	const char *details;   /* paragraphs for --help and the manual; may be NULL */
	const struct param *options;
	unsigned positional_min, positional_max; /* as many as options_read() takes */
	/* argv[0] is the command's name. Returns 0 or a negative code; the sentence is printed by main(). */
	int (*run)(int argc, char **argv, struct err *err);
};

extern const struct command *const commands[]; /* ended by NULL */

#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define EXIT_REFUSED 3

#endif
