/* SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <math.h>

double rng_exp(struct rng *rng, double mean)
{
	/* 1 - u lies in (0, 1], so the logarithm is finite. */
	return -mean * log(1.0 - rng_double(rng));
}
