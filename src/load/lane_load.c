/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Method: events of a lane come in the order of its clock. Before each event the integrals of the number in
 * flight are brought up to its time, and windows whose edge lies before it are handed over.
 *
 * The cell begins when the ramp time is over and every I/O of the first round has come back: before that the
 * first ones find an idle drive. What was recorded until then is dropped, unless the load ends before: so
 * short a load is counted whole. The limit of the cell is the time of the stop rule, or with a bound in bytes
 * the completion after which there was nothing left to submit; what completes later is drained.
 */
#include "load/lane_load.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define DONE_MAX 256u

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int init_streams(struct lane_load *l, unsigned lanes)
{
	const struct workload *load = l->shared->load;
	const struct device_info *info = &l->shared->dev->info;
	uint32_t trim_max = info->trim_bytes_max ? info->trim_bytes_max : 1u << 30;

	for (unsigned i = 0; i < l->streams_n; i++) {
		struct paced_stream *s = &l->streams[i];

		stream_init(&s->stream, load, l->index + i * lanes, trim_max);
		s->burst_left = load->burst_ios;
		s->idle = calloc(load->queue_depth, sizeof(struct load_io *));
		if (!s->idle)
			return -ENOMEM;
		for (unsigned d = 0; d < load->queue_depth; d++) {
			/* Interleaved, so that the first round takes one I/O of each stream in turn. */
			struct load_io *io = &l->ios[d * l->streams_n + i];

			io->stream = i;
			s->idle[s->idle_n++] = io;
		}
	}
	return 0;
}

int lane_load_init(struct lane_load *l, struct load_shared *shared, unsigned index, unsigned lanes)
{
	const struct workload *load = shared->load;

	l->shared = shared;
	l->index = index;
	l->streams_n = load->threads / lanes + (index < load->threads % lanes);
	l->ios_n = l->streams_n * load->queue_depth;
	l->done_max = l->ios_n < DONE_MAX ? l->ios_n : DONE_MAX;
	l->timed = load->arrival != ARRIVAL_CLOSED || load->burst_ios;
	l->streams = calloc(l->streams_n, sizeof(*l->streams));
	l->ios = calloc(l->ios_n, sizeof(*l->ios));
	l->ready = calloc(l->ios_n, sizeof(*l->ready));
	l->done = calloc(l->done_max, sizeof(*l->done));
	l->slot = calloc(WINDOW_SLOTS, sizeof(*l->slot));
	sem_init(&l->full, 0, 0);
	sem_init(&l->empty, 0, WINDOW_SLOTS - 1); /* the lane holds one from the start */
	if (!l->streams || !l->ios || !l->ready || !l->done || !l->slot)
		return -ENOMEM;
	if (load->arrival != ARRIVAL_CLOSED) {
		l->read_service = calloc(1, sizeof(*l->read_service));
		l->write_service = calloc(1, sizeof(*l->write_service));
		if (!l->read_service || !l->write_service)
			return -ENOMEM;
	}
	l->window = &l->slot[0].window;
	return init_streams(l, lanes);
}

void lane_load_release(struct lane_load *l)
{
	for (unsigned i = 0; l->streams && i < l->streams_n; i++)
		free(l->streams[i].idle);
	free(l->streams);
	free(l->ios);
	free(l->ready);
	free(l->done);
	free(l->slot);
	free(l->read_service);
	free(l->write_service);
	sem_destroy(&l->full);
	sem_destroy(&l->empty);
}

int lane_load_open(struct lane_load *l)
{
	struct lane_spec spec = {
		.depth = l->ios_n,
		.length_max = workload_block_max(l->shared->load),
	};

	l->result = lane_open(&l->lane, l->shared->dev, &spec, &l->err);
	return l->result;
}

/* Hand the window over and take the next one. Waits only when the collector is WINDOW_SLOTS behind. */
static void deliver(struct lane_load *l, bool last)
{
	struct window_slot *slot = &l->slot[l->slot_fill % WINDOW_SLOTS];
	uint32_t index = slot->window.index;
	uint64_t start_ns = slot->window.start_ns + slot->window.length_ns;

	slot->last = last;
	slot->window.written_bytes = l->written_bytes;
	if (l->deliver) {
		l->deliver(l->deliver_user, slot);
	} else {
		l->slot_fill++;
		sem_post(&l->full);
		if (last)
			return;
		while (sem_wait(&l->empty) < 0)
			;
		slot = &l->slot[l->slot_fill % WINDOW_SLOTS];
	}
	flow_clear(&slot->window.read);
	flow_clear(&slot->window.write);
	slot->window.in_flight_ns = slot->window.backlog = 0;
	slot->window.index = index + 1;
	slot->window.start_ns = start_ns;
	slot->window.length_ns = 0;
	l->window = &slot->window;
}

