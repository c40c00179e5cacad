/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTML report's data: valid JSON, safe inside a script, and true to what is stored. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/html-json.h"
#include "report/html.h"
#include "store/store.h"

#define HOSTILE "</script><!-- \" \\ \n\x01 \xC3\xA9"

static void fill_window(struct window *w, uint64_t phase, uint32_t index, uint64_t bytes)
{
	flow_clear(&w->write);
	w->phase_id = phase;
	w->index = index;
	w->start_ns = index * NS_PER_S;
	w->length_ns = NS_PER_S;
	if (bytes)
		flow_record(&w->write, 1000 * (index + 1), bytes);
}

/*
 * A run of one phase of n windows; window i writes i MB, but each 100th nothing. With `stub` another one of
 * 10 ms, which writes 5 MB.
 */
static struct store *make_store(uint32_t n, bool stub)
{
	struct run run = { .id = "20260101-000000-0001",
			   .experiment = "load",
			   .drive_spec = "sim:" HOSTILE,
			   .drive_kind = "sim",
			   .capacity_bytes = 1u << 30,
			   .seed = UINT64_MAX,
			   .started = "2026-01-01T00:00:00Z" };
	struct verdict verdict = {
		.name = "v", .value = NAN, .low = NAN, .high = NAN, .text = HOSTILE
	};
	struct window *w = calloc(1, sizeof(*w));
	struct phase *p = phase_new();
	struct store *store;
	struct err err;
	struct sink *sink;

	assert_non_null(w);
	assert_non_null(p);
	assert_int_equal(store_open(&store, NULL, false, &err), 0);
	assert_int_equal(store_run_begin(store, &run, &err), 0);
	sink = store_sink(store);
	p->id = 1;
	p->load.window_ns = NS_PER_S;
	p->load.read_pct = 0;
	snprintf(p->key, sizeof(p->key), "k");
	snprintf(p->label, sizeof(p->label), HOSTILE);
	assert_int_equal(sink->ops->phase_begin(sink, p, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		fill_window(w, 1, i, i % 100 ? i * 1000000ull : 0);
		assert_int_equal(sink->ops->window(sink, w, &err), 0);
		flow_add(&p->write, &w->write);
	}
	p->end_ns = n * NS_PER_S;
	if (stub) {
		fill_window(w, 1, n, 5000000);
		w->length_ns = 10 * NS_PER_MS;
		p->end_ns += w->length_ns;
		assert_int_equal(sink->ops->window(sink, w, &err), 0);
	}
	assert_int_equal(sink->ops->phase_end(sink, p, &err), 0);
	assert_int_equal(sink->ops->verdict(sink, &verdict, &err), 0);
	run.status = RUN_DONE;
	assert_int_equal(store_run_end(store, &run, &err), 0);
	free(w);
	free(p);
	return store;
}

/* The page of the run, and its data as parsed JSON. */
static json_t *render(struct store *store, char **ret_page)
{
	const char *id = "20260101-000000-0001";
	static const char begin[] = "class=\"assay-run\">";
	struct err err;
	size_t bytes;
	FILE *out = open_memstream(ret_page, &bytes);
	json_t *data;
	char *from, *to;

	assert_non_null(out);
	assert_int_equal(report_html(out, store, &id, 1, &err), 0);
	fclose(out);
	from = strstr(*ret_page, begin);
	assert_non_null(from);
	from += sizeof(begin) - 1;
	to = strstr(from, "</script>");
	assert_non_null(to);
	data = json_loadb(from, (size_t)(to - from), 0, NULL);
	assert_non_null(data);
	return data;
}

static void data_are_valid_and_safe(void **state)
{
	struct store *store = make_store(10, false);
	char *page;
	json_t *data = render(store, &page);
	json_t *phases = json_object_get(data, "phases");

	(void)state;
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(data, "drive"), "spec")),
		"sim:" HOSTILE);
	assert_string_equal(json_string_value(json_array_get(json_object_get(phases, "label"), 0)),
			    HOSTILE);
	assert_string_equal(json_string_value(json_object_get(data, "seed")),
			    "18446744073709551615");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(data, "verdicts"), 0), "value")));
	assert_null(strstr(page, "<!--"));
	assert_true(json_is_null(json_object_get(data, "truth")));
	json_decref(data);
	free(page);
	store_close(store);
}

static double number_at(const json_t *series, const char *name, size_t i)
{
	return json_number_value(json_array_get(json_object_get(series, name), i));
}

static void few_windows_are_kept_as_they_are(void **state)
{
	struct store *store = make_store(300, false);
	char *page;
	json_t *data = render(store, &page);
	const json_t *series = json_array_get(json_object_get(data, "series"), 0);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(series, "n")), 300);
	assert_int_equal(json_integer_value(json_object_get(series, "windows_per_point")), 1);
	assert_null(json_object_get(series, "w_min"));
	assert_null(json_object_get(series, "r"));
	for (size_t i = 0; i < 300; i++)
		assert_true(number_at(series, "w", i) == (double)(i % 100 ? i : 0));
	assert_true(json_is_null(json_array_get(json_object_get(series, "w_p99_us"), 100)));
	json_decref(data);
	free(page);
	store_close(store);
}

