/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/periodic.h"

#include <assert.h>
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/recurrence.h"
#include "analysis/summary.h"
#include "base/cleanup.h"

#define STEPS_MAX 256 /* of a folded repetition */
#define MARKS_MAX 200
#define GROUP_VALUES_MIN 32
#define GROUP_SCORE_MIN 10 /* of recurrence_score(): what places a group to a part of a period */
#define LOST_SHARE 0.05
#define LOST_SCATTER 0.2 /* of one repetition; places by chance have 0.4 */
#define DISTANCES_MIN 8	 /* fewer do not say what is more constant */

/* The series along one axis, evenly spaced: value i covers [start + i step, start + (i + 1) step). */
struct along {
	const double *position; /* NULL: samples */
	double *y;
	double start, step;
	bool used;
};

/* Mean over equal steps of position; a sample covers what lies between its predecessor's position and its own. */
static bool resample(const struct periodic_input *in, struct along *a)
{
	const double *at = a->position;
	size_t n = in->n, i = 1;
	double straight = 0, step = (at[n - 1] - at[0]) / (double)(n - 1);

	if (!(step > 0) || !isfinite(step))
		return false;
	for (size_t k = 0; k < n; k++)
		straight = fmax(straight, fabs(at[k] - at[0] - (double)k * step));
	/* Steps as even as the samples are show nothing new. */
	if (straight < step)
		return false;
	a->start = at[0];
	a->step = step;
	for (size_t k = 0; k + 1 < n; k++) {
		double low = at[0] + (double)k * step, high = low + step, sum = 0;

		while (i + 1 < n && at[i] < high) {
			sum += in->x[i] * (at[i] - fmax(low, at[i - 1]));
			i++;
		}
		sum += in->x[i] * (high - fmax(low, at[i - 1]));
		a->y[k] = sum / step;
	}
	a->y[n - 1] = a->y[n - 2];
	return true;
}

