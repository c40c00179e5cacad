/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/saturate_levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/segment.h"
#include "analysis/steady.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

/* A run too short for that many blocks of 50 s gets shorter ones. */
#define BLOCKS_MIN 72u
#define BLOCKS_SHORTEST 2u /* that a level is long */
/* So many windows of the whole run where the cliff does not lie in its first round. */
#define COARSE_WINDOWS 3000u

struct block {
	size_t first, n; /* seconds */
	double median;
};

DEFINE_VEC(blocks, struct block);

int saturate_mean(const struct saturate_trace *t, double from_s, double to_s, struct estimate *ret)
{
	size_t first = saturate_trace_find(t, from_s), n = 0;
	_cleanup_free_ double *x = malloc((t->seconds.n + 1) * sizeof(*x));
	double sum = 0;

	*ret = estimate_none(0);
	if (!x)
		return -ENOMEM;
	for (size_t i = first; i < t->seconds.n && t->seconds.items[i].at_s < to_s; i++)
		if (t->seconds.items[i].at_s >= from_s || i == first) {
			x[n] = t->seconds.items[i].iops;
			sum += x[n++];
		}
	if (n == 0)
		return 0;
	summary_batch_means(x, n, ret);
	if (ret->status != STATUS_MEASURED)
		*ret = estimate_of(sum / (double)n, NAN, n);
	return 0;
}

static int find_cliff(struct saturate_levels *ret, const struct saturate_trace *t, uint64_t seed)
{
	const struct point *end = t->fine.n ? &t->fine.items[t->fine.n - 1] : NULL;
	struct series coarse = { 0 };
	int r = knee_find(&t->fine, seed, &ret->cliff);

	/* Little more than the first round says nothing that it does not. */
	if (r < 0 || ret->cliff.status == KNEE_MEASURED || !end ||
	    t->length_s < 1.5 * (double)(end->start_ns + end->length_ns) / 1e9)
		return r;
	r = saturate_trace_coarse(t, COARSE_WINDOWS, &coarse);
	if (r == 0)
		r = knee_find(&coarse, seed, &ret->cliff);
	series_release(&coarse);
	return r;
}

/* The seconds from `from_s` on in blocks, each with its median. */
static int make_blocks(const struct saturate_trace *t, double from_s, struct blocks *ret)
{
	double length_s = fmin(SATURATE_BLOCK_S, t->length_s / BLOCKS_MIN);
	_cleanup_free_ double *sorted = malloc((t->seconds.n + 1) * sizeof(*sorted));
	size_t i = saturate_trace_find(t, from_s);

	if (!sorted)
		return -ENOMEM;
	if (i < t->seconds.n && t->seconds.items[i].at_s < from_s)
		i++;
	while (i < t->seconds.n) {
		struct block block = { .first = i };
		double until_s = t->seconds.items[i].at_s + length_s * 0.999999;

		while (i < t->seconds.n && (block.n == 0 || t->seconds.items[i].at_s < until_s))
			sorted[block.n++] = t->seconds.items[i++].iops;
		sample_sort(sorted, block.n);
		block.median = sorted_quantile(sorted, block.n, 0.5);
		if (blocks_push(ret, block) < 0)
			return -ENOMEM;
	}
	return 0;
}

static double end_s(const struct saturate_trace *t, size_t second)
{
	return second < t->seconds.n ? t->seconds.items[second].at_s : t->length_s;
}

static double end_bytes(const struct saturate_trace *t, size_t second)
{
	return second < t->seconds.n ? t->seconds.items[second].at_bytes : t->bytes;
}

static double median_of(const struct blocks *blocks, size_t low, size_t high, double *sorted)
{
	for (size_t i = low; i < high; i++)
		sorted[i - low] = blocks->items[i].median;
	sample_sort(sorted, high - low);
	return sorted_quantile(sorted, high - low, 0.5);
}

/* The seconds [first, end) as a level. */
static int level_of(const struct saturate_trace *t, size_t first, size_t end, struct level *ret)
{
	ret->from_s = t->seconds.items[first].at_s;
	ret->from_bytes = t->seconds.items[first].at_bytes;
	ret->to_s = end_s(t, end);
	ret->to_bytes = end_bytes(t, end);
	return saturate_mean(t, ret->from_s, ret->to_s, &ret->iops);
}

static size_t block_end(const struct saturate_trace *t, const struct blocks *blocks, size_t high)
{
	return high < blocks->n ? blocks->items[high].first : t->seconds.n;
}

static int add_level(struct saturate_levels *ret, const struct saturate_trace *t,
		     const struct blocks *blocks, size_t low, size_t high, double *sorted)
{
	struct level level = { .median_iops = median_of(blocks, low, high, sorted) };
	int r = level_of(t, blocks->items[low].first, block_end(t, blocks, high), &level);

	return r < 0 ? r : level_list_push(&ret->list, level);
}

static bool alike(double a, double b)
{
	return fabs(a - b) <= SATURATE_LEVEL_MIN * fmax(a, b);
}

/* Levels from cuts: pieces that are alike are one. */
static int join(struct saturate_levels *ret, const struct saturate_trace *t,
		const struct blocks *blocks, const struct cuts *cuts)
{
	_cleanup_free_ double *sorted = malloc((blocks->n + 1) * sizeof(*sorted));
	size_t low = 0;
	int r = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 1; i < cuts->n && r == 0; i++) {
		size_t cut = cuts->items[i];

		if (i + 1 < cuts->n && alike(median_of(blocks, low, cut, sorted),
					     median_of(blocks, cut, cuts->items[i + 1], sorted)))
			continue;
		r = add_level(ret, t, blocks, low, cut, sorted);
		low = cut;
	}
	return r;
}

