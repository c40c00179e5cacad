/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/load.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "load/lane_load.h"

/* Below this share of the depth that was asked for, the device did not see the load. */
#define DEPTH_REACHED_SHARE 0.95
/* Shorter cells say nothing of the device's own depth: its statistics tick in milliseconds. */
#define DEPTH_CELL_NS_MIN (100 * NS_PER_MS)
/* The device's counters may miss so much of what was moved before we doubt it: blocks in flight. */
#define COUNTED_SHARE_MIN 0.9

struct collector {
	struct load_run *run;
	struct phase *phase;
	struct series *series;
	struct window *merged; /* where there are several lanes */
	struct lane_load *lanes;
	unsigned lanes_n;
	int result;
	struct err *err;
};

static void keep_first(struct collector *c, int r)
{
	if (r < 0 && c->result == 0)
		c->result = r;
}

/* How many I/Os the device has now: its limit shows where the load asks for more. */
static void sample_depth(struct collector *c)
{
	struct device_counters now;

	if (!c->run->dev->info.real_time || !c->run->dev->info.counts ||
	    device_counters(c->run->dev, &now) < 0)
		return;
	c->phase->in_flight_device_max =
		fmax(c->phase->in_flight_device_max, (double)now.in_flight);
}

/* One window of the whole load: to the totals, the series, the sink and whoever watches. */
static void collect(struct collector *c, struct window *w)
{
	struct point point = {
		.start_ns = w->start_ns,
		.length_ns = w->length_ns,
		.read_ops = w->read.ops,
		.write_ops = w->write.ops,
		.read_bytes = w->read.bytes,
		.write_bytes = w->write.bytes,
		.lat_ns_max = w->read.lat_ns_max > w->write.lat_ns_max ? w->read.lat_ns_max
								       : w->write.lat_ns_max,
	};

	w->phase_id = c->phase->id;
	w->written_bytes += c->run->written_before_bytes;
	flow_add(&c->phase->read, &w->read);
	flow_add(&c->phase->write, &w->write);
	if (w->length_ns == 0 && w->index > 0 && w->read.ops + w->write.ops == 0)
		return; /* the end fell on an edge */
	sample_depth(c);
	if (c->series)
		keep_first(c, series_push(c->series, point));
	if (c->run->sink && c->result == 0)
		keep_first(c, c->run->sink->ops->window(c->run->sink, w, c->err));
	if (c->run->progress.tick)
		c->run->progress.tick(c->run->progress.user, w);
}

static void collect_slot(void *user, struct window_slot *slot)
{
	collect(user, &slot->window);
}

static void merge(struct window *to, const struct window *from)
{
	to->index = from->index;
	to->start_ns = from->start_ns;
	if (from->length_ns > to->length_ns)
		to->length_ns = from->length_ns;
	to->written_bytes += from->written_bytes;
	to->in_flight_ns += from->in_flight_ns;
	to->backlog += from->backlog;
	flow_add(&to->read, &from->read);
	flow_add(&to->write, &from->write);
}

/* Take window after window from all lanes until each has given its last. */
static void collect_lanes(struct collector *c)
{
	_cleanup_free_ bool *over = calloc(c->lanes_n, sizeof(bool));
	_cleanup_free_ uint64_t *written = calloc(c->lanes_n, sizeof(uint64_t));
	unsigned running = c->lanes_n;

	if (!over || !written)
		abort(); /* a few bytes, and lanes are running: nothing sensible is left to do */
	while (running) {
		struct window *w = c->merged;

		flow_clear(&w->read);
		flow_clear(&w->write);
		w->length_ns = w->written_bytes = w->in_flight_ns = w->backlog = 0;
		for (unsigned i = 0; i < c->lanes_n; i++) {
			struct lane_load *l = &c->lanes[i];
			struct window_slot *slot;

			if (over[i]) {
				w->written_bytes += written[i];
				continue;
			}
			while (sem_wait(&l->full) < 0)
				;
			slot = &l->slot[l->slot_take++ % WINDOW_SLOTS];
			merge(w, &slot->window);
			written[i] = slot->window.written_bytes;
			if (slot->last) {
				over[i] = true;
				running--;
			} else {
				sem_post(&l->empty);
			}
		}
		collect(c, w);
	}
}

struct lane_thread {
	pthread_t thread;
	struct lane_load *lane;
	pthread_barrier_t *barrier;
	atomic_int *failed; /* a lane could not be opened: none runs */
};

static void *lane_main(void *arg)
{
	struct lane_thread *t = arg;
	struct lane_load *l = t->lane;

	if (lane_load_open(l) < 0)
		atomic_store(t->failed, 1);
	pthread_barrier_wait(t->barrier);
	if (l->index == 0 && !atomic_load(t->failed))
		l->shared->start_ns = lane_now_ns(l->lane) + NS_PER_MS;
	pthread_barrier_wait(t->barrier);
	if (!atomic_load(t->failed)) {
		lane_load_run(l);
	} else {
		lane_close(l->lane);
		l->lane = NULL;
		l->slot[0].last = true;
		sem_post(&l->full);
	}
	return NULL;
}

