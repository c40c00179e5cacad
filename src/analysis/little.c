/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/little.h"

#include "analysis/summary.h"

void little_concurrency(const double *iops, const double *lat_us, size_t n, struct little *ret)
{
	double mean = 0, squares = 0, half = NAN;
	size_t cells = 0;

	*ret = (struct little){ estimate_none(0), NAN, NAN };
	for (size_t i = 0; i < n; i++) {
		double in_flight = iops[i] * lat_us[i] / 1e6, step;

		if (!(iops[i] > 0 && lat_us[i] > 0) || !isfinite(in_flight))
			continue;
		/* Welford's update: the cells differ by per mille only. */
		cells++;
		step = in_flight - mean;
		mean += step / (double)cells;
		squares += step * (in_flight - mean);
		ret->min = fmin(ret->min, in_flight);
		ret->max = fmax(ret->max, in_flight);
	}
	if (cells == 0)
		return;
	if (cells > 1)
		half = t_point((double)cells - 1) *
		       sqrt(squares / (double)(cells - 1) / (double)cells);
	ret->in_flight = estimate_of(mean, half, cells);
}
