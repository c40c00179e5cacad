/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/tail_model.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define LEVELS_MIN 5 /* different u */
#define STEPS_MAX 100
#define HALVINGS_MAX 40
#define PARAMETERS 3	/* with the scatter */
#define Z_NEUMANN 2.326 /* one-sided 1 % */
#define RSS_FLOOR 1e-18 /* a point: nothing is known to more than nine digits */

struct points {
	size_t n;
	double *u, *log_y; /* in the order of u */
	double *x;	   /* room */
};

static double aicc(double rss, size_t points, double k)
{
	double n = (double)points;

	return n * log(fmax(rss / n, RSS_FLOOR)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

static void describe(struct tail_fit *fit, double rss, size_t n)
{
	fit->aicc = aicc(rss, n, PARAMETERS);
	fit->residual_pct = 100 * sqrt(rss / (double)(n - 2));
}

/* ln y over p->x is a line with intercept ln a. */
static void fit_line(const struct points *p, struct tail_fit *ret)
{
	struct line line;

	line_fit(p->x, p->log_y, NULL, p->n, &line);
	ret->a = line.intercept;
	ret->b = line.slope;
	ret->a.value = exp(ret->a.value);
	ret->a.low = exp(ret->a.low);
	ret->a.high = exp(ret->a.high);
	describe(ret, line.residual_sd * line.residual_sd * (double)(p->n - 2), p->n);
}

/* RSS of ln y about ln(a + b x); infinite where that has no logarithm. */
static double cleaning_rss(const struct points *p, double a, double b)
{
	double rss = 0;

	for (size_t i = 0; i < p->n; i++) {
		double y = a + b * p->x[i], e;

		if (!(y > 0))
			return INFINITY;
		e = p->log_y[i] - log(y);
		rss += e * e;
	}
	return rss;
}

/* Normal equations of a step in a and b. */
struct normal {
	double aa, ab, bb, a, b, determinant;
};

static struct normal normal_at(const struct points *p, double a, double b)
{
	struct normal m = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		double y = a + b * p->x[i], e = p->log_y[i] - log(y);
		double by_a = 1 / y, by_b = p->x[i] / y;

		m.aa += by_a * by_a;
		m.ab += by_a * by_b;
		m.bb += by_b * by_b;
		m.a += by_a * e;
		m.b += by_b * e;
	}
	m.determinant = m.aa * m.bb - m.ab * m.ab;
	return m;
}

/* The line of y over x with weights 1 / y^2; where it is not positive everywhere, a constant. */
static void cleaning_start(const struct points *p, double *ret_a, double *ret_b)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, d;

	for (size_t i = 0; i < p->n; i++) {
		double v = exp(p->log_y[i]), weight = 1 / (v * v);

		w += weight;
		x += weight * p->x[i];
		y += weight * v;
		xx += weight * p->x[i] * p->x[i];
		xy += weight * p->x[i] * v;
	}
	d = w * xx - x * x;
	*ret_b = (w * xy - x * y) / d;
	*ret_a = (y - *ret_b * x) / w;
	if (isfinite(cleaning_rss(p, *ret_a, *ret_b)))
		return;
	*ret_a = exp(sample_mean(p->log_y, p->n));
	*ret_b = 0;
}

/* a + b x, with x = 1 / (1 - u). */
static void fit_cleaning(const struct points *p, struct tail_fit *ret)
{
	double a, b, rss, t = t_point((double)p->n - 2);
	struct normal m;

	cleaning_start(p, &a, &b);
	rss = cleaning_rss(p, a, b);
	for (int step = 0; step < STEPS_MAX; step++) {
		double scale = 1, da, db, next = INFINITY;

		m = normal_at(p, a, b);
		da = (m.bb * m.a - m.ab * m.b) / m.determinant;
		db = (m.aa * m.b - m.ab * m.a) / m.determinant;
		for (int i = 0; i < HALVINGS_MAX && !(next < rss); i++, scale /= 2)
			next = cleaning_rss(p, a + scale * da, b + scale * db);
		if (!(next < rss * (1 - 1e-12)))
			break;
		/* The loop has halved once more than what it tried last. */
		a += 2 * scale * da;
		b += 2 * scale * db;
		rss = next;
	}
	m = normal_at(p, a, b);
	describe(ret, rss, p->n);
	ret->a = estimate_of(a, t * ret->residual_pct / 100 * sqrt(fmax(m.bb / m.determinant, 0)),
			     p->n);
	ret->b = estimate_of(b, t * ret->residual_pct / 100 * sqrt(fmax(m.aa / m.determinant, 0)),
			     p->n);
}

