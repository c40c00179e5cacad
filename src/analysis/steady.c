/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/steady.h"

#include <stdbool.h>

#define BATCH 5u
#define TRUNCATE_MIN 40u

/* Of one window; true: it is steady. */
static bool window_of(const double *y, size_t first, struct steady *ret)
{
	double sum = 0, least = y[first], most = y[first], slope = 0;
	const double middle = (STEADY_ROUNDS - 1) / 2.0;
	double squares = 0;

	for (size_t i = 0; i < STEADY_ROUNDS; i++) {
		double x = (double)i - middle, v = y[first + i];

		sum += v;
		least = fmin(least, v);
		most = fmax(most, v);
		slope += x * v;
		squares += x * x;
	}
	ret->first = first;
	ret->mean = sum / STEADY_ROUNDS;
	ret->range = (most - least) / ret->mean;
	ret->slope = slope / squares * (STEADY_ROUNDS - 1) / ret->mean;
	return ret->mean > 0 && ret->range <= STEADY_RANGE_MAX &&
	       fabs(ret->slope) <= STEADY_SLOPE_MAX;
}

void steady_rounds(const double *y, size_t n, size_t earliest, struct steady *ret)
{
	size_t end = earliest + 1 > STEADY_ROUNDS ? earliest + 1 : STEADY_ROUNDS;

	*ret = (struct steady){ STATUS_NOT_IDENTIFIABLE, 0, NAN, NAN, NAN };
	if (n < STEADY_ROUNDS)
		return;
	ret->status = STATUS_NOT_REACHED;
	for (; end <= n; end++)
		if (window_of(y, end - STEADY_ROUNDS, ret)) {
			ret->status = STATUS_MEASURED;
			return;
		}
	window_of(y, n - STEADY_ROUNDS, ret);
}

enum verdict_status steady_truncate(const double *x, size_t n, size_t *ret)
{
	size_t batches = n / BATCH, best = 0;
	double sum = 0, squares = 0, least = INFINITY;

	*ret = 0;
	if (n < TRUNCATE_MIN)
		return STATUS_NOT_IDENTIFIABLE;
	/* From the end on; the last five batches are too few to have a variance worth the name. */
	for (size_t d = batches; d-- > 0;) {
		double mean = 0, k = (double)(batches - d), statistic;

		for (size_t i = 0; i < BATCH; i++)
			mean += x[d * BATCH + i] / BATCH;
		sum += mean;
		squares += mean * mean;
		statistic = (squares - sum * sum / k) / (k * k);
		if (k >= 5 && statistic <= least) {
			least = statistic;
			best = d;
		}
	}
	*ret = best * BATCH;
	return 2 * best > batches ? STATUS_NOT_IDENTIFIABLE : STATUS_MEASURED;
}
