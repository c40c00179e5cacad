/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.c - the simulated drive as a device. The clock is virtual: it moves only in reap().
 *
 * submit() asks the drive when each I/O will be done. Most kinds know at once: what completes in the order it
 * was submitted goes to a ring, the rest to a heap; reap() takes the earlier of their heads and moves the clock
 * there. A kind that reorders keeps its commands, and reap() asks it for the next completion up to a time.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "device/backends.h"
#include "device/model.h"
#include "device/simkind.h"
#include "device/truth.h"
#include "ssd/config.h"

#define LOST_AFTER_NS (60 * NS_PER_S)
#define TRUTH_BUSY_NS NS_PER_S
#define TRUTH_IDLE_NS (10 * NS_PER_S)

struct pending {
	uint64_t done_ns, start_ns;
	struct io *io;
};

struct sim_lane {
	struct lane lane;
	struct sim *sim;
	struct pending *ring; /* in the order of done_ns */
	uint32_t mask, head, tail;
	struct pending *heap; /* the rest, earliest first */
	uint32_t heaped;
	uint32_t kept; /* I/Os whose completion only the drive will tell */
};

struct sim {
	struct device dev;
	const struct sim_kind *kind;
	void *drive;
	struct sim_lane *lane;
	uint64_t now_ns;
	struct device_counters counted; /* of what was given back */
	uint64_t broken_ns;		/* of sim_kind.broken: what was told already */
	/* truth */
	struct sink *sink;
	uint64_t origin_ns, truth_next_ns, truth_last_ns;
};

static void truth_emit(struct sim *sim, uint64_t at_ns)
{
	struct truth t = { .at_ns = at_ns - sim->origin_ns, .temperature_c = NAN };

	sim->kind->truth(sim->drive, at_ns - sim->truth_last_ns, &t);
	/* A sink that fails has said so to its owner: it gets nothing further. */
	if (sim->sink->ops->truth(sim->sink, &t, NULL) < 0)
		sim->sink = NULL;
	sim->truth_last_ns = at_ns;
}

static void pass_idle(struct sim *sim, uint64_t to_ns)
{
	if (sim->kind->idle)
		sim->kind->idle(sim->drive, to_ns);
}

/* Move the clock, and tell the truth about the way. */
static void advance(struct sim *sim, uint64_t to_ns, bool idle)
{
	while (sim->sink && sim->truth_next_ns <= to_ns) {
		uint64_t at = sim->truth_next_ns;

		if (idle)
			pass_idle(sim, at);
		else
			at = to_ns;
		truth_emit(sim, at);
		sim->truth_next_ns = at + (idle ? TRUTH_IDLE_NS : TRUTH_BUSY_NS);
	}
	if (idle) {
		pass_idle(sim, to_ns);
		if (sim->truth_next_ns > to_ns + TRUTH_BUSY_NS)
			sim->truth_next_ns = to_ns + TRUTH_BUSY_NS;
	}
	sim->now_ns = to_ns;
}

static void heap_push(struct sim_lane *lane, struct pending p)
{
	uint32_t i = lane->heaped++;

	while (i > 0 && lane->heap[(i - 1) / 2].done_ns > p.done_ns) {
		lane->heap[i] = lane->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	lane->heap[i] = p;
}

static struct pending heap_pop(struct sim_lane *lane)
{
	struct pending ret = lane->heap[0], p = lane->heap[--lane->heaped];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= lane->heaped)
			break;
		if (child + 1 < lane->heaped &&
		    lane->heap[child + 1].done_ns < lane->heap[child].done_ns)
			child++;
		if (lane->heap[child].done_ns >= p.done_ns)
			break;
		lane->heap[i] = lane->heap[child];
		i = child;
	}
	lane->heap[i] = p;
	return ret;
}

static void pending_push(struct sim_lane *lane, struct pending p)
{
	if (lane->head == lane->tail ||
	    lane->ring[(lane->tail - 1) & lane->mask].done_ns <= p.done_ns)
		lane->ring[lane->tail++ & lane->mask] = p;
	else
		heap_push(lane, p);
}

