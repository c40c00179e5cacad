/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/recurrence.h"

#include <assert.h>
#include <errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"
#include "base/rng.h"

#define DRIFT_BINS 4 /* frequencies below are drift: no period repeats so rarely */
#define BLOCK_MIN 16
#define BLOCKS 32 /* at least, where there are so many bins: an average of a few values has zeros */
#define LEVELS_MAX 128
#define FLOOR 1e-3 /* of the mean power: a background below it is none, and rounding no line */
#define EULER_GAMMA 0.5772156649
#define PHASES_MAX 64
#define P_CERTAIN 1e-9
#define LINE_SHARE 0.6 /* of the highest peak: a lower one before it is not the period */
#define PEAK_SHARE 0.75

static size_t smooth_size(size_t n)
{
	size_t best = 1;

	for (size_t a = 1; a <= n; a *= 2)
		for (size_t b = a; b <= n; b *= 3)
			for (size_t c = b; c <= n; c *= 5)
				best = c > best ? c : best;
	return best;
}

/* y without its least-squares line, into ret. */
static void detrend(const double *y, size_t n, double *ret)
{
	double mean = sample_mean(y, n), centre = (double)(n - 1) / 2, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)i - centre;

		xx += x * x;
		xy += x * (y[i] - mean);
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = y[i] - mean - xy / xx * ((double)i - centre);
}

/* In place; returns the correlation. The first value keeps its own variance. */
static double ar_residuals(double *y, size_t n)
{
	double sum = 0, lagged = 0, correlation;

	assert(n > 0);
	for (size_t i = 0; i < n; i++) {
		sum += y[i] * y[i];
		lagged += i > 0 ? y[i] * y[i - 1] : 0;
	}
	correlation = fmin(fmax(sum > 0 ? lagged / sum : 0, 0), 0.99);
	for (size_t i = n; i-- > 1;)
		y[i] -= correlation * y[i - 1];
	y[0] *= sqrt(1 - correlation * correlation);
	return correlation;
}

/* Power of the neighbourhood: its logarithm at the middle of blocks. */
struct background {
	size_t n;
	double at[LEVELS_MAX], log_power[LEVELS_MAX];
};

static void background_of(const double *power, size_t bins, double floor, double *scratch,
			  struct background *b)
{
	b->n = 0;
	for (size_t low = 1, width; low < bins && b->n < LEVELS_MAX; low += width) {
		width = low / 2 < bins / BLOCKS ? low / 2 : bins / BLOCKS;
		width = width > BLOCK_MIN ? width : BLOCK_MIN;
		/* A last block that is short joins the one before. */
		if (low + width + BLOCK_MIN > bins)
			width = bins - low;
		memcpy(scratch, power + low, width * sizeof(double));
		b->at[b->n] = (double)low + (double)width / 2;
		b->log_power[b->n++] =
			log(fmax(gsl_stats_median(scratch, 1, width) / M_LN2, floor));
	}
}

/* Divide by the background, which is linear between the middles of blocks. */
static void whiten(double *power, size_t bins, double *scratch)
{
	struct background b;
	double mean = sample_mean(power + 1, bins - 1);
	size_t right = 1;

	assert(bins > 1);
	background_of(power, bins, FLOOR * mean + 1e-300, scratch, &b);
	for (size_t k = 1; k < bins; k++) {
		double x = (double)k, level;

		while (right + 1 < b.n && x > b.at[right])
			right++;
		if (b.n < 2 || x <= b.at[0])
			level = b.log_power[0];
		else if (x >= b.at[b.n - 1])
			level = b.log_power[b.n - 1];
		else
			level = b.log_power[right - 1] +
				(b.log_power[right] - b.log_power[right - 1]) *
					(x - b.at[right - 1]) / (b.at[right] - b.at[right - 1]);
		power[k] /= exp(level);
	}
	for (size_t k = 0; k < DRIFT_BINS && k < bins; k++)
		power[k] = 0;
}

/* Autocorrelation of what has the power in shape[2 k - 1], into shape. */
static void correlate(struct recurrence *r)
{
	double *f = r->shape, scale;

	f[0] = 0;
	for (size_t k = 1; 2 * k < r->n; k++)
		f[2 * k] = 0;
	gsl_fft_halfcomplex_inverse(f, 1, r->n, r->back, r->room);
	scale = f[0] > 0 ? 1 / f[0] : 0;
	for (size_t i = 0; i < r->n; i++)
		f[i] *= scale;
}

/* Autocorrelation of the series itself, not whitened, as far as its frequencies stand out. */
static void correlate_lines(struct recurrence *r)
{
	double limit = fmin(r->line_limit, 0.99 * r->line), c = r->correlation;

	for (size_t k = 1; 2 * k <= r->n; k++) {
		double gain = 1 + c * c - 2 * c * cos(2 * M_PI * (double)k / (double)r->n);

		r->shape[2 * k - 1] = r->power[k] > limit ? r->raw[k] / gain : 0;
	}
	correlate(r);
}

