/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <errno.h>

#include "report/html-assets.h"
#include "report/html-data.h"

/* Points of all runs together: with about 35 bytes a point the page stays below 5 MB. */
#define SERIES_POINTS_MAX 48000
#define TRUTH_POINTS_MAX 10000
#define TELEMETRY_POINTS_MAX 4000

/* The page may use what is in it and nothing else: it cannot call anywhere. */
static const char policy[] =
	"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

static void put_head(FILE *out, const struct run *run, unsigned runs)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"assay\">\n",
	      out);
	fprintf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<title>",
		policy);
	html_escape(out, run->experiment);
	fputs(": ", out);
	html_escape(out, run->drive_model[0] ? run->drive_model : run->drive_spec);
	if (runs > 1)
		fprintf(out, " and %u more", runs - 1);
	fputs(" \xE2\x80\x93 Assay</title>\n<style>\n", out);
	fwrite(html_asset_style, 1, html_asset_style_bytes, out);
	fputs("</style>\n</head>\n<body>\n<div id=\"assay-root\"></div>\n", out);
}

/* Without scripts the answers can still be read. */
static void put_noscript(FILE *out, const struct run_record *record)
{
	fputs("<noscript><main class=\"page\">\n<h1>", out);
	html_escape(out, record->run.experiment);
	fputs(" on ", out);
	html_escape(out, record->run.drive_spec);
	fputs("</h1>\n<p>The charts need JavaScript; these are the answers.</p>\n<ul>\n", out);
	for (size_t i = 0; i < record->verdicts.n; i++) {
		fputs("<li>", out);
		html_escape(out, record->verdicts.items[i].text);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n</main></noscript>\n", out);
}

static int put_run(FILE *out, struct store *store, const struct run_record *record, size_t runs,
		   struct err *err)
{
	struct html_json j = { .out = out };
	int r;

	put_noscript(out, record);
	fputs("<script type=\"application/json\" class=\"assay-run\">", out);
	html_json_open(&j, NULL, '{');
	html_data_run(&j, record);
	r = html_data_phases(&j, record, err);
	if (r == 0)
		r = html_data_series(&j, store, record, SERIES_POINTS_MAX / runs, err);
	if (r == 0)
		r = html_data_truth(&j, store, record->run.id, TRUTH_POINTS_MAX / runs + 1, err);
	if (r == 0)
		r = html_data_telemetry(&j, store, record->run.id, TELEMETRY_POINTS_MAX / runs + 1,
					err);
	html_json_close(&j, '}');
	fputs("</script>\n", out);
	return r;
}

static void put_words(struct html_json *j, const char *key, const char *const *words, size_t n)
{
	html_json_open(j, key, '[');
	for (size_t i = 0; i < n && words[i]; i++)
		html_json_text(j, NULL, words[i]);
	html_json_close(j, ']');
}

/* The words that numbers in the runs' tables stand for. */
static void put_vocabulary(FILE *out)
{
	struct html_json j = { .out = out };

	fputs("<script type=\"application/json\" id=\"assay-words\">", out);
	html_json_open(&j, NULL, '{');
	html_json_text(&j, "schema", "assay.report/1");
	put_words(&j, "notes", phase_note_names, PHASE_NOTES);
	put_words(&j, "orders", load_order_names, SIZE_MAX);
	put_words(&j, "arrivals", load_arrival_names, SIZE_MAX);
	html_json_close(&j, '}');
	fputs("</script>\n", out);
}

static int put_end(FILE *out, struct err *err)
{
	put_vocabulary(out);
	fputs("<script>\n", out);
	fwrite(html_asset_dygraphs, 1, html_asset_dygraphs_bytes, out);
	fputs("</script>\n<script>\n", out);
	fwrite(html_asset_script, 1, html_asset_script_bytes, out);
	fputs("</script>\n</body>\n</html>\n", out);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return err_sys(err, errno ? -errno : -EIO, "cannot write the report");
	return 0;
}

int report_html(FILE *out, struct store *store, const char *const *run_ids, unsigned n,
		struct err *err)
{
	if (!n)
		return err_set(err, -EINVAL, "no run was given to report");
	/* One run in memory at a time: their phases are large. */
	for (unsigned i = 0; i < n; i++) {
		struct run_record *record;
		int r = store_run_load(store, run_ids[i], &record, err);

		if (r < 0)
			return r;
		if (i == 0)
			put_head(out, &record->run, n);
		r = put_run(out, store, record, n, err);
		run_record_free(record);
		if (r < 0)
			return r;
	}
	return put_end(out, err);
}
