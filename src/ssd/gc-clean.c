/* SPDX-License-Identifier: MIT */
#include "ssd/gc-clean.h"

#include "ssd/ftl.h"
#include "ssd/gc.h"

void gc_clean_derive(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;

	ssd->clean_writes = cfg->gc.pacing != PACING_PACED;
	ssd->clean_reads = ssd->clean_writes && cfg->gc.reads_too;
	ssd->special_writes = ssd->clean_writes || cfg->journal.units;
	ssd->gc_low = ssd->clean_writes ? GC_FLOOR : cfg->gc.low;
	ssd->gc_stream = cfg->gc.mixed ? STREAM_HOST : STREAM_GC;
	ssd->idle_gc = (struct idle_worker){ .delay_ns = cfg->gc.idle_delay_ns,
					     .bytes_per_s = cfg->gc.idle_bytes_per_s };
}

void gc_clean_reset(struct ssd *ssd)
{
	ssd->clean.sb = NONE;
	ssd->cleaning = false;
	ssd->clean_next_ns = 0;
	ssd->journal_used = 0;
}

/* A victim with something to copy; those without valid data are erased on the way. False: enough, or none. */
static bool victim_open(struct ssd *ssd)
{
	while (ssd->clean.sb == NONE) {
		uint32_t sb;

		if (ftl_free_main(ssd) >= ssd->cfg.gc.high)
			return false;
		sb = gc_pick(ssd);
		if (sb == NONE)
			return false;
		if (ssd->key[sb]) {
			ftl_set_state(ssd, sb, SB_VICTIM);
			ftl_cursor_open(ssd, &ssd->clean, sb);
		} else {
			ftl_set_state(ssd, sb, SB_VICTIM);
			ftl_erase(ssd, sb);
		}
	}
	return true;
}

static void victim_close(struct ssd *ssd)
{
	uint32_t sb = ssd->clean.sb;

	ssd->clean.sb = NONE;
	ftl_erase(ssd, sb);
}

/* Copy at most n units of the victim, firmware time passing with each. Returns the time then. */
static uint64_t copy(struct ssd *ssd, uint32_t n, uint64_t t)
{
	struct cursor *c = &ssd->clean;

	t = max_ns(t, ssd->fw_ns);
	while (n && c->position < c->written) {
		uint32_t moved =
			ftl_cursor_run(ssd, c, ssd->gc_stream, c->written - c->position, 1, t);

		ssd->stats.gc_units += moved;
		n -= moved;
		/* Nobody else is served: later work of this batch begins later (no backlog on the dies). */
		t = max_ns(t, ssd->fw_ns);
	}
	if (c->position == c->written) {
		victim_close(ssd);
		/* A victim is erased when its copies are in flash. */
		t = max_ns(t, ssd->stream[ssd->gc_stream].done_ns);
	}
	ssd->fw_ns = max_ns(ssd->fw_ns, t);
	return t;
}

uint64_t gc_clean(struct ssd *ssd, uint64_t t, bool due)
{
	bool batch = ssd->cfg.gc.pacing == PACING_BATCH;
	uint32_t n = batch ? UINT32_MAX : ssd->cfg.gc.slice_units;
	uint64_t begin = max_ns(t, ssd->fw_ns);

	if (!ssd->cleaning && ftl_free_main(ssd) > ssd->cfg.gc.low)
		return t;
	ssd->cleaning = true;
	if (batch && !due)
		return t;
	ssd->collecting = true;
	if (victim_open(ssd))
		t = copy(ssd, n, t);
	ssd->cleaning = ssd->clean.sb != NONE || ftl_free_main(ssd) < ssd->cfg.gc.high;
	ssd->collecting = false;
	if (t > begin)
		ssd->stats.clean_ns += t - begin;
	ssd->clean_next_ns = max_ns(t, ssd->fw_ns) + ssd->cfg.gc.host_slice_ns;
	return t;
}

void gc_clean_idle(struct ssd *ssd, uint64_t n, uint64_t t)
{
	struct cursor *c = &ssd->clean;

	ssd->collecting = true;
	while (n && victim_open(ssd)) {
		uint32_t look = c->written - c->position;

		if (look > n)
			look = (uint32_t)n;
		ssd->stats.gc_units += ftl_cursor_run(ssd, c, ssd->gc_stream, look, UINT32_MAX, t);
		n -= look;
		if (c->position == c->written)
			victim_close(ssd);
	}
	if (c->sb == NONE && ftl_free_main(ssd) >= ssd->cfg.gc.high)
		ssd->cleaning = false;
	ssd->collecting = false;
}