/* First lag at which a correlation may be a repetition: beyond the first zero. */
static size_t first_lag(const struct recurrence *r)
{
	size_t lag = 1;

	while (lag < r->n / RECURRENCE_REPEATS_MIN && r->shape[lag] >= 0)
		lag++;
	return lag + 1;
}

/* power, shape, line and peak of what is in shape. */
static void transform(struct recurrence *r)
{
	double *f = r->shape;
	size_t n = r->n, bins = n / 2 + 1;

	gsl_fft_real_transform(f, 1, n, r->forward, r->room);
	r->power[0] = 0;
	for (size_t k = 1; 2 * k < n; k++)
		r->power[k] = f[2 * k - 1] * f[2 * k - 1] + f[2 * k] * f[2 * k];
	/* The highest frequency has one part instead of two: it is no candidate for the line. */
	if (n % 2 == 0)
		r->power[n / 2] = f[n - 1] * f[n - 1];
	memcpy(r->raw, r->power, bins * sizeof(double));
	whiten(r->power, bins, f);
	r->line = r->peak = 0;
	for (size_t k = RECURRENCE_REPEATS_MIN; 2 * k < n; k++)
		r->line = fmax(r->line, r->power[k]);
	for (size_t k = 1; 2 * k <= n; k++)
		f[2 * k - 1] = r->power[k];
	correlate(r);
	for (size_t lag = first_lag(r); lag <= n / RECURRENCE_REPEATS_MIN; lag++)
		r->peak = fmax(r->peak, f[lag]);
}

int recurrence_init(struct recurrence *r, const double *y, size_t n)
{
	size_t used = smooth_size(n);

	assert(used > 1);
	*r = (struct recurrence){ .n = used, .p_line = 1, .p_peak = 1 };
	r->values = calloc(r->n, sizeof(double));
	r->shape = calloc(r->n, sizeof(double));
	r->power = calloc(r->n / 2 + 1, sizeof(double));
	r->raw = malloc((r->n / 2 + 1) * sizeof(double));
	r->scratch = malloc(r->n * sizeof(double));
	r->forward = gsl_fft_real_wavetable_alloc(r->n);
	r->back = gsl_fft_halfcomplex_wavetable_alloc(r->n);
	r->room = gsl_fft_real_workspace_alloc(r->n);
	if (!r->values || !r->shape || !r->power || !r->raw || !r->scratch || !r->forward ||
	    !r->back || !r->room)
		return -ENOMEM;
	detrend(y + n - r->n, r->n, r->values);
	r->correlation = ar_residuals(r->values, r->n);
	memcpy(r->shape, r->values, r->n * sizeof(double));
	transform(r);
	return 0;
}

void recurrence_release(struct recurrence *r)
{
	free(r->values);
	free(r->shape);
	free(r->power);
	free(r->raw);
	free(r->scratch);
	if (r->forward)
		gsl_fft_real_wavetable_free(r->forward);
	if (r->back)
		gsl_fft_halfcomplex_wavetable_free(r->back);
	if (r->room)
		gsl_fft_real_workspace_free(r->room);
	*r = (struct recurrence){ 0 };
}

double recurrence_score(const struct recurrence *r)
{
	return fmax(r->line, (double)r->n * r->peak * r->peak / 2);
}

/* Maxima of shuffled series: sums for their Gumbel distribution, and how many reach the data's. */
struct maxima {
	double limit, sum, squares;
	unsigned n, exceed;
};

static void maxima_add(struct maxima *m, double x)
{
	m->sum += x;
	m->squares += x * x;
	m->n++;
	m->exceed += x >= m->limit;
}

/* The value that a share p of maxima exceeds, by moments. */
struct gumbel {
	double location, scale;
};

static struct gumbel maxima_fit(const struct maxima *m)
{
	double mean = m->sum / m->n, variance = (m->squares - mean * m->sum) / (m->n - 1);
	double scale = fmax(sqrt(fmax(variance, 0) * 6) / M_PI, 1e-9 * mean);

	return (struct gumbel){ mean - EULER_GAMMA * scale, scale };
}

static double maxima_p(const struct maxima *m)
{
	struct gumbel g = maxima_fit(m);
	double p = -expm1(-exp(-(m->limit - g.location) / g.scale));

	return m->exceed ? fmax(p, (m->exceed + 1.0) / (m->n + 1.0)) : p;
}

