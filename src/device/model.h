/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.h - simulated drives as data: a YAML file gives each parameter its value and its source.
 *
 *	name: NAME
 *	kind: ssd | disk | ideal			(optional: ssd)
 *	description: one sentence
 *	sources: { KEY: what and where, ... }		(optional)
 *	matches:					(optional) what it was matched to, and how well
 *	  - { what: ..., source: what the source says, model: what comes out, test: what produces that }
 *	parameters:
 *	  NAME: { value: VALUE, source: where it comes from }
 *
 * Names, units and ranges are those of the kind's table (simkind.h). What makes the drive must be given (of an
 * SSD: capacity, geometry.*, nand.*, link.*), the rest has defaults. Anything else is refused with file, line
 * and reason.
 *
 * A model is found by its name in the folder that the caller names (NULL or empty: none), else in the source
 * tree this was built from, else in the installed data folder; or by its path, ending in ".yaml".
 */
#ifndef ASSAY_DEVICE_MODEL_H
#define ASSAY_DEVICE_MODEL_H

#include <stdbool.h>

#include "base/err.h"
#include "device/simkind.h"
#include "ssd/config.h"
#include "ssd/disk.h"
#include "ssd/ideal.h"

#define MODEL_DEFAULT "sm2258xt-120g-usb"
#define MODEL_PARAMS_MAX 256
#define MODEL_SOURCES_MAX 16
#define MODEL_MATCHES_MAX 32

enum model_origin {
	MODEL_FROM_TABLE, /* the default of the parameter table */
	MODEL_FROM_FILE,
	MODEL_FROM_USER,  /* overridden in the drive specification */
	MODEL_FROM_SCALE, /* follows from an overridden capacity */
};

/* One parameter as the model has it; entries are in the order of the table. */
struct model_value {
	const struct param *row;
	char value[64]; /* as text, e.g. "58us" */
	char source[256];
	enum model_origin origin;
	int line; /* in the file; 0: not there */
};

/* The configuration of any kind of drive. */
union model_config {
	struct ssd_config ssd;
	struct disk_config disk;
	struct ideal_config ideal;
};

struct model {
	const struct sim_kind *kind;
	char name[64];
	char path[512];
	char description[1024];
	struct {
		char key[32], text[512];
	} source[MODEL_SOURCES_MAX];
	unsigned sources;
	struct {
		char what[128], source[256], model[256], test[128];
	} match[MODEL_MATCHES_MAX];
	unsigned matches;
	union {
		union model_config any;
		struct ssd_config config; /* of an SSD */
		struct disk_config disk;
		struct ideal_config ideal;
	};
	struct model_value value[MODEL_PARAMS_MAX];
	unsigned values;
	int parameters_line;
};

/* Load and check by name or path. -ENOENT where there is none, -EINVAL where it is refused. Free it. */
int model_load(struct model **ret, const char *name_or_path, const char *folder, struct err *err);
void model_free(struct model *model); /* NULL is fine */

/*
 * Override a parameter. "capacity" also scales what is a share of it (ssd_config_scale()), so it should be
 * set before others. Not checked against the rest: see model_check().
 */
int model_set(struct model *model, const char *name, const char *value, struct err *err);

/* Override what a drive specification says, and check. */
struct device_spec;
int model_options(struct model *model, const struct device_spec *spec, struct err *err);

/* What no single parameter can say, after overrides. -EINVAL with a sentence. */
int model_check(const struct model *model, struct err *err);

/*
 * Call each() with the name and path of every model in the first folder that there is, sorted by name.
 * Non-zero ends the walk.
 */
int model_list(const char *folder, int (*each)(void *user, const char *name, const char *path),
	       void *user, struct err *err);

#endif
