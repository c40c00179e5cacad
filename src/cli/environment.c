/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/environment.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/version.h"

static void read_line(const char *path, const char *key, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[512];

	buf[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		char *value = line;

		if (key) {
			if (strncmp(line, key, strlen(key)) != 0 || !(value = strchr(line, ':')))
				continue;
			value += 1 + (value[1] == ' ');
		}
		value[strcspn(value, "\n")] = '\0';
		snprintf(buf, size, "%.*s", (int)size - 1, value);
		return;
	}
}

/* Settings of the block layer that change results (methods.md 19). */
static json_t *queue_settings(const char *path)
{
	static const char *const names[] = { "scheduler",   "nr_requests", "max_sectors_kb",
					     "nomerges",    "rq_affinity", "wbt_lat_usec",
					     "write_cache", NULL };
	const char *name = strrchr(path, '/');
	json_t *queue = json_object();

	for (int i = 0; names[i] && name; i++) {
		char file[512], value[256];

		snprintf(file, sizeof(file), "/sys/class/block/%s/queue/%s", name + 1, names[i]);
		read_line(file, NULL, value, sizeof(value));
		if (*value)
			json_object_set_new(queue, names[i], json_string(value));
	}
	return queue;
}

char *environment_json(const struct device *dev, double ceiling_iops)
{
	json_t *o = json_object();
	struct utsname u;
	char cpu[128], governor[64];
	char *text;

	uname(&u);
	read_line("/proc/cpuinfo", "model name", cpu, sizeof(cpu));
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, governor,
		  sizeof(governor));
	json_object_set_new(o, "assay", json_string(ASSAY_VERSION));
	json_object_set_new(o, "compiler", json_string(__VERSION__));
	json_object_set_new(o, "kernel", json_string(u.release));
	json_object_set_new(o, "machine", json_string(u.machine));
	json_object_set_new(o, "cpu", *cpu ? json_string(cpu) : json_null());
	json_object_set_new(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(o, "governor", *governor ? json_string(governor) : json_null());
	if (!strcmp(dev->info.kind, "block") && *dev->info.state_key)
		json_object_set_new(o, "queue", queue_settings(dev->info.state_key));
	json_object_set_new(o, "instrument_iops_max",
			    ceiling_iops > 0 ? json_real(ceiling_iops) : json_null());
	text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(o);
	return text;
}

char *arguments_json(int argc, char **argv)
{
	json_t *o = json_object(), *array = json_array();
	char *text;

	for (int i = 0; i < argc; i++)
		json_array_append_new(array, json_string(argv[i]));
	json_object_set_new(o, "argv", array);
	text = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	return text;
}

void arguments_free(int argc, char **argv)
{
	for (int i = 0; argv && i < argc; i++)
		free(argv[i]);
	free(argv);
}

int arguments_parse(const char *json, int *ret_argc, char ***ret_argv, struct err *err)
{
	json_t *o = json_loads(json ? json : "", 0, NULL);
	json_t *array = json_object_get(o, "argv");
	size_t n = json_array_size(array);
	char **argv = calloc(n + 1, sizeof(char *));
	int r = n && argv ? 0 : -EINVAL;

	for (size_t i = 0; i < n && r == 0; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		argv[i] = strdup(text ? text : "");
		if (!argv[i])
			r = -ENOMEM;
	}
	json_decref(o);
	if (r < 0) {
		arguments_free((int)n, argv);
		return err_set(err, r, "the stored command line of the run cannot be read");
	}
	*ret_argc = (int)n;
	*ret_argv = argv;
	return 0;
}
