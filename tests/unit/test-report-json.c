/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of made-up runs against golden files, and its numbers against the doubles they came from. */
#include "test.h"

#include <jansson.h>
#include <unistd.h>

#include "report/json-text.h"
#include "report/json.h"
#include "test-report-golden.h"
#include "test-report-make.h"

static char *json_of(struct store *store, const char *id,
		     int (*report)(FILE *, struct store *, const char *, struct err *))
{
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_ok(report(out, store, id, &err));
	fclose(out);
	return text;
}

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!value)
		fail_msg("line %d: %s", error.line, error.text);
	return value;
}

static void golden(void **state)
{
	struct err err = { 0 };
	struct store *store;
	char *text;

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	report_load(store, "20261130-224501-3f9a");
	text = json_of(store, "last", report_json);
	json_decref(parse(text));
	compare_golden("load.json", text);
	free(text);
	text = json_of(store, "last", report_fio_json);
	json_decref(parse(text));
	compare_golden("load.fio.json", text);
	free(text);
	store_close(store);
}

/* A run without phases and verdicts is still one object. */
static void empty_run(void **state)
{
	struct err err = { 0 };
	struct store *store;
	struct run run;
	json_t *json;
	char *text;

	(void)state;
	report_head(&run, "fill", "20261130-224501-3f9a");
	run.environment_json = NULL;
	assert_ok(store_open(&store, NULL, false, &err));
	assert_ok(store_run_begin(store, &run, &err));
	text = json_of(store, "last", report_json);
	json = parse(text);
	assert_int_equal(json_array_size(json_object_get(json, "phases")), 0);
	assert_true(json_is_null(json_object_get(json, "environment")));
	json_decref(json);
	free(text);
	store_close(store);
}

/* The same bytes from the store that ran and from the file that was opened again. */
static void from_a_file(void **state)
{
	char folder[] = "/tmp/assay-test-XXXXXX", path[64], *in_memory, *in_file;
	struct err err = { 0 };
	struct store *store;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/runs.db", folder);
	assert_ok(store_open(&store, NULL, false, &err));
	report_fill(store, "20261130-224501-3f9a");
	in_memory = json_of(store, "last", report_json);
	store_close(store);
	assert_ok(store_open(&store, path, false, &err));
	report_fill(store, "20261130-224501-3f9a");
	store_close(store);
	assert_ok(store_open(&store, path, true, &err));
	in_file = json_of(store, "last", report_json);
	store_close(store);
	assert_string_equal(in_memory, in_file);
	free(in_memory);
	free(in_file);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

/* Any double reads back as itself, and is never mistaken for an integer. */
static void numbers(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 4, 4);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_u64(&rng);
		double value;
		json_t *real, *back, *object = json_object();
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		memcpy(&value, &bits, sizeof(value));
		if (i % 2)
			value = (double)rng_below(&rng, 1000000) / 1000;
		json_add_f64(&object, "x", value);
		json_print(out, object);
		fclose(out);
		back = parse(text);
		real = json_object_get(back, "x");
		if (isfinite(value)) {
			assert_true(json_is_real(real));
			assert_true(json_real_value(real) == value);
		} else {
			assert_true(json_is_null(real));
		}
		json_decref(back);
		json_decref(object);
		free(text);
	}
}

/* What a drive says of itself may be anything: it still is JSON. */
static void texts(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 4, 5);
	for (int i = 0; i < 2000; i++) {
		char name[40], *text = NULL;
		json_t *object = json_object();
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		for (size_t k = 0; k < sizeof(name); k++)
			name[k] = (char)(i % 2 ? rng_below(&rng, 256) : rng_below(&rng, 128));
		name[sizeof(name) - 1] = '\0';
		json_add_text(&object, "x", name);
		assert_non_null(object);
		json_print(out, object);
		fclose(out);
		json_decref(parse(text));
		json_decref(object);
		free(text);
	}
}

/* What existing scripts take from fio's JSON is there, and agrees with ours. */
static void as_fio(void **state)
{
	static const char *const keys[] = { "io_bytes", "io_kbytes", "bw_bytes", "bw",	   "iops",
					    "runtime",	"total_ios", "clat_ns",	 "lat_ns", NULL };
	struct err err = { 0 };
	struct store *store;
	json_t *ours, *fio;
	char *text;
	size_t i;
	json_t *job;

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	report_quick(store, "20261130-224501-3f9a", 1);
	text = json_of(store, "last", report_json);
	ours = parse(text);
	free(text);
	text = json_of(store, "last", report_fio_json);
	fio = parse(text);
	free(text);
	store_close(store);
	assert_int_equal(json_array_size(json_object_get(fio, "jobs")),
			 json_array_size(json_object_get(ours, "phases")));
	json_array_foreach(json_object_get(fio, "jobs"), i, job)
	{
		json_t *phase = json_array_get(json_object_get(ours, "phases"), i);
		json_t *read = json_object_get(job, "read"), *mine = json_object_get(phase, "read");
		json_t *p99, *lat;

		assert_true(json_is_string(json_object_get(job, "jobname")));
		for (int k = 0; keys[k]; k++)
			assert_non_null(json_object_get(read, keys[k]));
		assert_int_equal(json_integer_value(json_object_get(read, "total_ios")),
				 json_integer_value(json_object_get(mine, "ops")));
		assert_true(json_real_value(json_object_get(read, "iops")) ==
			    json_real_value(json_object_get(mine, "iops")));
		lat = json_object_get(read, "clat_ns");
		p99 = json_object_get(json_object_get(lat, "percentile"), "99.000000");
		assert_int_equal(json_integer_value(p99),
				 json_integer_value(
					 json_object_get(json_object_get(mine, "lat_ns"), "p99")));
	}
	json_decref(ours);
	json_decref(fio);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),      cmocka_unit_test(empty_run),
		cmocka_unit_test(from_a_file), cmocka_unit_test(numbers),
		cmocka_unit_test(texts),       cmocka_unit_test(as_fio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
