/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.h - help texts and the manual page, all made from the tables of commands, experiments and parameters.
 */
#ifndef ASSAY_CLI_HELP_H
#define ASSAY_CLI_HELP_H

#include "cli/command.h"

/* Printed by `assay --help`, `assay COMMAND --help` and `assay help --man`. */
void help_overview(void);
void help_command(const struct command *command);
void help_manual(void);

/* A paragraph on stdout, wrapped for 80 columns. */
void print_wrapped(const char *text, unsigned indent);

#endif
