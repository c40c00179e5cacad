/* SPDX-License-Identifier: MIT */
#include "ssd/cut.h"

#include "ssd/ftl.h"
#include "ssd/gc.h"
#include "ssd/link.h"
#include "ssd/tags.h"

void cut_note(struct ssd *ssd, bool cache, uint32_t unit, uint32_t n, uint64_t now)
{
	struct cut_log *log = &ssd->cut;

	while (log->head < log->tail && log->entry[log->head & log->mask].done_ns <= now)
		log->head++;
	for (uint32_t i = 0; i < n; i++) {
		if (log->tail - log->head > log->mask)
			log->head++;
		log->entry[log->tail++ & log->mask] = (struct cut_entry){
			.done_ns = UINT64_MAX,
			.unit = unit + i,
			.tag = ssd->has_tags ? tags_at(ssd, unit + i) : 0,
			.mapped = ssd->not_l2p[unit + i] != 0,
			.cache = cache,
		};
	}
	log->pending[cache] += n;
}

void cut_programmed(struct ssd *ssd, bool cache, uint64_t done_ns)
{
	struct cut_log *log = &ssd->cut;

	for (uint64_t i = log->tail; i > log->head && log->pending[cache];) {
		struct cut_entry *e = &log->entry[--i & log->mask];

		if (e->cache != cache || e->done_ns != UINT64_MAX)
			continue;
		e->done_ns = done_ns;
		log->pending[cache]--;
	}
	log->pending[cache] = 0; /* those beyond the room of the log */
}

void cut_forget(struct ssd *ssd)
{
	struct cut_log *log = &ssd->cut;

	log->head = log->tail;
	log->pending[0] = log->pending[1] = 0;
}

/* A unit goes back to what it held before. */
static void go_back(struct ssd *ssd, const struct cut_entry *e)
{
	if (!ssd->not_l2p[e->unit])
		return; /* discarded since */
	ssd->stats.reverted_units++;
	if (!e->mapped)
		ftl_unmap(ssd, e->unit, 1);
	else if (ssd->has_tags)
		ssd->tag[~ssd->not_l2p[e->unit]] = e->tag;
}

static void go_back_all(struct ssd *ssd, uint64_t now)
{
	struct cut_log *log = &ssd->cut;

	for (uint64_t i = log->tail; i > log->head;) {
		const struct cut_entry *e = &log->entry[--i & log->mask];
		uint64_t *word = &log->safe[e->unit >> 6], bit = 1ull << (e->unit & 63);

		if (e->done_ns <= now)
			*word |= bit; /* in flash: older versions do not matter any more */
		else if (!(*word & bit))
			go_back(ssd, e);
	}
	for (uint64_t i = log->head; i < log->tail; i++)
		log->safe[log->entry[i & log->mask].unit >> 6] = 0;
}

/* Everything that was in progress is over, everything is free at ready_ns. */
static void restart(struct ssd *ssd, uint64_t ready_ns)
{
	struct nand *nand = &ssd->nand;
	struct buffer *b = &ssd->buffer;

	for (uint32_t i = 0; i < nand->dies; i++) {
		struct die *d = &nand->die[i];

		d->start_ns = d->end_ns = d->read_end_ns = ready_ns;
		d->queued_ns = d->count = 0;
	}
	for (uint32_t i = 0; i < nand->dies * nand->planes; i++)
		nand->plane_end_ns[i] = ready_ns;
	for (uint32_t i = 0; i < nand->channels; i++)
		nand->channel_ns[i] = ready_ns;
	link_clear(&ssd->link);
	ssd->link.in_ns = ssd->link.out_ns = ssd->fw_ns = ready_ns;
	ssd->erase_next_ns = ready_ns;
	ssd->heat.gate_ns = ready_ns;
	b->used = b->programs = b->pending[0] = b->pending[1] = 0;
	b->drained_ns = ready_ns;
	for (uint32_t i = 0; i < SEQUENTIAL_STREAMS; i++)
		ssd->reads.entry[i].next_unit = ssd->writes.entry[i].next_unit = NONE;
	ssd->busy_until_ns = ready_ns;
}

void ssd_power_cut(struct ssd *ssd, uint64_t now)
{
	static const enum stream_id streams[] = { STREAM_HOST, STREAM_CACHE, STREAM_FOLD,
						  STREAM_GC };

	assert(ssd->cut.entry && "only where fault.cut_every is set");
	ssd_idle(ssd, now);
	if (!ssd->cfg.buffer_protected)
		go_back_all(ssd, now);
	cut_forget(ssd);
	/* At power-up the firmware completes the program units that were begun. */
	ssd->quiet = true;
	for (int i = 0; i < STREAMS; i++) {
		uint32_t padded =
			ssd->stream[streams[i]].partial ? ftl_room(&ssd->stream[streams[i]]) : 0;

		ftl_pad(ssd, streams[i], now);
		if (padded && streams[i] == STREAM_HOST)
			gc_pace(ssd, padded, now);
	}
	ssd->quiet = false;
	restart(ssd, now + ssd->cfg.fault.cut_ns);
	ssd->stats.power_cuts++;
}