void recurrence_test(struct recurrence *r, uint64_t seed)
{
	struct maxima line = { .limit = r->line }, peak = { .limit = r->peak };
	unsigned shuffles = r->n <= 2000 ? 99 : r->n <= 50000 ? 39 : 19;
	struct gumbel g;
	struct rng rng;

	rng_init(&rng, seed, 30);
	memcpy(r->scratch, r->values, r->n * sizeof(double));
	for (unsigned b = 0; b < shuffles; b++) {
		for (size_t i = r->n - 1; i > 0; i--) {
			size_t j = rng_below(&rng, i + 1);
			double swap = r->scratch[i];

			r->scratch[i] = r->scratch[j];
			r->scratch[j] = swap;
		}
		memcpy(r->shape, r->scratch, r->n * sizeof(double));
		transform(r);
		maxima_add(&line, r->line);
		maxima_add(&peak, r->peak);
		/* It will not become significant any more; or is so far off that more do not change it. */
		if (b >= 9 && line.exceed > 1 && peak.exceed > 1)
			break;
		if (b >= 9 && fmin(maxima_p(&line), maxima_p(&peak)) < P_CERTAIN)
			break;
	}
	r->p_line = maxima_p(&line);
	r->p_peak = maxima_p(&peak);
	g = maxima_fit(&line);
	r->line_limit = g.location + 4.6 * g.scale;
	memcpy(r->shape, r->values, r->n * sizeof(double));
	transform(r);
}

/* A repetition between two values is seen half at either. */
static double around(const double *shape, size_t lag)
{
	return fmax(shape[lag - 1], 0) + shape[lag] + fmax(shape[lag + 1], 0);
}

/* The first lag whose peak is about as high as the highest. */
static size_t fundamental(const struct recurrence *r, double share)
{
	const double *shape = r->shape;
	size_t first = first_lag(r), last = r->n / RECURRENCE_REPEATS_MIN;
	double single = 0, wide = 0;

	for (size_t lag = first; lag <= last; lag++) {
		single = fmax(single, shape[lag]);
		wide = fmax(wide, around(shape, lag));
	}
	for (size_t lag = first; lag <= last; lag++) {
		size_t end = lag + lag / 4 + 1, top = lag;

		if (shape[lag] < share * single && (lag < 4 || around(shape, lag) < share * wide))
			continue;
		/* The flank of a broad peak rises towards its top. */
		for (size_t i = lag; i <= end && i <= last; i++)
			top = shape[i] > shape[top] ? i : top;
		return top;
	}
	return last;
}

/* The lag with the highest autocorrelation within `reach` of one. */
static size_t highest(const double *shape, double lag, double reach)
{
	size_t top = (size_t)ceil(lag - reach);

	for (size_t i = top; (double)i <= lag + reach; i++)
		top = shape[i] > shape[top] ? i : top;
	return top;
}

/* The period that the autocorrelation in shape shows. */
static double shape_period(const struct recurrence *r, double share)
{
	double n = (double)r->n, period = (double)fundamental(r, share);
	double height = around(r->shape, (size_t)period);

	/* The same shape some repetitions on says it more finely, as long as it is still there. */
	for (double m = 2; m * period < n / 2 - 4; m *= 2) {
		size_t top = highest(r->shape, m * period, fmin(3, period / 2));
		double before = fmax(r->shape[top - 1], 0), after = fmax(r->shape[top + 1], 0);

		if (around(r->shape, top) < height / 2 || !(r->shape[top] > 0))
			break;
		period = ((double)top + (after - before) / (before + r->shape[top] + after)) / m;
	}
	return period;
}

/* F of the means by phase: what a period explains, for as many phases as it has values. */
static double explained(const struct recurrence *r, double period)
{
	size_t phases = (size_t)fmin(fmax(floor(period), 2), PHASES_MAX);
	double sum[PHASES_MAX] = { 0 }, count[PHASES_MAX] = { 0 }, all = 0, squares = 0;
	double n = (double)r->n, between = 0;

	for (size_t i = 0; i < r->n; i++) {
		double phase = (double)i / period;
		size_t k = (size_t)((phase - floor(phase)) * (double)phases);

		k = k < phases ? k : phases - 1;
		sum[k] += r->values[i];
		count[k]++;
		all += r->values[i];
		squares += r->values[i] * r->values[i];
	}
	for (size_t k = 0; k < phases; k++)
		between += count[k] > 0 ? sum[k] * sum[k] / count[k] : 0;
	between -= all * all / n;
	squares -= all * all / n;
	return between / (double)(phases - 1) /
	       fmax((squares - between) / (n - (double)phases), 1e-12 * squares);
}

double recurrence_period(struct recurrence *r)
{
	double peaks = shape_period(r, PEAK_SHARE), lines;

	if (!(r->p_line < 0.01))
		return peaks;
	correlate_lines(r);
	lines = shape_period(r, LINE_SHARE);
	return r->p_peak < 0.01 && explained(r, peaks) > explained(r, lines) ? peaks : lines;
}
