/* SPDX-License-Identifier: MIT */
/*
 * host.c - the path of a command: queue, link, firmware, then buffer and flash.
 */
#include <errno.h>

#include "ssd/buffer.h"
#include "ssd/campaign.h"
#include "ssd/compress.h"
#include "ssd/content.h"
#include "ssd/ftl.h"
#include "ssd/gc-clean.h"
#include "ssd/gc.h"
#include "ssd/journal.h"
#include "ssd/link.h"
#include "ssd/pslc.h"
#include "ssd/refresh.h"
#include "ssd/tags.h"

/*
 * The firmware's detector of sequential streams. True: the command goes on where one ended; *ret_since is
 * then when that one's last command reached the drive.
 */
static bool sequential(struct sequences *q, uint32_t unit, uint32_t n, uint64_t now,
		       uint64_t *ret_since)
{
	for (uint32_t i = 0; i < SEQUENTIAL_STREAMS; i++) {
		struct sequence *s = &q->entry[i];

		if (s->next_unit != unit)
			continue;
		*ret_since = s->last_ns;
		*s = (struct sequence){ unit + n, now };
		return true;
	}
	q->entry[q->oldest++ % SEQUENTIAL_STREAMS] = (struct sequence){ unit + n, now };
	return false;
}

static uint64_t command_begin(struct ssd *ssd, uint64_t now, struct ssd_times *ret)
{
	if (now > ssd->busy_until_ns)
		ssd_idle(ssd, now);
	if (now >= ssd->heat.next_ns)
		heat_advance(ssd, now);
	ret->error = 0;
	ret->start_ns = link_begin(ssd, now);
	if (ret->start_ns >= ssd->refresh.next_ns)
		refresh_run(ssd, ret->start_ns);
	return ret->start_ns;
}

static void command_end(struct ssd *ssd, uint64_t done, struct ssd_times *ret)
{
	ret->done_ns = done;
	if (ssd->fault.on)
		done = fault_end(ssd, ret);
	link_end(ssd, done);
	ssd->busy_until_ns = max_ns(ssd->busy_until_ns, done);
}

/* Whether a position lies in a program unit that is still being collected in the buffer. */
static bool in_buffer(const struct ssd *ssd, uint32_t sb, uint32_t off)
{
	for (int i = 0; i < STREAMS; i++)
		if (ssd->stream[i].sb == sb)
			return off >= ssd->stream[i].off - ssd->stream[i].partial;
	return false;
}

/* Read g neighbouring positions of one page stripe. Returns when they are in the controller. */
static uint64_t read_page(struct ssd *ssd, uint32_t ppn, uint32_t g, uint64_t since, uint64_t t)
{
	uint32_t sb = ssd_sb_of(ssd, ppn), off = ppn - sb * ssd->sb_units;
	bool cache = sb_is_cache(ssd, sb);
	const struct nand_timing *timing = cache ? &ssd->cfg.pslc.nand : &ssd->cfg.nand;
	uint32_t die, first, plane = PLANE_ALL;
	uint64_t ready, read_ns;

	if (in_buffer(ssd, sb, off))
		return t;
	die = off / timing->program_units % ssd->cfg.geometry.dies;
	first = off % ssd->page_all / ssd->cfg.geometry.page_units;
	if ((off + g - 1) % ssd->page_all / ssd->cfg.geometry.page_units == first)
		plane = first;
	read_ns = timing->read_ns;
	if (ssd->has_wear)
		read_ns += wear_read(ssd, sb, off, g, die, since);
	ready = nand_read(&ssd->nand, die, plane, since, t, read_ns);
	if (ssd->stored)
		return nand_occupy(&ssd->nand, die, since, ready,
				   compress_read(ssd, ppn, g, ssd->cfg.channel_unit_ns));
	return nand_transfer(&ssd->nand, die, since, ready, g);
}

/* Flash reads of a command. Returns when its last byte can have crossed the link, as the flash goes. */
static uint64_t read_units(struct ssd *ssd, uint32_t unit, uint32_t n, uint64_t since, uint64_t t)
{
	const uint32_t *not_l2p = ssd->not_l2p + unit;
	uint32_t ahead = since < t ? ssd->cfg.fw.readahead_units : 0;
	uint64_t done = t;

	for (uint32_t i = 0, g; i < n; i += g) {
		uint32_t ppn = ~not_l2p[i], stripe;
		uint64_t ready;

		g = 1;
		if (ppn == NONE)
			continue; /* never written: zeros, without flash */
		stripe = ssd->page_all - ppn % ssd->page_all;
		while (g < stripe && i + g < n && not_l2p[i + g] == ~(ppn + g))
			g++;
		ready = read_page(ssd, ppn, g, i < ahead ? since : t, t);
		/* Data go out in order: all from here on cross after this. */
		done = max_ns(done, ready + (n - i) * ssd->cfg.link.read_unit_ns);
	}
	return done;
}

