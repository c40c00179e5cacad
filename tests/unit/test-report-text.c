/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people see: golden texts, never wider than the terminal, and nothing that could reprogram one. */
#include "test.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>

#include "report/csv.h"
#include "report/terminal-group.h"
#include "report/terminal-text.h"
#include "report/terminal.h"
#include "store/private.h"
#include "test-report-golden.h"
#include "test-report-make.h"

static struct store *made(void)
{
	struct err err = { 0 };
	struct store *store;

	assert_ok(store_open(&store, NULL, false, &err));
	report_fill(store, "20261130-224501-3f9a");
	report_quick(store, "20261130-224502-3f9b", 1);
	report_load(store, "20261130-224503-3f9c");
	report_quick(store, "20261130-224504-3f9d", 0.9);
	return store;
}

static const char *const ids[] = { "20261130-224501", "20261130-224502", "20261130-224503" };

/* 0 to 2: a run each; 3: the list; 4: a comparison; 5, 6: CSV. */
static char *text_of(struct store *store, int what, const struct terminal *terminal)
{
	static const char *const pair[] = { "20261130-224502", "20261130-224504" };
	const struct compare_runs runs = { pair, 2, false };
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (what < 3)
		assert_ok(report_terminal(out, store, ids[what], terminal, &err));
	else if (what == 3)
		assert_ok(report_runs(out, store, terminal, &err));
	else if (what == 4)
		assert_ok(report_compare(out, store, &runs, terminal, &err));
	else if (what == 5)
		assert_ok(report_csv_phases(out, store, ids[2], &err));
	else
		assert_ok(report_csv_windows(out, store, ids[2], &err));
	fclose(out);
	return text;
}

static void golden(void **state)
{
	static const char *const names[] = { "fill.txt",	"quick.txt",   "load.txt",
					     "runs.txt",	"compare.txt", "load.phases.csv",
					     "load.windows.csv" };
	const struct terminal terminal = { 80, false };
	struct store *store = made();

	(void)state;
	for (int i = 0; i < 7; i++) {
		char *text = text_of(store, i, &terminal);

		compare_golden(names[i], text);
		free(text);
	}
	store_close(store);
}

/* Width in columns of every line; control characters must not be there at all. */
static void check_lines(const char *text, unsigned width, const char *what)
{
	unsigned at = 0;

	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte == '\n') {
			if (c > text && c[-1] == ' ')
				fail_msg("%s: a line ends in a space: '%.*s'", what, (int)at,
					 c - at);
			at = 0;
			continue;
		}
		if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && (unsigned char)c[1] < 0xa0))
			fail_msg("%s: control character %02x", what, byte);
		at += (byte & 0xc0) != 0x80;
		if (at > width)
			fail_msg("%s: wider than %u: '%.100s'", what, width, c - at + 1);
	}
}

static void widths(void **state)
{
	struct store *store = made();
	char what[32];

	(void)state;
	for (unsigned width = 72; width < 140; width++)
		for (int i = 0; i < 5; i++) {
			const struct terminal terminal = { width, false };
			char *text = text_of(store, i, &terminal);

			snprintf(what, sizeof(what), "text %d", i);
			check_lines(text, width, what);
			free(text);
		}
	store_close(store);
}

static void nonsense_phase(struct store *store, struct rng *rng, uint64_t id)
{
	struct sink *sink = store_sink(store);
	struct phase *p = phase_new();
	struct err err = { 0 };
	struct verdict v;

	assert_non_null(p);
	make_phase_asked(rng, p, id);
	p->load.block[0].bytes |= 1;
	assert_ok(sink->ops->phase_begin(sink, p, &err));
	make_phase_result(rng, p);
	assert_ok(sink->ops->phase_end(sink, p, &err));
	make_verdict(rng, &v);
	v.text[0] = 'x'; /* a verdict has a sentence */
	assert_ok(sink->ops->verdict(sink, &v, &err));
	free(p);
}

/* Runs full of nonsense: long words, quotes, control characters, extremes. */
static void nonsense(void **state)
{
	const struct terminal terminal = { 80, false };
	struct err err = { 0 };
	struct store *store;
	struct rng rng;

	(void)state;
	assert_ok(store_open(&store, NULL, false, &err));
	for (unsigned number = 0; number < 30; number++) {
		static const char *const experiments[] = { "fill", "quick", "mix" };
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		struct run run;

		assert_non_null(out);
		rng_init(&rng, 6, number);
		make_run(&rng, &run, number);
		snprintf(run.experiment, sizeof(run.experiment), "%s", experiments[number % 3]);
		memset(run.drive_spec, 'x', sizeof(run.drive_spec) - 1);
		memcpy(run.drive_serial, "\x1b[31m\xc2\x9b\x07", 9);
		assert_ok(store_run_begin(store, &run, &err));
		for (uint64_t i = 1; i <= 12; i++)
			nonsense_phase(store, &rng, i);
		assert_ok(store_run_end(store, &run, &err));
		assert_ok(report_terminal(out, store, "last", &terminal, &err));
		assert_ok(report_runs(out, store, &terminal, &err));
		fclose(out);
		check_lines(text, 80, "nonsense");
		free(text);
	}
	store_close(store);
}

