/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include <stdbool.h>

#include "analysis/tail_model.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))
#define LEVELS_MAX 64

static const char *const names[] = { "exponential", "power", "cleaning", "unknown" };

static double truth(enum tail_kind kind, double a, double b, double u)
{
	return kind == TAIL_EXPONENTIAL ? a * exp(b * u)
	       : kind == TAIL_POWER	? a * pow(u, b)
					: a + b / (1 - u);
}

/* Levels from low to high, evenly; noise as a share. */
static void levels(double *u, double *y, size_t n, double low, double high)
{
	for (size_t i = 0; i < n; i++) {
		u[i] = low + (high - low) * (double)i / (double)(n - 1);
		y[i] = 0;
	}
}

struct plan {
	enum tail_kind kind;
	double a, b, low, high;
};

struct outcome {
	unsigned right, wrong, none, covered, runs;
};

static struct outcome runs_of(const struct plan *p, size_t n, double noise)
{
	struct outcome o = { .runs = 400 };
	double u[LEVELS_MAX], y[LEVELS_MAX];

	levels(u, y, n, p->low, p->high);
	for (uint64_t seed = 0; seed < o.runs; seed++) {
		const struct tail_fit *fit;
		struct tail_model m;
		struct rng rng;

		rng_init(&rng, seed, n);
		for (size_t i = 0; i < n; i++)
			y[i] = truth(p->kind, p->a, p->b, u[i]) * (1 + noise * normal(&rng));
		assert_int_equal(tail_model_fit(u, y, n, &m), 0);
		assert_true((m.kind == TAIL_UNKNOWN) == (m.status != STATUS_MEASURED));
		o.right += m.kind == p->kind;
		o.wrong += m.kind != p->kind && m.kind != TAIL_UNKNOWN;
		o.none += m.none_fits;
		fit = &m.fit[p->kind];
		o.covered += fit->b.low <= p->b && fit->b.high >= p->b;
	}
	return o;
}

/* Each model is named where the others differ from it, and hardly ever another one. */
static void each_found(void **state)
{
	static const struct plan plans[] = {
		{ TAIL_EXPONENTIAL, 1, 4, 0.1, 0.95 }, { TAIL_EXPONENTIAL, 100, 6, 0.05, 0.9 },
		{ TAIL_POWER, 20, 3, 0.1, 0.95 },      { TAIL_POWER, 5, 1.2, 0.1, 0.95 },
		{ TAIL_CLEANING, 0, 1, 0.1, 0.95 },    { TAIL_CLEANING, 5, 0.7, 0.1, 0.98 },
	};
	static const size_t sizes[] = { 10, 19, 40 };

	(void)state;
	for (size_t k = 0; k < sizeof(plans) / sizeof(*plans); k++)
		for (size_t s = 0; s < 3; s++) {
			struct outcome o = runs_of(&plans[k], sizes[s], 0.05);

			printf("# %s %g %g, u %g to %g, %zu levels: named in %.1f %%, another in "
			       "%.1f %%, none fits "
			       "%.1f %%; b covered %.1f %%\n",
			       names[plans[k].kind], plans[k].a, plans[k].b, plans[k].low,
			       plans[k].high, sizes[s], 100. * o.right / o.runs,
			       100. * o.wrong / o.runs, 100. * o.none / o.runs,
			       100. * o.covered / o.runs);
			assert_true(o.right >= 0.95 * o.runs);
			assert_true(o.wrong <= 0.01 * o.runs);
			assert_true(o.covered >= 0.92 * o.runs && o.covered <= 0.98 * o.runs);
		}
}

/* Where models can hardly be told apart, the wrong one is named in at most one case of twenty. */
static void hard_to_tell(void **state)
{
	static const double spans[][2] = {
		{ 0.1, 0.6 }, { 0.5, 0.9 }, { 0.7, 0.95 }, { 0.3, 0.5 }
	};
	static const double steepness[][TAIL_KINDS] = { { 0.5, 0.3, 0.3 },
							{ 2, 1, 1 },
							{ 5, 3, 4 } };
	static const size_t sizes[] = { 8, 10, 20, 60 };

	(void)state;
	for (enum tail_kind kind = 0; kind < TAIL_KINDS; kind++) {
		unsigned worst = 0, wrong = 0, right = 0, none = 0, runs = 0, each = 0;

		for (int i = 0; i < 4 * 3 * 4; i++) {
			const double *span = spans[i % 4];
			struct plan p = { kind, 1, steepness[i / 4 % 3][kind], span[0], span[1] };
			struct outcome o = runs_of(&p, sizes[i / 12], 0.05);

			worst = o.wrong > worst ? o.wrong : worst;
			wrong += o.wrong;
			right += o.right;
			none += o.none;
			runs += o.runs;
			each = o.runs;
		}
		printf("# %s on 48 poor ladders: named in %.1f %%, another in %.2f %% (worst "
		       "ladder %.1f %%), none fits "
		       "%.1f %%\n",
		       names[kind], 100. * right / runs, 100. * wrong / runs, 100. * worst / each,
		       100. * none / runs);
		assert_true(worst * 20 <= each);
	}
}

