/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job.h - one run from its command line to its results: what `run`, `plan` and `resume` share.
 */
#ifndef ASSAY_CLI_JOB_H
#define ASSAY_CLI_JOB_H

#include <stdbool.h>

#include "cli/options.h"
#include "device/device.h"
#include "experiment/experiment.h"
#include "store/store.h"

/* The options of every run; run_table has a row for each. */
struct run_settings {
	char drive[PARAM_TEXT_SIZE], destroy[PARAM_TEXT_SIZE], over[PARAM_TEXT_SIZE];
	char profile[PARAM_TEXT_SIZE], prepare[PARAM_TEXT_SIZE], rest[PARAM_TEXT_SIZE];
	char db[PARAM_TEXT_SIZE], report[PARAM_TEXT_SIZE], leave_free[PARAM_TEXT_SIZE];
	uint32_t repeat;
	uint64_t seed, max_written_bytes;
	double rated_tbw;
	bool json, quiet;
};

extern const struct param run_table[];

struct job {
	struct run_settings settings;
	const struct experiment *experiment;
	const struct profile *profile;
	void *params;
	struct device_spec spec;
	struct device *dev;
	struct run_ctx ctx;
	char *arguments_json; /* the command line, to be stored */
};

/* Parse and check everything that can be checked without a drive. argv[0] is the experiment. */
int job_parse(struct job *job, int argc, char **argv, struct err *err);
/* Open the drive so that nothing can be written, check the experiment against it, and make the plan. */
int job_plan(struct job *job, struct err *err);
/* Print the plan: cost before anything is touched. */
void job_print_plan(const struct job *job);
/* Run it and print the results. `resume`: the id of a stored run, or NULL. */
int job_run(struct job *job, const char *resume, struct err *err);
void job_release(struct job *job);

#endif
