/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * experiment.h - a question, the phases that answer it, and the analysis that says what they mean.
 *
 * run() is a deterministic function of parameters, seed, drive facts and the outcomes of earlier phases. It
 * does everything through the run context (context.h), so the same function makes the plan (nothing is
 * touched, phases are only listed) and is called again on resume (stored phases return what is stored).
 * analyse() is pure. Neither prints.
 */
#ifndef ASSAY_EXPERIMENT_EXPERIMENT_H
#define ASSAY_EXPERIMENT_EXPERIMENT_H

#include "base/err.h"
#include "base/param.h"
#include "data/verdict.h"
#include "experiment/context.h"

/* A named set of parameters. A change to what it means is a new version. */
struct profile {
	const char *name; /* NULL ends the array; the first is the default */
	unsigned version;
	const char *sentence;
	const char *settings; /* "name=value name=value": on top of the table's defaults */
};

struct experiment {
	const char *name;
	const char *question;
	const char *from;    /* the document it comes from */
	const char *prepare; /* default recipe */
	const char *rest;    /* default rest policy */
	const char *repeats; /* default number of repeats, in words for --help */
	unsigned (*repeat_default)(const struct device_info *info);
	const struct param *params; /* offsets into a struct of params_size bytes */
	size_t params_size;
	const struct profile *profiles;
	/* What single parameters cannot say; may be NULL. -EINVAL with a sentence. */
	int (*check)(const void *params, const struct device_info *info, struct err *err);
	int (*run)(struct run_ctx *ctx, const void *params, struct err *err);
	int (*analyse)(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
		       struct err *err);
};

/* All experiments, ended by NULL (registry.c). */
extern const struct experiment *const experiments[];

const struct experiment *experiment_find(const char *name);
/* NULL name: the default profile. NULL return: there is no such profile. */
const struct profile *profile_find(const struct experiment *e, const char *name);
/* Set defaults, then the profile's settings, in a struct of params_size bytes. */
void profile_apply(const struct experiment *e, const struct profile *p, void *params);
/* 16 hexadecimal digits over experiment, profile name and version and the value of every parameter. */
void profile_hash(const struct experiment *e, const struct profile *p, const void *params,
		  const struct run_options *options, char ret[20]);

unsigned repeat_once(const struct device_info *info);
/* Three times where writing costs nothing, else once. */
unsigned repeat_unless_it_wears(const struct device_info *info);

#endif