static void alter(struct store *store, const char *sql)
{
	assert_int_equal(sqlite3_exec(store->db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_changes(store->db), 1);
}

/* Unlike profiles or states are refused, and compared where asked for. */
static void unlike(void **state)
{
	const struct terminal terminal = { 80, false };
	static const char *const pairs[][2] = {
		{ "20261130-224501", "20261130-224502" }, /* experiments */
		{ "20261130-224502", "20261130-224505" }, /* profiles */
		{ "20261130-224502", "20261130-224506" }, /* states */
	};
	static const char *const says[] = { "'fill'", "profile", "states" };
	const struct compare_runs alone = { pairs[0], 1, false };
	struct store *store = made();
	struct err err = { 0 };

	(void)state;
	report_quick(store, "20261130-224505-3f9e", 1);
	report_quick(store, "20261130-224506-3f9f", 1);
	alter(store, "UPDATE run SET profile_hash = 'ff' WHERE id LIKE '%3f9e'");
	alter(store, "UPDATE phase SET fill_pct = 50 WHERE id = 1 AND run = "
		     "(SELECT row FROM run WHERE id LIKE '%3f9f')");
	for (int i = 0; i < 3; i++) {
		char *text = NULL;
		size_t size = 0;
		struct compare_runs runs = { pairs[i], 2, false };
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		assert_int_equal(report_compare(out, store, &runs, &terminal, &err), -ERR_USAGE);
		assert_non_null(strstr(err.text, says[i]));
		runs.anyway = true;
		assert_ok(report_compare(out, store, &runs, &terminal, &err));
		fclose(out);
		assert_non_null(strstr(text, "not alike"));
		free(text);
	}
	assert_int_equal(report_compare(stdout, store, &alone, &terminal, &err), -ERR_USAGE);
	store_close(store);
}

/* As many fields in every line as in the first. */
static void csv_is_rectangular(void **state)
{
	struct store *store = made();

	(void)state;
	for (int what = 5; what < 7; what++) {
		char *text = text_of(store, what, NULL);
		unsigned commas = 0, first = 0, lines = 0;
		bool inside = false;

		for (const char *c = text; *c; c++) {
			inside ^= *c == '"';
			commas += *c == ',' && !inside;
			if (*c != '\n' || inside)
				continue;
			if (lines++ == 0)
				first = commas;
			assert_int_equal(commas, first);
			commas = 0;
		}
		assert_true(lines > 2 && first > 20);
		free(text);
	}
	store_close(store);
}

static void statistics(void **state)
{
	struct stat_sum s = { 0 };

	(void)state;
	for (uint64_t n = 1; n < 400; n++) {
		double exact = gsl_cdf_tdist_Pinv(0.975, (double)n);

		assert_true(fabs(student_975(n) / exact - 1) < 1e-5);
	}
	assert_true(isnan(stat_sum_mean(&s)) && isnan(stat_sum_sd(&s)));
	stat_sum_add(&s, 2);
	assert_true(isnan(stat_sum_sd(&s)) && isnan(stat_sum_half95(&s)));
	stat_sum_add(&s, 4);
	stat_sum_add(&s, 9);
	assert_true(fabs(stat_sum_mean(&s) - 5) < 1e-12);
	assert_true(fabs(stat_sum_sd(&s) - sqrt(13)) < 1e-12);
	assert_true(s.max == 9);
	/* scipy.stats.t.interval(0.95, 2, 5, sqrt(13 / 3)): -3.957 to 13.957 */
	assert_true(fabs(stat_sum_half95(&s) - 8.9568) < 1e-3);
}

static void digits(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(text_number(buf, sizeof(buf), 406.06, 3), "406");
	assert_string_equal(text_number(buf, sizeof(buf), 50.43, 3), "50.4");
	assert_string_equal(text_number(buf, sizeof(buf), 0.1234, 3), "0.123");
	assert_string_equal(text_number(buf, sizeof(buf), 12345.6, 3), "12346");
	assert_string_equal(text_number(buf, sizeof(buf), 0, 3), "0");
	assert_string_equal(text_number(buf, sizeof(buf), NAN, 3), "-");
	assert_string_equal(text_mean_sd(buf, sizeof(buf), 406.06, 2.24), "406 ± 2");
	assert_string_equal(text_mean_sd(buf, sizeof(buf), 406.06, 0.24), "406.1 ± 0.2");
	assert_string_equal(text_mean_sd(buf, sizeof(buf), 50.43, NAN), "50.4");
	assert_string_equal(text_mean_sd_narrow(buf, sizeof(buf), 50.43, 0.81), "50.4±0.8");
	assert_int_equal(text_width("µ ± °C"), 6);
	assert_int_equal(text_width("\xff\x1b"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(widths),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(unlike),
		cmocka_unit_test(csv_is_rectangular),
		cmocka_unit_test(statistics),
		cmocka_unit_test(digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
