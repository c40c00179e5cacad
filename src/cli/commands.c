/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands.h"

/* One a line, so that adding is a line. */
/* clang-format off */
const struct command *const commands[] = {
	&command_drives,
	&command_experiments,
	&command_models,
	&command_plan,
	&command_run,
	&command_resume,
	&command_runs,
	&command_show,
	&command_compare,
	&command_report,
	&command_export,
	&command_content,
	NULL,
};
/* clang-format on */
