/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/json-text.h"

static json_t *latencies(const struct flow *flow)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{ "p50", 0.5 },	   { "p90", 0.9 },	{ "p99", 0.99 },
		{ "p999", 0.999 }, { "p9999", 0.9999 },
	};
	json_t *object = json_object();

	if (flow->ops)
		json_add_u64(&object, "min", flow->lat_ns_min);
	else
		json_add(&object, "min", json_null());
	json_add_f64(&object, "mean",
		     flow->ops ? (double)flow->lat_ns_sum / (double)flow->ops : NAN);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		if (flow->ops)
			json_add_u64(&object, quantiles[i].key,
				     flow_quantile(flow, quantiles[i].q));
		else
			json_add(&object, quantiles[i].key, json_null());
	if (flow->ops)
		json_add_u64(&object, "max", flow->lat_ns_max);
	else
		json_add(&object, "max", json_null());
	return object;
}

static json_t *direction(const struct phase *p, const struct flow *flow, const struct flow *service,
			 double in_flight_mean)
{
	json_t *object = json_object();
	bool long_enough = p->end_ns > p->start_ns;

	json_add_u64(&object, "ops", flow->ops);
	json_add_u64(&object, "bytes", flow->bytes);
	json_add_u64(&object, "errors", flow->errors);
	json_add_f64(&object, "iops", long_enough ? phase_iops(p, flow) : NAN);
	json_add_f64(&object, "mbps", long_enough ? phase_mbps(p, flow) : NAN);
	json_add(&object, "lat_ns", latencies(flow));
	json_add(&object, "service_ns",
		 p->load.arrival == ARRIVAL_CLOSED ? json_null() : latencies(service));
	json_add_f64(&object, "in_flight_mean", in_flight_mean);
	return object;
}

static json_t *drive_state(const struct drive_state *state)
{
	json_t *object = json_object();

	if (state->written_since_purge_bytes < 0)
		json_add(&object, "written_since_purge_bytes", json_null());
	else
		json_add_u64(&object, "written_since_purge_bytes",
			     (uint64_t)state->written_since_purge_bytes);
	json_add_f64(&object, "fill_pct", state->fill_pct);
	json_add_f64(&object, "idle_before_s", state->idle_before_s);
	json_add_f64(&object, "temperature_c", state->temperature_c);
	json_add_f64(&object, "wear_pct", state->wear_pct);
	return object;
}

static json_t *notes(uint32_t bits)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < PHASE_NOTES; i++)
		if (bits & 1u << i)
			json_array_append_new(array, json_string(phase_note_names[i]));
	return array;
}

/* Counted from 1; 0 says that it does not apply. */
static void add_counted(json_t **object, const char *key, unsigned value)
{
	if (value)
		json_add_u64(object, key, value);
	else
		json_add(object, key, json_null());
}

static void add_load(json_t **object, const struct workload *w)
{
	bool in_order = w->order == ORDER_SEQUENTIAL || w->order == ORDER_STRIDED;

	json_add_u64(object, "span_bytes", w->span_bytes);
	json_add_text(object, "order", in_order || w->trim ? "sequential" : "random");
	json_add_f64(object, "read_pct", w->trim ? NAN : w->read_pct);
	if (w->blocks == 1 && !w->trim)
		json_add_u64(object, "block_bytes", w->block[0].bytes);
	else
		json_add(object, "block_bytes", json_null());
	json_add_u64(object, "queue_depth", w->queue_depth);
	json_add_u64(object, "threads", w->threads);
	json_add_text(object, "arrival", load_arrival_names[w->arrival]);
	json_add_f64(object, "offered_iops", w->arrival == ARRIVAL_CLOSED ? NAN : w->offered_iops);
}

static json_t *phase_object(const struct phase *p)
{
	json_t *object = json_object();

	json_add_text(&object, "label", p->label);
	add_counted(&object, "repeat", p->repeat);
	add_counted(&object, "pass", p->pass);
	json_add_f64(&object, "level_pct", p->level_pct);
	add_load(&object, &p->load);
	json_add_f64(&object, "start_s", (double)p->start_ns / 1e9);
	json_add_f64(&object, "end_s", (double)p->end_ns / 1e9);
	json_add(&object, "read", direction(p, &p->read, &p->read_service, p->read_in_flight_mean));
	json_add(&object, "write",
		 direction(p, &p->write, &p->write_service, p->write_in_flight_mean));
	json_add(&object, "state", drive_state(&p->state));
	json_add_f64(&object, "in_flight_device_mean", p->in_flight_device_mean);
	json_add_f64(&object, "in_flight_device_max", p->in_flight_device_max);
	json_add_u64(&object, "stamp_error_ns", p->stamp_error_ns);
	json_add(&object, "notes", notes(p->notes));
	return object;
}

