/* SPDX-License-Identifier: MIT */
#include "ssd/purge.h"

#include "ssd/campaign.h"
#include "ssd/cut.h"
#include "ssd/ftl.h"
#include "ssd/gc-clean.h"
#include "ssd/refresh.h"

#define DISCARD_UNITS 262144u /* 1 GiB */
#define GIVEN_UP_NS 60000000000u
#define FILL_UNITS 256u /* 1 MiB */

const char *const ssd_purge_words[] = { "new",	   "format",	"sanitize", "secure-erase",
					"discard", "zero-fill", NULL };

/* What is in the buffer is programmed, and then nothing is mapped or known to have been written. */
static void forget(struct ssd *ssd, uint64_t t)
{
	struct buffer *b = &ssd->buffer;

	ssd->quiet = true;
	for (int i = 0; i < STREAMS; i++)
		ftl_pad(ssd, (enum stream_id)i, t);
	ssd->quiet = false;
	b->used = b->programs = b->pending[0] = b->pending[1] = 0;
	cut_forget(ssd);
	ftl_unmap(ssd, 0, ssd->units);
	memory_zero(&ssd->written_memory);
	ssd->stats.written_units = 0;
}

/* With nothing mapped: every superblock that holds anything. Returns how many there were. */
static uint32_t erase_all(struct ssd *ssd, uint64_t t)
{
	uint32_t erased = 0;

	for (int i = 0; i < STREAMS; i++) {
		struct stream *s = &ssd->stream[i];

		if (s->sb == NONE)
			continue;
		ssd->sb_written[s->sb] = s->off;
		s->sb = NONE;
		s->off = 0;
	}
	ssd->gc.sb = ssd->fold.sb = ssd->campaign.sb = NONE;
	ssd->campaign_left_units = 0;
	ssd->gc_credit = ssd->fold_credit_q16 = 0;
	ssd->folding = false;
	ssd->cache_head = ssd->cache_closed = 0;
	gc_clean_reset(ssd);
	refresh_reset(ssd, t);
	ssd->quiet = true; /* the time it takes is known */
	for (uint32_t sb = 0; sb < ssd->superblocks; sb++)
		if (ssd->sb_state[sb] != SB_FREE && ssd->sb_state[sb] != SB_RETIRED) {
			ftl_erase(ssd, sb);
			erased++;
		}
	ssd->quiet = false;
	ssd->erase_debt_ns = 0;
	return erased;
}

/* When the next command may go: one that never comes back is given up after a minute. */
static uint64_t then(const struct ssd_times *times, uint64_t t)
{
	return times->done_ns != UINT64_MAX ? times->done_ns : t + GIVEN_UP_NS;
}

static uint64_t discard(struct ssd *ssd, uint64_t t)
{
	for (uint32_t unit = 0, n; unit < ssd->units; unit += n) {
		struct ssd_times times;

		n = ssd->units - unit < DISCARD_UNITS ? ssd->units - unit : DISCARD_UNITS;
		ssd_trim(ssd, t, unit, n, &times);
		t = then(&times, t);
	}
	return t;
}

static uint64_t zero_fill(struct ssd *ssd, uint64_t t)
{
	const struct ssd_data zeros = { .ratio = 0 };
	struct ssd_times times;

	for (uint32_t unit = 0, n; unit < ssd->units; unit += n) {
		n = ssd->units - unit < FILL_UNITS ? ssd->units - unit : FILL_UNITS;
		ssd_write(ssd, t, unit, n, &zeros, &times);
		t = then(&times, t);
	}
	ssd_flush(ssd, t, &times);
	return then(&times, t);
}

uint64_t ssd_purge_by(struct ssd *ssd, uint64_t now, enum ssd_purge_method method)
{
	uint64_t erase_ns = ssd->cfg.nand.erase_ns, done;

	ssd_idle(ssd, now);
	now = max_ns(now, ssd->busy_until_ns);
	switch (method) {
	case SSD_PURGE_NEW:
		ssd_purge(ssd);
		return now;
	case SSD_PURGE_DISCARD:
		return discard(ssd, now);
	case SSD_PURGE_ZERO_FILL:
		return zero_fill(ssd, now);
	case SSD_PURGE_FORMAT:
	case SSD_PURGE_SANITIZE:
	case SSD_PURGE_SECURE_ERASE:
		break;
	}
	now = max_ns(now, ssd->buffer.drained_ns);
	forget(ssd, now);
	done = now + ssd->cfg.purge_format_ns;
	if (method == SSD_PURGE_SECURE_ERASE)
		done += erase_all(ssd, now) * erase_ns;
	if (method == SSD_PURGE_SANITIZE) {
		erase_all(ssd, now);
		done += ssd->superblocks * erase_ns;
	}
	ssd->busy_until_ns = done;
	return done;
}
