/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drives and experiments: what there is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "device/identity.h"
#include "device/model.h"
#include "experiment/experiment.h"

static void print_drive(const struct drive_listing *d)
{
	char size[32], temperature[16] = "-", wear[16] = "-";

	if (!isnan(d->temperature_c))
		snprintf(temperature, sizeof(temperature), "%.0f °C", d->temperature_c);
	if (!isnan(d->wear_pct))
		snprintf(wear, sizeof(wear), "%.0f %%", d->wear_pct);
	printf("%-14s %10s  %s\n", d->path,
	       format_bytes_decimal(size, sizeof(size), (double)d->size_bytes),
	       *d->model ? d->model : "(model unknown)");
	printf("    serial %s  firmware %s  temperature %s  wear %s%s%s\n",
	       *d->serial ? d->serial : "(none)", *d->firmware ? d->firmware : "-", temperature,
	       wear, d->rotational ? "  rotating" : "", d->read_only ? "  read-only" : "");
	printf("    %s\n", *d->in_use ? d->in_use : "not in use");
}

static int print_model_name(void *user, const char *name, const char *path)
{
	(void)path;
	printf("%s%s\n", (const char *)user, name);
	return 0;
}

static int cmd_drives(int argc, char **argv, struct err *err)
{
	struct drive_listings drives = { 0 };
	struct options o;
	char prefix[] = "sim:";
	int r = options_read(&command_drives, argc, argv, NULL, &o, err);

	if (r != 0)
		return r < 0 ? r : 0;
	r = drives_list(&drives, err);
	if (r < 0)
		return r;
	puts("Real drives:");
	for (size_t i = 0; i < drives.n; i++)
		print_drive(&drives.items[i]);
	if (drives.n == 0)
		puts("    none");
	drive_listings_release(&drives);
	puts("\nSimulated drives (see 'assay models NAME'):");
	return model_list(getenv("ASSAY_MODELS"), print_model_name, prefix, err);
}

static void print_params(const struct param *table)
{
	for (const struct param *row = table; row->name; row++) {
		char range[256];

		printf("  %-16s default %s%s%s\n", row->name,
		       row->def && *row->def ? row->def : "\"\"",
		       row->type == PARAM_TEXT ? "" : "; ", param_range(row, range, sizeof(range)));
		printf("  %-16s %s%s%s%s\n", "", row->sentence, *row->source ? " [" : "",
		       row->source, *row->source ? "]" : "");
	}
}

static void print_experiment(const struct experiment *e)
{
	printf("%s - %s (from %s)\n\nrecipe %s; rest %s; repeats: %s\n\nProfiles:\n", e->name,
	       e->question, e->from, e->prepare, e->rest, e->repeats);
	for (const struct profile *p = e->profiles; p->name; p++)
		printf("  %-10s version %u  %s\n", p->name, p->version, p->sentence);
	puts("\nParameters:");
	print_params(e->params);
}

static int cmd_experiments(int argc, char **argv, struct err *err)
{
	const struct experiment *e;
	struct options o;
	int r = options_read(&command_experiments, argc, argv, NULL, &o, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (o.positional_n == 0) {
		for (size_t i = 0; experiments[i]; i++)
			printf("%-10s %s\n", experiments[i]->name, experiments[i]->question);
		return 0;
	}
	e = experiment_find(o.positional[0]);
	if (!e)
		return err_set(err, -ERR_USAGE,
			       "there is no experiment '%s'; see 'assay experiments'",
			       o.positional[0]);
	print_experiment(e);
	return 0;
}

const struct command command_drives = {
	.name = "drives",
	.arguments = "",
	.summary = "list real drives (model, serial, firmware, temperature, wear, in use?) and "
		   "simulated ones",
	.run = cmd_drives,
};

const struct command command_experiments = {
	.name = "experiments",
	.arguments = "[NAME]",
	.summary = "list the experiments, or the parameters of one with their defaults and origin",
	.positional_max = 1,
	.run = cmd_experiments,
};
