/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.h - the subcommands by name, one line each; only commands.c needs them so. */
#ifndef ASSAY_CLI_COMMANDS_H
#define ASSAY_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command command_drives, command_experiments, command_models, command_plan,
	command_run, command_resume, command_runs, command_show, command_compare, command_report,
	command_export, command_content;

#endif