void ssd_read(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n, struct ssd_times *ret)
{
	uint64_t t, since = 0, latency = 0, cross_ns, done;

	if (ssd->fault.on && fault_begin(ssd, now, n, false, ret))
		return;
	t = command_begin(ssd, now, ret);
	assert(n && unit < ssd->units && n <= ssd->units - unit);
	ssd->stats.host_read_units += n;
	t = link_take(ssd, LINK_IN, t, ssd->cfg.link.read_command_ns);
	if (ssd->clean_reads)
		t = gc_clean(ssd, t, gc_clean_due(ssd, t));
	t = fw_take(ssd, t, ssd->cfg.fw.read_ns);
	if (ssd->has_map)
		t = mapcache_command(ssd, unit, n, false, t);
	if (ssd->detect_reads && !sequential(&ssd->reads, unit, n, ret->start_ns, &since)) {
		since = t;
		latency = ssd->cfg.fw.random_read_ns;
	}
	if (ssd->heat.level)
		t = since = heat_admit(&ssd->heat, t, n);
	if (!ssd->cfg.fw.readahead_units)
		since = t;
	ssd->wear.read_lost = ssd->wear.lost_units && wear_is_lost(ssd, unit, n);
	ret->accept_ns = t;
	done = read_units(ssd, unit, n, since, t);
	cross_ns = n * ssd->cfg.link.read_unit_ns;
	done = max_ns(max_ns(done, t + cross_ns),
		      link_take(ssd, LINK_OUT, ret->start_ns, cross_ns));
	done += latency;
	if (ssd->fault.on && fault_read(ssd, unit, n, &done))
		ret->error = -EIO;
	if (ssd->wear.read_lost)
		ret->error = -EIO;
	command_end(ssd, done, ret);
}

/* A drive at its end of life aborts what would change it. */
static void command_abort(struct ssd *ssd, uint64_t t, struct ssd_times *ret)
{
	ret->error = -EIO;
	ret->accept_ns = t;
	command_end(ssd, fw_take(ssd, t, ssd->cfg.fw.write_ns), ret);
}

/*
 * One piece of a write, at most what is left of a program unit. Returns when it has arrived. The link is reached
 * behind the firmware, so its time is a credit from the command's start (nand.h): firmware and link work at once.
 */
static uint64_t write_piece(struct ssd *ssd, uint32_t unit, uint32_t *n, uint64_t start, uint64_t t,
			    uint64_t arrival)
{
	enum stream_id id = pslc_route(ssd, t);
	uint32_t room = ftl_room(&ssd->stream[id]);
	uint64_t cost, space, done;

	if (*n > room)
		*n = room;
	space = buffer_admit(&ssd->buffer, *n, t);
	ssd->buffer.pending[id == STREAM_CACHE] += *n;
	cost = *n * ssd->cfg.link.write_unit_ns;
	arrival = max_ns(max_ns(arrival, space) + cost, link_take(ssd, LINK_IN, start, cost));
	if (ssd->cut.entry)
		cut_note(ssd, id == STREAM_CACHE, unit, *n, ssd->fault.now_ns);
	done = ftl_place(ssd, id, unit, *n, t, arrival);
	if (done)
		buffer_programmed(ssd, id, done);
	if (id == STREAM_CACHE)
		pslc_pace(ssd, *n, t);
	else
		gc_pace(ssd, *n, t);
	return arrival;
}

/*
 * What a drive does before it takes a write: the journal and cleaning. Returns the time when the command may go on;
 * *accept is what it then waits for without keeping others.
 */
static uint64_t before_write(struct ssd *ssd, uint32_t n, uint64_t t, uint64_t *accept)
{
	bool due = ssd->cfg.journal.units ? journal_add(ssd, n, t, accept) : gc_clean_due(ssd, t);

	return ssd->clean_writes ? gc_clean(ssd, t, due) : t;
}

/* What a write carries, as far as this controller keeps it. */
static void look_at(struct ssd *ssd, const struct ssd_data *data)
{
	if (ssd->tag) {
		ssd->tag_now = data ? data->tag : 0;
		if (ssd->tag_now)
			ssd->has_tags = ssd->carries = true;
	}
	if (ssd->stored)
		ssd->stored_now = compress_stored(ssd, data ? data->ratio : 1);
}

