/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kendall.h"

#include <stdbool.h>

#define SERIAL_VARIANCE 0.437 /* of atanh(tau), times n - 4 */

static bool known(const struct estimate *e)
{
	return e->status == STATUS_MEASURED && isfinite(e->value);
}

static int order(double x, double y)
{
	return (x > y) - (x < y);
}

/* 1 if x is certainly more than y, -1 if less, 0 if their intervals overlap or there are none. */
static int certain_order(const struct estimate *x, const struct estimate *y)
{
	return (x->low > y->high) - (x->high < y->low);
}

/* Pairs: ordered by a and by b, and the sum of agreements. */
struct tally {
	double n, by_a, by_b, agreement;
};

static int compare_pairs(const struct estimate *a, const struct estimate *b, size_t n,
			 struct contradictions *pairs, struct tally *t)
{
	for (size_t i = 0; i < n; i++) {
		if (!known(&a[i]) || !known(&b[i]))
			continue;
		t->n++;
		for (size_t j = i + 1; j < n; j++) {
			int by_a, by_b, sure;

			if (!known(&a[j]) || !known(&b[j]))
				continue;
			by_a = order(a[i].value, a[j].value);
			by_b = order(b[i].value, b[j].value);
			t->by_a += by_a != 0;
			t->by_b += by_b != 0;
			t->agreement += by_a * by_b;
			sure = certain_order(&a[i], &a[j]);
			if (!pairs || sure * certain_order(&b[i], &b[j]) >= 0)
				continue;
			if (contradictions_push(pairs, sure > 0 ? (struct contradiction){ i, j }
								: (struct contradiction){ j, i }) <
			    0)
				return -ENOMEM;
		}
	}
	return 0;
}

int kendall_compare(const struct estimate *a, const struct estimate *b, size_t n,
		    struct contradictions *pairs, struct estimate *ret_tau)
{
	struct tally t = { 0 };
	int r = compare_pairs(a, b, n, pairs, &t);
	double tau, most, half, centre;

	*ret_tau = estimate_none((uint64_t)t.n);
	if (r < 0)
		return r;
	if (t.n < KENDALL_DRIVES_MIN || !(t.by_a > 0) || !(t.by_b > 0))
		return 0;
	tau = t.agreement / sqrt(t.by_a * t.by_b);
	*ret_tau = estimate_of(tau, NAN, (uint64_t)t.n);
	if (t.n < KENDALL_INTERVAL_DRIVES_MIN)
		return 0;
	/* One pair more or less is 4 / (n (n - 1)): half of it. */
	most = 1 - 2 / (t.n * (t.n - 1));
	centre = atanh(fmin(fmax(tau, -most), most));
	half = 1.959964 * sqrt(SERIAL_VARIANCE / (t.n - 4));
	ret_tau->low = tau <= -most ? -1 : tanh(centre - half);
	ret_tau->high = tau >= most ? 1 : tanh(centre + half);
	return 0;
}