static void integrate(struct lane_load *l, uint64_t until_ns)
{
	uint64_t ns;

	if (until_ns <= l->integrated_ns)
		return;
	ns = until_ns - l->integrated_ns;
	l->read_flying_ns += l->read_flying * ns;
	l->write_flying_ns += l->write_flying * ns;
	l->window->in_flight_ns += (l->read_flying + l->write_flying) * ns;
	l->integrated_ns = until_ns;
}

static uint64_t backlog(const struct lane_load *l, uint64_t now_ns)
{
	uint64_t n = 0;

	if (l->shared->load->arrival == ARRIVAL_CLOSED)
		return 0;
	for (unsigned i = 0; i < l->streams_n; i++) {
		double each =
			(double)l->shared->load->threads * 1e9 / l->shared->load->offered_iops;

		if (l->streams[i].due_ns < now_ns)
			n += 1 + (uint64_t)((double)(now_ns - l->streams[i].due_ns) / each);
	}
	return n;
}

/*
 * Bring integrals and windows up to a moment, but not past the limit of the cell. A completion right on an
 * edge belongs to the window that ends there, so a window is handed over by the first event behind its edge,
 * or when the drive has nothing more to give back up to the edge (`quiet`).
 */
static void advance(struct lane_load *l, uint64_t now_ns, bool quiet)
{
	now_ns = min_u64(now_ns, l->limit_ns);
	while (now_ns > l->edge_ns || (quiet && now_ns == l->edge_ns)) {
		integrate(l, l->edge_ns);
		l->window->length_ns = l->shared->load->window_ns;
		l->window->backlog = backlog(l, l->edge_ns);
		deliver(l, false);
		l->edge_ns += l->shared->load->window_ns;
	}
	integrate(l, now_ns);
}

/* Take `bytes` from the byte bound; false: the load has issued all it may. */
static bool claim(struct lane_load *l, uint32_t bytes)
{
	atomic_uint_fast64_t *left = &l->shared->bytes_left;
	uint64_t have, take;

	if (l->quota_bytes >= bytes) {
		l->quota_bytes -= bytes;
		return true;
	}
	have = atomic_load_explicit(left, memory_order_relaxed);
	if (have == UINT64_MAX)
		return true;
	do {
		/* A trim is longer than any chunk. */
		take = l->shared->chunk_bytes > bytes ? l->shared->chunk_bytes : bytes;
		take = min_u64(have, take);
		if (take + l->quota_bytes < bytes)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		left, &have, have - take, memory_order_relaxed, memory_order_relaxed));
	l->quota_bytes += take - bytes;
	return true;
}

static void stop(struct lane_load *l, uint64_t now_ns)
{
	if (l->stopped)
		return;
	l->stopped = true;
	l->limit_ns = min_u64(l->limit_ns, now_ns);
}

/* Make the next I/O of a stream ready. False: the byte bound is reached. */
static bool issue(struct lane_load *l, struct paced_stream *s)
{
	struct load_io *io = s->idle[s->idle_n - 1];

	stream_next(&s->stream, &io->io);
	if (!claim(l, io->io.length))
		return false;
	s->idle_n--;
	io->io.due_ns = 0;
	l->ready[l->ready_n++] = &io->io;
	return true;
}

static bool issue_closed(struct lane_load *l)
{
	/* One I/O of each stream in turn while there are any: the start, and rarely later. */
	for (bool any = true; any;) {
		any = false;
		for (unsigned i = 0; i < l->streams_n; i++) {
			if (!l->streams[i].idle_n)
				continue;
			if (!issue(l, &l->streams[i]))
				return false;
			any = true;
		}
	}
	return true;
}

static uint64_t next_due(struct lane_load *l, struct paced_stream *s)
{
	const struct workload *load = l->shared->load;
	double mean_ns = (double)load->threads * 1e9 / load->offered_iops;

	if (load->arrival == ARRIVAL_POISSON)
		return (uint64_t)rng_exp(&s->stream.rng, mean_ns) + 1;
	return (uint64_t)mean_ns;
}

