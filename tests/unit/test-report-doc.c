/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * docs/json.md lists exactly the keys and words of real output, and the SQL of docs/database.md runs.
 *
 * Given names of files as arguments it checks only that all their keys and words are in docs/json.md.
 */
#include "test.h"

#include <jansson.h>

#include "base/vec.h"
#include "report/json.h"
#include "store/private.h"
#include "test-report-golden.h"
#include "test-report-make.h"

/* "path" or "path word", and whether output had it. */
struct entry {
	char text[128];
	bool seen;
};

DEFINE_VEC(entries, struct entry);

struct doc {
	struct entries keys, words;
};

static struct entry *find(struct entries *entries, const char *text)
{
	for (size_t i = 0; i < entries->n; i++)
		if (strcmp(entries->items[i].text, text) == 0)
			return &entries->items[i];
	return NULL;
}

/* Add a path with DIRECTION and LATENCY put in. */
static void add(struct entries *entries, const char *path)
{
	static const char *const names[][3] = { { "DIRECTION", "read", "write" },
						{ "LATENCY", "lat_ns", "service_ns" } };
	struct entry entry = { .seen = false };

	for (int i = 0; i < 2; i++) {
		const char *at = strstr(path, names[i][0]);

		for (int k = 1; at && k < 3; k++) {
			char with[128];

			snprintf(with, sizeof(with), "%.*s%s%s", (int)(at - path), path,
				 names[i][k], at + strlen(names[i][0]));
			add(entries, with);
		}
		if (at)
			return;
	}
	if (find(entries, path))
		fail_msg("docs/json.md lists '%s' twice", path);
	snprintf(entry.text, sizeof(entry.text), "%s", path);
	assert_int_equal(entries_push(entries, entry), 0);
}

/* What stands in the n-th pair of backticks of a line. */
static bool quoted(const char *line, const char *end, int n, char *ret, size_t size)
{
	const char *begin = NULL;

	for (const char *c = line; c < end; c++) {
		if (*c != '`')
			continue;
		if (!begin) {
			begin = c + 1;
		} else {
			if (n-- == 0) {
				snprintf(ret, size, "%.*s", (int)(c - begin), begin);
				return true;
			}
			begin = NULL;
		}
	}
	return false;
}

static void read_doc(struct doc *doc)
{
	char *text = read_source("docs/json.md"), path[128], word[64], both[200];
	const char *line = text;
	int section = 0;

	while (*line) {
		const char *end = strchrnul(line, '\n');

		if (strncmp(line, "## ", 3) == 0)
			section = strncmp(line, "## Keys", 7) == 0    ? 1
				  : strncmp(line, "## Words", 8) == 0 ? 2
								      : 0;
		if (section && strncmp(line, "| `", 3) == 0) {
			assert_true(quoted(line, end, 0, path, sizeof(path)));
			if (section == 2) {
				assert_true(quoted(line, end, 1, word, sizeof(word)));
				snprintf(both, sizeof(both), "%s %s", path, word);
				add(&doc->words, both);
			} else {
				add(&doc->keys, path);
			}
		}
		line = *end ? end + 1 : end;
	}
	free(text);
	assert_true(doc->keys.n > 80 && doc->words.n > 30);
}

/* Is there a list of words for this path? */
static bool has_words(const struct doc *doc, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < doc->words.n; i++)
		if (strncmp(doc->words.items[i].text, path, n) == 0 &&
		    doc->words.items[i].text[n] == ' ')
			return true;
	return false;
}

static void mark_word(struct doc *doc, const char *path, const char *word)
{
	struct entry *entry;
	char both[200];

	snprintf(both, sizeof(both), "%s %s", path, word);
	entry = find(&doc->words, both);
	if (entry)
		entry->seen = true;
	else
		fail_msg("docs/json.md does not list the word '%s' of '%s'", word, path);
}

static void walk(struct doc *doc, const char *path, const json_t *value)
{
	char below[128];
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value) && has_words(doc, path))
		mark_word(doc, path, json_string_value(value));
	json_array_foreach(value, i, item)
	{
		snprintf(below, sizeof(below), "%s[]", path);
		walk(doc, below, item);
	}
	if (!json_is_object(value) || strcmp(path, "environment") == 0)
		return;
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		struct entry *entry;

		snprintf(below, sizeof(below), "%s%s%s", path, path[0] ? "." : "", key);
		entry = find(&doc->keys, below);
		if (entry)
			entry->seen = true;
		else
			fail_msg("docs/json.md does not list the key '%s'", below);
		walk(doc, below, item);
	}
}

static void walk_run(struct doc *doc, struct store *store)
{
	struct err err = { 0 };
	json_error_t error;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	assert_non_null(out);
	assert_ok(report_json(out, store, "last", &err));
	fclose(out);
	json = json_loads(text, 0, &error);
	assert_non_null(json);
	walk(doc, "", json);
	json_decref(json);
	free(text);
}

