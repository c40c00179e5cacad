/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/regimes.h"

#include <assert.h>
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>

#include "analysis/segment.h"
#include "base/cleanup.h"

#define SIMULATED 199
#define BREAK_PARAMETERS 3
#define HANSEN_95 7.35
#define LEVELS_MAX 500

/* Sums over all points with an x up to and including the level. */
struct sums {
	double n, x, y, xx, xy, yy;
};

/* The data by levels of x; sums[0] is empty, sums[i] goes up to level i - 1. */
struct ladder {
	size_t n, levels;
	double *x, *y; /* sorted by x, both centred */
	size_t *level; /* of each point */
	double *at;    /* x of each level */
	struct sums *sums;
	double *cost; /* room of the dynamic programming: (REGIMES_MAX + 1) * (levels + 1) */
	size_t *from;
	double x_mean, y_mean;
};

struct pieces {
	bool lines;
	unsigned k;
	size_t cut[REGIMES_MAX + 1]; /* in levels; 0 first, levels last */
	double rss, bic;
};

static void ladder_release(struct ladder *l)
{
	free(l->x);
	free(l->y);
	free(l->level);
	free(l->at);
	free(l->sums);
	free(l->cost);
	free(l->from);
}

static void ladder_sum(struct ladder *l)
{
	struct sums s = { 0 };

	l->sums[0] = s;
	for (size_t i = 0; i < l->n; i++) {
		s.n++;
		s.x += l->x[i];
		s.y += l->y[i];
		s.xx += l->x[i] * l->x[i];
		s.xy += l->x[i] * l->y[i];
		s.yy += l->y[i] * l->y[i];
		l->sums[l->level[i] + 1] = s;
	}
}

static int ladder_load(struct ladder *l, const double *x, const double *y, size_t n)
{
	_cleanup_free_ size_t *order = calloc(n + 1, sizeof(size_t));

	*l = (struct ladder){ .n = n,
			      .x = calloc(n + 1, sizeof(double)),
			      .y = calloc(n + 1, sizeof(double)),
			      .level = calloc(n + 1, sizeof(size_t)),
			      .at = calloc(n + 1, sizeof(double)),
			      .sums = calloc(n + 2, sizeof(struct sums)),
			      .cost = calloc((REGIMES_MAX + 1) * (n + 1), sizeof(double)),
			      .from = calloc((REGIMES_MAX + 1) * (n + 1), sizeof(size_t)) };
	if (!order || !l->x || !l->y || !l->level || !l->at || !l->sums || !l->cost || !l->from)
		return -ENOMEM;
	gsl_sort_index(order, x, 1, n);
	for (size_t i = 0; i < n; i++) {
		l->x_mean += x[i] / (double)n;
		l->y_mean += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || x[order[i]] > x[order[i - 1]])
			l->at[l->levels++] = x[order[i]];
		l->level[i] = l->levels - 1;
		l->x[i] = x[order[i]] - l->x_mean;
		l->y[i] = y[order[i]] - l->y_mean;
	}
	ladder_sum(l);
	return 0;
}

static struct sums between(const struct ladder *l, size_t low, size_t high)
{
	const struct sums *a = &l->sums[low], *b = &l->sums[high];

	return (struct sums){ b->n - a->n,   b->x - a->x,   b->y - a->y,
			      b->xx - a->xx, b->xy - a->xy, b->yy - a->yy };
}

/* Residual sum of squares of the best piece over levels [low, high); INFINITY where it holds too few points. */
static double piece_rss(const struct ladder *l, size_t low, size_t high, bool line)
{
	struct sums s = between(l, low, high);
	double yy, xx, xy;

	if (s.n < (line ? 3 : 2) || (line && high - low < 2))
		return INFINITY;
	yy = s.yy - s.y * s.y / s.n;
	if (line) {
		xx = s.xx - s.x * s.x / s.n;
		xy = s.xy - s.x * s.y / s.n;
		yy -= xy * xy / xx;
	}
	return fmax(yy, 0);
}

/* Differences below a billionth of the total are rounding, not fit. */
static double bic(const struct ladder *l, double rss, double parameters)
{
	double n = (double)l->n, all = l->sums[l->levels].yy;

	return n * log(fmax(rss, 1e-9 * all + 1e-300) / n) + parameters * log(n);
}

/* The cheapest `k` pieces over levels [0, high): their cost, and where the last of them begins. */
static void cheapest_cut(const struct ladder *l, unsigned k, size_t high, bool lines)
{
	size_t stride = l->levels + 1;
	double *cost = &l->cost[k * stride + high];

	*cost = INFINITY;
	for (size_t low = 1; low < high; low++) {
		double c = l->cost[(k - 1) * stride + low];

		/* The piece costs at least nothing: spare its sums where that is too much. */
		if (c >= *cost)
			continue;
		c += piece_rss(l, low, high, lines);
		if (c < *cost) {
			*cost = c;
			l->from[k * stride + high] = low;
		}
	}
}

/* For each number of pieces the cheapest cuts; returns the best by BIC among 2..REGIMES_MAX pieces. */
static struct pieces best_pieces(const struct ladder *l, bool lines)
{
	struct pieces best = { .lines = lines, .bic = INFINITY };
	size_t m = l->levels, stride = m + 1;

