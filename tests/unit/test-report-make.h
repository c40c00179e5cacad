/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-report-make.h - made-up runs that look like real ones: a small fill ladder, a quick benchmark, and an
 * open loop. All from seeds, so that their reports can be compared with golden files.
 */
#ifndef ASSAY_TESTS_REPORT_MAKE_H
#define ASSAY_TESTS_REPORT_MAKE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "test-store-make.h"

struct report_maker {
	struct store *store;
	struct sink *sink;
	struct rng rng;
	uint64_t id, at_ns, written_bytes;
};

/* A head with nothing of this machine in it. */
static inline void report_head(struct run *run, const char *experiment, const char *id)
{
	memset(run, 0, sizeof(*run));
	snprintf(run->id, sizeof(run->id), "%s", id);
	snprintf(run->experiment, sizeof(run->experiment), "%s", experiment);
	snprintf(run->profile_name, sizeof(run->profile_name), "s0");
	run->profile_version = 1;
	snprintf(run->profile_hash, sizeof(run->profile_hash), "8f14e45fceea167a");
	snprintf(run->drive_spec, sizeof(run->drive_spec), "sim:sm2258xt-120g-usb,seed=7");
	snprintf(run->drive_kind, sizeof(run->drive_kind), "sim");
	snprintf(run->drive_model, sizeof(run->drive_model), "sm2258xt-120g-usb");
	run->capacity_bytes = 120034123776;
	run->seed = 18446744073709551557u;
	run->environment_json = (char *)(uintptr_t) "{\"host\": \"vega\", \"kernel\": \"6.18\", "
						    "\"cores\": 2, \"clock_hz\": 2.5e9}";
	run->arguments_json = (char *)(uintptr_t) "{\"argv\": [\"run\", \"fill\"]}";
	snprintf(run->started, sizeof(run->started), "2026-11-30T22:45:01Z");
	run->status = RUN_RUNNING;
}

static inline void report_begin(struct report_maker *m, struct store *store, const struct run *run)
{
	struct err err = { 0 };

	*m = (struct report_maker){ .store = store };
	rng_init(&m->rng, 5, 1);
	assert_ok(store_run_begin(store, run, &err));
	m->sink = store_sink(store);
}

static inline void report_end(struct report_maker *m, struct run *run)
{
	struct err err = { 0 };

	run->status = RUN_DONE;
	run->wall_s = 1.25;
	run->drive_s = (double)m->at_ns / 1e9;
	run->written_bytes = m->written_bytes;
	assert_ok(store_run_end(m->store, run, &err));
}

/* One window of it: what the flow of the phase gets as well. */
static inline void report_window(struct report_maker *m, struct phase *p, struct window *w,
				 double mbps)
{
	struct flow *flow = p->load.read_pct > 0 ? &w->read : &w->write;
	uint32_t block = p->load.block[0].bytes;
	double depth = (double)p->load.queue_depth * p->load.threads;
	double lat_ns = depth * block / mbps * 1e3;
	uint64_t ops = (uint64_t)(mbps * 1e6 * (double)w->length_ns / 1e9 / block);
	struct err err = { 0 };

	for (uint64_t i = 0; i < ops; i++)
		flow_record(flow, (uint64_t)(lat_ns * (0.8 + 0.4 * rng_double(&m->rng))), block);
	if (flow == &w->write)
		m->written_bytes += ops * block;
	w->written_bytes = m->written_bytes;
	w->in_flight_ns = (uint64_t)(depth * (double)w->length_ns);
	assert_ok(m->sink->ops->window(m->sink, w, &err));
	flow_add(&p->read, &w->read);
	flow_add(&p->write, &w->write);
	flow_clear(&w->read);
	flow_clear(&w->write);
	w->index++;
	w->start_ns += w->length_ns;
}

/* A phase of `windows` windows of 100 ms; `p` has what is asked. Frees it. */
static inline void report_phase(struct report_maker *m, struct phase *p, double mbps,
				unsigned windows)
{
	struct window *w = calloc(1, sizeof(*w));
	struct err err = { 0 };

	assert_non_null(w);
	p->id = ++m->id;
	p->load.window_ns = 100000000;
	p->state.fill_pct = isnan(p->level_pct) ? 0 : p->level_pct;
	p->state.written_since_purge_bytes = (int64_t)m->written_bytes;
	p->state.idle_before_s = 5;
	p->start_ns = m->at_ns;
	*w = (struct window){ .phase_id = p->id, .length_ns = p->load.window_ns };
	assert_ok(m->sink->ops->phase_begin(m->sink, p, &err));
	for (unsigned i = 0; i < windows; i++)
		report_window(m, p, w, mbps * (0.98 + 0.04 * rng_double(&m->rng)));
	p->end_ns = p->start_ns + w->start_ns;
	p->written_bytes = m->written_bytes;
	if (p->load.read_pct > 0)
		p->read_in_flight_mean = (double)p->load.queue_depth * p->load.threads;
	else
		p->write_in_flight_mean = (double)p->load.queue_depth * p->load.threads;
	assert_ok(m->sink->ops->phase_end(m->sink, p, &err));
	m->at_ns = p->end_ns + 5000000000u;
	free(w);
	free(p);
}