static int run_threads(struct collector *c)
{
	_cleanup_free_ struct lane_thread *t = calloc(c->lanes_n, sizeof(*t));
	pthread_barrier_t barrier;
	atomic_int failed_to_open = 0;
	unsigned started;

	c->merged = calloc(1, sizeof(*c->merged));
	if (!t || !c->merged)
		return -ENOMEM;
	pthread_barrier_init(&barrier, NULL, c->lanes_n);
	for (started = 0; started < c->lanes_n; started++) {
		t[started] = (struct lane_thread){
			.lane = &c->lanes[started],
			.barrier = &barrier,
			.failed = &failed_to_open,
		};
		if (pthread_create(&t[started].thread, NULL, lane_main, &t[started]) != 0)
			abort(); /* the others wait at the barrier for good */
	}
	collect_lanes(c);
	for (unsigned i = 0; i < c->lanes_n; i++)
		pthread_join(t[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}

static int run_in_place(struct collector *c)
{
	struct lane_load *l = &c->lanes[0];
	int r = lane_load_open(l);

	if (r < 0)
		return 0; /* kept in l->result */
	l->deliver = collect_slot;
	l->deliver_user = c;
	l->shared->start_ns = lane_now_ns(l->lane);
	lane_load_run(l);
	return 0;
}

/* Lanes begin their cells within moments of each other; the phase is as long as the longest of them. */
static void sum_up(struct collector *c)
{
	struct phase *p = c->phase;
	uint64_t begin_ns = UINT64_MAX, length_ns = 0, read_ns = 0, write_ns = 0;

	for (unsigned i = 0; i < c->lanes_n; i++) {
		const struct lane_load *l = &c->lanes[i];

		if (l->begin_ns < begin_ns)
			begin_ns = l->begin_ns;
		if (l->limit_ns - l->begin_ns > length_ns)
			length_ns = l->limit_ns - l->begin_ns;
		if (l->end_ns > c->run->end_ns)
			c->run->end_ns = l->end_ns;
		read_ns += l->read_flying_ns;
		write_ns += l->write_flying_ns;
		c->run->issued_bytes += l->issued_bytes;
		c->run->issued_write_bytes += l->issued_write_bytes;
		if (l->read_service) {
			flow_add(&p->read_service, l->read_service);
			flow_add(&p->write_service, l->write_service);
		}
	}
	p->start_ns = begin_ns - c->run->run_start_ns;
	p->end_ns = p->start_ns + length_ns;
	p->written_bytes = c->run->written_before_bytes + c->run->issued_write_bytes;
	if (length_ns) {
		p->read_in_flight_mean = (double)read_ns / (double)length_ns;
		p->write_in_flight_mean = (double)write_ns / (double)length_ns;
	}
}

/* Hold the device's own counters against ours: the proof of depth and of direct I/O. */
static void check_counters(struct collector *c, const struct device_counters *before,
			   const struct device_counters *after, uint64_t lasted_ns)
{
	struct phase *p = c->phase;
	uint64_t moved = p->read.bytes + p->write.bytes;
	uint64_t counted = after->read_bytes - before->read_bytes + after->written_bytes -
			   before->written_bytes;
	double asked = (double)p->load.queue_depth * p->load.threads;

	if (lasted_ns >= DEPTH_CELL_NS_MIN)
		p->in_flight_device_mean =
			(double)(after->in_flight_ns - before->in_flight_ns) / (double)lasted_ns;
	else
		p->in_flight_device_max = NAN; /* its one sample came after the end */
	if (p->load.arrival == ARRIVAL_CLOSED && !p->load.burst_ios &&
	    p->in_flight_device_mean < asked * DEPTH_REACHED_SHARE)
		p->notes |= NOTE_DEPTH_NOT_REACHED;
	if ((double)counted < (double)moved * COUNTED_SHARE_MIN)
		p->notes |= NOTE_CACHE_SERVED;
}

static void check_cell(struct collector *c)
{
	struct phase *p = c->phase;
	const struct workload *w = &p->load;

	if (w->unwritten_read)
		p->notes |= NOTE_UNWRITTEN_READ;
	if (c->run->interrupted)
		p->notes |= NOTE_INTERRUPTED;
	if ((w->order == ORDER_SEQUENTIAL || w->order == ORDER_PERMUTED) && !w->trim &&
	    c->run->issued_bytes < stream_pass_bytes(w))
		p->notes |= NOTE_SPAN_NOT_COVERED;
}

static int run_lanes(struct collector *c, struct load_shared *shared)
{
	struct device_counters before, after;
	const struct device_info *info = &shared->dev->info;
	bool counts = info->counts && device_counters(shared->dev, &before) == 0;
	int r = info->real_time ? run_threads(c) : run_in_place(c);

	if (r < 0)
		return err_sys(c->err, r, "cannot set up the load");
	for (unsigned i = 0; i < c->lanes_n; i++)
		if (c->lanes[i].result < 0) {
			if (c->err)
				*c->err = c->lanes[i].err;
			return c->lanes[i].result;
		}
	if (c->result < 0)
		return c->result;
	sum_up(c);
	if (shared->interrupt && atomic_load(shared->interrupt))
		c->run->interrupted = true;
	if (counts && device_counters(shared->dev, &after) == 0)
		check_counters(c, &before, &after, c->run->end_ns - shared->start_ns);
	check_cell(c);
	return 0;
}

int load_run(struct load_run *run, struct phase *phase, struct series *series, struct err *err)
{
	const struct workload *load = &phase->load;
	const struct device_info *info = &run->dev->info;
	unsigned lanes = load->threads < info->lanes_max ? load->threads : info->lanes_max;
	struct load_shared shared = {
		.load = load,
		.dev = run->dev,
		.interrupt = run->interrupt,
		.chunk_bytes = 16 * workload_block_max(load),
	};
	struct collector c = { .run = run, .phase = phase, .series = series, .err = err };
	uint64_t bound = load->stop_bytes ? load->stop_bytes : UINT64_MAX;
	int r = 0;

	if (load->trim || load->read_pct < 100)
		assert(info->ops & (load->trim ? 1u << IO_TRIM : 1u << IO_WRITE));
	if (load->stop_passes && load->stop_passes < bound / stream_pass_bytes(load))
		bound = load->stop_passes * stream_pass_bytes(load);
	atomic_init(&shared.bytes_left, bound);
	phase->stamp_error_ns = info->stamp_error_ns;
	if (load->queue_depth > info->depth_max)
		return err_set(err, -EINVAL, "a queue depth of %u is more than the drive's %u",
			       load->queue_depth, info->depth_max);
	c.lanes = calloc(lanes, sizeof(*c.lanes));
	if (!c.lanes)
		return err_sys(err, -ENOMEM, "cannot set up the load");
	c.lanes_n = lanes;
	for (unsigned i = 0; i < lanes && r == 0; i++)
		r = lane_load_init(&c.lanes[i], &shared, i, lanes);
	if (r == 0)
		r = run_lanes(&c, &shared);
	else
		err_sys(err, r, "cannot set up the load");
	for (unsigned i = 0; i < lanes; i++)
		lane_load_release(&c.lanes[i]);
	free(c.lanes);
	free(c.merged);
	return r;
}

static int with_idle_lane(struct device *dev, struct lane **ret, struct err *err)
{
	struct lane_spec spec = { .depth = 1, .length_max = dev->info.block_bytes };

	return lane_open(ret, dev, &spec, err);
}

int load_rest(struct device *dev, uint64_t ns, const atomic_int *interrupt, struct err *err)
{
	struct lane *lane;
	struct io *done;
	uint64_t until;
	int r = with_idle_lane(dev, &lane, err);

	if (r < 0)
		return r;
	until = lane_now_ns(lane) + ns;
	while (lane_now_ns(lane) < until && !(interrupt && atomic_load(interrupt))) {
		uint64_t next = lane_now_ns(lane) + 100 * NS_PER_MS;

		/* In slices only where time passes by itself, so that Ctrl-C is heard. */
		if (next > until || !dev->info.real_time)
			next = until;
		r = lane_reap(lane, &done, 1, next);
		if (r < 0)
			break;
	}
	lane_close(lane);
	return r < 0 ? err_sys(err, r, "cannot wait on the drive's clock") : 0;
}

int load_now(struct device *dev, uint64_t *ret_ns, struct err *err)
{
	struct lane *lane;
	int r = with_idle_lane(dev, &lane, err);

	if (r < 0)
		return r;
	*ret_ns = lane_now_ns(lane);
	lane_close(lane);
	return 0;
}

int load_ceiling(const struct workload *load, double *ret_iops, struct err *err)
{
	_cleanup_free_ struct phase *phase = phase_new();
	struct device_spec spec;
	struct device *dev = NULL;
	struct load_run run = { 0 };
	int r;

	if (!phase)
		return err_sys(err, -ENOMEM, "cannot measure the instrument");
	r = device_spec_parse("null", &spec, err);
	if (r == 0)
		r = device_open(&dev, &spec, err);
	if (r < 0)
		return r;
	assert(dev);
	phase->load = *load;
	phase->load.threads = 1;
	phase->load.span_offset_bytes = 0;
	phase->load.span_bytes = 1ull << 30;
	phase->load.arrival = ARRIVAL_CLOSED;
	phase->load.burst_ios = 0;
	phase->load.trim = false;
	phase->load.stop_bytes = phase->load.stop_passes = phase->load.ramp_ns = 0;
	phase->load.stop_ns = 100 * NS_PER_MS;
	phase->load.content.verify = false;
	run.dev = dev;
	r = load_run(&run, phase, NULL, err);
	if (r == 0)
		*ret_iops = phase_iops(phase, &phase->read) + phase_iops(phase, &phase->write);
	device_close(dev);
	return r;
}
