/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What saturate makes of series whose truth is planted: the shape of S4's figure 1 (26k for 50 s, 0.9k, 1.8k and
 * swinging from 900 s on), a drive that never falls, one that falls once, one that only swings, one that drifts.
 * Change points within 2 s or 1 %, levels within 3 %, period and amplitude within 10 % (sources: R27).
 */
#include "test.h"

#include "analysis.h"

#include "base/units.h"
#include "experiment/experiment.h"
#include "experiment/saturate.h"

#define SPAN_BYTES 2000000000ull

struct shape {
	double plateau_iops, plateau_s, low_iops, low_until_s, last_iops;
	double swing, period_s; /* of the last level: in parts of it */
	double drift_per_s;
	double noise;
};

struct planted {
	struct run_ctx ctx;
	struct device_info info;
	struct saturate_params params;
	struct verdicts verdicts;
};

static double rate_at(const struct shape *s, double at_s)
{
	if (at_s < s->plateau_s)
		return s->plateau_iops;
	if (at_s < s->low_until_s)
		return s->low_iops;
	return s->last_iops *
	       (1 + s->swing / 2 * sin(2 * M_PI * at_s / s->period_s) + s->drift_per_s * at_s);
}

static void add_point(struct outcome *o, const struct shape *s, double at_s, uint64_t length_ns,
		      struct rng *rng)
{
	/* The mean of ten instants, since a change may lie within a window. */
	double length_s = (double)length_ns / 1e9, rate = 0;
	struct point point = { .start_ns = o->end_ns - o->start_ns, .length_ns = length_ns };

	for (int i = 0; i < 10; i++)
		rate += rate_at(s, at_s + (i + 0.5) / 10 * length_s) / 10;
	rate *= 1 + s->noise * normal(rng);
	point.write_ops = (uint64_t)(rate * length_s + rng_double(rng));
	point.write_bytes = point.write_ops * 4096;
	o->write_ops += point.write_ops;
	o->write_bytes += point.write_bytes;
	o->end_ns += length_ns;
	assert_int_equal(series_push(&o->series, point), 0);
}

static void plant(struct planted *p, const struct shape *shape, double hours, uint64_t seed)
{
	const struct experiment *e = experiment_find("saturate");
	uint64_t at_ns = 0, until_ns = (uint64_t)(hours * 3.6e12);
	struct err err = { 0 };
	struct rng rng;

	memset(p, 0, sizeof(*p));
	assert_non_null(e);
	param_defaults(e->params, &p->params);
	p->info.span_bytes = p->info.capacity_bytes = SPAN_BYTES;
	p->ctx.info = &p->info;
	p->ctx.options.repeat = 1;
	rng_init(&rng, seed, 0);
	for (unsigned round = 1; at_ns < until_ns; round++) {
		uint64_t length_ns = round == 1 ? p->params.first_ns : p->params.round_ns;
		uint64_t window_ns = round == 1 ? 100 * NS_PER_MS : NS_PER_S;
		struct outcome *o = calloc(1, sizeof(*o));

		assert_non_null(o);
		assert_int_equal(outcomes_push(&p->ctx.outcomes, o), 0);
		snprintf(o->ask.label, sizeof(o->ask.label), SATURATE_LABEL);
		o->ask.repeat = 1;
		o->ask.pass = round;
		o->start_ns = o->end_ns = at_ns;
		for (; o->end_ns < at_ns + length_ns;)
			add_point(o, shape, (double)o->end_ns / 1e9, window_ns, &rng);
		at_ns = o->end_ns;
	}
	if (e->analyse(&p->ctx, &p->params, &p->verdicts, &err) < 0)
		fail_msg("%s", err.text);
}

static void release(struct planted *p)
{
	verdicts_release(&p->verdicts);
	run_ctx_release(&p->ctx);
}

static const struct verdict *verdict(const struct planted *p, const char *name)
{
	static const struct verdict none;

	for (size_t i = 0; i < p->verdicts.n; i++)
		if (!strcmp(p->verdicts.items[i].name, name))
			return &p->verdicts.items[i];
	fail_msg("there is no %s", name);
	return &none;
}

