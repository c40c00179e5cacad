/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/environment.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "load/load.h"

static atomic_int interrupted;

static void on_signal(int signal_number)
{
	(void)signal_number;
	/* The second time the default action is back: it kills. */
	atomic_store(&interrupted, 1);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action = (struct sigaction){ .sa_handler = SIG_IGN };
	sigaction(SIGPIPE, &action, NULL);
}

static void new_run_id(char *buf, size_t size, char *started, size_t started_size)
{
	time_t now = time(NULL);
	struct tm tm;
	uint32_t noise = 0;
	char stamp[24];

	gmtime_r(&now, &tm);
	if (getrandom(&noise, sizeof(noise), 0) < 0)
		noise = (uint32_t)progress_wall_ns();
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(buf, size, "%.15s-%04x", stamp, noise & 0xffff);
	strftime(started, started_size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* A real drive was only looked at for the plan: open it anew, for writing only where the plan destroys, past its guard. */
static int open_for_run(struct job *job, struct err *err)
{
	int r;

	if (!job->dev->info.state_persists)
		return 0; /* nothing to guard, and nothing to lose */
	device_close(job->dev);
	job->dev = NULL;
	job->spec.look = false;
	job->spec.read_only = !job->ctx.plan_destroys;
	r = device_open(&job->dev, &job->spec, err);
	if (r < 0)
		return r;
	job->ctx.dev = job->dev;
	job->ctx.info = &job->dev->info;
	return 0;
}

/* The default store must not lie on what is measured: its writes would be in the result. */
static int check_store_place(const struct job *job, const char *path, struct err *err)
{
	struct stat db, drive;
	_cleanup_free_ char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;

	if (!folder || *job->settings.db ||
	    (strcmp(job->spec.kind, "dir") != 0 && strcmp(job->spec.kind, "file") != 0))
		return 0;
	if (slash)
		*slash = '\0';
	if (stat(folder, &db) < 0 || stat(job->spec.path, &drive) < 0 || db.st_dev != drive.st_dev)
		return 0;
	return err_set(err, -ERR_REFUSED,
		       "the results would be written to '%s', on the file system that is measured; "
		       "say where with --db FILE, or --db none",
		       path);
}

static int open_store(struct job *job, struct store **ret, struct err *err)
{
	char path[4096];
	int r = store_path(job->settings.db, path, sizeof(path), true, err);

	if (r < 0)
		return r;
	r = *path ? check_store_place(job, path, err) : 0;
	return r < 0 ? r : store_open(ret, *path ? path : NULL, false, err);
}

static int describe_run(struct job *job, struct run *run, struct err *err)
{
	const struct device_info *info = &job->dev->info;

	new_run_id(run->id, sizeof(run->id), run->started, sizeof(run->started));
	snprintf(run->experiment, sizeof(run->experiment), "%s", job->experiment->name);
	snprintf(run->profile_name, sizeof(run->profile_name), "%s", job->profile->name);
	run->profile_version = job->profile->version;
	profile_hash(job->experiment, job->profile, job->params, &job->ctx.options,
		     run->profile_hash);
	snprintf(run->drive_spec, sizeof(run->drive_spec), "%s", job->spec.text);
	snprintf(run->drive_kind, sizeof(run->drive_kind), "%s", info->kind);
	snprintf(run->drive_model, sizeof(run->drive_model), "%s", info->model);
	snprintf(run->drive_serial, sizeof(run->drive_serial), "%s", info->serial);
	snprintf(run->drive_firmware, sizeof(run->drive_firmware), "%s", info->firmware);
	run->capacity_bytes = info->capacity_bytes;
	run->seed = job->ctx.options.seed;
	run->environment_json = environment_json(job->dev, job->ctx.ceiling_iops);
	run->arguments_json = job->arguments_json;
	if (!run->environment_json)
		return err_sys(err, -ENOMEM, "cannot describe the run");
	return 0;
}

static int measure_ceiling(struct job *job, struct err *err)
{
	struct workload w;

	assert(job->dev);
	if (!job->dev->info.real_time)
		return 0;
	workload_init(&w);
	w.queue_depth = 32;
	return load_ceiling(&w, &job->ctx.ceiling_iops, err);
}

static int analyse(struct job *job, struct sink *sink, struct err *err)
{
	struct verdicts verdicts = { 0 };
	int r = job->experiment->analyse(&job->ctx, job->params, &verdicts, err);

	for (size_t i = 0; i < verdicts.n && r == 0; i++)
		r = sink->ops->verdict(sink, &verdicts.items[i], err);
	verdicts_release(&verdicts);
	return r;
}

/* Everything between the open store and its results. */
static int run_with(struct job *job, struct store *store, struct run *run, const char *resume,
		    struct err *err)
{
	struct run_ctx *ctx = &job->ctx;
	struct progress_line line;
	uint64_t start = progress_wall_ns();
	int r, ended;

	r = resume ? store_run_resume(store, resume, !ctx->info->state_persists, err)
		   : store_run_begin(store, run, err);
	if (r < 0)
		return r;
	ctx->sink = store_sink(store);
	ctx->interrupt = &interrupted;
	ctx->wall_ns = progress_wall_ns;
	progress_begin(&line, job->settings.quiet);
	ctx->watch = progress_watch;
	ctx->watch_user = &line;
	device_attach(job->dev, ctx->sink);
	r = job->experiment->run(ctx, job->params, err);
	progress_end(&line);
	device_attach(job->dev, NULL);
	if (r == 0)
		r = analyse(job, ctx->sink, err);
	run->status = r == 0 ? RUN_DONE : r == -EINTR ? RUN_INTERRUPTED : RUN_FAILED;
	if (r == -EINTR)
		err_set(err, r, "interrupted; what was measured is kept, 'assay resume %s' goes on",
			run->id);
	if (r < 0)
		snprintf(run->message, sizeof(run->message), "%s", err->text);
	run->wall_s = (double)(progress_wall_ns() - start) / 1e9;
	run->drive_s = (double)ctx->drive_ns / 1e9;
	run->written_bytes = ctx->written_bytes;
	ended = store_run_end(store, run, r == 0 ? err : NULL);
	return r < 0 ? r : ended;
}

static void print_remarks(const struct run_ctx *ctx)
{
	for (size_t i = 0; i < ctx->remarks.n; i++)
		fprintf(stderr, "assay: note: %s\n", ctx->remarks.items[i]);
}

int job_run(struct job *job, const char *resume, struct err *err)
{
	struct store *store = NULL;
	struct run run = { 0 };
	int r;

	/* Output that cannot be written is better known before hours of measuring. */
	r = *job->settings.report ? output_probe(job->settings.report, err) : 0;
	if (r == 0)
		r = open_for_run(job, err);
	if (r == 0)
		r = open_store(job, &store, err);
	if (r < 0)
		return r;
	catch_signals();
	r = measure_ceiling(job, err);
	if (r == 0)
		r = describe_run(job, &run, err);
	if (r == 0 && resume)
		snprintf(run.id, sizeof(run.id), "%s", resume);
	if (r == 0)
		r = run_with(job, store, &run, resume, err);
	print_remarks(&job->ctx);
	if (r == 0)
		r = output_run(store, &job->settings, run.id, err);
	store_close(store);
	free(run.environment_json);
	return r;
}
