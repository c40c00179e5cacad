/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line being written: puts the commas. */
struct line {
	FILE *out;
	bool begun;
};

static void separate(struct line *line)
{
	if (line->begun)
		putc(',', line->out);
	line->begun = true;
}

static void end_line(struct line *line)
{
	putc('\n', line->out);
	line->begun = false;
}

static void text(struct line *line, const char *field)
{
	separate(line);
	if (!strpbrk(field, ",\"\r\n")) {
		fputs(field, line->out);
		return;
	}
	putc('"', line->out);
	for (; *field; field++) {
		if (*field == '"')
			putc('"', line->out);
		putc(*field, line->out);
	}
	putc('"', line->out);
}

static void empty(struct line *line)
{
	separate(line);
}

static void u64(struct line *line, uint64_t value)
{
	separate(line);
	fprintf(line->out, "%llu", (unsigned long long)value);
}

static void f64(struct line *line, double value)
{
	char number[40];

	separate(line);
	if (!isfinite(value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(number, sizeof(number), "%.*g", digits, value);
		if (strtod(number, NULL) == value)
			break;
	}
	fputs(number, line->out);
}

/* Counted from 1; 0: does not apply. */
static void counted(struct line *line, unsigned value)
{
	if (value)
		u64(line, value);
	else
		empty(line);
}

static void names(FILE *out, const char *const *fields)
{
	struct line line = { out, false };

	for (; *fields; fields++)
		text(&line, *fields);
	end_line(&line);
}

#define FLOW_NAMES(d)                                                                              \
	d "_ops", d "_bytes", d "_errors", d "_iops", d "_mb_per_s", d "_lat_ns_min",              \
		d "_lat_ns_mean", d "_lat_ns_p50", d "_lat_ns_p90", d "_lat_ns_p99",               \
		d "_lat_ns_p999", d "_lat_ns_p9999", d "_lat_ns_max"

static void flow_fields(struct line *line, const struct flow *flow, double seconds)
{
	static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999, 0.9999 };

	u64(line, flow->ops);
	u64(line, flow->bytes);
	u64(line, flow->errors);
	f64(line, seconds > 0 ? (double)flow->ops / seconds : NAN);
	f64(line, seconds > 0 ? (double)flow->bytes / 1e6 / seconds : NAN);
	if (flow->ops == 0) {
		for (int i = 0; i < 8; i++)
			empty(line);
		return;
	}
	u64(line, flow->lat_ns_min);
	f64(line, (double)flow->lat_ns_sum / (double)flow->ops);
	for (int i = 0; i < 5; i++)
		u64(line, flow_quantile(flow, quantiles[i]));
	u64(line, flow->lat_ns_max);
}

static const char *const phase_names[] = {
	"run",
	"phase",
	"key",
	"label",
	"repeat",
	"pass",
	"level_pct",
	"span_bytes",
	"order",
	"read_pct",
	"blocks_bytes",
	"queue_depth",
	"threads",
	"arrival",
	"offered_iops",
	"start_s",
	"end_s",
	"written_bytes",
	FLOW_NAMES("read"),
	"read_in_flight_mean",
	FLOW_NAMES("write"),
	"write_in_flight_mean",
	"in_flight_device_mean",
	"stamp_error_ns",
	"written_since_purge_bytes",
	"fill_pct",
	"idle_before_s",
	"temperature_c",
	"wear_pct",
	"notes",
	NULL,
};

struct csv {
	FILE *out;
	struct store *store;
	const char *run_id;
	const struct phase *phase;
	struct err *err;
};

/* "4096", or "4096*3 65536*1" with weights where there are several. */
static void blocks(struct line *line, const struct workload *w)
{
	separate(line);
	if (w->blocks == 1) {
		fprintf(line->out, "%u", w->block[0].bytes);
		return;
	}
	for (unsigned i = 0; i < w->blocks; i++)
		fprintf(line->out, "%s%u*%u", i ? " " : "", w->block[i].bytes, w->block[i].weight);
}

static void load_fields(struct line *line, const struct workload *w)
{
	u64(line, w->span_bytes);
	text(line, load_order_names[w->order]);
	f64(line, w->trim ? NAN : w->read_pct);
	blocks(line, w);
	u64(line, w->queue_depth);
	u64(line, w->threads);
	text(line, load_arrival_names[w->arrival]);
	f64(line, w->arrival == ARRIVAL_CLOSED ? NAN : w->offered_iops);
}