/* One past the run of blocks from i on whose medians are below. */
static size_t run_end(const struct blocks *blocks, size_t i, double below)
{
	while (i < blocks->n && blocks->items[i].median < below)
		i++;
	return i;
}

/* The split of the seconds [low, high) at which the means of both sides, in logarithms, differ most. */
static size_t sharpest(const struct saturate_trace *t, size_t low, size_t high)
{
	double total = 0, left = 0, most = -1;
	size_t best = low;

	for (size_t i = low; i < high; i++)
		total += log(fmax(t->seconds.items[i].iops, 1));
	for (size_t i = low + 1; i < high; i++) {
		double k = (double)(i - low), rest = (double)(high - i), difference;

		left += log(fmax(t->seconds.items[i - 1].iops, 1));
		difference = left / k - (total - left) / rest;
		if (difference * difference * k * rest > most) {
			most = difference * difference * k * rest;
			best = i;
		}
	}
	return best;
}

static int find_trough(struct saturate_levels *ret, const struct saturate_trace *t,
		       const struct blocks *blocks, double *sorted)
{
	double below =
		(1 - SATURATE_LEVEL_MIN) * median_of(blocks, blocks->n / 2, blocks->n, sorted);
	size_t lowest = 0, low, high, first, end;
	struct summary summary;
	int r;

	for (size_t i = 0; i < blocks->n; i++)
		if (blocks->items[i].median < blocks->items[lowest].median)
			lowest = i;
	high = run_end(blocks, lowest, below);
	for (low = lowest; low > 0 && blocks->items[low - 1].median < below;)
		low--;
	if (high < low + 2 || high == blocks->n)
		return 0;
	for (size_t i = high, next; i < blocks->n; i = next + 1) {
		next = run_end(blocks, i, below);
		if (2 * (next - i) >= high - low)
			return 0;
	}
	first = blocks->items[low].first;
	if (low > 0)
		first = sharpest(t, blocks->items[low - 1].first, block_end(t, blocks, low + 1));
	end = sharpest(t, blocks->items[high - 1].first, block_end(t, blocks, high + 1));
	ret->has_trough = true;
	ret->trough.median_iops = median_of(blocks, low, high, sorted);
	r = summarise(sorted, high - low, &summary);
	ret->trough_typical = summary.median;
	return r < 0 ? r : level_of(t, first, end, &ret->trough);
}

static void find_tail(struct saturate_levels *ret, const struct blocks *blocks,
		      const struct saturate_trace *t, double *room)
{
	const struct level *list = ret->list.items;
	size_t last = ret->list.n - 1, cut;

	while (last > 0 && alike(list[last - 1].iops.value, list[ret->list.n - 1].iops.value))
		last--;
	ret->tail_s = list[last].from_s;
	if (ret->has_trough) {
		ret->tail_s = fmax(ret->tail_s, ret->trough.to_s);
		return;
	}
	for (size_t i = 0; i < blocks->n; i++)
		room[i] = blocks->items[i].median;
	if (steady_truncate(room, blocks->n, &cut) == STATUS_MEASURED)
		ret->tail_s = fmax(ret->tail_s, t->seconds.items[blocks->items[cut].first].at_s);
}

static int find_levels(struct saturate_levels *ret, const struct saturate_trace *t,
		       const struct blocks *blocks, uint64_t seed)
{
	_cleanup_free_ double *y = malloc((blocks->n + 1) * sizeof(*y));
	_cleanup_(cuts_release) struct cuts cuts = { 0 };
	int r;

	if (!y)
		return -ENOMEM;
	/* A block in which nothing was written counts as one write. */
	for (size_t i = 0; i < blocks->n; i++)
		y[i] = log(fmax(blocks->items[i].median, 1));
	r = segment_find(y, blocks->n, BLOCKS_SHORTEST, seed, &cuts);
	if (r == 0)
		r = join(ret, t, blocks, &cuts);
	if (r == 0)
		r = find_trough(ret, t, blocks, y);
	if (r == 0)
		find_tail(ret, blocks, t, y);
	return r;
}

static int add_plateau(struct saturate_levels *ret, const struct saturate_trace *t)
{
	struct level plateau = {
		.to_s = ret->cliff.at_s,
		.to_bytes = ret->cliff.bytes.value,
		.median_iops = ret->cliff.before_mbps * 1e6 / 4096,
	};
	int r = saturate_mean(t, 0, plateau.to_s, &plateau.iops);

	return r < 0 ? r : level_list_push(&ret->list, plateau);
}

int saturate_levels_find(struct saturate_levels *ret, const struct saturate_trace *t, uint64_t seed)
{
	struct blocks blocks = { 0 };
	double from_s = 0;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (t->seconds.n == 0)
		return 0;
	r = find_cliff(ret, t, seed);
	if (r == 0 && ret->cliff.status == KNEE_MEASURED) {
		from_s = ret->cliff.at_s;
		r = add_plateau(ret, t);
	}
	if (r == 0)
		r = make_blocks(t, from_s, &blocks);
	if (r == 0 && blocks.n)
		r = find_levels(ret, t, &blocks, seed);
	blocks_release(&blocks);
	return r;
}

void saturate_levels_release(struct saturate_levels *levels)
{
	level_list_release(&levels->list);
}