	for (size_t high = 0; high <= m; high++)
		l->cost[stride + high] = high ? piece_rss(l, 0, high, lines) : INFINITY;
	for (unsigned k = 2; k <= REGIMES_MAX; k++) {
		struct pieces p = { .lines = lines, .k = k };

		for (size_t high = 0; high <= m; high++)
			cheapest_cut(l, k, high, lines);
		p.rss = l->cost[k * stride + m];
		if (!isfinite(p.rss))
			break;
		p.bic = bic(l, p.rss, k * (lines ? 2 : 1) + BREAK_PARAMETERS * (k - 1));
		if (!(p.bic < best.bic))
			continue;
		p.cut[k] = m;
		for (unsigned j = k; j > 1; j--)
			p.cut[j - 1] = l->from[j * stride + p.cut[j]];
		best = p;
	}
	return best;
}

/* The best description with breaks, and how much its BIC gains over one line. */
static double gain(const struct ladder *l, struct pieces *ret)
{
	struct pieces lines = best_pieces(l, true), constants = best_pieces(l, false);

	*ret = constants.bic < lines.bic ? constants : lines;
	return bic(l, piece_rss(l, 0, l->levels, true), 2) - ret->bic;
}

/* Share of lines with normal noise that gain as much. The gain depends on neither slope nor scale. */
static double gain_p(struct ladder *l, double delta_bic, uint64_t seed)
{
	unsigned exceed = 1;
	struct rng rng;

	rng_init(&rng, seed, 2);
	for (unsigned b = 0; b < SIMULATED; b++) {
		struct pieces p;

		for (size_t i = 0; i < l->n; i++)
			l->y[i] = rng_normal_pair(&rng).a;
		ladder_sum(l);
		exceed += gain(l, &p) >= delta_bic;
	}
	return (double)exceed / (SIMULATED + 1);
}

static void fill_regime(const struct ladder *l, size_t low, size_t high, bool line,
			struct regime *ret)
{
	struct sums s = between(l, low, high);
	double xx = s.xx - s.x * s.x / s.n;

	ret->x_low = l->at[low];
	ret->x_high = l->at[high - 1];
	ret->n = (uint64_t)s.n;
	ret->mean = l->y_mean + s.y / s.n;
	ret->slope = line && xx > 0 ? (s.xy - s.x * s.y / s.n) / xx : 0;
	ret->intercept = ret->mean - ret->slope * (l->x_mean + s.x / s.n);
}

static void fill_break(const struct ladder *l, const struct pieces *p, unsigned i,
		       struct estimate *ret)
{
	size_t cut = p->cut[i], first = cut, last = cut;
	double own = piece_rss(l, p->cut[i - 1], cut, p->lines) +
		     piece_rss(l, cut, p->cut[i + 1], p->lines);
	double limit = own + HANSEN_95 * p->rss / (double)l->n;

	for (size_t c = p->cut[i - 1] + 1; c < p->cut[i + 1]; c++) {
		if (piece_rss(l, p->cut[i - 1], c, p->lines) +
			    piece_rss(l, c, p->cut[i + 1], p->lines) >
		    limit)
			continue;
		first = c < first ? c : first;
		last = c > last ? c : last;
	}
	*ret = estimate_of((l->at[cut - 1] + l->at[cut]) / 2, NAN, l->n);
	ret->low = l->at[first - 1];
	ret->high = l->at[last];
}

int regimes_find(const double *x, const double *y, size_t n, uint64_t seed, struct regimes *ret)
{
	_cleanup_(ladder_release) struct ladder l = { 0 };
	struct pieces p;
	int r;

	*ret = (struct regimes){
		.status = STATUS_NOT_IDENTIFIABLE, .delta_bic = NAN, .p = NAN, .residual_sd = NAN
	};
	for (unsigned i = 0; i < REGIMES_MAX - 1; i++)
		ret->breaks[i] = estimate_none(n);
	r = ladder_load(&l, x, y, n);
	if (r < 0)
		return r;
	if (n < REGIMES_POINTS_MIN || l.levels < 4)
		return 0;
	assert(l.levels <= LEVELS_MAX);
	ret->status = STATUS_MEASURED;
	ret->delta_bic = gain(&l, &p);
	ret->segments = 1;
	ret->lines = true;
	ret->residual_sd = sqrt(piece_rss(&l, 0, l.levels, true) / (double)(n - 2));
	fill_regime(&l, 0, l.levels, true, &ret->regime[0]);
	ret->p = 1;
	if (ret->delta_bic <= 0)
		return 0;
	ret->p = gain_p(&l, ret->delta_bic, seed);
	if (ret->p > 0.05)
		return 0;
	/* The simulation overwrote y. */
	ladder_release(&l);
	r = ladder_load(&l, x, y, n);
	if (r < 0)
		return r;
	ret->segments = p.k;
	ret->lines = p.lines;
	ret->residual_sd = sqrt(p.rss / fmax((double)n - p.k * (p.lines ? 2 : 1), 1));
	for (unsigned i = 0; i < p.k; i++)
		fill_regime(&l, p.cut[i], p.cut[i + 1], p.lines, &ret->regime[i]);
	for (unsigned i = 1; i < p.k; i++)
		fill_break(&l, &p, i, &ret->breaks[i - 1]);
	return 0;
}
