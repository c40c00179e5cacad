/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/stream.h"

#include <string.h>

static uint32_t unit_bytes(const struct workload *load)
{
	return workload_block_max(load);
}

/* The partition of a sequential thread: whole units, the first threads one more where they do not divide. */
static void partition(struct stream *s)
{
	uint64_t share = s->units / s->load->threads;
	uint64_t extra = s->units % s->load->threads;
	uint64_t first = s->index * share + (s->index < extra ? s->index : extra);

	s->begin = first * s->unit_bytes;
	s->end = s->begin + (share + (s->index < extra)) * s->unit_bytes;
	if (s->load->share_start)
		s->begin = 0;
	/* The last one takes the rest of the span too, in one shorter I/O. */
	if (s->load->order == ORDER_SEQUENTIAL &&
	    (s->load->share_start || s->index == s->load->threads - 1))
		s->end = s->load->span_bytes;
	s->cursor = s->begin;
}

void stream_init(struct stream *s, const struct workload *load, unsigned index,
		 uint32_t trim_bytes_max)
{
	memset(s, 0, sizeof(*s));
	s->load = load;
	s->index = index;
	rng_init(&s->rng, load->seed, 1000 + index);
	s->unit_bytes = unit_bytes(load);
	s->units = load->span_bytes / s->unit_bytes;
	for (unsigned i = 0; i < load->blocks; i++)
		s->weight_sum += load->block[i].weight;
	if (load->trim) {
		s->unit_bytes = trim_bytes_max;
		s->end = load->span_bytes;
		return;
	}
	switch (load->order) {
	case ORDER_SEQUENTIAL:
	case ORDER_STRIDED:
		partition(s);
		break;
	case ORDER_PERMUTED:
		s->cursor = index;
		permute_init(&s->permute, s->units, load->seed);
		break;
	case ORDER_ZIPF:
		zipf_init(&s->zipf, s->units, load->zipf_theta);
		permute_init(&s->permute, s->units, load->seed); /* scatters the popular ranks */
		break;
	case ORDER_HOT_COLD:
		s->hot_units = (uint64_t)((double)s->units * load->hot_span_pct / 100);
		break;
	case ORDER_RANDOM:
		break;
	}
}

uint64_t stream_pass_bytes(const struct workload *load)
{
	if (load->trim || load->order == ORDER_SEQUENTIAL)
		return load->span_bytes;
	return load->span_bytes - load->span_bytes % unit_bytes(load);
}

static bool draw_read(struct stream *s)
{
	double read_pct = s->load->read_pct;

	if (read_pct >= 100)
		return true;
	if (read_pct <= 0)
		return false;
	if (s->load->mix == MIX_BERNOULLI)
		return rng_double(&s->rng) * 100 < read_pct;
	s->alternate += read_pct;
	if (s->alternate < 100)
		return false;
	s->alternate -= 100;
	return true;
}

static uint32_t draw_length(struct stream *s)
{
	const struct workload *load = s->load;
	uint64_t pick;
	unsigned i = 0;

	if (load->blocks == 1)
		return load->block[0].bytes;
	pick = rng_below(&s->rng, s->weight_sum);
	while (pick >= load->block[i].weight)
		pick -= load->block[i++].weight;
	return load->block[i].bytes;
}

static uint64_t next_sequential(struct stream *s, uint32_t *length)
{
	uint64_t at;

	if (s->cursor >= s->end) {
		s->cursor = s->begin;
		s->pass++;
		s->generation++;
	}
	at = s->cursor;
	if (*length > s->end - at)
		*length = (uint32_t)(s->end - at);
	s->cursor += *length;
	return at;
}

/* One partition after the other offset by the stride: every address is met once in stride / unit rounds. */
static uint64_t next_strided(struct stream *s)
{
	uint64_t at = s->cursor;
	uint64_t room = s->end - s->begin;
	uint64_t next = at - s->begin + s->load->stride_bytes;

	if (next >= room) {
		next = next % s->load->stride_bytes + s->unit_bytes;
		if (next >= s->load->stride_bytes || next >= room) {
			next = 0;
			s->pass++;
			s->generation++;
		}
	}
	s->cursor = s->begin + next;
	return at;
}

static uint64_t next_permuted(struct stream *s)
{
	if (s->cursor >= s->units) {
		s->pass++;
		s->generation++;
		s->cursor = s->index;
		permute_init(&s->permute, s->units, s->load->seed + s->pass);
	}
	uint64_t at = permute_at(&s->permute, s->cursor);

	s->cursor += s->load->threads;
	return at * s->unit_bytes;
}

static uint64_t next_hot_cold(struct stream *s)
{
	uint64_t hot = s->hot_units;

	if (hot && (hot == s->units || rng_double(&s->rng) * 100 < s->load->hot_ops_pct))
		return rng_below(&s->rng, hot) * s->unit_bytes;
	return (hot + rng_below(&s->rng, s->units - hot)) * s->unit_bytes;
}

static uint64_t next_offset(struct stream *s, uint32_t *length)
{
	switch (s->load->order) {
	case ORDER_SEQUENTIAL:
		return next_sequential(s, length);
	case ORDER_STRIDED:
		return next_strided(s);
	case ORDER_PERMUTED:
		return next_permuted(s);
	case ORDER_RANDOM:
		return rng_below(&s->rng, s->units) * s->unit_bytes;
	case ORDER_ZIPF:
		return permute_at(&s->permute, zipf_next(&s->zipf, &s->rng)) * s->unit_bytes;
	case ORDER_HOT_COLD:
		return next_hot_cold(s);
	}
	return 0;
}

void stream_next(struct stream *s, struct io *io)
{
	const struct workload *load = s->load;
	uint32_t length;

	if (load->trim) {
		length = s->unit_bytes;
		io->op = IO_TRIM;
		io->offset = load->span_offset_bytes + next_sequential(s, &length);
		io->length = length;
		return;
	}
	io->op = draw_read(s) ? IO_READ : IO_WRITE;
	length = draw_length(s);
	io->offset = load->span_offset_bytes + next_offset(s, &length);
	io->length = length;
	io->content = load->content;
	if (io->op == IO_WRITE && !load->content.verify)
		io->content.generation += s->generation;
}