/* A run of every kind of drive, with every order, arrival, status, interval and cause. */
static void make_words(struct store *store, int kind)
{
	static const char *const kinds[] = { "sim", "block", "file", "dir", "null" };
	static const char *const causes[] = { "none",	  "cache", "folding", "gc",   "mapping",
					      "cache+gc", "heat",  "link",    "host", "other" };
	struct report_maker m;
	struct verdict v = { .value = NAN, .low = NAN, .high = NAN };
	struct run run;

	report_head(&run, "load", "x");
	snprintf(run.id, sizeof(run.id), "run-%d", kind);
	snprintf(run.drive_kind, sizeof(run.drive_kind), "%s", kinds[kind]);
	report_begin(&m, store, &run);
	for (unsigned i = 0; i < 6; i++) {
		struct phase *p = report_asked("rnd4k_q1t1_read", NAN, 1, i, "x");

		p->load.order = (enum load_order)i;
		p->load.arrival = (enum load_arrival)(i % 3);
		p->notes = 1u << i | 1u << 6 | 1u << 7;
		report_phase(&m, p, 10, 1);
	}
	for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		snprintf(v.name, sizeof(v.name), "x.cause.%u", i);
		snprintf(v.word, sizeof(v.word), "%s", causes[i]);
		v.status = (enum verdict_status)(i % 5);
		v.interval = (enum verdict_interval)(i % 3);
		report_verdict(&m, &v);
	}
	report_end(&m, &run);
}

static void all_seen(const struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		if (!entries->items[i].seen)
			fail_msg("docs/json.md lists '%s', which is never printed",
				 entries->items[i].text);
}

static void keys_and_words(void **state)
{
	struct doc doc = { { 0 }, { 0 } };
	struct err err = { 0 };
	struct store *store;

	(void)state;
	read_doc(&doc);
	assert_ok(store_open(&store, NULL, false, &err));
	for (int kind = 0; kind < 5; kind++) {
		make_words(store, kind);
		walk_run(&doc, store);
	}
	report_load(store, "20261130-224501-3f9a");
	walk_run(&doc, store);
	store_close(store);
	all_seen(&doc.keys);
	all_seen(&doc.words);
	entries_release(&doc.keys);
	entries_release(&doc.words);
}

static void run_sql(struct store *store, const char *sql, size_t n)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, (int)n, &stmt, NULL);

	if (rc != SQLITE_OK)
		fail_msg("%s: %.*s", sqlite3_errmsg(store->db), (int)n, sql);
	if (sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("no rows: %.*s", (int)n, sql);
	sqlite3_finalize(stmt);
}

/* Every example runs and gives rows, and every table and view of the schema is told of. */
static void database(void **state)
{
	static const char begin[] = "```sql\n";
	char *text = read_source("docs/database.md");
	struct err err = { 0 };
	struct store *store;
	sqlite3_stmt *stmt;
	int examples = 0;

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	report_fill(store, "20261130-224501-3f9a");
	for (const char *at = text; (at = strstr(at, begin)); examples++) {
		at += sizeof(begin) - 1;
		run_sql(store, at, (size_t)(strstr(at, "```") - at));
	}
	assert_true(examples >= 4);
	assert_int_equal(sqlite3_prepare_v2(store->db,
					    "SELECT name FROM sqlite_schema WHERE type <> 'index'",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		char row[64];

		snprintf(row, sizeof(row), "\n| `%s` |", sqlite3_column_text(stmt, 0));
		if (!strstr(text, row))
			fail_msg("docs/database.md does not tell of '%s'", row + 1);
	}
	sqlite3_finalize(stmt);
	store_close(store);
	free(text);
}

/* Arguments: files with JSON that was printed elsewhere. */
static const char *const *files;

static void given_files(void **state)
{
	struct doc doc = { { 0 }, { 0 } };

	(void)state;
	read_doc(&doc);
	for (int i = 0; files[i]; i++) {
		json_error_t error;
		json_t *json = json_load_file(files[i], 0, &error);

		if (!json)
			fail_msg("%s: line %d: %s", files[i], error.line, error.text);
		walk(&doc, "", json);
		json_decref(json);
	}
	entries_release(&doc.keys);
	entries_release(&doc.words);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest own[] = {
		cmocka_unit_test(keys_and_words),
		cmocka_unit_test(database),
	};
	const struct CMUnitTest given[] = { cmocka_unit_test(given_files) };

	files = (const char *const *)argv + 1;
	if (argc > 1)
		return cmocka_run_group_tests(given, NULL, NULL);
	return cmocka_run_group_tests(own, NULL, NULL);
}
