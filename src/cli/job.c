/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/environment.h"
#include "cli/help.h"

#define AT(field) offsetof(struct run_settings, field)

const struct param run_table[] = {
	{ "drive", "", PARAM_TEXT, AT(drive), 0, 0, "", NULL,
	  "the drive to measure; without it the simulated default", "" },
	{ "destroy", "", PARAM_TEXT, AT(destroy), 0, 0, "", NULL,
	  "the serial of the block device whose content may be lost, typed in full (its kernel "
	  "name where it has none)",
	  "" },
	{ "over", "", PARAM_TEXT, AT(over), 0, 0, "", NULL,
	  "name of the signature (ext4, ntfs, crypto_LUKS, ...) that may be overwritten", "" },
	{ "profile", "", PARAM_TEXT, AT(profile), 0, 0, "", NULL,
	  "a named set of the experiment's parameters", "" },
	{ "prepare", "", PARAM_TEXT, AT(prepare), 0, 0, "", NULL,
	  "the state to begin in: fresh, sequential or as-is (default: the experiment's)", "" },
	{ "rest", "", PARAM_TEXT, AT(rest), 0, 0, "", NULL,
	  "rest between steps: for:TIME or until-temperature:CELSIUS (default: the experiment's)",
	  "" },
	{ "repeat", "", PARAM_U32, AT(repeat), 0, 1000, "0", NULL,
	  "how often, each time from the preparation on; 0: the experiment's default", "" },
	{ "seed", "", PARAM_U64, AT(seed), 0, 1.8e19, "1", NULL,
	  "of every random choice, and of the simulated drive", "" },
	{ "max-written", "bytes", PARAM_BYTES, AT(max_written_bytes), 0, 0x1p62, "0", NULL,
	  "the write budget; 0: the drive's default, 4 times the capacity of a real one", "" },
	{ "leave-free", "", PARAM_TEXT, AT(leave_free), 0, 0, "", NULL,
	  "dir: and file: keep so much of the file system free (default: the larger of 5 % and 2 "
	  "GiB)",
	  "" },
	{ "rated-tbw", "TB", PARAM_F64, AT(rated_tbw), 0, 1e9, "0", NULL,
	  "rated endurance in terabytes written, to price the plan; 0: not known", "" },
	{ "db", "", PARAM_TEXT, AT(db), 0, 0, "", NULL,
	  "file for the results (default in the XDG data folder); none: keep nothing", "" },
	{ "report", "", PARAM_TEXT, AT(report), 0, 0, "", NULL,
	  "also write a report, one HTML file", "" },
	{ "json", "", PARAM_BOOL, AT(json), 0, 0, "false", NULL,
	  "print the result as one JSON object in place of tables", "" },
	{ "quiet", "", PARAM_BOOL, AT(quiet), 0, 0, "false", NULL, "no progress", "" },
	PARAM_END
};

static int parse_leave_free(struct job *job, struct err *err)
{
	if (!*job->settings.leave_free)
		return 0;
	job->spec.leave_free_given = true;
	if (parse_bytes(job->settings.leave_free, &job->spec.leave_free_bytes, err) < 0) {
		err_prefix(err, "option '--leave-free'");
		return -ERR_USAGE;
	}
	return 0;
}

static int parse_drive(struct job *job, struct err *err)
{
	struct run_settings *s = &job->settings;
	const char *models = getenv("ASSAY_MODELS");
	int r = device_spec_parse(s->drive, &job->spec, err);

	if (r < 0)
		return r;
	snprintf(job->spec.destroy, sizeof(job->spec.destroy), "%.*s",
		 (int)sizeof(job->spec.destroy) - 1, s->destroy);
	snprintf(job->spec.over, sizeof(job->spec.over), "%.*s", (int)sizeof(job->spec.over) - 1,
		 s->over);
	job->spec.seed = s->seed;
	if (models)
		snprintf(job->spec.models, sizeof(job->spec.models), "%s", models);
	return parse_leave_free(job, err);
}

