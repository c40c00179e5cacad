/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/mounts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Space, tab, newline and backslash are written as three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

bool device_number_parse(const char *text, unsigned *ret_major, unsigned *ret_minor)
{
	unsigned long major, minor;
	char *end;

	major = strtoul(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	minor = strtoul(text, &end, 10);
	if (end == text || *end || major > UINT_MAX || minor > UINT_MAX)
		return false;
	*ret_major = (unsigned)major;
	*ret_minor = (unsigned)minor;
	return true;
}

bool mount_parse(const char *line, struct mount *ret)
{
	const char *rest = strstr(line, " - ");
	char number[32];

	if (!rest || sscanf(line, "%*s %*s %31s %*s %511s", number, ret->point) != 2 ||
	    !device_number_parse(number, &ret->major, &ret->minor) ||
	    sscanf(rest + 3, "%63s %511s %1023s", ret->type, ret->source, ret->options) != 3)
		return false;
	unescape(ret->point);
	unescape(ret->source);
	unescape(ret->options);
	return true;
}

bool mounts_walk(const char *root, bool (*each)(void *user, const struct mount *mount), void *user)
{
	static const char *const processes[] = { "self", "1" };
	bool found = false;

	for (int i = 0; i < 2 && !found; i++) {
		char path[PATH_MAX];
		_cleanup_fclose_ FILE *f = NULL;
		_cleanup_free_ char *line = NULL;
		size_t room = 0;

		snprintf(path, sizeof(path), "%s/proc/%s/mountinfo", root, processes[i]);
		f = fopen(path, "re");
		while (f && !found && getline(&line, &room, f) > 0) {
			struct mount mount;

			found = mount_parse(line, &mount) && each(user, &mount);
		}
	}
	return found;
}