static json_t *verdict_object(const struct verdict *v)
{
	json_t *object = json_object();

	json_add_text(&object, "name", v->name);
	if (v->word[0])
		json_add_text(&object, "value", v->word);
	else
		json_add_f64(&object, "value", v->value);
	json_add_text(&object, "unit", v->unit);
	json_add_f64(&object, "low", v->low);
	json_add_f64(&object, "high", v->high);
	json_add_u64(&object, "n", v->n);
	json_add_text(&object, "interval", verdict_interval_names[v->interval]);
	json_add_text(&object, "status", verdict_status_names[v->status]);
	json_add_text(&object, "text", v->text);
	return object;
}

static json_t *drive_object(const struct run *run)
{
	json_t *object = json_object();

	json_add_text(&object, "spec", run->drive_spec);
	json_add_text(&object, "kind", run->drive_kind);
	json_add_text(&object, "model", run->drive_model);
	json_add_text(&object, "serial", run->drive_serial);
	json_add_text(&object, "firmware", run->drive_firmware);
	json_add_u64(&object, "capacity_bytes", run->capacity_bytes);
	return object;
}

static json_t *profile_object(const struct run *run)
{
	json_t *object = json_object();

	json_add_text(&object, "name", run->profile_name);
	json_add_u64(&object, "version", run->profile_version);
	json_add_text(&object, "hash", run->profile_hash);
	return object;
}

/* All that comes before the phases. */
static int head_object(const struct run *run, json_t **ret, struct err *err)
{
	json_t *object = json_object(), *environment = NULL;
	json_error_t error;

	if (run->environment_json) {
		environment = json_loads(run->environment_json, 0, &error);
		if (!environment) {
			json_decref(object);
			return err_set(err, -EUCLEAN,
				       "the environment stored for run '%s' is not JSON: %s",
				       run->id, error.text);
		}
	}
	json_add_text(&object, "schema", "assay.run/1");
	json_add_text(&object, "run", run->id);
	json_add_text(&object, "experiment", run->experiment);
	json_add(&object, "profile", profile_object(run));
	json_add(&object, "drive", drive_object(run));
	json_add(&object, "environment", environment ? environment : json_null());
	json_add_text(&object, "started", run->started);
	json_add_f64(&object, "wall_s", run->wall_s);
	json_add_f64(&object, "drive_s", run->drive_s);
	json_add_u64(&object, "written_bytes", run->written_bytes);
	if (!object)
		return err_sys(err, -ENOMEM, "cannot make JSON");
	*ret = object;
	return 0;
}

/* A list whose items stand on lines of their own. */
struct list {
	FILE *out;
	bool begun;
	struct err *err;
};

static int print_item(struct list *list, json_t *item)
{
	if (!item)
		return err_sys(list->err, -ENOMEM, "cannot make JSON");
	fputs(list->begun ? ",\n    " : "\n    ", list->out);
	list->begun = true;
	json_print(list->out, item);
	json_decref(item);
	return 0;
}

static void print_end(struct list *list)
{
	fputs(list->begun ? "\n  ]" : "]", list->out);
	list->begun = false;
}

static int print_phase(void *user, const struct phase *phase)
{
	return print_item(user, phase_object(phase));
}

static void print_head(FILE *out, const json_t *head)
{
	const char *key;
	json_t *value;

	fputs("{\n", out);
	json_object_foreach((json_t *)(uintptr_t)head, key, value)
	{
		fprintf(out, "  \"%s\": ", key);
		json_print(out, value);
		fputs(",\n", out);
	}
}

static int finish(FILE *out, struct err *err)
{
	errno = EIO;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return err_sys(err, -errno, "cannot write the JSON");
}

int report_json(FILE *out, struct store *store, const char *run_id, struct err *err)
{
	struct list list = { out, false, err };
	struct run_record *record = NULL;
	json_t *head = NULL;
	int r = store_run_head(store, run_id, &record, err);

	if (r == 0)
		r = head_object(&record->run, &head, err);
	if (r == 0) {
		print_head(out, head);
		fputs("  \"phases\": [", out);
		r = store_phases(store, record->run.id, print_phase, &list, err);
	}
	if (r == 0) {
		print_end(&list);
		fputs(",\n  \"verdicts\": [", out);
		for (size_t i = 0; r == 0 && i < record->verdicts.n; i++)
			r = print_item(&list, verdict_object(&record->verdicts.items[i]));
	}
	if (r == 0) {
		print_end(&list);
		fputs("\n}\n", out);
		r = finish(out, err);
	}
	json_decref(head);
	run_record_free(record);
	return r;
}
