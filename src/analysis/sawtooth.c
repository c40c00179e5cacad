/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/sawtooth.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear.h"
#include "analysis/summary.h"
#include "base/cleanup.h"
#include "base/rng.h"

#define SCATTERS_MIN 7.
#define PARTS_MAX 16u
#define SIMULATED 499u
#define DRAWS_MAX 20000000u

/* Of each spike its first, last and highest operation, and the height. */
struct tooth {
	size_t first, last, top;
};

DEFINE_VEC(teeth, struct tooth);

/* ln of what is usual in each block of operations; the last one has the rest. Room for n / SAWTOOTH_BLOCK. */
static size_t block_levels(const double *lat, size_t n, double *ret)
{
	size_t blocks = n / SAWTOOTH_BLOCK;
	double block[2 * SAWTOOTH_BLOCK];

	for (size_t b = 0; b < blocks; b++) {
		size_t low = b * SAWTOOTH_BLOCK;
		size_t size = b + 1 < blocks ? SAWTOOTH_BLOCK : n - low;

		memcpy(block, lat + low, size * sizeof(double));
		ret[b] = log(gsl_stats_median(block, 1, size));
	}
	return blocks;
}

/* How far an operation is above what is usual around it, as a logarithm. */
static double excess(const double *lat, size_t i, const double *level, size_t blocks)
{
	size_t b = i / SAWTOOTH_BLOCK < blocks ? i / SAWTOOTH_BLOCK : blocks - 1;
	double usual = level[b];

	if (b > 0)
		usual = fmax(usual, level[b - 1]);
	if (b + 1 < blocks)
		usual = fmax(usual, level[b + 1]);
	return log(lat[i]) - usual;
}

static int find_teeth(const double *lat, size_t n, struct teeth *ret)
{
	_cleanup_free_ double *level = calloc(n / SAWTOOTH_BLOCK + 1, sizeof(double));
	_cleanup_free_ double *above = malloc(n * sizeof(double));
	_cleanup_free_ double *sorted = malloc(n * sizeof(double));
	double middle, high, limit;
	size_t blocks;

	if (!level || !above || !sorted)
		return -ENOMEM;
	blocks = block_levels(lat, n, level);
	for (size_t i = 0; i < n; i++)
		above[i] = excess(lat, i, level, blocks);
	memcpy(sorted, above, n * sizeof(double));
	middle = gsl_stats_select(sorted, 1, n, n / 2);
	high = gsl_stats_select(sorted, 1, n, (size_t)(0.8413 * (double)n));
	limit = fmax(middle, 0) + SCATTERS_MIN * (high - middle);
	limit = fmax(limit, log(SAWTOOTH_RATIO_MIN));
	for (size_t i = 0; i < n; i++) {
		struct tooth *last = ret->n ? &ret->items[ret->n - 1] : NULL;

		if (!(above[i] > limit))
			continue;
		if (last && i - last->last <= SAWTOOTH_JOIN + 1) {
			last->last = i;
			last->top = lat[i] > lat[last->top] ? i : last->top;
		} else if (teeth_push(ret, (struct tooth){ i, i, i }) < 0) {
			return -ENOMEM;
		}
	}
	return 0;
}

static double scatter(const double *x, size_t n)
{
	return sqrt(sample_variance(x, n)) / sample_mean(x, n);
}

/* How often are random places as regular? None is closer to another than spikes that are not joined. */
static int regularity_p(const double *distance, size_t n, uint64_t seed, double *ret)
{
	_cleanup_free_ double *room = malloc(n * sizeof(double));
	double found = scatter(distance, n), least = SAWTOOTH_JOIN + 2;
	double mean = sample_mean(distance, n) - least;
	unsigned draws = DRAWS_MAX / n < SIMULATED ? (unsigned)(DRAWS_MAX / n) : SIMULATED;
	unsigned reach = 1;
	struct rng rng;

	if (!room)
		return -ENOMEM;
	draws = draws > 199 ? draws : 199;
	rng_init(&rng, seed, 40);
	for (unsigned b = 0; b < draws; b++) {
		for (size_t i = 0; i < n; i++)
			room[i] = least + rng_exp(&rng, mean);
		reach += scatter(room, n) <= found;
	}
	*ret = reach / (draws + 1.0);
	return 0;
}

static int measure_period(const struct teeth *teeth, uint64_t seed, struct sawtooth *ret)
{
	size_t n = teeth->n - 1;
	_cleanup_free_ double *distance = malloc(n * sizeof(double));
	double half;

	if (!distance)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		distance[i] = (double)(teeth->items[i + 1].top - teeth->items[i].top);
	/* A spike is at a whole operation, its cause need not be. */
	half = hypot(t_point((double)n - 1) * sqrt(sample_variance(distance, n) / (double)n),
		     1 / (double)n);
	ret->period_ops = estimate_of(sample_mean(distance, n), half, n);
	return regularity_p(distance, n, seed, &ret->p_period);
}

/* Medians of equal parts, and their middles counted from the first operation. */
static size_t part_medians(const double *lat, size_t n, size_t parts_max, double *place,
			   double *median, double *room)
{
	size_t parts = n < parts_max ? n : parts_max;

	for (size_t k = 0; k < parts; k++) {
		size_t low = k * n / parts, high = (k + 1) * n / parts;

		memcpy(room, lat + low, (high - low) * sizeof(double));
		place[k] = (double)(low + high - 1) / 2;
		median[k] = gsl_stats_median(room, 1, high - low);
	}
	return parts;
}

