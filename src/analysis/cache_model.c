/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/cache_model.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#include "analysis/linear.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define DELTA_BIC_MIN 6
#define PART_MIN 0.05

/* The pairs that count, and what the fits made of them. */
struct pairs {
	size_t n;
	double *free, *knee, *weight;
};

struct fit {
	double fixed, share;
	double fixed_se, share_se;
	double bic, residual_sd;
};

static void pairs_release(struct pairs *p)
{
	free(p->free);
	free(p->knee);
	free(p->weight);
}

static int pairs_load(struct pairs *p, const double *free_bytes, const double *knee_bytes, size_t n)
{
	p->free = calloc(n + 1, sizeof(double));
	p->knee = calloc(n + 1, sizeof(double));
	p->weight = calloc(n + 1, sizeof(double));
	if (!p->free || !p->knee || !p->weight)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!(free_bytes[i] > 0 && knee_bytes[i] > 0) || !isfinite(free_bytes[i]) ||
		    !isfinite(knee_bytes[i]))
			continue;
		p->free[p->n] = free_bytes[i];
		p->knee[p->n] = knee_bytes[i];
		p->weight[p->n] = 1 / (knee_bytes[i] * knee_bytes[i]);
		p->n++;
	}
	return 0;
}

static size_t different(const double *x, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < i && (x[j] < x[i] || x[j] > x[i]))
			j++;
		found += j == i;
	}
	return found;
}

/* BIC and sd of the relative residuals; a fit to the last digit counts as one to 0.01 %. */
static void score(const struct pairs *p, struct fit *fit, unsigned parameters)
{
	double n = (double)p->n, rss = 0;

	for (size_t i = 0; i < p->n; i++)
		rss += pow(1 - (fit->fixed + fit->share * p->free[i]) / p->knee[i], 2);
	fit->bic = n * log(fmax(rss / n, 1e-8)) + parameters * log(n);
	fit->residual_sd = sqrt(rss / (n - parameters));
}

/* One coefficient of one regressor: 1 or the free space. */
static struct fit fit_one(const struct pairs *p, bool share)
{
	double xx = 0, xy = 0, slope, se;
	struct fit fit = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		double x = share ? p->free[i] : 1;

		xx += p->weight[i] * x * x;
		xy += p->weight[i] * x * p->knee[i];
	}
	slope = xy / xx;
	*(share ? &fit.share : &fit.fixed) = slope;
	score(p, &fit, 1);
	se = fit.residual_sd / sqrt(xx);
	*(share ? &fit.share_se : &fit.fixed_se) = se;
	return fit;
}

static struct fit fit_both(const struct pairs *p)
{
	struct fit fit = { 0 };
	struct line line;
	double t = t_point((double)p->n - 2);

	line_fit(p->free, p->knee, p->weight, p->n, &line);
	fit.fixed = line.intercept.value;
	fit.share = line.slope.value;
	fit.fixed_se = (line.intercept.high - line.intercept.low) / 2 / t;
	fit.share_se = (line.slope.high - line.slope.low) / 2 / t;
	score(p, &fit, 2);
	return fit;
}

/*
 * How much each part makes of the cache where it makes most of it, and the smaller of the two shares: above
 * PART_MIN both matter, below -PART_MIN one is negative, which no cache can be.
 */
static double smaller_part(const struct pairs *p, const struct fit *fit)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < p->n; i++) {
		low = fmin(low, p->free[i]);
		high = fmax(high, p->free[i]);
	}
	return fmin(fit->fixed / fabs(fit->fixed + fit->share * low),
		    fit->share * high / fabs(fit->fixed + fit->share * high));
}

/* Two-sided at 1 %: with few pairs BIC alone is far too sure. */
static bool is_not_zero(double value, double se, size_t n)
{
	return fabs(value) > gsl_cdf_tdist_Pinv(0.995, (double)n - 2) * se;
}

static void choose(const struct pairs *p, const struct fit fits[3], struct cache_model *ret)
{
	unsigned simple =
		fits[CACHE_SHARE - 1].bic < fits[CACHE_FIXED - 1].bic ? CACHE_SHARE : CACHE_FIXED;
	unsigned other = simple == CACHE_SHARE ? CACHE_FIXED : CACHE_SHARE;
	double over_simple = fits[simple - 1].bic - fits[CACHE_BOTH - 1].bic;
	const struct fit *both = &fits[CACHE_BOTH - 1];
	double part = smaller_part(p, both);
	double over_other = fits[other - 1].bic - fits[simple - 1].bic;
	bool fixed = is_not_zero(both->fixed, both->fixed_se, p->n);
	bool share = is_not_zero(both->share, both->share_se, p->n);

	ret->kind = CACHE_UNKNOWN;
	ret->delta_bic = over_other;
	if (over_simple > DELTA_BIC_MIN && fixed && share && fabs(part) > PART_MIN) {
		/* With a negative part the knee moves against the free space: none of the three. */
		ret->kind = part > 0 ? CACHE_BOTH : CACHE_UNKNOWN;
		ret->delta_bic = over_simple;
	} else if (over_other > DELTA_BIC_MIN && (simple == CACHE_FIXED ? fixed : share)) {
		ret->kind = (enum cache_kind)simple;
	}
}

int cache_model_fit(const double *free_bytes, const double *knee_bytes, size_t n,
		    struct cache_model *ret)
{
	_cleanup_(pairs_release) struct pairs p = { 0 };
	struct fit fits[3], *fit;
	double t;
	int r;

	*ret = (struct cache_model){ .kind = CACHE_UNKNOWN,
				     .status = STATUS_NOT_IDENTIFIABLE,
				     .bic_fixed = NAN,
				     .bic_share = NAN,
				     .bic_both = NAN,
				     .delta_bic = NAN,
				     .residual_pct = NAN };
	r = pairs_load(&p, free_bytes, knee_bytes, n);
	if (r < 0)
		return r;
	ret->fixed_bytes = ret->share_of_free = estimate_none(p.n);
	if (p.n < CACHE_PAIRS_MIN || different(p.free, p.n) < 3)
		return 0;
	fits[CACHE_FIXED - 1] = fit_one(&p, false);
	fits[CACHE_SHARE - 1] = fit_one(&p, true);
	fits[CACHE_BOTH - 1] = fit_both(&p);
	ret->bic_fixed = fits[CACHE_FIXED - 1].bic;
	ret->bic_share = fits[CACHE_SHARE - 1].bic;
	ret->bic_both = fits[CACHE_BOTH - 1].bic;
	choose(&p, fits, ret);
	if (ret->kind != CACHE_UNKNOWN)
		ret->status = STATUS_MEASURED;
	fit = &fits[(ret->kind == CACHE_UNKNOWN ? CACHE_BOTH : ret->kind) - 1];
	t = t_point((double)p.n - (fit == &fits[CACHE_BOTH - 1] ? 2 : 1));
	ret->fixed_bytes = estimate_of(fit->fixed, t * fit->fixed_se, p.n);
	ret->share_of_free = estimate_of(fit->share, t * fit->share_se, p.n);
	ret->residual_pct = 100 * fit->residual_sd;
	return 0;
}