static bool pending_any(const struct sim_lane *lane)
{
	return lane->heaped || lane->head != lane->tail;
}

/* Of any: is the earliest completion in the heap? */
static bool heap_is_first(const struct sim_lane *lane)
{
	if (!lane->heaped || lane->head == lane->tail)
		return lane->heaped;
	return lane->heap[0].done_ns < lane->ring[lane->head & lane->mask].done_ns;
}

/* When the earliest completion is; UINT64_MAX: nothing is in flight. */
static uint64_t pending_first_ns(const struct sim_lane *lane)
{
	if (!pending_any(lane))
		return UINT64_MAX;
	return heap_is_first(lane) ? lane->heap[0].done_ns
				   : lane->ring[lane->head & lane->mask].done_ns;
}

static struct pending pending_pop(struct sim_lane *lane)
{
	return heap_is_first(lane) ? heap_pop(lane) : lane->ring[lane->head++ & lane->mask];
}

static void fail(struct pending *p, uint64_t at_ns, int error)
{
	if (p->done_ns <= at_ns)
		return;
	p->done_ns = p->io->done_ns = at_ns;
	if (p->start_ns > at_ns)
		p->start_ns = at_ns;
	p->io->result = error;
}

/* The drive dropped off or lost its power: what is in flight fails now. Neither ring nor heap loses its order. */
static void fail_in_flight(struct sim_lane *lane)
{
	struct sim *sim = lane->sim;
	uint64_t at;
	int error = sim->kind->broken(sim->drive, &at);

	if (at == sim->broken_ns)
		return;
	sim->broken_ns = at;
	if (at < sim->now_ns)
		at = sim->now_ns;
	for (uint32_t i = lane->head; i != lane->tail; i++)
		fail(&lane->ring[i & lane->mask], at, error);
	for (uint32_t i = 0; i < lane->heaped; i++)
		fail(&lane->heap[i], at, error);
}

/* It is known when an I/O will be done, or that it never will. */
static void complete(struct sim_lane *lane, struct io *io, const struct sim_done *d)
{
	struct pending p = { d->done_ns, d->start_ns, io };

	io->result = d->error ? d->error : (int32_t)io->length;
	if (d->done_ns == UINT64_MAX) {
		p.done_ns = io->submit_ns + LOST_AFTER_NS;
		io->result = -ETIMEDOUT;
	}
	if (p.start_ns > p.done_ns)
		p.start_ns = p.done_ns;
	io->done_ns = p.done_ns;
	if (d->error && lane->sim->kind->broken)
		fail_in_flight(lane);
	pending_push(lane, p);
}

/* Of the I/Os that the drive kept, those that are done at the first moment up to until_ns at which any is. */
static void ask_drive(struct sim_lane *lane, uint64_t until_ns)
{
	struct sim *sim = lane->sim;
	struct sim_done d;

	while (lane->kept && sim->kind->next(sim->drive, until_ns, &d)) {
		complete(lane, d.io, &d);
		lane->kept--;
		until_ns = d.done_ns;
	}
}

static int sim_submit(struct lane *base, struct io *const *io, unsigned n)
{
	struct sim_lane *lane = (struct sim_lane *)base;
	struct sim *sim = lane->sim;
	uint64_t now = sim->now_ns;

	for (unsigned i = 0; i < n; i++) {
		struct sim_done d;

		io[i]->submit_ns = now;
		if (sim->kind->submit(sim->drive, now, io[i], &d))
			complete(lane, io[i], &d);
		else
			lane->kept++;
	}
	return (int)n;
}

static void count(struct sim *sim, const struct pending *p)
{
	sim->counted.in_flight_ns += p->done_ns - p->start_ns;
	if (p->io->op == IO_READ)
		sim->counted.read_bytes += p->io->length;
	else if (p->io->op == IO_WRITE)
		sim->counted.written_bytes += p->io->length;
}

