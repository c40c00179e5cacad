/* SPDX-License-Identifier: MIT */
/*
 * disk.c - the commands of a simulated hard disk: places, cache, and what the arm does next.
 *
 * Three things happen by themselves: a completion comes due, a piece of the cache has been written back, the
 * arm is free and finds work. disk_next() goes from one to the next in the order of time; a completion comes
 * before whatever else is due at its moment, so that the host can answer it first.
 */
#include "ssd/disk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ssd/disk-state.h"

static struct disk_done take_done(struct disk *d)
{
	struct disk_done ret = d->done[0], last = d->done[--d->done_n];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= d->done_n)
			break;
		if (child + 1 < d->done_n && d->done[child + 1].done_ns < d->done[child].done_ns)
			child++;
		if (d->done[child].done_ns >= last.done_ns)
			break;
		d->done[i] = d->done[child];
		i = child;
	}
	d->done[i] = last;
	return ret;
}

/* As much of a write as there is room for goes to the cache. True: all of it did, and it is done. */
static bool write_to_cache(struct disk *d, struct command *c, uint64_t t)
{
	uint32_t room = d->write_units - d->dirty.units - d->destaging;
	uint32_t n = c->left < room ? c->left : room, unit = c->end - c->left;
	uint64_t end;

	if (!n)
		return false;
	end = link_take(d, t, later(t, c->ready_ns), n * d->cfg.link.write_unit_ns);
	if (!d->dirty.units)
		d->dirty_ns = end;
	d->stats.merged_units += dirty_overlap(&d->dirty, unit, unit + n);
	d->stats.write_units += n;
	dirty_add(&d->dirty, unit, unit + n);
	c->left -= n;
	if (!c->left)
		finish(d, c, end);
	return !c->left;
}

/* A command gets a place at the drive. True: it is decided. */
static bool arrive(struct disk *d, struct command *c, uint64_t t)
{
	c->start_ns = later(c->given_ns, t);
	c->ready_ns = link_take(d, c->start_ns, 0, d->cfg.link.command_ns) + d->cfg.overhead_ns;
	switch (c->op) {
	case DISK_READ:
		d->stats.read_units += c->end - c->unit;
		if (!read_hits(d, c, c->start_ns))
			return false;
		serve_hit(d, c, c->start_ns);
		return true;
	case DISK_WRITE:
		segments_drop(&d->segments, c->unit, c->end);
		if (d->ahead.on && c->unit < d->ahead.limit && c->end > d->ahead.start)
			ahead_stop(d, c->start_ns), segments_drop(&d->segments, c->unit, c->end);
		return d->write_units && write_to_cache(d, c, c->start_ns);
	case DISK_FLUSH:
		break;
	}
	if (d->dirty.units || d->destaging)
		return false;
	finish(d, c, c->ready_ns);
	return true;
}

/* Fill the places at the drive. A flush is no queued command: it comes alone. */
static void admit(struct disk *d, uint64_t t)
{
	while (d->wait_n && d->n + d->done_n < d->cfg.link.queue) {
		struct command *c = &d->waiting[d->wait_head % DISK_WAITING_MAX];
		bool alone = c->op == DISK_FLUSH || (d->n && d->queue[0].op == DISK_FLUSH);

		if (alone && d->n + d->done_n)
			break;
		d->wait_head++;
		d->wait_n--;
		if (!arrive(d, c, t))
			d->queue[d->n++] = *c;
	}
}

/* A piece of the cache is on the platters: its room is free. */
static void destaged(struct disk *d)
{
	uint64_t t = d->arm_ns;

	d->destaging = 0;
	d->dirty_ns = t;
	for (uint32_t i = 0; i < d->n;) {
		struct command *c = &d->queue[i];
		bool done = false;

		if (c->op == DISK_WRITE)
			done = write_to_cache(d, c, t);
		else if (c->op == DISK_FLUSH && !d->dirty.units) {
			finish(d, c, later(t, c->ready_ns));
			done = true;
		}
		if (done)
			queue_remove(d, i);
		else
			i++;
	}
}

