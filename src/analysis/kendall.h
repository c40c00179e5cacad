/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kendall.h - do two methods rank the same drives alike, and which pairs of drives do they contradict?
 *
 * tau-b (M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945): pairs that both
 * methods order alike minus pairs that they order the other way round, over the geometric mean of the pairs
 * that each orders at all. 1: the same order; 0: as good as none; -1: the reverse.
 *
 * The interval is from Fisher's transformation, tanh(atanh(tau) -+ 1.96 sqrt(0.437 / (n - 4))) (E. C. Fieller,
 * H. O. Hartley and E. S. Pearson, "Tests for rank correlation coefficients. I", Biometrika 44, 1957): it
 * holds about its 95 % for as few drives as there are (docs/analysis.md); resampling few drives makes ties that
 * are none. Where all pairs agree, half a pair is taken not to, as atanh(1) is infinite,
 * and the interval ends at 1. It says what another set of such drives would give: drives are taken for a
 * sample, and both scores for jointly normal after some monotonic transformation each. Whether these very drives
 * differ is in their own intervals: a contradiction is a pair whose intervals do not overlap in either method,
 * and that they order the other way round.
 */
#ifndef ASSAY_ANALYSIS_KENDALL_H
#define ASSAY_ANALYSIS_KENDALL_H

#include <stddef.h>

#include "analysis/estimate.h"
#include "base/vec.h"

#define KENDALL_DRIVES_MIN 3u /* fewer are not identifiable, nor where one method has only ties */
#define KENDALL_INTERVAL_DRIVES_MIN 6u /* fewer give a value without an interval */

/* Two drives of the same index in both methods: the first is the better one by method a, the worse by b. */
struct contradiction {
	size_t better_by_a, better_by_b;
};

DEFINE_VEC(contradictions, struct contradiction);

/*
 * Scores a[i] and b[i] of drive i by either method, more being better in both (or less in both). Drives of which one
 * score is not measured are left out. pairs, if not NULL, gets the contradictions in the order of drives; the
 * caller releases it, also on -ENOMEM. Scores without an interval contradict nothing.
 */
int kendall_compare(const struct estimate *a, const struct estimate *b, size_t n,
		    struct contradictions *pairs, struct estimate *ret_tau);

#endif
