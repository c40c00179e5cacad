/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-fio.c - a run in the shape of fio 3's JSON, for scripts that exist.
 *
 * Names and units are fio's: bw in KiB/s, runtime in ms, percentiles as "99.000000". In a closed loop fio's
 * completion latency (clat, from submit) is our latency. In an open loop our latency counts from when an
 * I/O was due, as fio's lat does with rate_process, and clat is the service time.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/json-text.h"
#include "report/json.h"

static const char *const percentiles[] = { "1.000000",	"5.000000",  "10.000000", "20.000000",
					   "30.000000", "40.000000", "50.000000", "60.000000",
					   "70.000000", "80.000000", "90.000000", "95.000000",
					   "99.000000", "99.500000", "99.900000", "99.950000",
					   "99.990000" };

/* From the histogram: the middle of a bucket is within 0.8 % of what lies in it. */
static double deviation(const struct flow *flow)
{
	double mean, sum = 0;
	uint32_t high = histogram_bucket(flow->lat_ns_max);

	if (flow->ops < 2)
		return 0;
	mean = (double)flow->lat_ns_sum / (double)flow->ops;
	for (uint32_t i = histogram_bucket(flow->lat_ns_min); i <= high; i++) {
		double distance = (double)histogram_middle(i) - mean;

		sum += (double)flow->lat.count[i] * distance * distance;
	}
	return sqrt(sum / (double)(flow->ops - 1));
}

static json_t *latency(const struct flow *flow)
{
	json_t *object = json_object(), *p = json_object();

	json_add_u64(&object, "min", flow->lat_ns_min);
	json_add_u64(&object, "max", flow->lat_ns_max);
	json_add_f64(&object, "mean", flow->ops ? (double)flow->lat_ns_sum / (double)flow->ops : 0);
	json_add_f64(&object, "stddev", deviation(flow));
	json_add_u64(&object, "N", flow->ops);
	if (flow->ops == 0) {
		json_decref(p);
		return object;
	}
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		json_add_u64(&p, percentiles[i],
			     flow_quantile(flow, strtod(percentiles[i], NULL) / 100));
	json_add(&object, "percentile", p);
	return object;
}

static json_t *direction(const struct phase *p, const struct flow *flow, const struct flow *service)
{
	json_t *object = json_object();
	double seconds = phase_seconds(p);
	double bytes_per_s = seconds > 0 ? (double)flow->bytes / seconds : 0;
	bool any = flow->ops || flow->errors;

	json_add_u64(&object, "io_bytes", flow->bytes);
	json_add_u64(&object, "io_kbytes", flow->bytes / 1024);
	json_add_u64(&object, "bw_bytes", (uint64_t)bytes_per_s);
	json_add_u64(&object, "bw", (uint64_t)(bytes_per_s / 1024));
	json_add_f64(&object, "iops", phase_iops(p, flow));
	json_add_u64(&object, "runtime", any ? (uint64_t)(seconds * 1e3) : 0);
	json_add_u64(&object, "total_ios", flow->ops);
	json_add(&object, "clat_ns", latency(p->load.arrival == ARRIVAL_CLOSED ? flow : service));
	json_add(&object, "lat_ns", latency(flow));
	return object;
}

/* What fio would have been asked for, as far as it has a word for it. */
static json_t *options(const struct phase *p)
{
	const struct workload *w = &p->load;
	bool random = w->order != ORDER_SEQUENTIAL && w->order != ORDER_STRIDED;
	const char *rw = w->trim	      ? "trim"
			 : w->read_pct >= 100 ? (random ? "randread" : "read")
			 : w->read_pct <= 0   ? (random ? "randwrite" : "write")
					      : (random ? "randrw" : "rw");
	json_t *object = json_object();
	char text[48];

	json_add_text(&object, "name", p->label);
	json_add_text(&object, "rw", rw);
	if (w->read_pct > 0 && w->read_pct < 100) {
		snprintf(text, sizeof(text), "%.4g", w->read_pct);
		json_add_text(&object, "rwmixread", text);
	}
	snprintf(text, sizeof(text), "%u", w->block[0].bytes);
	json_add_text(&object, w->blocks > 1 ? "bssplit_first" : "bs", text);
	snprintf(text, sizeof(text), "%u", w->queue_depth);
	json_add_text(&object, "iodepth", text);
	snprintf(text, sizeof(text), "%u", w->threads);
	json_add_text(&object, "numjobs", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)w->span_bytes);
	json_add_text(&object, "size", text);
	return object;
}

static json_t *job(const struct phase *p)
{
	json_t *object = json_object();

	json_add_text(&object, "jobname", p->key[0] ? p->key : p->label);
	json_add_u64(&object, "groupid", p->id - 1);
	json_add_u64(&object, "error", p->read.errors || p->write.errors ? EIO : 0);
	json_add_u64(&object, "elapsed", (uint64_t)ceil(phase_seconds(p)));
	json_add(&object, "job options", options(p));
	json_add(&object, "read", direction(p, &p->read, &p->read_service));
	json_add(&object, "write", direction(p, &p->write, &p->write_service));
	json_add_u64(&object, "job_runtime", (uint64_t)(phase_seconds(p) * 1e3));
	return object;
}

struct jobs {
	FILE *out;
	bool begun;
	struct err *err;
};

static int print_job(void *user, const struct phase *p)
{
	struct jobs *jobs = user;
	json_t *object = job(p);

	if (!object)
		return err_sys(jobs->err, -ENOMEM, "cannot make JSON");
	fputs(jobs->begun ? ",\n    " : "\n    ", jobs->out);
	jobs->begun = true;
	json_print(jobs->out, object);
	json_decref(object);
	return 0;
}

int report_fio_json(FILE *out, struct store *store, const char *run_id, struct err *err)
{
	struct jobs jobs = { out, false, err };
	struct run_record *record = NULL;
	json_t *text;
	int r = store_run_head(store, run_id, &record, err);

	if (r < 0)
		return r;
	text = json_pack("{s:s, s:s?, s:s?}", "fio version", "fio-3.0 (assay)", "assay run",
			 record->run.id, "time", record->run.started);
	if (!text) {
		r = err_sys(err, -ENOMEM, "cannot make JSON");
	} else {
		const char *key;
		json_t *value;

		fputs("{\n", out);
		json_object_foreach(text, key, value)
		{
			fprintf(out, "  \"%s\": ", key);
			json_print(out, value);
			fputs(",\n", out);
		}
		fputs("  \"jobs\": [", out);
		r = store_phases(store, record->run.id, print_job, &jobs, err);
	}
	if (r == 0) {
		fputs(jobs.begun ? "\n  ]\n}\n" : "]\n}\n", out);
		if (fflush(out) != 0 || ferror(out))
			r = err_set(err, -EIO, "cannot write the JSON");
	}
	json_decref(text);
	run_record_free(record);
	return r;
}
