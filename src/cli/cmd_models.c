/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models: the simulated drives, and what one of them is made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "device/device.h"
#include "device/explain.h"
#include "device/model.h"
#include "report/json-text.h"

struct models_settings {
	bool json;
};

static const struct param models_table[] = {
	{ "json", "", PARAM_BOOL, offsetof(struct models_settings, json), 0, 0, "false", NULL,
	  "one JSON object; without NAME, the names", "" },
	PARAM_END
};

static const struct {
	const char *prefix, *title;
} groups[] = {
	{ "", "Drive" },
	{ "geometry", "Geometry" },
	{ "nand", "Flash, main area" },
	{ "pslc", "pSLC cache" },
	{ "suspend", "Program and erase suspend" },
	{ "channel", "Channels" },
	{ "link", "Host link" },
	{ "fw", "Firmware" },
	{ "buffer", "Write buffer" },
	{ "map", "Mapping cache" },
	{ "gc", "Garbage collection" },
	{ "journal", "Map journal" },
	{ "campaign", "Wear-levelling campaign" },
	{ "content", "Content" },
	{ "wear", "Wear" },
	{ "ecc", "Error correction" },
	{ "refresh", "Refresh" },
	{ "calibration", "Calibration" },
	{ "heat", "Heat" },
	{ "fault", "Faults" },
	{ "rate", "Platters" },
	{ "seek", "Arm" },
	{ "cache", "Cache" },
	{ "ncq", "Queue" },
};

/* What stands before the first dot of a name: its mechanism. A few mechanisms are one parameter. */
static void group_of(const char *name, char *buf, size_t size)
{
	const char *dot = strchr(name, '.');

	if (dot)
		snprintf(buf, size, "%.*s", (int)(dot - name), name);
	else
		snprintf(buf, size, "%s",
			 !strcmp(name, "buffer") || !strcmp(name, "cache") ? name : "");
}

static const char *title_of(const char *group)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (!strcmp(groups[i].prefix, group))
			return groups[i].title;
	return group;
}

static const char *origin_of(const struct model_value *v)
{
	static const char *const words[] = { "default", "given", "overridden", "scaled" };

	return words[v->origin];
}

/* The unit, where it does not stand in the value already. */
static const char *unit_of(const struct param *row)
{
	return row->type == PARAM_NS || row->type == PARAM_BYTES ? "" : row->unit;
}

static const char *format_fact(char *buf, size_t size, double value, const char *unit)
{
	char text[32];

	if (isnan(value))
		snprintf(buf, size, "-");
	else if (isinf(value))
		snprintf(buf, size, "no limit");
	else if (!strcmp(unit, "bytes"))
		format_bytes_decimal(buf, size, value);
	else if (!strcmp(unit, "bytes/s"))
		snprintf(buf, size, "%s/s", format_bytes_decimal(text, sizeof(text), value));
	else if (!strcmp(unit, "ns"))
		snprintf(buf, size, value < 1e6 ? "%.1f us" : "%.2f ms",
			 value < 1e6 ? value / 1e3 : value / 1e6);
	else if (!strcmp(unit, "1/s"))
		snprintf(buf, size, "%.0f /s", value);
	else
		snprintf(buf, size, "%.2f%s%s", value, *unit ? " " : "", unit);
	return buf;
}

/* A name, a short value, and what it means in the rest of the line and below. */
static void print_row(const char *name, const char *value, const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "%-27s  %-15s  %s", name, value, text);
	if (strlen(line) + 2 <= 80) {
		printf("  %s\n", line);
		return;
	}
	printf("  %-27s  %s\n", name, value);
	print_wrapped(text, 6);
}

