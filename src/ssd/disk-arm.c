/* SPDX-License-Identifier: MIT */
/*
 * disk-arm.c - what the arm of a simulated hard disk does: reading on, serving what is nearest, writing back.
 */
#include "ssd/disk-state.h"

/* How far the reading on has got. */
static uint32_t ahead_end(const struct disk *d, uint64_t t)
{
	const struct ahead *a = &d->ahead;
	uint32_t n;

	if (t <= a->from_ns || a->next >= a->limit)
		return a->next;
	n = disk_units_in(&d->media, a->next, t - a->from_ns);
	return n < a->limit - a->next ? a->next + n : a->limit;
}

static uint32_t head_at(const struct disk *d, uint64_t t)
{
	return d->ahead.on ? ahead_end(d, t) : d->head;
}

void ahead_stop(struct disk *d, uint64_t t)
{
	if (!d->ahead.on)
		return;
	d->head = ahead_end(d, t);
	segments_add(&d->segments, d->ahead.start, d->head);
	d->ahead.on = false;
}

static uint32_t ahead_limit(const struct disk *d, uint32_t end)
{
	const struct disk_zone *z = disk_zone_of(&d->media, end ? end - 1 : 0);
	uint64_t limit = (uint64_t)end + d->readahead_units,
		 zone_end = (uint64_t)z->first + z->units;

	return (uint32_t)(limit < zone_end ? limit : zone_end);
}

/* A read was served from what is read on: go on further. */
static void ahead_extend(struct disk *d, uint32_t end, uint64_t t)
{
	struct ahead *a = &d->ahead;
	uint32_t limit = ahead_limit(d, end);

	if (limit <= a->limit)
		return;
	if (ahead_end(d, t) == a->limit) {
		/* It had come to its end and waits for the place to come by again. */
		a->next = a->limit;
		a->from_ns = t + disk_rotate_ns(&d->media,
						a->next % (uint32_t)(d->cfg.capacity_bytes /
								     DISK_UNIT_BYTES),
						t);
	}
	a->limit = limit;
	if (a->next - a->start > d->segments.units_max)
		a->start = a->next - d->segments.units_max;
}

/* Whether a read needs no arm at t. */
bool read_hits(struct disk *d, const struct command *c, uint64_t t)
{
	if (d->ahead.on && c->unit >= d->ahead.start && c->end <= ahead_end(d, t)) {
		ahead_extend(d, c->end, t);
		return true;
	}
	return segments_hold(&d->segments, c->unit, c->end) ||
	       dirty_overlap(&d->dirty, c->unit, c->end) == c->end - c->unit;
}

void serve_hit(struct disk *d, const struct command *c, uint64_t t)
{
	d->stats.hit_reads++;
	finish(d, c,
	       link_take(d, t, later(t, c->ready_ns),
			 (c->end - c->unit) * d->cfg.link.read_unit_ns));
}

/* What a command that needs the arm would read or write first. */
static uint32_t first_unit(const struct disk *d, const struct command *c, uint64_t t)
{
	uint32_t end;

	if (!d->ahead.on || c->op != DISK_READ || c->unit < d->ahead.start)
		return c->unit;
	end = ahead_end(d, t);
	return c->unit <= end && end < c->end ? end : c->unit;
}

/* When it could begin, from t on. The heads may be just there, reading on. */
static uint64_t reach_ns(const struct disk *d, uint32_t unit, bool write, uint64_t t,
			 uint64_t *ret_seek)
{
	const struct ahead *a = &d->ahead;

	*ret_seek = 0;
	if (!write && a->on && unit == ahead_end(d, t) && unit < a->limit && a->from_ns <= t)
		return a->from_ns + disk_transfer_ns(&d->media, a->next, unit - a->next);
	*ret_seek = disk_seek_ns(&d->media, head_at(d, t), unit, write);
	return t + *ret_seek + disk_rotate_ns(&d->media, unit, t + *ret_seek);
}

/* Move the arm to the unit and pass n. Returns when that is over. */
static uint64_t pass(struct disk *d, uint32_t unit, uint32_t n, bool write, uint64_t t)
{
	uint64_t seek, begin = reach_ns(d, unit, write, t, &seek);
	uint64_t transfer = disk_transfer_ns(&d->media, unit, n);

	d->stats.seek_ns += seek;
	d->stats.rotate_ns += begin > t + seek ? begin - t - seek : 0;
	d->stats.transfer_ns += transfer;
	d->arm_ns = begin + transfer;
	d->head = unit + n;
	return d->arm_ns;
}