static int sim_reap(struct lane *base, struct io **done, unsigned max, uint64_t until_ns)
{
	struct sim_lane *lane = (struct sim_lane *)base;
	struct sim *sim = lane->sim;
	uint64_t at;
	unsigned n = 0;

	if (!pending_any(lane))
		ask_drive(lane, until_ns);
	at = pending_first_ns(lane);
	if (at == UINT64_MAX || at > until_ns) {
		/* UINT64_MAX with nothing in flight would be forever: the clock stands. */
		if (until_ns > sim->now_ns && until_ns != UINT64_MAX)
			advance(sim, until_ns, at == UINT64_MAX && !lane->kept);
		return 0;
	}
	if (at >= sim->truth_next_ns)
		advance(sim, at, false);
	else
		sim->now_ns = at;
	while (n < max && pending_first_ns(lane) == at) {
		struct pending p = pending_pop(lane);

		count(sim, &p);
		done[n++] = p.io;
	}
	return (int)n;
}

static void sim_hint(struct lane *base, struct io *const *io, unsigned n)
{
	const struct sim *sim = ((const struct sim_lane *)base)->sim;

	for (unsigned i = 0; sim->kind->prefetch && i < n; i++)
		sim->kind->prefetch(sim->drive, io[i]);
}

static uint64_t sim_now_ns(struct lane *base)
{
	return ((struct sim_lane *)base)->sim->now_ns;
}

static int sim_counters(struct device *dev, struct device_counters *ret)
{
	const struct sim *sim = (const struct sim *)dev;
	const struct sim_lane *lane = sim->lane;

	*ret = sim->counted;
	if (!lane)
		return 0;
	/* What is at the drive now has been there since its start. */
	for (uint32_t i = lane->head; i != lane->tail; i++) {
		uint64_t start = lane->ring[i & lane->mask].start_ns;

		if (start < sim->now_ns)
			ret->in_flight_ns += sim->now_ns - start;
	}
	for (uint32_t i = 0; i < lane->heaped; i++)
		if (lane->heap[i].start_ns < sim->now_ns)
			ret->in_flight_ns += sim->now_ns - lane->heap[i].start_ns;
	if (lane->kept)
		ret->in_flight_ns += sim->kind->kept_ns(sim->drive, sim->now_ns);
	return 0;
}

static int sim_telemetry(struct device *dev, struct telemetry *ret)
{
	const struct sim *sim = (const struct sim *)dev;

	*ret = (struct telemetry){
		.at_ns = sim->now_ns, .temperature_c = NAN, .wear_pct = NAN, .throttled_s = NAN
	};
	sim->kind->telemetry(sim->drive, ret);
	return 0;
}

static int sim_purge(struct device *dev, enum purge_method method, struct err *err)
{
	struct sim *sim = (struct sim *)dev;
	uint64_t done = sim->now_ns;
	int r;

	if (sim->lane && (pending_any(sim->lane) || sim->lane->kept))
		return err_set(err, -EBUSY, "cannot purge a drive with I/Os in flight");
	if (sim->kind->purge_by) {
		r = sim->kind->purge_by(sim->drive, method, &done, err);
		if (r == 0 && done > sim->now_ns)
			advance(sim, done, false);
		return r;
	}
	if (method != PURGE_DEFAULT)
		return err_set(err, -ENOTSUP, "this kind of simulated drive has no '%s'",
			       purge_method_names[method]);
	sim->kind->purge(sim->drive);
	return 0;
}

static void sim_attach(struct device *dev, struct sink *sink)
{
	struct sim *sim = (struct sim *)dev;

	sim->sink = sink && sink->ops->truth ? sink : NULL;
	sim->origin_ns = sim->truth_last_ns = sim->now_ns;
	sim->truth_next_ns = sim->sink ? sim->now_ns + TRUTH_BUSY_NS : UINT64_MAX;
	sim->kind->truth_start(sim->drive);
}