static void print_parameters(const struct model *m)
{
	char group[64], last[64] = "-", value[160];

	for (unsigned i = 0; i < m->values; i++) {
		const struct model_value *v = &m->value[i];
		const char *unit = unit_of(v->row);

		group_of(v->row->name, group, sizeof(group));
		if (strcmp(group, last) != 0)
			printf("\n%s\n", title_of(group));
		snprintf(last, sizeof(last), "%s", group);
		snprintf(value, sizeof(value), "%s%s%s", v->value, *unit ? " " : "", unit);
		printf("  %-27s  %-22s  %s\n", v->row->name, value, origin_of(v));
		print_wrapped(v->row->sentence, 6);
		if (*v->source && v->origin != MODEL_FROM_USER) {
			char text[300];

			snprintf(text, sizeof(text), "[%s]", v->source);
			print_wrapped(text, 6);
		}
	}
}

static void print_matches(const struct model *m)
{
	char text[sizeof(m->match[0]) + 32];

	puts("\nMatched to:");
	if (!m->matches)
		puts("  nothing: no figure of this model is held against a source");
	for (unsigned i = 0; i < m->matches; i++) {
		printf("  %s\n", m->match[i].what);
		snprintf(text, sizeof(text), "source %s; model %s (%s)", m->match[i].source,
			 m->match[i].model, m->match[i].test);
		print_wrapped(text, 6);
	}
}

static void print_model(const struct model *m, const struct explained *e, uint64_t memory_bytes)
{
	char text[64];

	printf("%s - %s: %s\n\n", m->name, m->kind->name, m->kind->sentence);
	print_wrapped(m->description, 0);
	printf("\nFile %s\n", m->path);
	printf("Memory needed: %s\n",
	       format_bytes_decimal(text, sizeof(text), (double)memory_bytes));
	if (e->mechanisms)
		puts("\nMechanisms:");
	for (unsigned i = 0; i < e->mechanisms; i++)
		print_row(e->mechanism[i].name, e->mechanism[i].on ? "on" : "off",
			  e->mechanism[i].text);
	puts("\nWhat follows:");
	for (unsigned i = 0; i < e->facts; i++)
		print_row(e->fact[i].name,
			  format_fact(text, sizeof(text), e->fact[i].value, e->fact[i].unit),
			  e->fact[i].text);
	print_matches(m);
	puts("\nParameters: value (given in the file, overridden, scaled with the capacity, or\n"
	     "default), meaning, [where the value comes from]");
	print_parameters(m);
	if (m->sources)
		puts("\nSources");
	for (unsigned i = 0; i < m->sources; i++) {
		printf("  %s\n", m->source[i].key);
		print_wrapped(m->source[i].text, 6);
	}
}

static json_t *json_parameters(const struct model *m)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < m->values; i++) {
		const struct model_value *v = &m->value[i];
		json_t *o = json_object();
		char text[256];

		json_add_text(&o, "name", v->row->name);
		group_of(v->row->name, text, sizeof(text));
		json_add_text(&o, "group", title_of(text));
		json_add_text(&o, "value", v->value);
		json_add_text(&o, "unit", v->row->unit);
		json_add_text(&o, "origin", origin_of(v));
		json_add_text(&o, "source", v->source);
		json_add_text(&o, "sentence", v->row->sentence);
		json_add_text(&o, "range", param_range(v->row, text, sizeof(text)));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_explained(const struct explained *e, bool facts)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < (facts ? e->facts : e->mechanisms); i++) {
		json_t *o = json_object();

		json_add_text(&o, "name", facts ? e->fact[i].name : e->mechanism[i].name);
		if (facts) {
			json_add_f64(&o, "value", e->fact[i].value);
			json_add_text(&o, "unit", e->fact[i].unit);
		} else {
			json_add(&o, "on", json_boolean(e->mechanism[i].on));
		}
		json_add_text(&o, "text", facts ? e->fact[i].text : e->mechanism[i].text);
		json_array_append_new(list, o);
	}
	return list;
}