/* ln of what a model says at point i. */
static double predicted(const struct points *p, const struct tail_fit *fit, enum tail_kind kind,
			size_t i)
{
	double u = p->u[i];

	switch (kind) {
	case TAIL_EXPONENTIAL:
		return log(fit->a.value) + fit->b.value * u;
	case TAIL_POWER:
		return log(fit->a.value) + fit->b.value * log(u);
	default:
		return log(fit->a.value + fit->b.value / (1 - u));
	}
}

/* Von Neumann's ratio of residuals in the order of u: 2 without correlation, less where a model bends otherwise. */
static double neumann_ratio(const struct points *p, const struct tail_fit *fit, enum tail_kind kind)
{
	double squares = 0, steps = 0, before = 0;

	for (size_t i = 0; i < p->n; i++) {
		double e = p->log_y[i] - predicted(p, fit, kind, i);

		squares += e * e;
		steps += i > 0 ? (e - before) * (e - before) : 0;
		before = e;
	}
	/* Rounding leaves residuals that are correlated: they are none. */
	return squares < RSS_FLOOR * (double)p->n ? 2 : steps / squares;
}

static void choose(const struct points *p, struct tail_model *ret)
{
	double best = INFINITY, second = INFINITY, n = (double)p->n;

	for (enum tail_kind k = 0; k < TAIL_KINDS; k++) {
		double score = ret->fit[k].aicc;

		if (score < best) {
			second = best;
			best = score;
			ret->best = k;
		} else if (score < second) {
			second = score;
		}
	}
	ret->delta_aicc = second - best;
	ret->neumann = neumann_ratio(p, &ret->fit[ret->best], ret->best);
	ret->none_fits = ret->neumann < 2 - Z_NEUMANN * sqrt(4 * (n - 2) / (n * n - 1));
	if (!(ret->delta_aicc >= TAIL_DELTA_MIN) || ret->none_fits)
		return;
	ret->kind = ret->best;
	ret->status = STATUS_MEASURED;
}

static bool enough_levels(const struct points *p)
{
	size_t levels = p->n > 0;

	for (size_t i = 1; i < p->n; i++)
		levels += p->u[i] > p->u[i - 1];
	return p->n >= TAIL_LEVELS_MIN && levels >= LEVELS_MIN;
}

int tail_model_fit(const double *u, const double *y, size_t n, struct tail_model *ret)
{
	_cleanup_free_ size_t *order = calloc(n + 1, sizeof(*order));
	_cleanup_free_ double *room = calloc(3 * n + 1, sizeof(double));
	struct points p = { .n = 0 };

	*ret = (struct tail_model){ .status = STATUS_NOT_IDENTIFIABLE,
				    .kind = TAIL_UNKNOWN,
				    .best = TAIL_UNKNOWN,
				    .delta_aicc = NAN,
				    .neumann = NAN };
	if (!room || !order)
		return -ENOMEM;
	p.u = room;
	p.log_y = room + n;
	p.x = room + 2 * n;
	gsl_sort_index(order, u, 1, n);
	for (size_t k = 0; k < n; k++) {
		size_t i = order[k];

		if (!(u[i] > 0 && u[i] < 1) || !isfinite(y[i]) || !(y[i] > 0))
			continue;
		p.u[p.n] = u[i];
		p.log_y[p.n++] = log(y[i]);
	}
	ret->n = p.n;
	for (enum tail_kind k = 0; k < TAIL_KINDS; k++)
		ret->fit[k] = (struct tail_fit){ estimate_none(p.n), estimate_none(p.n), NAN, NAN };
	if (!enough_levels(&p))
		return 0;
	memcpy(p.x, p.u, p.n * sizeof(double));
	fit_line(&p, &ret->fit[TAIL_EXPONENTIAL]);
	for (size_t i = 0; i < p.n; i++)
		p.x[i] = log(p.u[i]);
	fit_line(&p, &ret->fit[TAIL_POWER]);
	for (size_t i = 0; i < p.n; i++)
		p.x[i] = 1 / (1 - p.u[i]);
	fit_cleaning(&p, &ret->fit[TAIL_CLEANING]);
	choose(&p, ret);
	return 0;
}
