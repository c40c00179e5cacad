/* SPDX-License-Identifier: GPL-3.0-or-later */
/* content: write files of defined content. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "data/content.h"

struct content_settings {
	char output[PARAM_TEXT_SIZE];
	uint64_t seed;
	uint32_t rows;
	bool unix_newlines;
};

#define AT(field) offsetof(struct content_settings, field)

static const struct param content_table[] = {
	{ "output", "", PARAM_TEXT, AT(output), 0, 0, "-", NULL,
	  "file to write (-o FILE); -: stdout", "" },
	{ "seed", "", PARAM_U64, AT(seed), 0, 1.8e19, "1", NULL,
	  "of the characters; the source's own was the time of day", "" },
	{ "rows", "", PARAM_U32, AT(rows), 1, 4e9, "5000000", NULL, "rows of 160 characters",
	  "sources.md 1.2" },
	{ "unix-newlines", "", PARAM_BOOL, AT(unix_newlines), 0, 0, "false", NULL,
	  "end rows with LF in place of CR LF", "" },
	PARAM_END
};

static int write_piece(void *user, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, user) == n ? 0 : -errno;
}

static int cmd_content(int argc, char **argv, struct err *err)
{
	struct content_settings s;
	struct options o;
	FILE *f;
	int r = options_read(&command_content, argc, argv, &s, &o, err);
	int closed;

	if (r != 0)
		return r < 0 ? r : 0;
	if (strcmp(o.positional[0], "gigafile") != 0)
		return err_set(err, -ERR_USAGE, "there is no content '%s'; there is: gigafile",
			       o.positional[0]);
	r = output_open(s.output, &f, err);
	if (r < 0)
		return r;
	r = content_gigafile(s.seed, s.rows, s.unix_newlines, write_piece, f);
	closed = output_close(s.output, f, err);
	return r < 0 ? err_sys(err, r, "cannot write '%s'", s.output) : closed;
}

const struct command command_content = {
	.name = "content",
	.arguments = "gigafile",
	.summary = "write the fill file of the source, streamed: 1.21 GB of UTF-8",
	.options = content_table,
	.positional_min = 1,
	.positional_max = 1,
	.run = cmd_content,
};
