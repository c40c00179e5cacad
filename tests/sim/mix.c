/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mix.h"

#include "test.h"

#include <string.h>

void mix_init(struct mix *m, uint32_t span_units, uint32_t length_units, bool random, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->span_units = span_units / length_units * length_units;
	m->length_units = length_units;
	m->random = random;
	m->loop.depth = 128;
	for (uint32_t i = 0; i < MIX_WORKERS; i++)
		m->next[i] = m->span_units / MIX_WORKERS / length_units * length_units * i;
	rng_init(&m->rng, seed, 0);
}

static uint32_t next_unit(struct mix *m, unsigned worker)
{
	uint32_t ret;

	if (m->random)
		return (uint32_t)rng_below(&m->rng, m->span_units / m->length_units) *
		       m->length_units;
	ret = m->next[worker];
	m->next[worker] += m->length_units;
	if (m->next[worker] == m->span_units)
		m->next[worker] = 0;
	return ret;
}

double mix_run(struct ssd *ssd, struct mix *m, unsigned read_pct, uint64_t units)
{
	uint64_t start = m->loop.now_ns, n = units / m->length_units;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t *slot = closed_next(&m->loop);
		uint32_t unit = next_unit(m, (unsigned)(slot - m->loop.done_ns) % MIX_WORKERS);
		struct ssd_times t;

		if (rng_below(&m->rng, 100) < read_pct)
			ssd_read(ssd, m->loop.now_ns, unit, m->length_units, &t);
		else
			ssd_write(ssd, m->loop.now_ns, unit, m->length_units, NULL, &t);
		*slot = t.done_ns;
	}
	return (double)(n * m->length_units * SSD_UNIT_BYTES) / (double)(m->loop.now_ns - start) *
	       1e3;
}

void mix_rest(struct ssd *ssd, struct mix *m, uint64_t ns)
{
	uint64_t end = closed_end(&m->loop) + ns;

	ssd_idle(ssd, end);
	m->loop.now_ns = end;
	for (unsigned i = 0; i < m->loop.depth; i++)
		m->loop.done_ns[i] = end;
}
