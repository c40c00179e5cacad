/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/health.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SMART_BYTES_MAX (1u << 20)

static void json_free(json_t *json)
{
	json_decref(json);
}
DEFINE_CLEANUP(json_t *, json_free);

static void take_text(const json_t *object, const char *key, char *buf, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(buf, size, "%s", text ? text : "");
}

static double number_at(const json_t *object, const char *first, const char *second)
{
	const json_t *value = json_object_get(json_object_get(object, first), second);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

int smart_parse(const char *text, struct smart *ret)
{
	_cleanup_(cleanup_json_free) json_t *json = json_loads(text, 0, NULL);
	double wear;

	memset(ret, 0, sizeof(*ret));
	ret->health = (struct health){ NAN, NAN, NAN, -1, -1 };
	if (!json_is_object(json))
		return -EINVAL;
	take_text(json, "model_name", ret->model, sizeof(ret->model));
	if (ret->model[0] == '\0')
		take_text(json, "scsi_model_name", ret->model, sizeof(ret->model));
	take_text(json, "serial_number", ret->serial, sizeof(ret->serial));
	take_text(json, "firmware_version", ret->firmware, sizeof(ret->firmware));
	ret->health.temperature_c = number_at(json, "temperature", "current");
	wear = number_at(json, "nvme_smart_health_information_log", "percentage_used");
	if (isnan(wear))
		wear = number_at(json, "endurance_used", "current_percent");
	ret->health.wear_pct = wear;
	return 0;
}

/* All that the program prints, up to a limit; NULL where it prints nothing. */
static char *read_all(int fd)
{
	_cleanup_free_ char *text = malloc(SMART_BYTES_MAX + 1);
	char *ret;
	size_t used = 0;
	ssize_t n;

	if (!text)
		return NULL;
	while (used < SMART_BYTES_MAX && (n = read(fd, text + used, SMART_BYTES_MAX - used)) != 0) {
		if (n < 0 && errno != EINTR)
			return NULL;
		if (n > 0)
			used += (size_t)n;
	}
	text[used] = '\0';
	ret = text;
	text = NULL;
	return ret;
}

int smart_read(const char *name, struct smart *ret)
{
	char path[64];
	const char *const argv[] = { "smartctl", "--json=c", "-i", "-A", path, NULL };
	const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
					    NULL };
	_cleanup_free_ char *text = NULL;
	posix_spawn_file_actions_t actions;
	int fds[2], status, r;
	pid_t pid;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (access("/usr/sbin/smartctl", X_OK) < 0)
		return -ENOENT;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawn(&pid, "/usr/sbin/smartctl", &actions, NULL, (char *const *)argv,
			(char *const *)environment);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r == 0) {
		text = read_all(fds[0]);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(fds[0]);
	return r ? -r : text ? smart_parse(text, ret) : -EIO;
}