static int parse_state(struct job *job, struct err *err)
{
	const struct run_settings *s = &job->settings;
	const char *prepare = *s->prepare ? s->prepare : job->experiment->prepare;
	const char *rest = *s->rest ? s->rest : job->experiment->rest;
	struct run_options *o = &job->ctx.options;
	int i;

	for (i = 0; recipe_names[i]; i++)
		if (!strcmp(recipe_names[i], prepare))
			break;
	if (!recipe_names[i])
		return err_set(err, -ERR_USAGE,
			       "'%s' is not a state to prepare; use fresh, sequential or as-is",
			       prepare);
	o->prepare = (enum recipe)i;
	o->seed = s->seed;
	o->repeat = s->repeat;
	o->max_written_bytes = s->max_written_bytes;
	return rest_parse(rest, &o->rest, err) < 0 ? -ERR_USAGE : 0;
}

static int find_experiment(struct job *job, const char *name, struct err *err)
{
	job->experiment = experiment_find(name);
	if (!job->experiment)
		return err_set(err, -ERR_USAGE,
			       "there is no experiment '%s'; see 'assay experiments'", name);
	return 0;
}

static void experiment_help(const struct experiment *e, const char *verb)
{
	struct command shown = {
		.name = verb,
		.arguments = e->name,
		.summary = e->question,
		.options = e->params,
	};
	char text[500];

	help_command(&shown);
	puts("\nProfiles (--profile NAME):");
	for (const struct profile *p = e->profiles; p->name; p++) {
		snprintf(text, sizeof(text), "%s (version %u): %s", p->name, p->version,
			 p->sentence);
		print_wrapped(text, 2);
	}
	snprintf(
		text, sizeof(text),
		"Recipe %s, rest %s, repeats: %s. 'assay run --help' has the options of every run.",
		e->prepare, e->rest, e->repeats);
	putchar('\n');
	print_wrapped(text, 0);
}

int job_parse(struct job *job, int argc, char **argv, struct err *err)
{
	struct options o;
	int r;

	memset(job, 0, sizeof(*job));
	job->ctx.rest_temperature_c = NAN;
	job->arguments_json = arguments_json(argc, argv);
	if (!job->arguments_json)
		return err_sys(err, -ENOMEM, "cannot keep the command line");
	r = find_experiment(job, argv[0], err);
	if (r < 0)
		return r;
	const struct param *const tables[] = { run_table, job->experiment->params, NULL };

	param_defaults(run_table, &job->settings);
	r = options_split(argc - 1, argv + 1, tables, &o, err);
	if (r == 0 && o.help) {
		experiment_help(job->experiment, "run");
		return 1;
	}
	if (r == 0)
		r = options_apply(&o, run_table, &job->settings, err);
	if (r < 0)
		return r;
	job->profile = profile_find(job->experiment,
				    *job->settings.profile ? job->settings.profile : NULL);
	if (!job->profile)
		return err_set(err, -ERR_USAGE,
			       "experiment '%s' has no profile '%s'; see 'assay experiments %s'",
			       job->experiment->name, job->settings.profile, job->experiment->name);
	job->params = calloc(1, job->experiment->params_size);
	if (!job->params)
		return err_sys(err, -ENOMEM, "cannot keep the parameters");
	profile_apply(job->experiment, job->profile, job->params);
	r = options_apply(&o, job->experiment->params, job->params, err);
	if (r == 0)
		r = options_finish(&o, tables, err);
	/* Behind the names: the value of a misspelt option looks like an argument. */
	if (r == 0 && o.positional_n)
		r = err_set(err, -ERR_USAGE, "'%s' is one argument too many", o.positional[0]);
	if (r == 0)
		r = parse_drive(job, err);
	return r < 0 ? r : parse_state(job, err);
}

void job_release(struct job *job)
{
	device_close(job->dev);
	run_ctx_release(&job->ctx);
	free(job->params);
	free(job->arguments_json);
}