static void state_fields(struct line *line, const struct drive_state *state)
{
	if (state->written_since_purge_bytes < 0)
		empty(line);
	else
		u64(line, (uint64_t)state->written_since_purge_bytes);
	f64(line, state->fill_pct);
	f64(line, state->idle_before_s);
	f64(line, state->temperature_c);
	f64(line, state->wear_pct);
}

static void notes_field(struct line *line, uint32_t notes)
{
	const char *space = "";

	separate(line);
	for (unsigned i = 0; i < PHASE_NOTES; i++)
		if (notes & 1u << i) {
			fprintf(line->out, "%s%s", space, phase_note_names[i]);
			space = " ";
		}
}

static int phase_line(void *user, const struct phase *p)
{
	struct csv *csv = user;
	struct line line = { csv->out, false };

	text(&line, csv->run_id);
	u64(&line, p->id);
	text(&line, p->key);
	text(&line, p->label);
	counted(&line, p->repeat);
	counted(&line, p->pass);
	f64(&line, p->level_pct);
	load_fields(&line, &p->load);
	f64(&line, (double)p->start_ns / 1e9);
	f64(&line, (double)p->end_ns / 1e9);
	u64(&line, p->written_bytes);
	flow_fields(&line, &p->read, phase_seconds(p));
	f64(&line, p->read_in_flight_mean);
	flow_fields(&line, &p->write, phase_seconds(p));
	f64(&line, p->write_in_flight_mean);
	f64(&line, p->in_flight_device_mean);
	u64(&line, p->stamp_error_ns);
	state_fields(&line, &p->state);
	notes_field(&line, p->notes);
	end_line(&line);
	return 0;
}

static const char *const window_names[] = {
	"run",
	"phase",
	"label",
	"repeat",
	"pass",
	"level_pct",
	"window",
	"at_s",
	"start_s",
	"length_s",
	"written_bytes",
	"in_flight_mean",
	"backlog",
	FLOW_NAMES("read"),
	FLOW_NAMES("write"),
	NULL,
};

static int window_line(void *user, const struct window *w)
{
	const struct csv *csv = user;
	struct line line = { csv->out, false };
	double seconds = (double)w->length_ns / 1e9;

	text(&line, csv->run_id);
	u64(&line, csv->phase->id);
	text(&line, csv->phase->label);
	counted(&line, csv->phase->repeat);
	counted(&line, csv->phase->pass);
	f64(&line, csv->phase->level_pct);
	u64(&line, w->index);
	f64(&line, (double)(csv->phase->start_ns + w->start_ns) / 1e9);
	f64(&line, (double)w->start_ns / 1e9);
	f64(&line, seconds);
	u64(&line, w->written_bytes);
	f64(&line, w->length_ns ? (double)w->in_flight_ns / (double)w->length_ns : NAN);
	u64(&line, w->backlog);
	flow_fields(&line, &w->read, seconds);
	flow_fields(&line, &w->write, seconds);
	end_line(&line);
	return 0;
}

static int windows_of_phase(void *user, const struct phase *p)
{
	struct csv *csv = user;

	csv->phase = p;
	return store_windows(csv->store, csv->run_id, p->id, window_line, csv, csv->err);
}

static int print(struct csv *csv, const char *run_id, const char *const *fields,
		 int (*each)(void *user, const struct phase *p))
{
	struct run_record *record = NULL;
	int r = store_run_head(csv->store, run_id, &record, csv->err);

	if (r < 0)
		return r;
	csv->run_id = record->run.id;
	names(csv->out, fields);
	r = store_phases(csv->store, csv->run_id, each, csv, csv->err);
	run_record_free(record);
	if (r == 0 && (fflush(csv->out) != 0 || ferror(csv->out)))
		r = err_set(csv->err, -EIO, "cannot write the CSV");
	return r;
}

int report_csv_phases(FILE *out, struct store *store, const char *run_id, struct err *err)
{
	struct csv csv = { .out = out, .store = store, .err = err };

	return print(&csv, run_id, phase_names, phase_line);
}

int report_csv_windows(FILE *out, struct store *store, const char *run_id, struct err *err)
{
	struct csv csv = { .out = out, .store = store, .err = err };

	return print(&csv, run_id, window_names, windows_of_phase);
}
