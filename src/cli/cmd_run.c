/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run, plan and resume. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/help.h"
#include "cli/job.h"
#include "cli/output.h"

/* The experiment comes first; --help alone is about the command. */
static int want_experiment(const struct command *command, int argc, char **argv, struct err *err)
{
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		help_command(command);
		return 1;
	}
	if (argc < 2 || argv[1][0] == '-')
		return err_set(err, -ERR_USAGE,
			       "'assay %s' takes the experiment first, as in 'assay %s fill'; see "
			       "'assay experiments'",
			       command->name, command->name);
	return 0;
}

static int run_job(int argc, char **argv, const char *resume, const char *db, struct err *err)
{
	struct job job;
	int r = job_parse(&job, argc, argv, err);

	if (r == 0 && *db)
		memcpy(job.settings.db, db, sizeof(job.settings.db));
	if (r == 0)
		r = job_plan(&job, err);
	if (r == 0)
		r = job_run(&job, resume, err);
	job_release(&job);
	return r > 0 ? 0 : r;
}

static int cmd_run(int argc, char **argv, struct err *err)
{
	int r = want_experiment(&command_run, argc, argv, err);

	return r ? (r < 0 ? r : 0) : run_job(argc - 1, argv + 1, NULL, "", err);
}

static int cmd_plan(int argc, char **argv, struct err *err)
{
	struct job job;
	int r = want_experiment(&command_plan, argc, argv, err);

	if (r)
		return r < 0 ? r : 0;
	r = job_parse(&job, argc - 1, argv + 1, err);
	if (r == 0)
		r = job_plan(&job, err);
	if (job.ctx.plan.n && (r == 0 || r == -ERR_REFUSED))
		job_print_plan(&job);
	job_release(&job);
	return r > 0 ? 0 : r;
}

struct resume_settings {
	char db[PARAM_TEXT_SIZE];
};

static const struct param resume_table[] = {
	{ "db", "", PARAM_TEXT, offsetof(struct resume_settings, db), 0, 0, "", NULL,
	  "file with the results (default in the XDG data folder)", "" },
	PARAM_END
};

static int cmd_resume(int argc, char **argv, struct err *err)
{
	struct resume_settings s;
	struct options o;
	struct store *store;
	struct run_record *record;
	char **stored_argv = NULL, id[RUN_ID_SIZE];
	int stored_argc = 0, r;

	r = options_read(&command_resume, argc, argv, &s, &o, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = store_open_read(s.db, &store, err);
	if (r < 0)
		return r;
	r = store_run_load(store, o.positional[0], &record, err);
	store_close(store);
	if (r < 0)
		return r;
	snprintf(id, sizeof(id), "%s", record->run.id);
	if (record->run.status == RUN_DONE)
		r = err_set(err, -EALREADY, "run '%s' is complete; 'assay show %s' prints it", id,
			    id);
	if (r == 0)
		r = arguments_parse(record->run.arguments_json, &stored_argc, &stored_argv, err);
	run_record_free(record);
	if (r < 0)
		return r;
	r = run_job(stored_argc, stored_argv, id, s.db, err);
	arguments_free(stored_argc, stored_argv);
	return r;
}

const struct command command_run = {
	.name = "run",
	.arguments = "EXPERIMENT",
	.summary = "run an experiment: phases, then verdicts with their uncertainty",
	.details = "Results go to stdout, progress to stderr; everything is kept in the results "
		   "file, from which it can be shown, exported and compared again.\n"
		   "Nothing is written to a block device unless its serial is given as --destroy, "
		   "and never while anything uses it.",
	.options = run_table,
	.run = cmd_run,
};

const struct command command_plan = {
	.name = "plan",
	.arguments = "EXPERIMENT",
	.summary = "say what a run would do and cost; nothing is touched",
	.options = run_table,
	.run = cmd_plan,
};

const struct command command_resume = {
	.name = "resume",
	.arguments = "RUN",
	.summary = "go on where a killed or interrupted run stopped",
	.details = "A simulated drive is computed again from its seed and compared with what is "
		   "stored; on a real one phases that are stored are not run again.",
	.options = resume_table,
	.positional_min = 1,
	.positional_max = 1,
	.run = cmd_resume,
};
