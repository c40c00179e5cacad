/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void fixture_must(struct fixture *f, int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "make-fixture: %d: %s\n", r, f->err.text);
	exit(1);
}

double fixture_gauss(struct rng *rng)
{
	double u = rng_double(rng) + 1e-12, v = rng_double(rng);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

void fixture_truth(struct fixture *f, const char *binding, const char *activity)
{
	f->truth.at_ns = f->now_ns;
	f->truth.cache_used_bytes = (uint64_t)f->cache_used;
	f->truth.cache_limit_bytes = (uint64_t)f->cache_limit;
	snprintf(f->truth.binding, sizeof(f->truth.binding), "%s", binding);
	snprintf(f->truth.activity, sizeof(f->truth.activity), "%s", activity);
	fixture_must(f, f->sink->ops->truth(f->sink, &f->truth, &f->err));
}

/* A phase of `label`; its load is set by the caller in f->phase before. */
void fixture_begin(struct fixture *f, const char *key, const char *label, double level,
		   unsigned repeat, unsigned pass)
{
	struct phase *p = f->phase;

	p->id = ++f->id;
	snprintf(p->key, sizeof(p->key), "%s", key);
	snprintf(p->label, sizeof(p->label), "%s", label);
	p->level_pct = level;
	p->repeat = repeat;
	p->pass = pass;
	p->start_ns = p->end_ns = f->now_ns;
	p->state.fill_pct = level;
	p->state.idle_before_s = 5;
	p->state.written_since_purge_bytes = (int64_t)f->written;
	p->notes = 0;
	flow_clear(&p->read);
	flow_clear(&p->write);
	fixture_must(f, f->sink->ops->phase_begin(f->sink, p, &f->err));
}

/* Latencies of `ops` I/Os around `mean_us`, with a tail. */
static void fill_flow(struct fixture *f, struct flow *flow, uint64_t ops, uint64_t block,
		      double mean_us)
{
	for (uint64_t i = 0; i < ops; i++) {
		double us = mean_us * exp(0.18 * fixture_gauss(&f->rng) - 0.016);

		if (rng_double(&f->rng) < 0.002)
			us *= 2 + 9 * rng_double(&f->rng);
		flow_record(flow, (uint64_t)(us * 1e3), block);
	}
}

void fixture_window(struct fixture *f, uint32_t index, uint64_t length_ns, double mbps, bool write)
{
	struct phase *p = f->phase;
	struct window *w = f->window;
	uint64_t block = p->load.block[0].bytes;
	double seconds = (double)length_ns / 1e9;
	uint64_t ops = (uint64_t)(mbps * 1e6 * seconds / (double)block + 0.5);
	double depth = p->load.queue_depth * p->load.threads;
	double rate = mbps * 1e6 / (double)block;

	w->phase_id = p->id;
	w->index = index;
	w->start_ns = p->end_ns - p->start_ns;
	w->length_ns = length_ns;
	flow_clear(&w->read);
	flow_clear(&w->write);
	fill_flow(f, write ? &w->write : &w->read, ops, block, depth / rate * 1e6);
	if (write)
		f->written += ops * block;
	w->written_bytes = f->written;
	w->in_flight_ns = (uint64_t)(depth * (double)length_ns);
	f->now_ns += length_ns;
	p->end_ns = f->now_ns;
	flow_add(&p->read, &w->read);
	flow_add(&p->write, &w->write);
	if (write)
		f->truth.host_written_bytes += ops * block;
	else
		f->truth.host_read_bytes += ops * block;
	if (write)
		f->truth.nand_written_bytes += ops * block;
	f->truth.link_busy_share = fmin(1, mbps / 450);
	f->truth.die_busy_share = write ? fmin(1, mbps / 420) : 0.3;
	fixture_must(f, f->sink->ops->window(f->sink, w, &f->err));
}

void fixture_end(struct fixture *f)
{
	struct phase *p = f->phase;
	double depth = p->load.queue_depth * p->load.threads;

	p->written_bytes = f->written;
	p->read_in_flight_mean = p->read.ops ? depth : 0;
	p->write_in_flight_mean = p->write.ops ? depth : 0;
	p->in_flight_device_mean = depth;
	fixture_must(f, f->sink->ops->phase_end(f->sink, p, &f->err));
}

void fixture_rest(struct fixture *f, double seconds)
{
	double rate = 60e6;

	f->truth.link_busy_share = 0;
	for (double t = 0; t < seconds; t += 1) {
		double fold = fmin(f->cache_used, t >= 2 ? rate : 0);

		f->cache_used -= fold;
		f->truth.folded_bytes += (uint64_t)fold;
		f->truth.nand_written_bytes += (uint64_t)fold;
		f->truth.die_busy_share = fold > 0 ? 0.3 : 0;
		f->now_ns += NS_PER_S;
		fixture_truth(f, fold > 0 ? "die" : "none", fold > 0 ? "folding" : "none");
	}
}

void fixture_load(struct fixture *f, const struct fixture_load *load)
{
	struct workload *w = &f->phase->load;

	workload_init(w);
	w->read_pct = load->read_pct;
	w->block[0].bytes = load->block_bytes;
	w->queue_depth = load->depth;
	w->threads = load->threads;
	w->order = load->order;
	w->span_bytes = load->span_bytes;
	w->window_ns = load->window_ns;
}

static void give(struct fixture *f, struct verdict *v, const char *name, const char *text)
{
	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->text, sizeof(v->text), "%s", text);
	fixture_must(f, f->sink->ops->verdict(f->sink, v, &f->err));
}

void fixture_verdict(struct fixture *f, const char *name, double value, const char *unit,
		     double half, const char *text)
{
	struct verdict v = { .value = value, .low = value - half, .high = value + half, .n = 3 };

	snprintf(v.unit, sizeof(v.unit), "%s", unit);
	v.status = STATUS_MEASURED;
	v.interval = half > 0 ? INTERVAL_BETWEEN_RUNS : INTERVAL_NONE;
	give(f, &v, name, text);
}

void fixture_verdict_status(struct fixture *f, const char *name, enum verdict_status status,
			    const char *text)
{
	struct verdict v = { .value = NAN, .low = NAN, .high = NAN, .n = 3, .status = status };

	give(f, &v, name, text);
}
