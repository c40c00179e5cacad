/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * embed.c - build tool: turn the page's scripts and styles into a C file.
 *
 *	embed OUT.c NAME: FILE... [NAME: FILE...]
 *
 * Writes `const unsigned char html_asset_NAME[]` and `const size_t html_asset_NAME_bytes` for each name:
 * its files joined, in the order given, with a newline between. Lines
 * that point to a source map are left out: the page must not ask for other files. Text that would end the
 * script or style element around it is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void die(const char *what, const char *subject)
{
	fprintf(stderr, "embed: %s '%s'\n", what, subject);
	exit(1);
}

static void check_line(const char *line, const char *file)
{
	for (const char *p = strchr(line, '<'); p; p = strchr(p + 1, '<'))
		if (!strncasecmp(p, "</script", 8) || !strncasecmp(p, "</style", 7) ||
		    !strncmp(p, "<!--", 4))
			die("text that would end its element in", file);
}

static size_t embed_file(FILE *out, const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t room = 0, bytes = 0;
	ssize_t n;

	if (!in)
		die("cannot open", path);
	while ((n = getline(&line, &room, in)) > 0) {
		char *map = strstr(line, "# sourceMappingURL=");

		if (map && map >= line + 2 && (map[-1] == '/' || map[-1] == '*')) {
			map[-2] = '\n';
			n = map - 1 - line;
			line[n] = '\0';
		}
		check_line(line, path);
		for (ssize_t i = 0; i < n; i++)
			fprintf(out, (bytes + (size_t)i) % 32 == 31 ? "%u,\n" : "%u,",
				(unsigned char)line[i]);
		bytes += (size_t)n;
	}
	if (ferror(in))
		die("cannot read", path);
	fclose(in);
	free(line);
	fputs("10,\n", out);
	return bytes + 1;
}

static void end_asset(FILE *out, const char *name, size_t bytes)
{
	fprintf(out, "};\nconst size_t html_asset_%s_bytes = %zu;\n", name, bytes);
}

int main(int argc, char **argv)
{
	const char *name = NULL;
	size_t bytes = 0;
	FILE *out;

	if (argc < 4)
		die("usage: embed OUT.c NAME: FILE... [NAME: FILE...], not", argv[0]);
	out = fopen(argv[1], "w");
	if (!out)
		die("cannot make", argv[1]);
	fputs("/* Made by tools/embed.c; do not edit. */\n#include \"report/html-assets.h\"\n",
	      out);
	for (int i = 2; i < argc; i++) {
		size_t length = strlen(argv[i]);

		if (length && argv[i][length - 1] == ':') {
			if (name)
				end_asset(out, name, bytes);
			argv[i][length - 1] = '\0';
			name = argv[i];
			bytes = 0;
			fprintf(out, "const unsigned char html_asset_%s[] = {\n", name);
		} else if (name) {
			bytes += embed_file(out, argv[i]);
		} else {
			die("no NAME: before", argv[i]);
		}
	}
	end_asset(out, name, bytes);
	if (fclose(out) != 0)
		die("cannot write", argv[1]);
	return 0;
}