static void serve_read(struct disk *d, const struct command *c, uint64_t t)
{
	uint32_t first = first_unit(d, c, t), start = c->unit;
	uint64_t end, link;

	if (first != c->unit)
		start = d->ahead.start;
	end = pass(d, first, c->end - first, false, t);
	if (d->ahead.on)
		segments_add(&d->segments, d->ahead.start, ahead_end(d, t));
	d->ahead = (struct ahead){ true, start, c->end, ahead_limit(d, c->end), end };
	if (c->end - start > d->segments.units_max)
		d->ahead.start = c->end - d->segments.units_max;
	link = link_take(d, t, t, (c->end - c->unit) * d->cfg.link.read_unit_ns);
	d->stats.media_reads++;
	finish(d, c, later(link, end + d->cfg.link.read_unit_ns));
}

static void serve_write_through(struct disk *d, const struct command *c, uint64_t t)
{
	uint32_t n = c->end - c->unit;
	uint64_t link = link_take(d, t, t, n * d->cfg.link.write_unit_ns), end;

	end = pass(d, c->unit, n, true, t);
	ahead_stop(d, t);
	d->head = c->end;
	d->stats.write_units += n;
	d->stats.media_write_units += n;
	finish(d, c, later(link, end));
}

/* The next extent in the direction of the elevator, which goes up and jumps back. */
static uint32_t elevator(const struct disk *d, uint64_t t)
{
	uint32_t i = dirty_find(&d->dirty, head_at(d, t));

	return i < d->dirty.n ? i : 0;
}

/* Write back a piece of the cache: what is together, at most a track. */
static void destage(struct disk *d, uint64_t t)
{
	uint32_t i = elevator(d, t), unit = d->dirty.extent[i].unit;
	uint32_t n = d->dirty.extent[i].end - unit;
	uint32_t track = disk_zone_of(&d->media, unit)->track_units;

	if (n > track)
		n = track;
	dirty_take(&d->dirty, i, n);
	pass(d, unit, n, true, t);
	ahead_stop(d, t);
	d->head = unit + n;
	d->destaging = n;
	d->stats.destages++;
	d->stats.media_write_units += n;
}

/* Whether a command waits for the cache rather than for the arm. */
static bool waits_for_cache(const struct disk *d, const struct command *c)
{
	return c->op == DISK_FLUSH || (c->op == DISK_WRITE && d->write_units);
}

/* The first command that waits for the cache, or NULL. */
static const struct command *cache_waiter(const struct disk *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (waits_for_cache(d, &d->queue[i]))
			return &d->queue[i];
	return NULL;
}

/* When the cache should be written back, if nothing else comes; NEVER: it is clean. */
static uint64_t destage_due(const struct disk *d)
{
	uint64_t t = later(d->arm_ns, d->dirty_ns);

	if (!d->dirty.units)
		return NEVER;
	if (2 * d->dirty.units > d->write_units || cache_waiter(d))
		return t;
	return later(t, d->last_read_ns + d->cfg.cache.delay_ns);
}

uint64_t arm_due(const struct disk *d)
{
	uint64_t ret = destage_due(d);

	for (uint32_t i = 0; i < d->n; i++) {
		uint64_t t = later(d->arm_ns, d->queue[i].ready_ns);

		if (!waits_for_cache(d, &d->queue[i]) && t < ret)
			ret = t;
	}
	return ret;
}

/* How near something is, in ns: the time until it begins, less the bonus for its age. */
static double nearness(const struct disk *d, uint32_t unit, bool write, uint64_t since, uint64_t t)
{
	uint64_t seek;

	return (double)(reach_ns(d, unit, write, t, &seek) - t) -
	       d->cfg.age_weight * (double)(t - (since < t ? since : t));
}

/* Whether a read goes on where another that waits ends: then it comes after that one, lest a stream is torn. */
static bool continues_another(const struct disk *d, const struct command *c, uint64_t t)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->queue[i].op == DISK_READ && d->queue[i].end == c->unit &&
		    d->queue[i].ready_ns <= t)
			return true;
	return false;
}

/* The arm is free at t and there is work. */
void arm_decide(struct disk *d, uint64_t t)
{
	const struct command *waiter = cache_waiter(d);
	uint32_t best = d->n;
	double best_ns = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct command *c = &d->queue[i];
		double ns;

		if (waits_for_cache(d, c) || c->ready_ns > t)
			continue;
		if (c->op == DISK_READ && read_hits(d, c, t)) {
			serve_hit(d, c, t);
			queue_remove(d, i);
			return;
		}
		if (c->op == DISK_READ && continues_another(d, c, t))
			continue;
		ns = nearness(d, first_unit(d, c, t), c->op == DISK_WRITE, c->start_ns, t);
		if (best == d->n || ns < best_ns) {
			best = i;
			best_ns = ns;
		}
	}
	if (best == d->n || (waiter && d->dirty.units &&
			     nearness(d, d->dirty.extent[elevator(d, t)].unit, true,
				      waiter->start_ns, t) < best_ns)) {
		destage(d, t);
		return;
	}
	if (d->queue[best].op == DISK_READ)
		serve_read(d, &d->queue[best], t);
	else
		serve_write_through(d, &d->queue[best], t);
	queue_remove(d, best);
}