/* Everything that is due by now and for which the stream has room. False: the byte bound is reached. */
static bool issue_timed(struct lane_load *l, uint64_t now_ns)
{
	const struct workload *load = l->shared->load;
	bool open = load->arrival != ARRIVAL_CLOSED;

	for (unsigned i = 0; i < l->streams_n; i++) {
		struct paced_stream *s = &l->streams[i];

		while (s->idle_n && now_ns >= s->resume_ns && (!open || now_ns >= s->due_ns)) {
			if (!issue(l, s))
				return false;
			if (open) {
				l->ready[l->ready_n - 1]->due_ns = s->due_ns;
				s->due_ns += next_due(l, s);
			}
			if (load->burst_ios && --s->burst_left == 0) {
				s->burst_left = load->burst_ios;
				s->resume_ns = now_ns + load->burst_pause_ns;
			}
		}
	}
	return true;
}

/* When something becomes due by itself. */
static uint64_t wake_ns(const struct lane_load *l)
{
	uint64_t wake = UINT64_MAX;

	if (!l->timed || l->stopped)
		return wake;
	for (unsigned i = 0; i < l->streams_n; i++) {
		const struct paced_stream *s = &l->streams[i];
		uint64_t at = s->resume_ns;

		if (!s->idle_n)
			continue;
		if (l->shared->load->arrival != ARRIVAL_CLOSED && s->due_ns > at)
			at = s->due_ns;
		wake = min_u64(wake, at);
	}
	return wake;
}

static int submit_ready(struct lane_load *l)
{
	int taken;

	if (!l->ready_n)
		return 0;
	taken = lane_submit(l->lane, l->ready, l->ready_n);
	if (taken < 0)
		return taken;
	if (taken > 0)
		advance(l, l->ready[0]->submit_ns, false);
	for (int i = 0; i < taken; i++) {
		const struct io *io = l->ready[i];

		if (io->op == IO_READ)
			l->read_flying++;
		else if (io->op == IO_WRITE)
			l->write_flying++;
		if (io->op == IO_WRITE)
			l->issued_write_bytes += io->length;
		l->issued_bytes += io->length;
	}
	l->flying += (unsigned)taken;
	l->ready_n -= (unsigned)taken;
	for (unsigned i = 0; i < l->ready_n; i++)
		l->ready[i] = l->ready[i + (unsigned)taken];
	return taken;
}

static void record(struct lane_load *l, const struct io *io)
{
	struct flow *flow = io->op == IO_READ ? &l->window->read : &l->window->write;
	uint64_t from = io->due_ns ? io->due_ns : io->submit_ns;

	if (io->op != IO_READ && io->op != IO_WRITE)
		return;
	if (io->result < 0) {
		flow->errors++;
		return;
	}
	flow_record(flow, io->done_ns - from, (uint64_t)io->result);
	if (io->due_ns)
		flow_record(io->op == IO_READ ? l->read_service : l->write_service,
			    io->done_ns - io->submit_ns, (uint64_t)io->result);
}

/* The cell begins: what the ramp left in the books is dropped. */
static void begin_cell(struct lane_load *l, uint64_t now_ns)
{
	const struct workload *load = l->shared->load;

	l->ramping = false;
	flow_clear(&l->window->read);
	flow_clear(&l->window->write);
	if (l->read_service) {
		flow_clear(l->read_service);
		flow_clear(l->write_service);
	}
	l->window->in_flight_ns = 0;
	l->read_flying_ns = l->write_flying_ns = 0;
	l->recorded = 0;
	l->begin_ns = l->integrated_ns = now_ns;
	l->edge_ns = now_ns + load->window_ns;
	if (!l->stopped)
		l->limit_ns = load->stop_ns ? now_ns + load->stop_ns : UINT64_MAX;
}

/* Is there enough left for a cell, two rounds of the whole load? Else all of it is the cell. */
static bool cell_to_come(const struct lane_load *l)
{
	const struct workload *load = l->shared->load;
	uint64_t round = (uint64_t)load->queue_depth * load->threads * workload_block_max(load);
	uint64_t left = atomic_load_explicit(&l->shared->bytes_left, memory_order_relaxed);

	return !load->trim && (left == UINT64_MAX || left + l->quota_bytes >= 2 * round);
}

