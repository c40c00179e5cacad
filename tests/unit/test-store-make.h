/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-store-make.h - random runs, phases, windows and verdicts for the tests of store and report.
 *
 * Every field gets a value, "unknown" and extremes among them, so that a field that is forgotten shows.
 */
#ifndef ASSAY_TESTS_STORE_MAKE_H
#define ASSAY_TESTS_STORE_MAKE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "base/rng.h"
#include "data/phase.h"
#include "data/run.h"
#include "data/telemetry.h"
#include "data/verdict.h"
#include "data/window.h"
#include "device/truth.h"

/* A call that must succeed; else the sentence is printed. */
#define assert_ok(call)                                                                            \
	do {                                                                                       \
		int assert_ok_r = (call);                                                          \
                                                                                                   \
		if (assert_ok_r < 0)                                                               \
			fail_msg("%s: %d: %s", #call, assert_ok_r, err.text);                      \
		assert_int_equal(assert_ok_r, 0);                                                  \
	} while (0)

/* Small, large and in between: any width of integer, seldom all bits. */
static inline uint64_t make_u64(struct rng *rng)
{
	uint64_t value = rng_u64(rng);

	return value >> rng_below(rng, 64);
}

/* What fits an SQL INTEGER as a positive number. */
static inline uint64_t make_u63(struct rng *rng)
{
	return make_u64(rng) >> 1;
}

static inline double make_f64(struct rng *rng)
{
	switch (rng_below(rng, 6)) {
	case 0:
		return NAN;
	case 1:
		return 0;
	case 2:
		return (double)rng_below(rng, 101);
	case 3:
		return rng_double(rng) * 1e-300;
	case 4:
		return -rng_double(rng) * 1e12;
	default:
		return rng_double(rng) * 1000;
	}
}

static inline int64_t make_i64(struct rng *rng)
{
	return rng_below(rng, 3) ? (int64_t)make_u63(rng) : -1;
}

static inline void make_text(struct rng *rng, char *text, size_t size)
{
	static const char *const pieces[] = { "a", "Z", "'", "\"", "%", "\\", "\n", ";",
					      ",", "ä", "µ", "€",  "<", "&",  " ",  "0" };
	size_t n = rng_below(rng, 3) ? rng_below(rng, size) : rng_below(rng, 4);
	size_t used = 0;

	memset(text, 0, size);
	while (used < n) {
		const char *piece = pieces[rng_below(rng, 16)];

		if (used + strlen(piece) >= size)
			break;
		memcpy(text + used, piece, strlen(piece));
		used += strlen(piece);
	}
}

static inline void make_flow(struct rng *rng, struct flow *flow)
{
	uint64_t n = rng_below(rng, 3) ? rng_below(rng, 300) : 0;
	unsigned width = (unsigned)rng_below(rng, 64);

	flow_clear(flow);
	for (uint64_t i = 0; i < n; i++) { /* one draw a line: arguments have no order */
		uint64_t lat_ns = rng_u64(rng) >> width;

		lat_ns >>= rng_below(rng, 64 - width);
		flow_record(flow, lat_ns, make_u64(rng) >> 16);
	}
	flow->errors = rng_below(rng, 4) ? 0 : make_u63(rng);
	flow->lat_ns_sum >>= 1; /* would have wrapped: only its width matters here */
}

static inline void make_workload(struct rng *rng, struct workload *w)
{
	w->read_pct = rng_double(rng) * 100;
	w->mix = (enum load_mix)rng_below(rng, 2);
	w->blocks = 1 + (unsigned)rng_below(rng, WORKLOAD_BLOCKS_MAX);
	memset(w->block, 0, sizeof(w->block));
	for (unsigned i = 0; i < w->blocks; i++) {
		w->block[i].bytes = (uint32_t)rng_u64(rng);
		w->block[i].weight = (uint32_t)rng_u64(rng);
	}
	w->span_offset_bytes = make_u63(rng);
	w->span_bytes = make_u63(rng);
	w->order = (enum load_order)rng_below(rng, 6);
	w->share_start = rng_below(rng, 2);
	w->zipf_theta = make_f64(rng);
	w->hot_ops_pct = make_f64(rng);
	w->hot_span_pct = make_f64(rng);
	w->stride_bytes = make_u63(rng);
	w->queue_depth = (unsigned)rng_u64(rng);
	w->threads = (unsigned)rng_u64(rng);
	w->arrival = (enum load_arrival)rng_below(rng, 3);
	w->offered_iops = make_f64(rng);
	w->burst_ios = make_u63(rng);
	w->burst_pause_ns = make_u63(rng);
	w->content.kind = (enum content_kind)rng_below(rng, 4);
	w->content.compress_pct = (uint8_t)rng_below(rng, 101);
	w->content.verify = rng_below(rng, 2);
	w->content.generation = (uint32_t)rng_u64(rng);
	w->content.seed = rng_u64(rng);
	w->ramp_ns = make_u63(rng);
	w->stop_bytes = make_u63(rng);
	w->stop_ns = make_u63(rng);
	w->stop_passes = make_u63(rng);
	w->window_ns = make_u63(rng);
	w->trim = rng_below(rng, 2);
	w->unwritten_read = rng_below(rng, 2);
	w->seed = rng_u64(rng);
}

/* What was asked of phase `id`; the results are those of phase_new(). */
static inline void make_phase_asked(struct rng *rng, struct phase *p, uint64_t id)
{
	p->id = id;
	make_text(rng, p->key, sizeof(p->key) - 24);
	snprintf(p->key + strlen(p->key), 24, "/%llu", (unsigned long long)id);
	make_text(rng, p->label, sizeof(p->label));
	p->repeat = (unsigned)rng_below(rng, 4);
	p->pass = (unsigned)rng_below(rng, 4);
	p->level_pct = make_f64(rng);
	make_workload(rng, &p->load);
}

static inline void make_phase_result(struct rng *rng, struct phase *p)
{
	p->state.written_since_purge_bytes = make_i64(rng);
	p->state.fill_pct = make_f64(rng);
	p->state.idle_before_s = make_f64(rng);
	p->state.temperature_c = make_f64(rng);
	p->state.wear_pct = make_f64(rng);
	p->start_ns = make_u63(rng) >> 1;
	p->end_ns = p->start_ns + (make_u63(rng) >> 1);
	p->written_bytes = make_u63(rng);
	make_flow(rng, &p->read);
	make_flow(rng, &p->write);
	make_flow(rng, &p->read_service);
	make_flow(rng, &p->write_service);
	p->read_in_flight_mean = make_f64(rng);
	p->write_in_flight_mean = make_f64(rng);
	p->in_flight_device_mean = make_f64(rng);
	p->in_flight_device_max = make_f64(rng);
	p->stamp_error_ns = make_u63(rng);
	p->notes = (uint32_t)rng_below(rng, 1u << PHASE_NOTES);
}

static inline void make_window(struct rng *rng, struct window *w, uint64_t phase_id, uint32_t index)
{
	w->phase_id = phase_id;
	w->index = index;
	w->start_ns = make_u63(rng);
	w->length_ns = make_u63(rng);
	w->written_bytes = make_u63(rng);
	w->in_flight_ns = make_u63(rng);
	w->backlog = make_u63(rng);
	make_flow(rng, &w->read);
	make_flow(rng, &w->write);
}

static inline void make_verdict(struct rng *rng, struct verdict *v)
{
	memset(v, 0, sizeof(*v));
	make_text(rng, v->name, sizeof(v->name));
	make_text(rng, v->word, sizeof(v->word));
	v->value = make_f64(rng);
	make_text(rng, v->unit, sizeof(v->unit));
	v->low = make_f64(rng);
	v->high = make_f64(rng);
	v->n = make_u63(rng);
	v->interval = (enum verdict_interval)rng_below(rng, 3);
	v->status = (enum verdict_status)rng_below(rng, 5);
	make_text(rng, v->text, sizeof(v->text));
}

static inline void make_telemetry(struct rng *rng, struct telemetry *t)
{
	t->at_ns = make_u63(rng);
	t->temperature_c = make_f64(rng);
	t->wear_pct = make_f64(rng);
	t->host_written_bytes = make_i64(rng);
	t->host_read_bytes = make_i64(rng);
}

static inline void make_truth(struct rng *rng, struct truth *t)
{
	uint64_t *counters = &t->at_ns;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < offsetof(struct truth, alpha_eff) / sizeof(uint64_t); i++)
		counters[i] = make_u63(rng);
	t->alpha_eff = make_f64(rng);
	t->die_busy_share = make_f64(rng);
	t->link_busy_share = make_f64(rng);
	t->temperature_c = make_f64(rng);
	make_text(rng, t->binding, sizeof(t->binding));
	make_text(rng, t->activity, sizeof(t->activity));
}