/* Sample, with its fraction, at a place along an axis: the inverse of what resample() does. */
static double sample_at(const struct along *a, size_t n, double place)
{
	double position = a->start + place * a->step, width;
	size_t low = 0, high = n - 1;

	if (!a->position)
		return place;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (a->position[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	width = a->position[high] - a->position[low];
	return (double)low + (width > 0 ? (position - a->position[low]) / width : 0);
}

static double position_at(const double *position, size_t n, double sample)
{
	size_t i = (size_t)fmin(fmax(sample, 0), (double)(n - 2));

	return position[i] + (sample - (double)i) * (position[i + 1] - position[i]);
}

/* Repetitions in groups, and the mean shape they are matched with. */
struct follower {
	const double *y;
	size_t n;
	double period;
	size_t group, steps;
	double shape[STEPS_MAX], next[STEPS_MAX];
	double marks[MARKS_MAX + 1];
	size_t marks_n;
};

/* Means of a group that begins at `start` by phase. */
static void fold(const struct follower *f, double start, double *ret)
{
	double count[STEPS_MAX] = { 0 }, mean = 0, end = start + (double)f->group * f->period;
	size_t last = (size_t)fmin(end, (double)f->n);

	memset(ret, 0, f->steps * sizeof(*ret));
	for (size_t i = (size_t)ceil(fmax(start, 0)); i < last; i++) {
		double phase = ((double)i - start) / f->period;
		size_t step = (size_t)((phase - floor(phase)) * (double)f->steps);

		step = step < f->steps ? step : f->steps - 1;
		ret[step] += f->y[i];
		count[step]++;
		mean += f->y[i];
	}
	mean /= fmax(end - start, 1);
	for (size_t i = 0; i < f->steps; i++)
		ret[i] = count[i] > 0 ? ret[i] / count[i] : mean;
}

static double match(const struct follower *f, const double *profile, size_t shift, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < f->steps; i++)
		sum += f->shape[i] * (profile[(i + shift) % f->steps] - mean);
	return sum;
}

/* How far behind its expected place a group is, at most half a period to either side. */
static double shift_of(const struct follower *f, const double *profile)
{
	double score[STEPS_MAX], mean = sample_mean(profile, f->steps), bend, shift;
	size_t best = 0, steps = f->steps;

	assert(steps > 0);
	for (size_t s = 0; s < steps; s++) {
		score[s] = match(f, profile, s, mean);
		best = score[s] > score[best] ? s : best;
	}
	shift = (double)best;
	if (steps > 2) {
		double before = score[(best + steps - 1) % steps];
		double after = score[(best + 1) % steps];

		bend = before - 2 * score[best] + after;
		shift += bend < 0 ? (before - after) / (2 * bend) : 0;
	}
	shift /= (double)steps;
	return (shift > 0.5 ? shift - 1 : shift) * f->period;
}

/* The shape without its mean, turned so that what stands out most is in the middle; returns by how much. */
static double centre_shape(struct follower *f)
{
	double mean = sample_mean(f->shape, f->steps), turned[STEPS_MAX];
	size_t top = 0, turn;

	assert(f->steps > 0);
	for (size_t i = 0; i < f->steps; i++) {
		f->shape[i] -= mean;
		top = fabs(f->shape[i]) > fabs(f->shape[top]) ? i : top;
	}
	turn = (top + f->steps - f->steps / 2) % f->steps;
	for (size_t i = 0; i < f->steps; i++)
		turned[i] = f->shape[(i + turn) % f->steps];
	memcpy(f->shape, turned, f->steps * sizeof(double));
	return (double)turn / (double)f->steps * f->period;
}

/* One pass from `start`: marks, and the mean of the matched groups as the new shape. */
static void follow(struct follower *f, double start)
{
	double length = (double)f->group * f->period, profile[STEPS_MAX];

	f->marks_n = 0;
	memset(f->next, 0, sizeof(f->next));
	while (start + length <= (double)f->n && f->marks_n < MARKS_MAX) {
		double at;

		fold(f, start, profile);
		at = start + shift_of(f, profile);
		fold(f, at, profile);
		for (size_t i = 0; i < f->steps; i++)
			f->next[i] += profile[i];
		f->marks[f->marks_n++] = at;
		start = at + length;
	}
	for (size_t i = 0; i < f->steps && f->marks_n; i++)
		f->shape[i] = f->next[i] / (double)f->marks_n;
}

/* Follow the period twice; in between it and the shape become those that were found. */
static void follow_twice(struct follower *f, double score)
{
	double repetitions = (double)f->n / f->period, marks, start;

	marks = fmin(fmin(fmax(score / GROUP_SCORE_MIN, 4), MARKS_MAX - 10), repetitions);
	f->group = (size_t)ceil(fmax(repetitions / marks, GROUP_VALUES_MIN / f->period));
	f->steps = (size_t)fmin(fmax(floor(f->period), 2), STEPS_MAX);
	fold(f, 0, f->shape);
	start = centre_shape(f);
	follow(f, start);
	if (f->marks_n > 2) {
		double distance = (f->marks[f->marks_n - 1] - f->marks[0]) /
				  (double)(f->marks_n - 1) / (double)f->group;

		start = f->marks[0];
		if (fabs(distance / f->period - 1) < 0.1)
			f->period = distance;
	}
	start += centre_shape(f);
	if (start > f->period)
		start -= f->period;
	follow(f, start);
}

/* Distances between marks along one axis, in units of repetitions. */
static void distances(const struct periodic_input *in, const struct along *found,
		      const double *position, const struct follower *f, double *ret)
{
	double before = 0;

	for (size_t i = 0; i < f->marks_n; i++) {
		double at = sample_at(found, in->n, f->marks[i]);

		at = position ? position_at(position, in->n, at) : at;
		if (i > 0)
			ret[i - 1] = (at - before) / (double)f->group;
		before = at;
	}
}

/* Does the relative scatter of a differ from that of b? Pitman and Morgan: do sum and difference correlate? */
static bool scatter_differs(const double *a, const double *b, size_t n)
{
	double mean_a = sample_mean(a, n), mean_b = sample_mean(b, n), ss = 0, dd = 0, sd = 0, r;

	for (size_t i = 0; i < n; i++) {
		double u = a[i] / mean_a - 1, v = b[i] / mean_b - 1;

		ss += (u + v) * (u + v);
		dd += (u - v) * (u - v);
		sd += (u + v) * (u - v);
	}
	if (!(dd > 1e-18 * ss) || !(ss > 0))
		return false;
	r = sd / sqrt(ss * dd);
	return fabs(r) * sqrt((double)(n - 2) / fmax(1 - r * r, 1e-12)) > t_point((double)n - 2);
}

static void compare_axes(const struct periodic_input *in, const struct along *found,
			 const struct follower *f, struct periodic *ret)
{
	const double *position[PERIODIC_AXES] = { NULL, in->bytes, in->seconds };
	double distance[PERIODIC_AXES][MARKS_MAX];
	enum periodic_axis best = PERIODIC_SAMPLES;
	size_t n = f->marks_n - 1;
	bool decided = n >= DISTANCES_MIN && (in->bytes || in->seconds);

	for (enum periodic_axis a = 0; a < PERIODIC_AXES; a++) {
		double sd, half;

		if (a > 0 && !position[a])
			continue;
		distances(in, found, position[a], f, distance[a]);
		sd = sqrt(sample_variance(distance[a], n));
		ret->period[a] = estimate_of(sample_mean(distance[a], n), NAN, n);
		ret->variation[a] = sd / ret->period[a].value;
		/* The first and the last mark are no finer than half a step each. */
		half = hypot(t_point((double)n - 1) * sd / sqrt((double)n),
			     ret->period[a].value / (double)(f->steps * n * f->group));
		ret->period[a].low = ret->period[a].value - half;
		ret->period[a].high = ret->period[a].value + half;
		if (ret->variation[a] < ret->variation[best])
			best = a;
	}
	for (enum periodic_axis a = 0; a < PERIODIC_AXES && decided; a++)
		if (a != best && (a == 0 || position[a]))
			decided = scatter_differs(distance[best], distance[a], n);
	ret->constant = decided ? best : PERIODIC_UNDECIDED;
}

/*
 * Repetitions that are too faint to be seen one by one are placed by chance. That is seen from their distances:
 * they scatter, or are on average not what all of the series says.
 */
static bool is_lost(const struct follower *f, double period)
{
	double distance[MARKS_MAX], mean, sd;
	size_t n = f->marks_n > 0 ? f->marks_n - 1 : 0;

	if (n < 2)
		return true;
	for (size_t i = 0; i < n; i++)
		distance[i] = (f->marks[i + 1] - f->marks[i]) / (double)f->group;
	mean = sample_mean(distance, n);
	sd = sqrt(sample_variance(distance, n));
	return fabs(mean / period - 1) > LOST_SHARE ||
	       sd * sqrt((double)f->group) > LOST_SCATTER * period;
}

/* Everything about a period that is certain to be there. */
static void measure(const struct periodic_input *in, const struct along *found,
		    enum periodic_axis axis, struct recurrence *r, struct periodic *ret)
{
	struct follower f = { .y = found->position ? found->y : in->x, .n = in->n };
	double mean = sample_mean(in->x, in->n), min = INFINITY, max = -INFINITY, period;

	period = recurrence_period(r);
	f.period = period;
	follow_twice(&f, recurrence_score(r));
	ret->found = true;
	for (size_t i = 0; i < f.steps; i++) {
		min = fmin(min, f.shape[i]);
		max = fmax(max, f.shape[i]);
	}
	if (mean > 0)
		ret->amplitude = (max - min) / mean;
	if (is_lost(&f, period)) {
		ret->period[axis] = estimate_of(found->step * period, NAN, in->n);
		return;
	}
	ret->repetitions = f.marks_n * f.group;
	ret->group = f.group;
	compare_axes(in, found, &f, ret);
}

static bool varies(const double *x, size_t n)
{
	size_t i = 1;

	while (i < n && !(x[i] < x[0]) && !(x[i] > x[0]))
		i++;
	return i < n;
}

static int find(const struct periodic_input *in, struct along *along, struct recurrence *r,
		uint64_t seed, struct periodic *ret)
{
	int best = 0, tried = 0, err;

	for (int a = 0; a < PERIODIC_AXES; a++) {
		double margin = a > 0 ? 1.1 : 1;

		if (!along[a].used)
			continue;
		tried++;
		err = recurrence_init(&r[a], along[a].position ? along[a].y : in->x, in->n);
		if (err < 0)
			return err;
		if (recurrence_score(&r[a]) > margin * recurrence_score(&r[best]))
			best = a;
	}
	recurrence_test(&r[best], seed);
	ret->p = fmin(2 * tried * fmin(r[best].p_line, r[best].p_peak), 1);
	if (ret->p <= PERIODIC_P_MAX)
		measure(in, &along[best], (enum periodic_axis)best, &r[best], ret);
	return 0;
}

int periodic_find(const struct periodic_input *in, uint64_t seed, struct periodic *ret)
{
	struct along along[PERIODIC_AXES] = {
		{ .step = 1, .used = true },
		{ .position = in->bytes },
		{ .position = in->seconds },
	};
	struct recurrence r[PERIODIC_AXES] = { 0 };
	int err = 0;

	*ret = (struct periodic){ .status = STATUS_NOT_IDENTIFIABLE,
				  .p = 1,
				  .constant = PERIODIC_UNDECIDED,
				  .amplitude = NAN };
	for (int a = 0; a < PERIODIC_AXES; a++) {
		ret->period[a] = estimate_none(in->n);
		ret->variation[a] = NAN;
	}
	if (in->n < PERIODIC_SAMPLES_MIN)
		return 0;
	ret->status = STATUS_MEASURED;
	if (!varies(in->x, in->n))
		return 0;
	for (int a = 1; a < PERIODIC_AXES && err == 0; a++) {
		if (!along[a].position)
			continue;
		along[a].y = malloc(in->n * sizeof(double));
		err = along[a].y ? 0 : -ENOMEM;
		along[a].used = err == 0 && resample(in, &along[a]);
	}
	if (err == 0)
		err = find(in, along, r, seed, ret);
	for (int a = 0; a < PERIODIC_AXES; a++) {
		recurrence_release(&r[a]);
		free(along[a].y);
	}
	return err;
}