bool disk_next(struct disk *d, uint64_t until, struct disk_done *ret)
{
	for (;;) {
		uint64_t due = d->done_n ? d->done[0].done_ns : NEVER, t;

		t = d->destaging ? d->arm_ns : arm_due(d);
		if (due <= t) {
			if (due > until || !d->done_n)
				return false;
			*ret = take_done(d);
			admit(d, ret->done_ns);
			return true;
		}
		if (t >= until)
			return false;
		if (d->destaging)
			destaged(d);
		else
			arm_decide(d, t);
	}
}

void disk_submit(struct disk *d, uint64_t now, const struct disk_command *c)
{
	struct command *w = &d->waiting[(d->wait_head + d->wait_n) % DISK_WAITING_MAX];

	assert(d->wait_n < DISK_WAITING_MAX);
	*w = (struct command){ .op = c->op,
			       .unit = c->unit,
			       .end = c->unit + c->units,
			       .left = c->units,
			       .given_ns = now,
			       .tag = c->tag };
	d->wait_n++;
	admit(d, now);
}

void disk_idle(struct disk *d, uint64_t now)
{
	struct disk_done none;
	bool some = disk_next(d, now, &none);

	assert(!some);
	(void)some;
}

uint32_t disk_in_flight(const struct disk *d, uint64_t now, uint64_t *ret_ns)
{
	*ret_ns = 0;
	for (uint32_t i = 0; i < d->n; i++)
		*ret_ns += now - d->queue[i].start_ns;
	for (uint32_t i = 0; i < d->done_n; i++)
		*ret_ns += now - d->done[i].start_ns;
	return d->n + d->done_n;
}

int disk_new(struct disk **ret, const struct disk_config *cfg, struct err *err)
{
	struct disk *d;
	const char *name;
	int r = disk_config_check(cfg, NULL, err);

	if (r < 0)
		return r;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(err, -ENOMEM, "no memory for a simulated disk");
	d->cfg = *cfg;
	d->write_units = (uint32_t)(cfg->cache.write_bytes / DISK_UNIT_BYTES);
	d->readahead_units = (uint32_t)(cfg->cache.readahead_bytes / DISK_UNIT_BYTES);
	d->dirty.max = d->write_units + 1;
	d->segments.units_max = (uint32_t)((cfg->cache.bytes - cfg->cache.write_bytes) /
					   cfg->cache.segments / DISK_UNIT_BYTES);
	d->segments.n = d->segments.units_max ? cfg->cache.segments : 0;
	d->waiting = calloc(DISK_WAITING_MAX, sizeof(*d->waiting));
	d->dirty.extent = calloc(d->dirty.max, sizeof(*d->dirty.extent));
	if (!d->waiting || !d->dirty.extent) {
		disk_free(d);
		return err_set(err, -ENOMEM, "no memory for a simulated disk");
	}
	disk_media_make(&d->media, cfg, &name, NULL);
	*ret = d;
	return 0;
}

void disk_free(struct disk *d)
{
	if (!d)
		return;
	free(d->waiting);
	free(d->dirty.extent);
	free(d);
}

void disk_purge(struct disk *d)
{
	assert(!d->wait_n && !d->n && !d->done_n);
	d->dirty.n = d->dirty.units = 0;
	d->destaging = 0;
	d->ahead.on = false;
	memset(d->segments.range, 0, sizeof(d->segments.range));
	memset(&d->stats, 0, sizeof(d->stats));
}

const struct disk_config *disk_get_config(const struct disk *d)
{
	return &d->cfg;
}

void disk_get_stats(const struct disk *d, struct disk_stats *ret)
{
	*ret = d->stats;
	ret->dirty_units = d->dirty.units;
}

uint64_t disk_memory_bytes(const struct disk *d)
{
	return sizeof(*d) + DISK_WAITING_MAX * sizeof(*d->waiting) +
	       d->dirty.max * sizeof(*d->dirty.extent);
}
