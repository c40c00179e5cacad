/* SPDX-License-Identifier: MIT */
#include "ssd/prefill.h"

#include <string.h>

#include "ssd/ftl.h"

const char *const prefill_words[] = { "none", "sequential", NULL };

/* Fill the open superblock of the host's stream with n consecutive units. */
static void fill_superblock(struct ssd *ssd, uint32_t unit, uint32_t n)
{
	struct stream *s = &ssd->stream[STREAM_HOST];

	for (uint32_t i = 0; i < n; i++) {
		ssd->not_l2p[unit + i] = ~(s->base + i);
		ssd->not_p2l[s->base + i] = ~(unit + i);
	}
	ssd->key[s->sb] += n;
	for (; n % s->program_units; n++)
		ssd->not_p2l[s->base + n] = ~NONE;
	s->off = n;
	ssd->stats.prefill_units += n;
	if (n == s->limit)
		ftl_close(ssd, STREAM_HOST);
}

void prefill_apply(struct ssd *ssd)
{
	uint32_t n;

	if (ssd->cfg.prefill != PREFILL_SEQUENTIAL)
		return;
	ssd->quiet = true;
	for (uint32_t unit = 0; unit < ssd->units; unit += n) {
		n = ssd->units - unit < ssd->sb_units ? ssd->units - unit : ssd->sb_units;
		ftl_open(ssd, STREAM_HOST, 0);
		fill_superblock(ssd, unit, n);
	}
	ssd->quiet = false;
	memset(ssd->ever_written, 0xff, ssd->units / 64 * sizeof(*ssd->ever_written));
	if (ssd->units % 64)
		ssd->ever_written[ssd->units / 64] = (1ull << ssd->units % 64) - 1;
	ssd->stats.mapped_units = ssd->stats.written_units = ssd->units;
}