/* A line through part of a ramp, at one of the operations in it. */
static double line_at(const double *lat, size_t n, double at, double *room)
{
	double place[PARTS_MAX], median[PARTS_MAX];
	size_t parts = part_medians(lat, n, PARTS_MAX / 2, place, median, room);
	struct line line;

	line_fit(place, median, NULL, parts, &line);
	return line.intercept.value + line.slope.value * at;
}

/* Kendall's S of a ramp, as a share of its largest value. */
static double rise(const double *lat, size_t n, double *room)
{
	double place[PARTS_MAX], median[PARTS_MAX], sum = 0;
	size_t parts = part_medians(lat, n, PARTS_MAX, place, median, room);

	for (size_t i = 0; i < parts; i++)
		for (size_t j = 0; j < i; j++)
			sum += (median[i] > median[j]) - (median[i] < median[j]);
	return sum / ((double)parts * (double)(parts - 1) / 2);
}

/* Is the mean above zero? One-sided t test. */
static double positive_p(const double *x, size_t n)
{
	double sd = fmax(sqrt(sample_variance(x, n)), 1e-9);

	return gsl_cdf_tdist_Q(sample_mean(x, n) * sqrt((double)n) / sd, (double)n - 1);
}

/* Operations next to a ramp's end that a line goes through. */
static size_t end_of(size_t n, size_t share)
{
	size_t end = n / share > SAWTOOTH_RAMP_MIN ? n / share : SAWTOOTH_RAMP_MIN;

	return end < n ? end : n;
}

/* Mean over ramps with its t interval, widened by twice the difference to lines through twice as much. */
static void ramp_end(const double *near, double far_sum, size_t n, struct estimate *ret)
{
	double bend, half;

	if (n == 0)
		return;
	*ret = estimate_of(sample_mean(near, n), NAN, n);
	if (n < 2)
		return;
	bend = far_sum / (double)n - ret->value;
	half = t_point((double)n - 1) * sqrt(sample_variance(near, n) / (double)n);
	*ret = estimate_of(ret->value, hypot(half, 2 * bend), n);
}

static int measure_ramps(const double *lat, const struct teeth *teeth, double *room,
			 struct sawtooth *ret)
{
	_cleanup_free_ double *low = malloc(teeth->n * sizeof(double));
	_cleanup_free_ double *high = malloc(teeth->n * sizeof(double));
	_cleanup_free_ double *rises = malloc(teeth->n * sizeof(double));
	double low_far = 0, high_far = 0;
	size_t ramps = 0;

	if (!low || !high || !rises)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < teeth->n; i++) {
		size_t first = teeth->items[i].last + 1, n = teeth->items[i + 1].first - first;
		const double *ramp = lat + first;
		size_t near = end_of(n, 8), far = end_of(n, 4);

		if (n < SAWTOOTH_RAMP_MIN)
			continue;
		low[ramps] = line_at(ramp, near, 0, room);
		high[ramps] = line_at(ramp + n - near, near, (double)near - 1, room);
		low_far += line_at(ramp, far, 0, room);
		high_far += line_at(ramp + n - far, far, (double)far - 1, room);
		rises[ramps++] = rise(ramp, n, room);
	}
	ramp_end(low, low_far, ramps, &ret->ramp_low);
	ramp_end(high, high_far, ramps, &ret->ramp_high);
	if (ramps + 1 >= SAWTOOTH_SPIKES_MIN)
		ret->p_ramp = positive_p(rises, ramps);
	return 0;
}

static int measure_heights(const double *lat, const struct teeth *teeth, double *room,
			   struct sawtooth *ret)
{
	struct summary heights;
	int r;

	for (size_t i = 0; i < teeth->n; i++)
		room[i] = lat[teeth->items[i].top];
	r = summarise(room, teeth->n, &heights);
	if (r < 0)
		return r;
	ret->spikes_n = teeth->n;
	ret->spike_min = heights.min;
	ret->spike_max = heights.max;
	ret->spike_median = heights.median.value;
	return 0;
}

static bool all_positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || !(x[i] > 0))
			return false;
	return true;
}

int sawtooth_find(const double *lat, size_t n, uint64_t seed, struct spikes *at,
		  struct sawtooth *ret)
{
	_cleanup_(teeth_release) struct teeth teeth = { 0 };
	_cleanup_free_ double *room = malloc((n + 1) * sizeof(double));
	int r;

	*ret = (struct sawtooth){ .status = STATUS_NOT_IDENTIFIABLE,
				  .p_period = 1,
				  .p_ramp = 1,
				  .spike_min = NAN,
				  .spike_median = NAN,
				  .spike_max = NAN };
	ret->period_ops = ret->ramp_low = ret->ramp_high = estimate_none(n);
	if (!room)
		return -ENOMEM;
	if (n < SAWTOOTH_VALUES_MIN || !all_positive(lat, n))
		return 0;
	ret->status = STATUS_MEASURED;
	r = find_teeth(lat, n, &teeth);
	for (size_t i = 0; i < teeth.n && at && r >= 0; i++)
		r = spikes_push(at, teeth.items[i].top);
	if (r >= 0)
		r = measure_heights(lat, &teeth, room, ret);
	if (r >= 0 && teeth.n >= SAWTOOTH_SPIKES_MIN)
		r = measure_period(&teeth, seed, ret);
	if (r >= 0 && teeth.n > 1)
		r = measure_ramps(lat, &teeth, room, ret);
	if (r < 0)
		return r;
	ret->found = ret->p_period <= SAWTOOTH_P_MAX && ret->p_ramp <= SAWTOOTH_P_MAX &&
		     ret->ramp_high.value >= (1 + SAWTOOTH_RISE_MIN) * ret->ramp_low.value;
	return 0;
}