static void print_model_json(const struct model *m, const struct explained *e,
			     uint64_t memory_bytes)
{
	json_t *o = json_object(), *list = json_array(), *sources = json_object();

	json_add_text(&o, "schema", "assay.model/1");
	json_add_text(&o, "name", m->name);
	json_add_text(&o, "kind", m->kind->name);
	json_add_text(&o, "description", m->description);
	json_add_text(&o, "path", m->path);
	json_add_u64(&o, "memory_bytes", memory_bytes);
	json_add(&o, "mechanisms", json_explained(e, false));
	json_add(&o, "facts", json_explained(e, true));
	for (unsigned i = 0; i < m->matches; i++) {
		json_t *match = json_object();

		json_add_text(&match, "what", m->match[i].what);
		json_add_text(&match, "source", m->match[i].source);
		json_add_text(&match, "model", m->match[i].model);
		json_add_text(&match, "test", m->match[i].test);
		json_array_append_new(list, match);
	}
	json_add(&o, "matches", list);
	json_add(&o, "parameters", json_parameters(m));
	for (unsigned i = 0; i < m->sources; i++)
		json_add_text(&sources, m->source[i].key, m->source[i].text);
	json_add(&o, "sources", sources);
	json_print(stdout, o);
	putchar('\n');
	json_decref(o);
}

/* NAME or PATH.yaml, with overrides as in a drive specification. */
static int load(const char *text, struct model **ret, struct err *err)
{
	const char *folder = getenv("ASSAY_MODELS");
	char drive[600];
	struct device_spec spec;
	int r;

	snprintf(drive, sizeof(drive), "sim:%s", text);
	r = device_spec_parse(drive, &spec, err);
	if (r < 0)
		return r;
	r = model_load(ret, spec.path, folder, err);
	if (r < 0)
		return r;
	if (model_options(*ret, &spec, err) < 0) {
		model_free(*ret);
		return -ERR_USAGE;
	}
	return 0;
}

static int explain(const char *text, bool json, struct err *err)
{
	struct explained e;
	struct model *m;
	uint64_t memory_bytes;
	void *drive;
	int r = load(text, &m, err);

	if (r < 0)
		return r;
	r = m->kind->make(&drive, &m->any, err);
	if (r == 0) {
		memory_bytes = m->kind->memory_bytes(drive);
		m->kind->free(drive);
		m->kind->explain(&m->any, &e);
		if (json)
			print_model_json(m, &e, memory_bytes);
		else
			print_model(m, &e, memory_bytes);
	}
	model_free(m);
	return r;
}

static int print_name(void *user, const char *name, const char *path)
{
	(void)user;
	(void)path;
	puts(name);
	return 0;
}

static int add_name(void *user, const char *name, const char *path)
{
	(void)path;
	return json_array_append_new(user, json_string(name)) < 0 ? -ENOMEM : 0;
}

static int list_names(bool json, struct err *err)
{
	json_t *o, *names;
	int r;

	if (!json)
		return model_list(getenv("ASSAY_MODELS"), print_name, NULL, err);
	o = json_object();
	names = json_array();
	json_add_text(&o, "schema", "assay.models/1");
	r = model_list(getenv("ASSAY_MODELS"), add_name, names, err);
	json_add(&o, "models", names);
	if (r == 0) {
		json_print(stdout, o);
		putchar('\n');
	}
	json_decref(o);
	return r;
}

static int cmd_models(int argc, char **argv, struct err *err)
{
	struct models_settings s;
	struct options o;
	int r = options_read(&command_models, argc, argv, &s, &o, err);

	if (r != 0)
		return r < 0 ? r : 0;
	if (o.positional_n == 0)
		return list_names(s.json, err);
	return explain(o.positional[0], s.json, err);
}

const struct command command_models = {
	.name = "models",
	.arguments = "[NAME]",
	.summary = "list the simulated drives, or explain one: mechanisms, what follows from them, "
		   "parameters, sources, what it was matched to",
	.details = "NAME is a model or the path of a YAML file of your own; parameters may be "
		   "overridden as in a "
		   "drive: NAME,capacity=8GB.",
	.options = models_table,
	.positional_max = 1,
	.run = cmd_models,
};
