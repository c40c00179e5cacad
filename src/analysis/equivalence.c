/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/equivalence.h"

#include "analysis/change.h"

void equivalence_test(const double *reference, size_t n_reference, const double *x, size_t n_x,
		      double margin, struct equivalence *ret)
{
	double low, high;

	*ret = (struct equivalence){ .word = EQUIVALENCE_UNDECIDED,
				     .margin_needed = NAN,
				     .status = STATUS_NOT_IDENTIFIABLE };
	change_ratio(reference, n_reference, x, n_x, &ret->ratio);
	low = ret->ratio.low;
	high = ret->ratio.high;
	if (ret->ratio.status != STATUS_MEASURED || !(ret->ratio.value > 0) || !isfinite(low) ||
	    !isfinite(high))
		return;
	ret->status = STATUS_MEASURED;
	ret->margin_needed = low > 0 ? fmax(high, 1 / low) - 1 : INFINITY;
	if (ret->margin_needed <= margin)
		ret->word = EQUIVALENCE_EQUIVALENT;
	else if (low > 1 + margin || high < 1 / (1 + margin))
		ret->word = EQUIVALENCE_DIFFERENT;
}