static int check_plan_budget(struct job *job, struct err *err)
{
	struct run_options *o = &job->ctx.options;
	uint64_t writes = plan_write_bytes(&job->ctx);
	char a[32], b[32];

	if (!o->max_written_bytes)
		o->max_written_bytes = job->dev->info.budget_default_bytes;
	/* What only time bounds, the budget bounds. */
	if (!o->max_written_bytes || writes == UINT64_MAX || writes <= o->max_written_bytes)
		return 0;
	return err_set(err, -ERR_REFUSED,
		       "the plan writes up to %s, more than the budget of %s; allow it with "
		       "--max-written %s, or shorten it",
		       format_bytes_decimal(a, sizeof(a), (double)writes),
		       format_bytes_decimal(b, sizeof(b), (double)o->max_written_bytes), a);
}

int job_plan(struct job *job, struct err *err)
{
	struct run_ctx *ctx = &job->ctx;
	int r;

	job->spec.read_only = job->spec.look = true;
	r = device_open(&job->dev, &job->spec, err);
	if (r < 0)
		return r;
	ctx->dev = job->dev;
	ctx->info = &job->dev->info;
	if (!ctx->options.repeat)
		ctx->options.repeat = job->experiment->repeat_default(ctx->info);
	if (job->experiment->check) {
		r = job->experiment->check(job->params, ctx->info, err);
		if (r < 0)
			return r == -ENOTSUP ? r : -ERR_USAGE;
	}
	ctx->planning = true;
	r = job->experiment->run(ctx, job->params, err);
	run_ctx_planned(ctx);
	if (r < 0)
		return r == -EINVAL ? -ERR_USAGE : r;
	return check_plan_budget(job, err);
}

void job_print_plan(const struct job *job)
{
	const struct run_ctx *ctx = &job->ctx;
	uint64_t writes = plan_write_bytes(ctx);
	char text[64];
	unsigned phases = 0;
	double share;

	for (size_t i = 0; i < ctx->plan.n; i++)
		phases += strcmp(ctx->plan.items[i].label, "rest") != 0;
	printf("experiment   %s, profile %s version %u\n", job->experiment->name,
	       job->profile->name, job->profile->version);
	printf("question     %s\n", job->experiment->question);
	printf("drive        %s (%s, %s)\n",
	       *job->settings.drive ? job->settings.drive : "the default",
	       *ctx->info->model ? ctx->info->model : ctx->info->kind,
	       format_bytes_decimal(text, sizeof(text), (double)ctx->info->capacity_bytes));
	printf("preparation  %s; rests %s; %u repeat%s; seed %llu\n",
	       recipe_names[ctx->options.prepare],
	       *job->settings.rest ? job->settings.rest : job->experiment->rest,
	       ctx->options.repeat, ctx->options.repeat == 1 ? "" : "s",
	       (unsigned long long)ctx->options.seed);
	printf("phases       %u\n", phases);
	if (writes == UINT64_MAX && ctx->options.max_written_bytes)
		printf("writes       at most the budget, %s\n",
		       format_bytes_decimal(text, sizeof(text),
					    (double)ctx->options.max_written_bytes));
	else if (writes == UINT64_MAX)
		printf("writes       not bounded by bytes\n");
	else
		printf("writes       at most %s, %.2f times the capacity\n",
		       format_bytes_decimal(text, sizeof(text), (double)writes),
		       (double)writes / (double)ctx->info->capacity_bytes);
	share = job->settings.rated_tbw > 0
			? 100.0 * (double)writes / (job->settings.rated_tbw * 1e12)
			: NAN;
	if (!ctx->info->wears)
		printf("endurance    costs none\n");
	else if (isnan(share))
		printf("endurance    unknown (give --rated-tbw)\n");
	else
		printf("endurance    at most %.3g %% of %g TB rated\n", share,
		       job->settings.rated_tbw);
	format_time(text, sizeof(text), (uint64_t)(plan_seconds(ctx, 400) * 1e9));
	printf("time         about %s of the drive's time, if it moves 400 MB/s%s\n", text,
	       ctx->info->real_time ? "" : "; simulated: seconds");
}