static inline bool report_number(const char **at, unsigned *ret)
{
	char *end;
	unsigned long number = strtoul(*at, &end, 10);

	if (end == *at || number > UINT_MAX)
		return false;
	*at = end;
	*ret = (unsigned)number;
	return true;
}

/* "rnd4k_q32t16_read": random, 4 KiB, depth 32, 16 threads. False where the label has no such form. */
static inline bool report_parameters(const char *label, struct workload *load)
{
	const char *at = label + strspn(label, "abcdefghijklmnopqrstuvwxyz");
	unsigned size;
	char unit;

	if (!report_number(&at, &size))
		return false;
	unit = *at;
	if (strncmp(at, unit == 'm' ? "m_q" : "k_q", 3) != 0)
		return false;
	at += 3;
	if (!report_number(&at, &load->queue_depth) || *at++ != 't' ||
	    !report_number(&at, &load->threads))
		return false;
	load->order = label[0] == 's' ? ORDER_SEQUENTIAL : ORDER_RANDOM;
	load->block[0].bytes = size * (unit == 'm' ? 1048576u : 1024u);
	return true;
}

static inline struct phase *report_asked(const char *label, double level_pct, unsigned repeat,
					 unsigned pass, const char *way)
{
	struct phase *p = phase_new();

	assert_non_null(p);
	snprintf(p->label, sizeof(p->label), "%s", label);
	snprintf(p->key, sizeof(p->key), "r%u/%s/%g/%s/%u", repeat, way, level_pct, label, pass);
	p->level_pct = level_pct;
	p->repeat = repeat;
	p->pass = pass;
	p->load.span_bytes = 1073741824;
	if (!report_parameters(label, &p->load)) {
		p->load.order = ORDER_SEQUENTIAL;
		p->load.block[0].bytes = 1048576;
		p->load.queue_depth = 2;
		p->load.threads = 1;
	}
	p->load.read_pct = strstr(label, "_read") ? 100 : 0;
	p->load.stop_ns = 5000000000;
	return p;
}

static inline void report_verdict(struct report_maker *m, const struct verdict *v)
{
	struct err err = { 0 };

	assert_ok(m->sink->ops->verdict(m->sink, v, &err));
}

static inline void report_level(struct report_maker *m, unsigned repeat, double level, bool down)
{
	static const struct {
		const char *label;
		double mbps;
		uint32_t notes;
	} bench[] = {
		{ "seq1m_q8t1_read", 443, 0 },
		{ "seq1m_q8t1_write", 406, 0 },
		{ "rnd4k_q32t16_read", 52, NOTE_UNWRITTEN_READ },
		{ "rnd4k_q32t16_write", 41, NOTE_DEPTH_NOT_REACHED },
	};
	const char *way = down ? "down" : "up";
	struct phase *p;

	if (!down && level > 0)
		report_phase(m, report_asked("copy", level, repeat, 1, way), 390 - 2 * level, 10);
	report_phase(m, report_asked("region", level, repeat, 1, way), 400, 2);
	for (int i = 0; i < 4; i++)
		for (unsigned pass = 1; pass <= 3; pass++) {
			p = report_asked(bench[i].label, level, repeat, pass, way);
			p->notes = bench[i].notes;
			if (p->notes == NOTE_DEPTH_NOT_REACHED)
				p->in_flight_device_mean = 128.25;
			report_phase(m, p, bench[i].mbps * (level > 98 ? 0.91 : 1), 3);
		}
}

