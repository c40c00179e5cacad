/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

const char *const load_mix_names[] = { "bernoulli", "alternate", NULL };
const char *const load_order_names[] = { "sequential", "permuted", "random", "zipf",
					 "hot-cold",   "strided",  NULL };
const char *const load_arrival_names[] = { "closed", "fixed", "poisson", NULL };

void workload_init(struct workload *w)
{
	*w = (struct workload){
		.read_pct = 100,
		.block = { { 4096, 1 } },
		.blocks = 1,
		.order = ORDER_RANDOM,
		.zipf_theta = 1,
		.hot_ops_pct = 80,
		.hot_span_pct = 20,
		.queue_depth = 1,
		.threads = 1,
		.window_ns = NS_PER_S,
		.seed = 1,
	};
}

uint32_t workload_block_max(const struct workload *w)
{
	uint32_t max = 0;

	for (unsigned i = 0; i < w->blocks; i++)
		if (w->block[i].bytes > max)
			max = w->block[i].bytes;
	return max;
}

static int validate_blocks(const struct workload *w, uint32_t block_bytes, struct err *err)
{
	char size[32], unit[32];

	if (w->blocks < 1 || w->blocks > WORKLOAD_BLOCKS_MAX)
		return err_set(err, -EINVAL, "a load needs 1 to %d block sizes",
			       WORKLOAD_BLOCKS_MAX);
	for (unsigned i = 0; i < w->blocks; i++)
		if (w->block[i].bytes == 0 || w->block[i].bytes % block_bytes ||
		    w->block[i].weight == 0)
			return err_set(
				err, -EINVAL,
				"a block size of %s does not fit the drive, whose blocks are %s",
				format_bytes(size, sizeof(size), w->block[i].bytes),
				format_bytes(unit, sizeof(unit), block_bytes));
	return 0;
}

static int validate_place(const struct workload *w, uint64_t capacity_bytes, uint32_t block_bytes,
			  struct err *err)
{
	char a[32], b[32];
	uint64_t need = workload_block_max(w);

	if (w->order == ORDER_SEQUENTIAL && !w->share_start)
		need *= w->threads;
	if (w->span_bytes > capacity_bytes || w->span_offset_bytes > capacity_bytes - w->span_bytes)
		return err_set(err, -EINVAL, "a span of %s does not lie within the drive's %s",
			       format_bytes(a, sizeof(a), w->span_bytes),
			       format_bytes(b, sizeof(b), capacity_bytes));
	if (w->span_offset_bytes % block_bytes || w->span_bytes % block_bytes)
		return err_set(err, -EINVAL,
			       "the span or its offset is not a multiple of the drive's blocks");
	if (w->span_bytes < need)
		return err_set(err, -EINVAL,
			       "a span of %s is too small for the load, which needs %s",
			       format_bytes(a, sizeof(a), w->span_bytes),
			       format_bytes(b, sizeof(b), need));
	if (w->order == ORDER_STRIDED && (w->stride_bytes == 0 || w->stride_bytes % block_bytes))
		return err_set(err, -EINVAL,
			       "a strided load needs a stride that fits the drive's blocks");
	return 0;
}

int workload_validate(const struct workload *w, uint64_t capacity_bytes, uint32_t block_bytes,
		      struct err *err)
{
	int r;

	if (w->queue_depth < 1 || w->queue_depth > 65536 || w->threads < 1 || w->threads > 1024)
		return err_set(err, -EINVAL,
			       "queue depth (1 to 65536) or threads (1 to 1024) out of range");
	if (!(w->read_pct >= 0 && w->read_pct <= 100))
		return err_set(err, -EINVAL, "the share of reads must be 0 to 100 %%");
	r = validate_blocks(w, block_bytes, err);
	if (r == 0)
		r = validate_place(w, capacity_bytes, block_bytes, err);
	if (r < 0)
		return r;
	if (w->arrival != ARRIVAL_CLOSED && !(w->offered_iops > 0))
		return err_set(err, -EINVAL, "an open loop needs the rate that is offered");
	if (w->window_ns == 0)
		return err_set(err, -EINVAL, "a window needs a length");
	if (!w->stop_bytes && !w->stop_ns && !w->stop_passes)
		return err_set(err, -EINVAL,
			       "the load would never end; give bytes, a time or passes");
	return 0;
}

char *workload_name(const struct workload *w, char *buf, size_t size)
{
	char block[32], direction[24];
	uint32_t bytes = w->block[0].bytes;

	if (bytes % (1u << 20) == 0)
		snprintf(block, sizeof(block), "%uM", bytes >> 20);
	else if (bytes % 1024 == 0)
		snprintf(block, sizeof(block), "%uK", bytes >> 10);
	else
		snprintf(block, sizeof(block), "%uB", bytes);
	if (w->read_pct >= 100)
		snprintf(direction, sizeof(direction), "read");
	else if (w->read_pct <= 0)
		snprintf(direction, sizeof(direction), "write");
	else
		snprintf(direction, sizeof(direction), "%.3g%% read", w->read_pct);
	snprintf(buf, size, "%s%s%s Q%uT%u %s", w->order == ORDER_SEQUENTIAL ? "SEQ" : "RND", block,
		 w->blocks > 1 ? "+" : "", w->queue_depth, w->threads, direction);
	return buf;
}