/* environment_json and arguments_json are constants: not to be freed. */
static inline void make_run(struct rng *rng, struct run *run, unsigned number)
{
	memset(run, 0, sizeof(*run));
	snprintf(run->id, sizeof(run->id), "20261130-2245%02u-%04x", number % 100,
		 (unsigned)rng_below(rng, 65536));
	make_text(rng, run->experiment, sizeof(run->experiment));
	make_text(rng, run->profile_name, sizeof(run->profile_name));
	run->profile_version = (unsigned)rng_u64(rng);
	make_text(rng, run->profile_hash, sizeof(run->profile_hash));
	make_text(rng, run->drive_spec, sizeof(run->drive_spec));
	make_text(rng, run->drive_kind, sizeof(run->drive_kind));
	make_text(rng, run->drive_model, sizeof(run->drive_model));
	make_text(rng, run->drive_serial, sizeof(run->drive_serial));
	make_text(rng, run->drive_firmware, sizeof(run->drive_firmware));
	run->capacity_bytes = make_u63(rng);
	run->seed = rng_u64(rng);
	run->environment_json = (char *)(uintptr_t) "{\"host\": \"x\"}";
	run->arguments_json = (char *)(uintptr_t) "{\"argv\": [\"fill\"]}";
	snprintf(run->started, sizeof(run->started), "2026-11-30T22:45:01Z");
	run->wall_s = rng_double(rng) * 100;
	run->drive_s = rng_double(rng) * 1e6;
	run->written_bytes = make_u63(rng);
	make_text(rng, run->message, sizeof(run->message));
}

#endif