static inline void report_fill(struct store *store, const char *id)
{
	static const double levels[] = { 0, 45, 90, 99 };
	static const struct verdict verdicts[] = {
		{ "fill.seq1m_write_change_pct.to_90", "", -0.31, "%", -1.12, 0.5, 18,
		  INTERVAL_BETWEEN_RUNS, STATUS_MEASURED,
		  "Sequential writes are as fast at 90 % full as on the empty drive." },
		{ "fill.seq1m_write_change_pct.at_99", "", -9.04, "%", -9.9, -8.2, 6,
		  INTERVAL_WITHIN_RUN, STATUS_MEASURED,
		  "At 99 % full sequential writes are 9.0 % slower than on the empty drive." },
		{ "fill.copy_knee_bytes.45", "", 6.04e9, "bytes", 5.9e9, 6.2e9, 2,
		  INTERVAL_BETWEEN_RUNS, STATUS_MEASURED,
		  "At 45 % full a long copy breaks after 6.0 GB." },
		{ "fill.copy_knee_bytes.90", "", NAN, "bytes", NAN, NAN, 2, INTERVAL_NONE,
		  STATUS_NOT_REACHED, "At 90 % full the copy kept its speed to the end." },
		{ "fill.cause", "cache", NAN, "", NAN, NAN, 8, INTERVAL_NONE, STATUS_MEASURED,
		  "Long copies slow down because the fast cache shrinks with the free space." },
	};
	struct truth truth;
	struct rng truth_rng;
	struct err err = { 0 };
	struct report_maker m;
	struct run run;

	report_head(&run, "fill", id);
	report_begin(&m, store, &run);
	rng_init(&truth_rng, 7,
		 1); /* its own: what follows does not hang on how much a record holds */
	make_truth(&truth_rng, &truth);
	assert_ok(m.sink->ops->truth(m.sink, &truth, &err));
	for (unsigned repeat = 1; repeat <= 2; repeat++) {
		for (int i = 0; i < 4; i++)
			report_level(&m, repeat, levels[i], false);
		report_level(&m, repeat, 45, true);
	}
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		report_verdict(&m, &verdicts[i]);
	report_end(&m, &run);
}

static inline void report_quick(struct store *store, const char *id, double scale)
{
	static const struct {
		const char *label;
		double mbps;
	} loads[] = {
		{ "seq1m_q8t1_read", 443 },    { "seq1m_q8t1_write", 406 },
		{ "seq128k_q32t1_read", 440 }, { "seq128k_q32t1_write", 401 },
		{ "rnd4k_q32t16_read", 52.3 }, { "rnd4k_q32t16_write", 41.2 },
		{ "rnd4k_q1t1_read", 23.45 },  { "rnd4k_q1t1_write", 61.5 },
	};
	struct report_maker m;
	struct phase *p;
	struct verdict v = { "quick.seq1m_q8t1_write_mbps",
			     "",
			     406 * scale,
			     "MB/s",
			     405 * scale,
			     407 * scale,
			     3,
			     INTERVAL_WITHIN_RUN,
			     STATUS_MEASURED,
			     "Sequential writes run at 406 MB/s." };
	struct run run;

	report_head(&run, "quick", id);
	report_begin(&m, store, &run);
	report_phase(&m, report_asked("prepare", NAN, 0, 0, "x"), 400, 2);
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		for (unsigned pass = 1; pass <= 3; pass++) {
			p = report_asked(loads[i].label, NAN, 0, pass, "x");
			report_phase(&m, p, loads[i].mbps * scale, 3);
		}
	report_verdict(&m, &v);
	report_end(&m, &run);
}

/* An open loop of reads and writes with every note there is, and one phase that did nothing. */
static inline void report_load(struct store *store, const char *id)
{
	struct report_maker m;
	struct phase *p;
	struct run run;

	report_head(&run, "load", id);
	snprintf(run.drive_serial, sizeof(run.drive_serial), "S\"1\\2\xff");
	snprintf(run.drive_firmware, sizeof(run.drive_firmware), "Ü1.0");
	report_begin(&m, store, &run);
	p = report_asked("rnd4k_q32t1_read", NAN, 1, 1, "x");
	p->load.arrival = ARRIVAL_POISSON;
	p->load.offered_iops = 12500;
	p->load.read_pct = 70;
	p->notes = (1u << PHASE_NOTES) - 1;
	make_flow(&m.rng, &p->write);
	make_flow(&m.rng, &p->read_service);
	make_flow(&m.rng, &p->write_service);
	p->in_flight_device_mean = 0.1 + 0.2;
	p->state.temperature_c = 41.5;
	p->state.wear_pct = 3;
	report_phase(&m, p, 51.2, 2);
	p = report_asked("discard", NAN, 0, 0, "x");
	p->load.trim = true;
	report_phase(&m, p, 1, 0);
	report_end(&m, &run);
}

#endif
