/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The empirical distribution function is the staircase of (x[i], i). Within an interval [low, high], where the
 * mode is thought to lie, let `below` be the corners of the greatest convex minorant and `above` those of the
 * least concave majorant. Where the two are furthest apart bounds the interval anew; outside it the
 * distribution must be convex to the left and concave to the right, and how far the staircase is from that is
 * a lower bound of the dip. The interval shrinks until nothing outside is worse than what is inside.
 *
 * All distances are in steps of the staircase; the dip is half the largest, divided by n.
 */
#include "analysis/dip.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"

struct dip {
	const double *x;
	size_t n;
	size_t *convex;	 /* for each i the next corner to the left of the minorant of all up to i */
	size_t *concave; /* and to the right, of the majorant of all from i on */
	size_t *below,
		*above; /* corners in the interval; below from high to low, above from low to high */
	size_t n_below, n_above;
};

static void dip_release(struct dip *d)
{
	free(d->convex);
	free(d->concave);
	free(d->below);
	free(d->above);
}

/* Is the slope of the staircase from a to b smaller than from b to c? */
static bool turns_up(const struct dip *d, size_t a, size_t b, size_t c)
{
	return (d->x[c] - d->x[b]) * (double)(b - a) < (d->x[b] - d->x[a]) * (double)(c - b);
}

static bool turns_down(const struct dip *d, size_t a, size_t b, size_t c)
{
	return (d->x[b] - d->x[a]) * (double)(c - b) < (d->x[c] - d->x[b]) * (double)(b - a);
}

static void hulls(struct dip *d)
{
	for (size_t i = 1; i < d->n; i++) {
		size_t j = i - 1;

		while (j > 0 && !turns_up(d, d->convex[j], j, i))
			j = d->convex[j];
		d->convex[i] = j;
	}
	d->concave[d->n - 1] = d->n - 1;
	for (size_t i = d->n - 1; i-- > 0;) {
		size_t j = i + 1;

		while (j < d->n - 1 && !turns_down(d, i, j, d->concave[j]))
			j = d->concave[j];
		d->concave[i] = j;
	}
}

static void corners(struct dip *d, size_t low, size_t high)
{
	d->n_below = d->n_above = 0;
	for (size_t i = high;; i = d->convex[i]) {
		d->below[d->n_below++] = i;
		if (i <= low)
			break;
	}
	for (size_t i = low;; i = d->concave[i]) {
		d->above[d->n_above++] = i;
		if (i >= high)
			break;
	}
}

/* Height at x of the chord between corners a and b. */
static double chord(const struct dip *d, size_t a, size_t b, double x)
{
	double width = d->x[b] - d->x[a];

	if (!(width > 0))
		return (double)b;
	return (double)a + (x - d->x[a]) * (double)(b - a) / width;
}

/*
 * The largest distance between majorant and minorant, and the corners (indices into below and above) that
 * bound the interval in which it lies.
 */
static double widest(const struct dip *d, size_t *ret_below, size_t *ret_above)
{
	size_t i = d->n_below - 1, j = 0; /* both walk from low to high */
	double best = 0;

	*ret_below = i;
	*ret_above = 0;
	if (d->n_below == 2 && d->n_above == 2)
		return 1;
	i--;
	j++;
	do {
		double distance;

		if (d->below[i] > d->above[j]) {
			/* Corner of the majorant over an edge of the minorant; the staircase has its riser there. */
			size_t k = d->above[j];

			distance = (double)k + 1 - chord(d, d->below[i + 1], d->below[i], d->x[k]);
			if (distance >= best) {
				best = distance;
				*ret_below = i + 1;
				*ret_above = j;
			}
			j += j + 1 < d->n_above;
		} else {
			size_t k = d->below[i];

			distance = chord(d, d->above[j - 1], d->above[j], d->x[k]) - (double)k + 1;
			if (distance >= best) {
				best = distance;
				*ret_below = i;
				*ret_above = j;
			}
			i -= i > 0;
		}
	} while (d->below[i] != d->above[j]);
	return best;
}

/* How far the staircase rises over the minorant's edges to the left of corner `from` of below. */
static double misfit_left(const struct dip *d, size_t from)
{
	double worst = 0;

	for (size_t c = from; c + 1 < d->n_below; c++) {
		size_t a = d->below[c + 1], b = d->below[c];
		double edge = 1;

		if (b - a > 1 && d->x[b] > d->x[a])
			for (size_t k = a; k <= b; k++)
				edge = fmax(edge, (double)k + 1 - chord(d, a, b, d->x[k]));
		worst = fmax(worst, edge);
	}
	return worst;
}

/* And how far it falls below the majorant's to the right of corner `from` of above. */
static double misfit_right(const struct dip *d, size_t from)
{
	double worst = 0;

	for (size_t c = from; c + 1 < d->n_above; c++) {
		size_t a = d->above[c], b = d->above[c + 1];
		double edge = 1;

		if (b - a > 1 && d->x[b] > d->x[a])
			for (size_t k = a; k <= b; k++)
				edge = fmax(edge, chord(d, a, b, d->x[k]) - (double)k + 1);
		worst = fmax(worst, edge);
	}
	return worst;
}

int dip_statistic(const double *sorted, size_t n, double *ret)
{
	_cleanup_(dip_release) struct dip d = { .x = sorted,
						.n = n,
						.convex = calloc(n, sizeof(size_t)),
						.concave = calloc(n, sizeof(size_t)),
						.below = calloc(n + 1, sizeof(size_t)),
						.above = calloc(n + 1, sizeof(size_t)) };
	size_t low = 0, high = n - 1;
	double worst = 1;

	if (!d.convex || !d.concave || !d.below || !d.above)
		return -ENOMEM;
	*ret = 1.0 / (2 * (double)n);
	if (n < 2 || !(sorted[n - 1] > sorted[0]))
		return 0;
	hulls(&d);
	/* An interval of one point has nothing inside. */
	while (low < high) {
		size_t below, above;
		double inside;

		corners(&d, low, high);
		inside = widest(&d, &below, &above);
		if (inside < worst)
			break;
		worst = fmax(worst, fmax(misfit_left(&d, below), misfit_right(&d, above)));
		if (low == d.below[below] && high == d.above[above])
			break;
		low = d.below[below];
		high = d.above[above];
	}
	*ret = worst / (2 * (double)n);
	return 0;
}
