/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/modes.h"

#include <errno.h>
#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/change.h"
#include "analysis/dip.h"
#include "analysis/segment.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define SIMULATED 999
#define P_MAX 0.025
#define DELTA_BIC_MIN 6
#define EM_STEPS_MAX 500

struct component {
	double weight, mean, sd;
};

struct mixture {
	struct component c[2]; /* ascending means */
	double log_likelihood;
};

static double log_density(const struct component *c, double x)
{
	double z = (x - c->mean) / c->sd;

	return log(c->weight) - log(c->sd) - 0.5 * z * z - 0.5 * log(2 * M_PI);
}

/* Probability that x belongs to the upper component; adds its log likelihood. */
static double upper_share(const struct mixture *m, double x, double *log_likelihood)
{
	double a = log_density(&m->c[0], x), b = log_density(&m->c[1], x), top = fmax(a, b);

	*log_likelihood += top + log(exp(a - top) + exp(b - top));
	return 1 / (1 + exp(a - b));
}

/* Weighted mean and sd from sums; the weights of x in the lower component are 1 - upper. */
static void update(struct component *c, double n, double weight, double sum, double squares,
		   double sd_min)
{
	/* An empty component stays where it is with next to no weight. */
	c->weight = fmin(fmax(weight / n, 1e-6), 1 - 1e-6);
	if (weight < 1e-6 * n)
		return;
	c->mean = sum / weight;
	c->sd = fmax(sqrt(fmax(squares / weight - c->mean * c->mean, 0)), sd_min);
}

/* EM (Dempster, Laird, Rubin 1977) on centred x from a split of the sorted sample at `cut`. */
static struct mixture mixture_fit(const double *x, size_t n, size_t cut, double sd_min)
{
	struct mixture m = { .log_likelihood = -INFINITY };

	for (int i = 0; i < 2; i++) {
		const double *part = i ? x + cut : x;
		size_t size = i ? n - cut : cut;

		m.c[i].weight = (double)size / (double)n;
		m.c[i].mean = sample_mean(part, size);
		m.c[i].sd = fmax(size > 1 ? sqrt(sample_variance(part, size)) : 0, sd_min);
	}
	for (int step = 0; step < EM_STEPS_MAX; step++) {
		double weight = 0, sum = 0, squares = 0, all = 0, all_squares = 0, likelihood = 0;

		for (size_t i = 0; i < n; i++) {
			double upper = upper_share(&m, x[i], &likelihood);

			weight += upper;
			sum += upper * x[i];
			squares += upper * x[i] * x[i];
			all += x[i];
			all_squares += x[i] * x[i];
		}
		if (likelihood - m.log_likelihood < 1e-7 * (1 + fabs(likelihood)))
			break;
		m.log_likelihood = likelihood;
		update(&m.c[1], (double)n, weight, sum, squares, sd_min);
		update(&m.c[0], (double)n, (double)n - weight, all - sum, all_squares - squares,
		       sd_min);
	}
	return m;
}

/* The widest gap in units of the larger sd of both sides, and the number of scores below it. */
struct gap {
	double width;
	size_t below;
};

static struct gap widest_gap(const double *sorted, size_t n)
{
	struct gap best = { 0, n / 2 };
	size_t least = n / 10 > 3 ? (n + 9) / 10 : 3;
	double sum = 0, squares = 0, all = 0, all_squares = 0, centre = sorted[n / 2];

	for (size_t i = 0; i < n; i++) {
		all += sorted[i] - centre;
		all_squares += (sorted[i] - centre) * (sorted[i] - centre);
	}
	for (size_t k = 1; k + least <= n; k++) {
		double y = sorted[k - 1] - centre, a = (double)k, b = (double)(n - k), low, high;
		double width;

		sum += y;
		squares += y * y;
		if (k < least)
			continue;
		low = (squares - sum * sum / a) / (a - 1);
		high = (all_squares - squares - (all - sum) * (all - sum) / b) / (b - 1);
		width = (sorted[k] - sorted[k - 1]) /
			sqrt(fmax(fmax(low, high), 1e-12 * all_squares + 1e-300));
		if (width > best.width)
			best = (struct gap){ width, k };
	}
	return best;
}

/* A sample of one of the distributions with one mode that gaps are compared with. */
static double one_mode(struct rng *rng, int family)
{
	double u = rng_double(rng);

	switch (family) {
	case 0:
		return u;
	case 1:
		return -log(1 - u);
	case 2:
		return u * u;
	default:
		return exp(0.5 * rng_normal_pair(rng).a);
	}
}

