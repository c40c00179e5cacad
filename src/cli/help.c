/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "device/device.h"
#include "experiment/experiment.h"

#define WIDTH 78

/* Print text wrapped at WIDTH with the given indent; the first line continues at `column`. */
static void wrap(const char *text, unsigned indent, unsigned column)
{
	bool space = false;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (column + space + len > WIDTH && column > indent) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			space = false;
		}
		column += (unsigned)printf("%s%.*s", space ? " " : "", (int)len, text);
		text += len;
		space = *text == ' ';
		if (*text == '\n') {
			printf("\n%*s", (int)indent, "");
			column = indent;
		}
		if (*text)
			text++;
	}
	putchar('\n');
}

void print_wrapped(const char *text, unsigned indent)
{
	printf("%*s", (int)indent, "");
	wrap(text, indent, indent);
}

static void describe(const struct param *row, char *buf, size_t size)
{
	char range[256];
	size_t used;

	used = (size_t)snprintf(buf, size, "%s", row->sentence);
	if (row->type == PARAM_ENUM && used < size)
		used += (size_t)snprintf(buf + used, size - used, ": %s",
					 param_range(row, range, sizeof(range)));
	if (row->def && *row->def && row->type != PARAM_BOOL && used < size)
		used += (size_t)snprintf(buf + used, size - used, " (default %s)", row->def);
	if (row->type == PARAM_BOOL && row->def && !strcmp(row->def, "true") && used < size)
		snprintf(buf + used, size - used, " (default; --no-%s turns it off)", row->name);
}

static const char *value_name(const struct param *row)
{
	switch (row->type) {
	case PARAM_BOOL:
		return "";
	case PARAM_BYTES:
		return " SIZE";
	case PARAM_NS:
		return " TIME";
	case PARAM_ENUM:
		return " WORD";
	case PARAM_TEXT:
		return " VALUE";
	default:
		return " N";
	}
}

static void print_options(const struct param *table)
{
	char text[1024];

	for (const struct param *row = table; row->name; row++) {
		int n = printf("  --%s%s", row->name, value_name(row));

		if (n < 23) {
			printf("%*s", 24 - n, "");
		} else {
			printf("\n%24s", "");
		}
		describe(row, text, sizeof(text));
		wrap(text, 24, 24);
	}
}

void help_overview(void)
{
	puts("assay - finds out what a solid-state drive really delivers\n");
	puts("Usage: assay COMMAND [ARGUMENT...] [OPTION...]\n\nCommands:");
	for (size_t i = 0; commands[i]; i++) {
		printf("  %-13s", commands[i]->name);
		wrap(commands[i]->summary, 15, 15);
	}
	puts("\nDRIVE is one of:");
	for (size_t i = 0; device_backends[i]; i++) {
		printf("  ");
		wrap(device_backends[i]->help, 4, 2);
	}
	wrap("Without --drive it is the simulated default, on which everything runs in seconds.", 0,
	     0);
	putchar('\n');
	wrap("Sizes: 4KiB, 1.5GB, 80%; times: 30s, 72h. 'assay COMMAND --help' tells more, 'man "
	     "assay' everything. Exit codes: 0 done, 1 failed, 2 usage, 3 refused for safety.",
	     0, 0);
}

static void print_experiments(void)
{
	puts("\nExperiments:");
	for (size_t i = 0; experiments[i]; i++) {
		printf("  %-13s", experiments[i]->name);
		wrap(experiments[i]->question, 15, 15);
	}
	puts("Their own options: 'assay run EXPERIMENT --help'.");
}

void help_command(const struct command *command)
{
	printf("Usage: assay %s%s%s [OPTION...]\n\n", command->name, *command->arguments ? " " : "",
	       command->arguments);
	wrap(command->summary, 0, 0);
	if (command->details) {
		putchar('\n');
		wrap(command->details, 0, 0);
	}
	if (command->options && command->options->name) {
		puts("\nOptions:");
		print_options(command->options);
	}
	if (!strncmp(command->arguments, "EXPERIMENT", 10))
		print_experiments();
}

/* In roff, a hyphen that can be copied is \-, and a line must not begin with a dot or quote. */
static void roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

static void manual_options(const struct param *table)
{
	char text[1024];

	for (const struct param *row = table; row->name; row++) {
		fputs(".TP\n.B \\-\\-", stdout);
		roff(row->name);
		printf("%s\n", value_name(row));
		describe(row, text, sizeof(text));
		roff(text);
		if (row->source && *row->source) {
			fputs(" [", stdout);
			roff(row->source);
			putchar(']');
		}
		putchar('\n');
	}
}

static void manual_experiments(void)
{
	puts(".SH EXPERIMENTS");
	for (size_t i = 0; experiments[i]; i++) {
		const struct experiment *e = experiments[i];

		printf(".SS %s\n", e->name);
		roff(e->question);
		printf("\n.br\nRecipe ");
		roff(e->prepare);
		printf("; rest ");
		roff(e->rest);
		printf("; repeats ");
		roff(e->repeats);
		puts(".\n.PP\nProfiles:");
		for (const struct profile *p = e->profiles; p->name; p++) {
			fputs(".TP\n.B ", stdout);
			roff(p->name);
			printf(" (version %u)\n", p->version);
			roff(p->sentence);
			putchar('\n');
		}
		puts(".PP\nOptions:");
		manual_options(e->params);
	}
}

void help_manual(void)
{
	puts(".TH ASSAY 1 \"\" \"assay\" \"User Commands\"\n.SH NAME");
	puts("assay \\- finds out what a solid\\-state drive really delivers");
	puts(".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]");
	puts(".SH DESCRIPTION\nA drive is fast when it is empty, cool, new and only asked for "
	     "seconds. Assay");
	puts("measures how fast it is as a function of its state. Without \\-\\-drive it works on "
	     "a");
	puts("simulated drive. Nothing is written to a block device unless its serial is given as");
	puts("\\-\\-destroy, typed in full.\n.SH DRIVES");
	for (size_t i = 0; device_backends[i]; i++) {
		fputs(".PP\n", stdout);
		roff(device_backends[i]->help);
		putchar('\n');
	}
	puts(".SH COMMANDS");
	for (size_t i = 0; commands[i]; i++) {
		printf(".SS assay %s ", commands[i]->name);
		roff(commands[i]->arguments);
		putchar('\n');
		roff(commands[i]->summary);
		putchar('\n');
		if (commands[i]->details) {
			puts(".PP");
			roff(commands[i]->details);
			putchar('\n');
		}
		if (commands[i]->options)
			manual_options(commands[i]->options);
	}
	manual_experiments();
	puts(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 refused for safety.");
	puts(".SH FILES\n.TP\n.I $XDG_DATA_HOME/assay/assay.db\nresults, unless \\-\\-db says "
	     "otherwise");
}
