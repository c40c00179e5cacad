/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/explain.h"
#include "device/model.h"

static char folder[] = "/tmp/assay-model-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/mine.yaml", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static const char head[] = "name: mine\n"
			   "description: a small drive\n"
			   "parameters:\n";

static const char body[] = "  capacity: { value: 16MiB, source: s }\n"
			   "  geometry.channels: { value: 2, source: s }\n"
			   "  geometry.dies: { value: 2, source: s }\n"
			   "  geometry.planes: { value: 2, source: s }\n"
			   "  geometry.page_units: { value: 1, source: s }\n"
			   "  geometry.superblock_units: { value: 96, source: s }\n"
			   "  geometry.superblocks: { value: 80, source: s }\n"
			   "  nand.cell: { value: tlc, source: s }\n"
			   "  nand.read: { value: 50us, source: s }\n"
			   "  nand.program: { value: 1.5ms, source: a data sheet }\n"
			   "  nand.erase: { value: 5ms, source: s }\n"
			   "  nand.program_units: { value: 12, source: s }\n"
			   "  nand.planes_independent: { value: false, source: s }\n"
			   "  link.kind: { value: sata, source: s }\n"
			   "  link.queue: { value: 32, source: s }\n"
			   "  link.read_unit: { value: 7us, source: s }\n"
			   "  link.write_unit: { value: 7us, source: s }\n"
			   "  link.read_command: { value: 1us, source: s }\n"
			   "  link.write_command: { value: 1us, source: s }\n"
			   "  link.other_command: { value: 1us, source: s }\n"
			   "  link.trim: { value: true, source: s }\n";

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* head + body with the first `from` replaced by `to`. */
static void put_changed(const char *from, const char *to)
{
	static char text[8192], out[8192];
	char *at;

	snprintf(text, sizeof(text), "%s%s", head, body);
	at = strstr(text, from);
	assert_non_null(at);
	snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	put(out);
}