/* Give the programs of what waits for the rest of its program unit, padded. */
static void program_rest(struct ssd *ssd, uint64_t t)
{
	static const enum stream_id hosts[] = { STREAM_HOST, STREAM_CACHE };

	for (int i = 0; i < 2; i++) {
		uint32_t padded = ftl_room(&ssd->stream[hosts[i]]);
		uint64_t done = ftl_pad(ssd, hosts[i], t);

		if (!done)
			continue;
		buffer_programmed(ssd, hosts[i], done);
		if (hosts[i] == STREAM_HOST)
			gc_pace(ssd, padded, t);
	}
}

void ssd_write(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n,
	       const struct ssd_data *data, struct ssd_times *ret)
{
	uint64_t t, since, latency = 0, accept = 0, arrival, mapped;

	if (ssd->fault.on && fault_begin(ssd, now, n, true, ret))
		return;
	t = command_begin(ssd, now, ret);
	if (ssd->tag || ssd->stored)
		look_at(ssd, data);
	assert(n && unit < ssd->units && n <= ssd->units - unit);
	t = link_take(ssd, LINK_IN, t, ssd->cfg.link.write_command_ns);
	if (ssd->read_only) {
		command_abort(ssd, t, ret);
		return;
	}
	ssd->stats.host_write_units += n;
	if (ssd->campaign_left_units || ssd->stats.host_write_units >= ssd->campaign_next_units)
		t = fw_take(ssd, t, campaign_slice(ssd, t));
	if (ssd->special_writes)
		t = before_write(ssd, n, t, &accept);
	t = fw_take(ssd, t, ssd->cfg.fw.write_ns);
	if (ssd->cfg.fw.random_write_ns && !sequential(&ssd->writes, unit, n, t, &since))
		latency = ssd->cfg.fw.random_write_ns;
	if (ssd->heat.level)
		t = heat_admit(&ssd->heat, t, n);
	ret->accept_ns = t + accept;
	latency += accept;
	mapped = ssd->has_map ? mapcache_command(ssd, unit, n, true, t) : t;
	arrival = t;
	if (content_is_zero(ssd, data)) {
		arrival = content_write_zero(ssd, unit, n, t);
		n = 0;
	}
	ssd->buffer.given_ns = 0;
	for (uint32_t k; n; n -= k, unit += k) {
		k = n;
		arrival = write_piece(ssd, unit, &k, ret->start_ns, t, arrival);
	}
	if (data && data->fua && !ssd->cfg.buffer_protected) {
		program_rest(ssd, t);
		arrival = max_ns(arrival, ssd->buffer.given_ns);
	}
	command_end(ssd, max_ns(arrival, mapped) + latency, ret);
}

void ssd_trim(struct ssd *ssd, uint64_t now, uint32_t unit, uint32_t n, struct ssd_times *ret)
{
	uint64_t t;

	if (ssd->fault.on && fault_begin(ssd, now, 0, false, ret))
		return;
	t = command_begin(ssd, now, ret);
	assert(ssd->cfg.link.trim && n && unit < ssd->units && n <= ssd->units - unit);
	t = link_take(ssd, LINK_IN, t, ssd->cfg.link.other_command_ns);
	if (ssd->read_only) {
		command_abort(ssd, t, ret);
		return;
	}
	t = fw_take(ssd, t, ssd->cfg.fw.write_ns);
	ret->accept_ns = t;
	ssd->stats.trim_units += n;
	if (ssd->has_map)
		t = mapcache_command(ssd, unit, n, true, t);
	ftl_unmap(ssd, unit, n);
	command_end(ssd, t, ret);
}

void ssd_flush(struct ssd *ssd, uint64_t now, struct ssd_times *ret)
{
	uint64_t t;

	if (ssd->fault.on && fault_begin(ssd, now, 0, false, ret))
		return;
	t = command_begin(ssd, now, ret);
	t = link_take(ssd, LINK_IN, t, ssd->cfg.link.other_command_ns);
	t = fw_take(ssd, t, ssd->cfg.fw.write_ns);
	ret->accept_ns = t;
	if (!ssd->cfg.buffer_protected) {
		program_rest(ssd, t);
		t = max_ns(t, ssd->buffer.drained_ns);
	}
	command_end(ssd, t, ret);
}

uint32_t ssd_tag(const struct ssd *ssd, uint32_t unit)
{
	assert(unit < ssd->units);
	return ssd->has_tags ? tags_at(ssd, unit) : 0;
}