static double gap_p(double width, size_t n, uint64_t seed, double *room)
{
	double worst = 0;

	for (int family = 0; family < 4; family++) {
		unsigned exceed = 1;
		struct rng rng;

		rng_init(&rng, seed, 10 + (uint64_t)family);
		for (unsigned b = 0; b < SIMULATED; b++) {
			for (size_t i = 0; i < n; i++)
				room[i] = one_mode(&rng, family);
			sample_sort(room, n);
			exceed += widest_gap(room, n).width >= width;
		}
		worst = fmax(worst, exceed / (SIMULATED + 1.0));
	}
	return worst;
}

static int dip_p(const double *sorted, size_t n, uint64_t seed, double *room, double *ret)
{
	unsigned exceed = 1;
	double dip, simulated;
	struct rng rng;
	int r = dip_statistic(sorted, n, &dip);

	rng_init(&rng, seed, 20);
	for (unsigned b = 0; b < SIMULATED && r >= 0; b++) {
		for (size_t i = 0; i < n; i++)
			room[i] = rng_double(&rng);
		sample_sort(room, n);
		r = dip_statistic(room, n, &simulated);
		exceed += simulated >= dip;
	}
	*ret = exceed / (SIMULATED + 1.0);
	return r;
}

/* The best mixture of several starts, and the number of scores in its lower component. */
static size_t best_mixture(const double *x, size_t n, size_t gap_at, double sd, double *ret_bic)
{
	size_t starts[] = { n / 4, n / 2, n - n / 4, gap_at }, below = 0;
	struct mixture best = { .log_likelihood = -INFINITY };
	double ignored = 0;

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		struct mixture m = mixture_fit(x, n, starts[i], sd / 20);

		if (m.log_likelihood > best.log_likelihood)
			best = m;
	}
	*ret_bic = -2 * best.log_likelihood + 5 * log((double)n);
	if (best.c[0].mean > best.c[1].mean) {
		struct component swap = best.c[0];

		best.c[0] = best.c[1];
		best.c[1] = swap;
	}
	while (below < n &&
	       (x[below] <= best.c[0].mean ||
		(x[below] < best.c[1].mean && upper_share(&best, x[below], &ignored) < 0.5)))
		below++;
	return below;
}

static int describe(const double *sorted, size_t n, size_t below, struct modes *ret)
{
	struct summary low, high;
	int r = summarise(sorted, below, &low);

	if (r >= 0)
		r = summarise(sorted + below, n - below, &high);
	if (r < 0)
		return r;
	if (!(high.mean.value - low.mean.value >= MODES_DIFFERENCE_MIN * fabs(high.mean.value)))
		return 0;
	ret->modes = 2;
	ret->low = low.mean;
	ret->high = high.mean;
	ret->threshold = (sorted[below - 1] + sorted[below]) / 2;
	change_ratio(sorted + below, n - below, sorted, below, &ret->ratio);
	return 0;
}

int modes_find(const double *x, size_t n, uint64_t seed, struct modes *ret)
{
	_cleanup_free_ double *sorted = malloc((n + 1) * sizeof(double));
	_cleanup_free_ double *room = malloc((n + 1) * sizeof(double));
	struct summary all;
	double bic_one, bic_two, variance;
	struct gap gap;
	size_t below;
	int r = summarise(x, n, &all);

	if (r < 0 || !sorted || !room)
		return -ENOMEM;
	*ret = (struct modes){ .status = STATUS_NOT_IDENTIFIABLE,
			       .low = estimate_none(n),
			       .high = estimate_none(n),
			       .ratio = estimate_none(n),
			       .threshold = NAN,
			       .delta_bic = NAN,
			       .p_dip = 1,
			       .p_gap = 1 };
	if (n < MODES_SCORES_MIN)
		return 0;
	ret->status = STATUS_MEASURED;
	ret->modes = 1;
	ret->low = ret->high = all.mean;
	if (!(all.sd > 0))
		return 0;
	memcpy(sorted, x, n * sizeof(double));
	sample_sort(sorted, n);
	gap = widest_gap(sorted, n);
	/* The mixture is fitted to (x - mean) / sd. */
	for (size_t i = 0; i < n; i++)
		room[i] = (sorted[i] - all.mean.value) / all.sd;
	variance = (double)(n - 1) / (double)n;
	bic_one = (double)n * (log(2 * M_PI * variance) + 1) + 2 * log((double)n);
	below = best_mixture(room, n, gap.below, 1, &bic_two);
	ret->delta_bic = bic_one - bic_two;
	if (ret->delta_bic <= DELTA_BIC_MIN || below < 3 || n - below < 3)
		return 0;
	ret->p_gap = gap_p(gap.width, n, seed, room);
	r = dip_p(sorted, n, seed, room, &ret->p_dip);
	if (r < 0 || (ret->p_gap > P_MAX && ret->p_dip > P_MAX))
		return r;
	return describe(sorted, n, below, ret);
}