static void good(void **state)
{
	struct model *m = NULL;
	struct err err = { 0 };
	bool found = false;

	(void)state;
	put_changed("", "");
	if (model_load(&m, path, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(m->name, "mine");
	assert_string_equal(m->description, "a small drive");
	assert_int_equal(m->config.capacity_bytes, 16 << 20);
	assert_int_equal(m->config.nand.program_ns, 1500000);
	for (unsigned i = 0; i < m->values; i++) {
		const struct model_value *v = &m->value[i];

		assert_true(v->value[0] && v->source[0]);
		if (!strcmp(v->row->name, "nand.program")) {
			found = true;
			assert_string_equal(v->value, "1.5ms");
			assert_string_equal(v->source, "a data sheet");
			assert_int_equal(v->origin, MODEL_FROM_FILE);
			assert_int_equal(v->line, 13);
		}
		if (!strcmp(v->row->name, "gc.low"))
			assert_int_equal(v->origin, MODEL_FROM_TABLE);
	}
	assert_true(found);
	model_free(m);
}

static void malformed(void **state)
{
	static const struct {
		const char *from, *to;
		int line; /* 0: no line is named */
		const char *says;
	} cases[] = {
		{ "  nand.read:", "  nand.rea:", 12, "did you mean 'nand.read'" },
		{ "  nand.read:", "  colour:", 12, "no parameter 'colour'" },
		{ "  nand.read: { value: 50us, source: s }\n", "", 4, "'nand.read' is missing" },
		{ "  nand.read:", "  nand.cell: { value: tlc, source: s }\n  nand.read:", 12,
		  "not valid YAML" },
		{ "value: 50us", "value: 50", 12, "unit" },
		{ "value: 50us", "value: 2min", 12, "out of range" },
		{ "value: tlc", "value: plc", 11, "not one of" },
		{ "{ value: 50us, source: s }", "50us", 12, "must be { value" },
		{ "value: 50us, source: s", "value: 50us", 12, "no source" },
		{ "value: 50us, source: s", "source: s", 12, "no value" },
		{ "value: 50us,", "value: 50us, unit: us,", 12, "field 'unit'" },
		{ "value: 50us", "value: [50us]", 12, "single value" },
		{ "value: 50us", "value: ''", 12, "empty" },
		{ "value: 96", "value: 100", 9, "program unit" },
		{ "value: 80", "value: 45", 10, "too small" },
		{ "value: 80", "value: 30", 10, "do not hold the capacity" },
		{ "value: 80", "value: 0", 10, "out of range" },
		{ "value: sata", "value: usb-bot", 18, "one command at a time" },
		{ "name: mine\n", "", 0, "'name' is missing" },
		{ "description: a small drive\n", "", 0, "'description' is missing" },
		{ "description:", "colour: red\ndescription:", 2, "unknown field 'colour'" },
		{ "description:", "kind: tape\ndescription:", 2, "no kind of drive 'tape'" },
		{ "description:", "kind: disk\ndescription:", 6,
		  "no parameter 'geometry.channels'" },
		{ "description:", "kind: [ssd]\ndescription:", 2, "single value" },
		{ "description:", "matches: yes\ndescription:", 2, "must be a list" },
		{ "description:", "matches: [ a ]\ndescription:", 2, "must be {" },
		{ "description:", "matches:\n  - { what: a, source: b, model: c }\ndescription:", 3,
		  "has no test" },
		{ "description:", "matches:\n  - { what: a, colour: b }\ndescription:", 3,
		  "field 'colour'" },
		{ "name: mine", "name: [mine", 0, "not valid YAML" },
		{ "parameters:\n", "parameters: none\nrest:\n", 3, "mapping" },
		{ "  nand.read:", "\tnand.read:", 0, "not valid YAML" },
		{ "  capacity:", "  pslc.static: { value: 12MiB, source: s }\n  capacity:", 4,
		  "more than the spare" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model *m = NULL;
		struct err err = { 0 };
		char where[32];
		int r;

		put_changed(cases[i].from, cases[i].to);
		r = model_load(&m, path, NULL, &err);
		if (r >= 0)
			fail_msg("case %d is not refused", (int)i);
		assert_int_equal(r, -EINVAL);
		assert_null(m);
		snprintf(where, sizeof(where), "line %d: ", cases[i].line);
		if (!strstr(err.text, cases[i].says) || !strstr(err.text, path) ||
		    (cases[i].line && !strstr(err.text, where)))
			fail_msg("case %d: '%s' does not say '%s' at line %d", (int)i, err.text,
				 cases[i].says, cases[i].line);
	}
}

static void not_a_model(void **state)
{
	static const char *const texts[] = {
		"",	"just words\n", "- a\n- b\n",
		"{}\n", "\x80\x81\n",	"name: &a mine\ndescription: *a\nparameters: {}\n"
	};
	struct model *m = NULL;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put(texts[i]);
		assert_int_equal(model_load(&m, path, NULL, &err), -EINVAL);
		assert_non_null(strstr(err.text, path));
	}
	assert_int_equal(model_load(&m, "/nowhere/none.yaml", NULL, &err), -ENOENT);
	assert_int_equal(model_load(&m, "no-such-model", NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "assay models"));
}

static int count(void *user, const char *name, const char *where)
{
	struct model *m = NULL;
	struct err err = { 0 };
	int *n = user;

	if (model_load(&m, where, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(m->name, name);
	model_free(m);
	m = NULL;
	assert_int_equal(model_load(&m, name, NULL, &err), 0);
	/* Each value says where it comes from, in the model itself. */
	for (unsigned i = 0; i < m->values; i++)
		assert_true(strlen(m->value[i].source) > 3);
	assert_true(m->sources > 0);
	model_free(m);
	++*n;
	return 0;
}

/* Every shipped model is found, loads, and is called what its file is called. */
static void shipped(void **state)
{
	struct err err = { 0 };
	int n = 0;

	(void)state;
	assert_int_equal(model_list(NULL, count, &n, &err), 0);
	assert_true(n >= 1);
}

/* A folder of one's own comes first. */
static void own_folder(void **state)
{
	struct model *m = NULL;
	struct err err = { 0 };

	(void)state;
	put_changed("", "");
	assert_int_equal(model_load(&m, "mine", NULL, &err), -ENOENT);
	assert_int_equal(model_load(&m, "mine", folder, &err), 0);
	assert_string_equal(m->path, path);
	model_free(m);
}

static void overrides(void **state)
{
	struct model *m = NULL;
	struct err err = { 0 };
	uint32_t superblocks;

	(void)state;
	assert_int_equal(model_load(&m, MODEL_DEFAULT, NULL, &err), 0);
	superblocks = m->config.geometry.superblocks;
	assert_int_equal(model_set(m, "capacity", "1kB", &err), -ERANGE);
	assert_int_equal(m->config.geometry.superblocks, superblocks);
	assert_int_equal(model_set(m, "capacity", "8GiB", &err), 0);
	assert_int_equal(m->config.capacity_bytes, 8ull << 30);
	assert_true(m->config.pslc.static_bytes < 120000000);
	assert_int_equal(model_set(m, "pslc.static", "0B", &err), 0);
	assert_int_equal(m->config.pslc.static_bytes, 0);
	assert_int_equal(model_set(m, "seed", "7", &err), 0);
	assert_int_equal(model_check(m, &err), 0);
	assert_int_equal(model_set(m, "pslc.statik", "0B", &err), -ENOENT);
	assert_non_null(strstr(err.text, "pslc.static"));
	assert_int_equal(model_set(m, "gc.low", "1000000", &err), 0);
	assert_int_equal(model_check(m, &err), -EINVAL);
	assert_non_null(strstr(err.text, "these options"));
	model_free(m);
}

/* Every kind: its own table, its own required parameters, and what it was matched to. */
static void kinds(void **state)
{
	struct model *m = NULL;
	struct err err = { 0 };

	(void)state;
	put("matches:\n  - { what: a, source: b, model: c, test: d }\n"
	    "parameters:\n  capacity: { value: 1MiB, source: x }\n"
	    "description: nothing\nname: n\nkind: ideal\n");
	if (model_load(&m, path, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(m->kind->name, "ideal");
	assert_int_equal(m->ideal.capacity_bytes, 1 << 20);
	assert_int_equal(m->ideal.latency_ns, 1);
	assert_int_equal(m->matches, 1);
	assert_string_equal(m->match[0].test, "d");
	assert_int_equal(model_set(m, "capacity", "5MB", &err), 0);
	assert_int_equal(m->ideal.capacity_bytes, 4997120);
	assert_int_equal(model_set(m, "rpm", "7200", &err), -ENOENT);
	model_free(m);
	put("name: n\nkind: disk\ndescription: nothing\nparameters:\n"
	    "  capacity: { value: 1GiB, source: x }\n");
	assert_int_equal(model_load(&m, path, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'rpm' is missing"));
}

/* simulation theory: write amplification of greedy collection, computed independently by Monte Carlo. */
static void greedy_wa(void **state)
{
	static const struct {
		double alpha, wa;
		uint32_t b;
	} rows[] = { { 1.03, 13.86, 64 },  { 1.03, 17.05, 1024 }, { 1.07, 7.010, 64 },
		     { 1.07, 7.392, 128 }, { 1.125, 4.603, 256 }, { 1.28, 2.441, 128 },
		     { 1.5, 1.681, 64 },   { 2.0, 1.254, 1024 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double wa = explain_greedy_wa(rows[i].alpha, rows[i].b);

		if (!(wa > rows[i].wa * 0.9995 && wa < rows[i].wa * 1.0005))
			fail_msg("alpha %g, b %u: %g in place of %g", rows[i].alpha, rows[i].b, wa,
				 rows[i].wa);
	}
	assert_true(isnan(explain_greedy_wa(1, 64)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	       cmocka_unit_test(malformed),
		cmocka_unit_test(kinds),       cmocka_unit_test(greedy_wa),
		cmocka_unit_test(not_a_model), cmocka_unit_test(shipped),
		cmocka_unit_test(overrides),   cmocka_unit_test(own_folder),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