/* What is none of the three is not called one of them. */
static void none_fits(void **state)
{
	unsigned step = 0, bump = 0, none_step = 0, none_bump = 0, runs = 200;
	double u[20], y[20];

	(void)state;
	levels(u, y, 20, 0.05, 0.95);
	for (uint64_t seed = 0; seed < runs; seed++) {
		struct tail_model m;
		struct rng rng;

		rng_init(&rng, seed, 9);
		/* A cliff at 60 % as a cache has, and a hump. */
		for (int i = 0; i < 20; i++)
			y[i] = (u[i] < 0.6 ? 1 : 4) * (1 + 0.05 * normal(&rng));
		assert_int_equal(tail_model_fit(u, y, 20, &m), 0);
		step += m.status == STATUS_MEASURED;
		none_step += m.none_fits;
		for (int i = 0; i < 20; i++)
			y[i] = (1 + 3 * u[i] * (1 - u[i])) * (1 + 0.05 * normal(&rng));
		assert_int_equal(tail_model_fit(u, y, 20, &m), 0);
		bump += m.status == STATUS_MEASURED;
		none_bump += m.none_fits;
	}
	printf("# cliff: named %u, none fits %u of %u; hump: named %u, none fits %u\n", step,
	       none_step, runs, bump, none_bump);
	assert_true(step * 20 <= runs && bump * 20 <= runs);
	assert_true(none_step * 20 >= runs * 19 && none_bump * 20 >= runs * 19);
}

/* Without noise the parameters come out exactly; in any order, unit, and with what does not count. */
static void exact(void **state)
{
	static const double a[] = { 3, 8, -0.5 }, b[] = { 4, 2.5, 2 };
	double u[14], y[14];

	(void)state;
	for (enum tail_kind kind = 0; kind < TAIL_KINDS; kind++) {
		for (double unit = 1e-6; unit < 1e10; unit *= 1e5) {
			struct tail_model m;

			levels(u, y, 14, 0.1, 0.9);
			for (int i = 0; i < 14; i++)
				y[i] = unit * truth(kind, a[kind], b[kind], u[i]);
			u[3] = 0;
			u[9] = 1;
			y[5] = NAN;
			y[6] = -1;
			assert_int_equal(tail_model_fit(u, y, 14, &m), 0);
			assert_int_equal(m.n, 10);
			assert_int_equal(m.kind, kind);
			assert_near(m.fit[kind].a.value / a[kind] / unit, 1, 1e-6);
			assert_near(m.fit[kind].b.value / b[kind], kind == TAIL_CLEANING ? unit : 1,
				    1e-6 * fmax(unit, 1));
			assert_true(m.fit[kind].residual_pct < 1e-4);
		}
	}
}

static void edges(void **state)
{
	double u[20], y[20];
	struct tail_model m;

	(void)state;
	assert_int_equal(tail_model_fit(NULL, NULL, 0, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	levels(u, y, 20, 0.1, 0.9);
	for (int i = 0; i < 20; i++)
		y[i] = exp(4 * u[i]);
	assert_int_equal(tail_model_fit(u, y, 7, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(m.best, TAIL_UNKNOWN);
	assert_int_equal(tail_model_fit(u, y, 8, &m), 0);
	assert_int_equal(m.kind, TAIL_EXPONENTIAL);
	/* Twenty points at four levels. */
	for (int i = 0; i < 20; i++)
		u[i] = 0.2 * (1 + i % 4);
	assert_int_equal(tail_model_fit(u, y, 20, &m), 0);
	assert_int_equal(m.status, STATUS_NOT_IDENTIFIABLE);
	assert_int_equal(m.best, TAIL_UNKNOWN);
	/* What does not grow is as any of them. */
	levels(u, y, 20, 0.1, 0.9);
	for (int i = 0; i < 20; i++)
		y[i] = 7;
	assert_int_equal(tail_model_fit(u, y, 20, &m), 0);
	assert_int_equal(m.kind, TAIL_UNKNOWN);
	assert_true(m.delta_aicc < TAIL_DELTA_MIN && !m.none_fits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_found), cmocka_unit_test(hard_to_tell),
		cmocka_unit_test(none_fits),  cmocka_unit_test(exact),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
