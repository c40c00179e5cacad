/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "analysis/init.h"
#include "cli/help.h"
#include "cli/version.h"

static int exit_code(int r)
{
	switch (r) {
	case -ERR_USAGE:
		return EXIT_USAGE;
	case -ERR_REFUSED:
		return EXIT_REFUSED;
	default:
		return r < 0 ? EXIT_FAILED : EXIT_DONE;
	}
}

static int unknown_command(const char *name)
{
	const char *nearest = NULL;
	unsigned best = 3;

	for (size_t i = 0; commands[i]; i++) {
		unsigned d = param_distance(name, commands[i]->name);

		if (d < best) {
			best = d;
			nearest = commands[i]->name;
		}
	}
	if (nearest)
		fprintf(stderr, "assay: there is no command '%s'; did you mean '%s'?\n", name,
			nearest);
	else
		fprintf(stderr, "assay: there is no command '%s'; see 'assay --help'\n", name);
	return EXIT_USAGE;
}

static int help(int argc, char **argv)
{
	if (argc < 2) {
		help_overview();
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--man")) {
		help_manual();
		return EXIT_DONE;
	}
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, argv[1])) {
			help_command(commands[i]);
			return EXIT_DONE;
		}
	return unknown_command(argv[1]);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = { 0 };
	int r = command->run(argc, argv, &err);

	if (r < 0)
		fprintf(stderr, "assay: %s\n", *err.text ? err.text : strerror(-r));
	return exit_code(r);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	analysis_init();
	if (argc < 2) {
		fprintf(stderr,
			"assay: a command is missing, such as 'run fill'; see 'assay --help'\n");
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		printf("assay %s\n", ASSAY_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, argv[1]))
			return run(commands[i], argc - 1, argv + 1);
	return unknown_command(argv[1]);
}