/* 5 MB in 10 ms would be 500 MB/s: a rate that the drive never had for any length of time. */
static void a_stub_of_a_window_has_no_rate_of_its_own(void **state)
{
	struct store *store = make_store(3, true);
	char *page;
	json_t *data = render(store, &page);
	const json_t *series = json_array_get(json_object_get(data, "series"), 0);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(series, "n")), 3);
	assert_true(fabs(number_at(series, "w", 2) - (2 + 5) / 1.01) < 0.01);
	assert_true(fabs(json_number_value(json_object_get(series, "end_s")) - 3.01) < 1e-9);
	json_decref(data);
	free(page);
	store_close(store);
}

/* 100 000 windows are more than fit: 3 to a point. Means are exact, extremes kept. */
static void many_windows_keep_mean_and_extremes(void **state)
{
	enum { N = 100000 };
	struct store *store = make_store(N, false);
	char *page;
	json_t *data = render(store, &page);
	const json_t *series = json_array_get(json_object_get(data, "series"), 0);
	size_t per = (size_t)json_integer_value(json_object_get(series, "windows_per_point"));
	size_t n = (size_t)json_integer_value(json_object_get(series, "n")), stalls = 0;

	(void)state;
	assert_int_equal(per, 3);
	assert_int_equal(n, (N + per - 1) / per);
	for (size_t i = 0; i + 1 < n; i++) {
		double sum = 0, least = INFINITY, most = 0;

		for (size_t k = i * per; k < (i + 1) * per; k++) {
			double mbps = k % 100 ? (double)k : 0;

			sum += mbps;
			least = fmin(least, mbps);
			most = fmax(most, mbps);
		}
		assert_true(fabs(number_at(series, "w", i) - sum / (double)per) <= 5e-4 * most);
		assert_true(fabs(number_at(series, "w_min", i) - least) <= 5e-4 * most);
		assert_true(fabs(number_at(series, "w_max", i) - most) <= 5e-4 * most);
		stalls += number_at(series, "w_min", i) == 0;
	}
	assert_int_equal(stalls, N / 100);
	assert_true(strlen(page) < 5000000);
	json_decref(data);
	free(page);
	store_close(store);
}

static void failures_are_told(void **state)
{
	struct store *store = make_store(1, false);
	const char *id = "20260101-000000-0001", *none = "19990101-000000-0000";
	FILE *full = fopen("/dev/full", "w"), *null = fopen("/dev/null", "w");
	struct err err;

	(void)state;
	assert_non_null(full);
	assert_non_null(null);
	assert_int_equal(report_html(null, store, &none, 1, &err), -ENOENT);
	assert_int_equal(report_html(null, store, &id, 0, &err), -EINVAL);
	assert_int_equal(report_html(full, store, &id, 1, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "cannot write the report"));
	fclose(full);
	fclose(null);
	store_close(store);
}

static void check_json(const char *want, void (*put)(struct html_json *j))
{
	char *text;
	size_t bytes;
	struct html_json j = { .out = open_memstream(&text, &bytes) };

	assert_non_null(j.out);
	put(&j);
	fclose(j.out);
	assert_string_equal(text, want);
	free(text);
}

static void put_numbers(struct html_json *j)
{
	html_json_open(j, NULL, '[');
	html_json_number(j, NULL, NAN, 6);
	html_json_number(j, NULL, INFINITY, 6);
	html_json_number(j, NULL, -0.0, 6);
	html_json_number(j, NULL, 9007199254740991.0, 3);
	html_json_number(j, NULL, 1.0 / 3, 4);
	html_json_u64(j, NULL, UINT64_MAX);
	html_json_close(j, ']');
}

static void put_raw(struct html_json *j)
{
	html_json_open(j, NULL, '{');
	html_json_raw(j, "good", "{\"a\": \"<b>\"}");
	html_json_raw(j, "bad", "{a");
	html_json_raw(j, "none", NULL);
	html_json_close(j, '}');
}

static void json_is_written_as_said(void **state)
{
	(void)state;
	check_json("[null,null,0,9007199254740991,0.3333,18446744073709551615]", put_numbers);
	check_json("{\"good\":{\"a\": \"\\u003cb>\"},\"bad\":\"{a\",\"none\":null}", put_raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_are_valid_and_safe),
		cmocka_unit_test(few_windows_are_kept_as_they_are),
		cmocka_unit_test(a_stub_of_a_window_has_no_rate_of_its_own),
		cmocka_unit_test(many_windows_keep_mean_and_extremes),
		cmocka_unit_test(failures_are_told),
		cmocka_unit_test(json_is_written_as_said),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