static void sim_lane_close(struct lane *base)
{
	struct sim_lane *lane = (struct sim_lane *)base;

	lane->sim->lane = NULL;
	free(lane->ring);
	free(lane->heap);
	free(lane);
}

static int sim_lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec,
			 struct err *err)
{
	struct sim_lane *lane = calloc(1, sizeof(*lane));
	uint32_t places = 1;

	if (!lane)
		return err_set(err, -ENOMEM, "no memory for a lane");
	while (places < spec->depth)
		places *= 2;
	lane->sim = (struct sim *)dev;
	lane->mask = places - 1;
	lane->ring = calloc(places, sizeof(*lane->ring));
	lane->heap = calloc(places, sizeof(*lane->heap));
	if (!lane->ring || !lane->heap) {
		free(lane->ring);
		free(lane->heap);
		free(lane);
		return err_set(err, -ENOMEM, "no memory for a lane of depth %u", spec->depth);
	}
	lane->lane.ops = dev->ops;
	lane->lane.dev = dev;
	lane->lane.spec = *spec;
	lane->sim->lane = lane;
	*ret = &lane->lane;
	return 0;
}

static void fill_info(struct device_info *info, const struct model *m)
{
	struct sim_facts facts = m->kind->facts(&m->any);

	snprintf(info->kind, sizeof(info->kind), "sim");
	snprintf(info->model, sizeof(info->model), "%s", m->name);
	snprintf(info->serial, sizeof(info->serial), "SIM-%.36s-%llu", m->name,
		 (unsigned long long)facts.seed);
	info->capacity_bytes = info->span_bytes = facts.capacity_bytes;
	info->block_bytes = info->physical_block_bytes = SSD_UNIT_BYTES;
	info->ops = 1u << IO_READ | 1u << IO_WRITE | 1u << IO_FLUSH;
	if (facts.trim) {
		info->ops |= 1u << IO_TRIM | 1u << IO_WRITE_ZEROES;
		info->trim_bytes_max = 1u << 30;
	}
	info->lanes_max = 1;
	info->depth_max = facts.depth_max;
	info->counts = true;
}

static int sim_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	struct model *m = NULL;
	struct sim *sim = calloc(1, sizeof(*sim));
	int r;

	if (!sim)
		return err_set(err, -ENOMEM, "no memory for a simulated drive");
	r = model_load(&m, spec->path[0] ? spec->path : MODEL_DEFAULT, spec->models, err);
	if (r == -ENOENT) {
		r = -ERR_USAGE;
	} else if (r == 0 && model_options(m, spec, err) < 0) {
		err_prefix(err, "cannot open '%s'", spec->text);
		r = -ERR_USAGE;
	}
	if (r == 0)
		r = m->kind->make(&sim->drive, &m->any, err);
	if (r < 0) {
		model_free(m);
		free(sim);
		return r;
	}
	fill_info(&sim->dev.info, m);
	sim->dev.ops = &device_sim;
	sim->kind = m->kind;
	model_free(m);
	sim->truth_next_ns = UINT64_MAX;
	*ret = &sim->dev;
	return 0;
}

static void sim_close(struct device *dev)
{
	struct sim *sim = (struct sim *)dev;

	sim->kind->free(sim->drive);
	free(sim);
}

const struct device_ops device_sim = {
	.name = "sim",
	.help = "sim:MODEL[,capacity=SIZE][,seed=N][,PARAMETER=VALUE...]: a simulated drive "
		"(aged=2: after two drive writes, aged=30d: after 30 days)",
	.open = sim_open,
	.close = sim_close,
	.lane_open = sim_lane_open,
	.lane_close = sim_lane_close,
	.now_ns = sim_now_ns,
	.hint = sim_hint,
	.submit = sim_submit,
	.reap = sim_reap,
	.counters = sim_counters,
	.telemetry = sim_telemetry,
	.purge = sim_purge,
	.attach = sim_attach,
};