static void is_near(const struct planted *p, const char *name, double value, double by)
{
	const struct verdict *v = verdict(p, name);

	if (v->status != STATUS_MEASURED || !(fabs(v->value - value) <= by))
		fail_msg("%s is %g (%s), planted %g +- %g: %s", name, v->value,
			 verdict_status_names[v->status], value, by, v->text);
}

static void is_not(const struct planted *p, const char *name, enum verdict_status status)
{
	const struct verdict *v = verdict(p, name);

	if (v->status != status || !isnan(v->value))
		fail_msg("%s is %g (%s)", name, v->value, verdict_status_names[v->status]);
}

/* The figure of the source, over seeds and noises. */
static void source_shape(void **state)
{
	static const double noises[] = { 0.01, 0.05 };

	(void)state;
	for (int n = 0; n < 2; n++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			const struct shape shape = { 26000, 50,	 900, 900,	1800,
						     0.6,   270, 0,   noises[n] };
			struct planted p;

			plant(&p, &shape, 5, seed);
			is_near(&p, "saturate.hold_s", 50, 2);
			is_near(&p, "saturate.plateau_iops", 26000, 0.03 * 26000);
			is_near(&p, "saturate.trough_iops", 900, 0.03 * 900);
			is_near(&p, "saturate.steady_iops", 1800, 0.03 * 1800);
			is_near(&p, "saturate.steady_from_s", 900, 9);
			is_near(&p, "saturate.oscillation_period_s", 270, 27);
			is_near(&p, "saturate.oscillation_pct", 60, 6);
			is_near(&p, "saturate.plateau_over_last", 26.0 / 1.8, 0.05 * 26 / 1.8);
			release(&p);
		}
}

/* Nothing falls, nothing swings: nothing is found, and the drive is steady from the start. */
static void flat(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		const struct shape shape = { 0, 0, 0, 0, 5000, 0, 1, 0, 0.02 };
		struct planted p;

		plant(&p, &shape, 4, seed);
		is_not(&p, "saturate.hold_s", STATUS_NOT_REACHED);
		is_not(&p, "saturate.trough_iops", STATUS_NOT_REACHED);
		is_not(&p, "saturate.oscillation_period_s", STATUS_NOT_REACHED);
		is_near(&p, "saturate.steady_iops", 5000, 50);
		release(&p);
	}
}

/* One fall, no recovery: no trough. A cache that outlasts the first round is found, too. */
static void one_fall(void **state)
{
	static const double holds_s[] = { 30, 600, 3000 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct shape shape = { 50000, holds_s[i], 8000, holds_s[i], 8000,
					     0,	    1,		0,    0.03 };
		struct planted p;

		plant(&p, &shape, 5, 3);
		is_near(&p, "saturate.hold_s", holds_s[i], fmax(2, 0.01 * holds_s[i]));
		is_not(&p, "saturate.trough_iops", STATUS_NOT_REACHED);
		is_near(&p, "saturate.steady_iops", 8000, 0.03 * 8000);
		release(&p);
	}
}

/* A low that comes back is a swing and no trough. */
static void swings_only(void **state)
{
	const struct shape shape = { 0, 0, 0, 0, 3000, 0.8, 500, 0, 0.02 };
	struct planted p;

	(void)state;
	plant(&p, &shape, 5, 1);
	is_not(&p, "saturate.trough_iops", STATUS_NOT_REACHED);
	is_near(&p, "saturate.oscillation_period_s", 500, 25);
	release(&p);
}

/* What still falls is not called steady; nor is what has not been written over twice. */
static void not_steady(void **state)
{
	const struct shape drifting = { 0, 0, 0, 0, 3000, 0, 1, -0.00004, 0.02 };
	const struct shape slow = { 0, 0, 0, 0, 60, 0, 1, 0, 0.02 };
	struct planted p;

	(void)state;
	plant(&p, &drifting, 6, 1);
	is_not(&p, "saturate.steady_iops", STATUS_NOT_REACHED);
	release(&p);
	plant(&p, &slow, 4, 1); /* 3.5 GB of 4 */
	is_not(&p, "saturate.steady_iops", STATUS_NOT_REACHED);
	assert_non_null(strstr(verdict(&p, "saturate.steady_iops")->text, "has not been shown"));
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_shape), cmocka_unit_test(flat),
		cmocka_unit_test(one_fall),	cmocka_unit_test(swings_only),
		cmocka_unit_test(not_steady),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