static void complete(struct lane_load *l, struct io *io)
{
	struct load_io *own = (struct load_io *)io;
	struct paced_stream *s = &l->streams[own->stream];

	advance(l, io->done_ns, false);
	if (io->done_ns <= l->limit_ns) {
		record(l, io);
		l->recorded++;
	}
	if (io->op == IO_READ)
		l->read_flying--;
	else if (io->op == IO_WRITE)
		l->write_flying--;
	if (io->op == IO_WRITE && io->result > 0)
		l->written_bytes += (uint64_t)io->result;
	l->flying--;
	s->idle[s->idle_n++] = own;
	if (l->ramping && !l->stopped) {
		if (l->ramp_left)
			l->ramp_left--;
		if (!l->ramp_left && io->done_ns >= l->begin_ns + l->shared->load->ramp_ns &&
		    cell_to_come(l))
			begin_cell(l, io->done_ns);
	}
}

/*
 * The byte bound is reached: the cell ends with the last submit. Where not even one I/O has come back by
 * then the load is shorter than its depth, and the cell goes on to the last completion.
 */
static void stop_at_bound(struct lane_load *l)
{
	if (l->recorded)
		l->limit_ns = l->integrated_ns;
}

static int step(struct lane_load *l)
{
	uint64_t until;
	int n;

	if (!l->stopped) {
		uint64_t now_ns = lane_now_ns(l->lane);

		if (now_ns >= l->limit_ns ||
		    (l->shared->interrupt &&
		     atomic_load_explicit(l->shared->interrupt, memory_order_relaxed)))
			stop(l, now_ns);
		else if (!(l->timed ? issue_timed(l, now_ns) : issue_closed(l)))
			l->stopped = true;
	}
	n = submit_ready(l);
	if (n < 0)
		return n;
	if (l->stopped && !l->ready_n && l->limit_ns == UINT64_MAX)
		stop_at_bound(l);
	if (l->stopped && !l->flying && !l->ready_n)
		return 0;
	until = l->stopped ? UINT64_MAX : min_u64(min_u64(l->edge_ns, l->limit_ns), wake_ns(l));
	n = lane_reap(l->lane, l->done, l->done_max, until);
	if (n < 0)
		return n;
	if (n == 0)
		advance(l, until, true);
	for (int i = 0; i < n; i++)
		complete(l, l->done[i]);
	return 1;
}

static void begin(struct lane_load *l)
{
	const struct workload *load = l->shared->load;
	uint64_t start = l->shared->start_ns;

	l->ramping = true;
	/* An open loop has no first round, and a trim is not measured. */
	l->ramp_left = l->timed || load->trim ? 0 : l->ios_n;
	l->begin_ns = l->integrated_ns = start;
	l->edge_ns = UINT64_MAX;
	l->limit_ns = load->stop_ns ? start + load->ramp_ns + load->stop_ns : UINT64_MAX;
	for (unsigned i = 0; i < l->streams_n; i++)
		l->streams[i].due_ns =
			load->arrival == ARRIVAL_CLOSED ? 0 : start + next_due(l, &l->streams[i]);
	while (lane_now_ns(l->lane) < start)
		if (lane_reap(l->lane, l->done, l->done_max, start) < 0)
			break;
}

static void failed(struct lane_load *l, int r)
{
	if (l->result == 0)
		l->result = err_sys(&l->err, r, "the drive does not take I/O any more");
	l->stopped = true;
}

void lane_load_run(struct lane_load *l)
{
	uint64_t now_ns;
	int r;

	begin(l);
	do {
		r = step(l);
	} while (r > 0);
	if (r < 0)
		failed(l, r);
	now_ns = lane_now_ns(l->lane);
	l->end_ns = now_ns;
	if (l->limit_ns == UINT64_MAX)
		l->limit_ns = l->integrated_ns; /* the last completion */
	if (l->limit_ns > now_ns || l->limit_ns < l->begin_ns)
		l->limit_ns = now_ns > l->begin_ns ? now_ns : l->begin_ns;
	advance(l, l->limit_ns, false);
	l->window->length_ns = l->limit_ns - (l->begin_ns + l->window->start_ns);
	l->window->backlog = backlog(l, l->limit_ns);
	deliver(l, true);
	lane_close(l->lane);
	l->lane = NULL;
}
