/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analysis.h"

#include "analysis/init.h"
#include "analysis/periodic.h"
#include "analysis/summary.h"

#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

enum form { SINE, SAWTOOTH, PULSE, FORMS };

static const char *const form_names[] = { "sine", "sawtooth", "pulses" };

static double form(enum form f, double phase)
{
	switch (f) {
	case SINE:
		return sin(2 * M_PI * phase);
	case SAWTOOTH:
		return 2 * (phase - floor(phase)) - 1;
	default:
		return 0;
	}
}

/* Mean about 100, 30 to either side, or pulses of one sample and 10 times the mean; noise of a share of the mean. */
static void planted(double *x, size_t n, enum form f, double period, double noise, struct rng *rng)
{
	double phase = rng_double(rng);

	for (size_t i = 0; i < n; i++) {
		double at = phase + (double)i / period;

		x[i] = 100 + 30 * form(f, at) + 100 * noise * normal(rng);
		if (f == PULSE && floor(at) > floor(at - 1 / period))
			x[i] += 1000;
	}
}

static void shuffle(double *x, size_t n, struct rng *rng)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = rng_below(rng, i + 1);
		double swap = x[i];

		x[i] = x[j];
		x[j] = swap;
	}
}

static struct periodic find(const double *x, size_t n, uint64_t seed)
{
	struct periodic_input in = { .x = x, .n = n };
	struct periodic p;

	assert_int_equal(periodic_find(&in, seed, &p), 0);
	assert_int_equal(p.status, STATUS_MEASURED);
	return p;
}

/* Every form and period is found within 2 %, and its interval holds it. */
static void planted_found(void **state)
{
	static const double periods[] = { 3, 4, 7.3, 25, 101.7, 400.5 };
	static const double noises[] = { 0, 0.05, 0.2 };
	double x[6000];

	(void)state;
	for (int i = 0; i < 3 * FORMS; i++) {
		enum form f = (enum form)(i % FORMS);
		unsigned right = 0, covered = 0, runs = 0;
		double worst = 0;

		for (size_t s = 0; s < sizeof(periods) / sizeof(*periods); s++) {
			for (uint64_t seed = 0; seed < 6; seed++, runs++) {
				size_t n = periods[s] < 20 ? 700 : 6000;
				struct periodic p;
				struct rng rng;
				double off;

				rng_init(&rng, seed, s);
				planted(x, n, f, periods[s], noises[i / FORMS], &rng);
				p = find(x, n, seed);
				off = p.found ? fabs(p.period[0].value / periods[s] - 1) : 1;
				right += off < 0.02;
				worst = fmax(worst, off);
				covered += p.period[0].low <= periods[s] * (1 + 1e-9) &&
					   p.period[0].high >= periods[s] * (1 - 1e-9);
			}
		}
		printf("# %s, noise %.0f %%: %u of %u within 2 %%, worst %.2f %%, covered %u\n",
		       form_names[f], 100 * noises[i / FORMS], right, runs, 100 * worst, covered);
		assert_true(right == runs);
		assert_true(covered * 20 >= runs * 19);
	}
}

/* A sine below the noise: where it is found, it is right. */
static void weak(void **state)
{
	static const double noises[] = { 0.5, 1, 2 };
	double x[4000];

	(void)state;
	for (int k = 0; k < 3; k++) {
		unsigned found = 0, right = 0, covered = 0, runs = 40;

		for (uint64_t seed = 0; seed < runs; seed++) {
			struct periodic p;
			struct rng rng;

			rng_init(&rng, seed, 60);
			planted(x, 4000, SINE, 80, noises[k], &rng);
			p = find(x, 4000, seed);
			found += p.found;
			right += fabs(p.period[0].value / 80 - 1) < 0.02;
			covered += p.period[0].low <= 80 && p.period[0].high >= 80;
		}
		printf("# sine of 30 %%, noise %.0f %%: found in %u of %u, within 2 %% %u, covered "
		       "%u\n",
		       100 * noises[k], found, runs, right, covered);
		assert_true(found >= (k < 2 ? 0.95 : 0.5) * runs);
		assert_true(right >= (k < 2 ? 0.95 : 0.7) * found);
		assert_true(covered >= 0.9 * found);
	}
}

static void amplitude(void **state)
{
	struct periodic p;
	struct rng rng;
	double x[5000];

	(void)state;
	rng_init(&rng, 1, 70);
	planted(x, 5000, SINE, 100, 0.02, &rng);
	p = find(x, 5000, 1);
	assert_near(p.amplitude, 0.6, 0.02);
	planted(x, 5000, SAWTOOTH, 100, 0.02, &rng);
	p = find(x, 5000, 1);
	assert_near(p.amplitude, 0.6, 0.03);
	planted(x, 5000, PULSE, 50, 0.02, &rng);
	p = find(x, 5000, 1);
	assert_near(p.amplitude, 1000 / 120.0, 0.2);
	assert_true(p.repetitions >= 97 && p.repetitions <= 100);
}

static void ar1(double *x, size_t n, double correlation, struct rng *rng)
{
	double e = normal(rng);

	for (size_t i = 0; i < n; i++) {
		x[i] = 100 + 10 * e;
		e = correlation * e + sqrt(1 - correlation * correlation) * normal(rng);
	}
}

static void report(const char *what, size_t n, unsigned found, unsigned runs)
{
	printf("# %s, n %zu: %u of %u have a period\n", what, n, found, runs);
	if (found * 20 > runs)
		fail_msg("%s: %u of %u", what, found, runs);
}

/* Noise of any correlation has none. */
static void noise_has_none(void **state)
{
	static const double correlations[] = { 0, 0.3, 0.6, 0.9, 0.97 };
	static const size_t sizes[] = { 100, 600, 5000 };
	double x[5000];
	char what[40];

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		for (size_t c = 0; c < 5; c++) {
			unsigned found = 0, runs = s == 2 ? 40 : 200;

			for (uint64_t seed = 0; seed < runs; seed++) {
				struct rng rng;

				rng_init(&rng, seed, 40 + c);
				ar1(x, sizes[s], correlations[c], &rng);
				found += find(x, sizes[s], seed).found;
			}
			snprintf(what, sizeof(what), "AR(1) %.2f", correlations[c]);
			report(what, sizes[s], found, runs);
		}
	}
}

/* Averages of `width` values of noise, which overlap; a resonance that noise keeps going without a clock. */
static void averaged(double *x, size_t n, size_t width, struct rng *rng)
{
	double last[64] = { 0 }, sum = 0;

	for (size_t i = 0; i < n + width; i++) {
		double e = normal(rng);

		sum += e - last[i % width];
		last[i % width] = e;
		if (i >= width)
			x[i - width] = 100 + sum;
	}
}

static void resonance(double *x, size_t n, struct rng *rng)
{
	double a = 0, b = 0;

	for (size_t i = 0; i < n; i++) {
		double next = 1.8 * a - 0.9 * b + normal(rng);

		b = a;
		a = next;
		x[i] = 100 + next;
	}
}

static void correlated_has_none(void **state)
{
	/* 20 is a limit of the method (docs/analysis.md): shown, not asked for. */
	static const size_t widths[] = { 2, 6, 20 };
	unsigned found[4] = { 0 }, runs = 60;
	double x[3000];

	(void)state;
	for (uint64_t seed = 0; seed < runs; seed++) {
		struct rng rng;

		rng_init(&rng, seed, 55);
		for (int w = 0; w < 3; w++) {
			averaged(x, 3000, widths[w], &rng);
			found[w] += find(x, 3000, seed).found;
		}
		resonance(x, 3000, &rng);
		found[3] += find(x, 3000, seed).found;
	}
	for (int w = 0; w < 3; w++)
		printf("# average of %zu, n 3000: %u of %u have a period\n", widths[w], found[w],
		       runs);
	printf("# resonance, n 3000: %u of %u have a period\n", found[3], runs);
	/* 2 to 4 % of 800 runs each: with so few it may be some more. */
	assert_true(found[0] * 10 <= runs && found[1] * 10 <= runs && found[3] * 10 <= runs);
}

/* Nor have shuffled controls, a wander with white noise on it, heavy tails, or a step. */
static void controls_have_none(void **state)
{
	unsigned found[6] = { 0 }, runs = 100;
	double x[2000];

	(void)state;
	for (uint64_t seed = 0; seed < runs; seed++) {
		struct rng rng;

		rng_init(&rng, seed, 50);
		for (enum form f = 0; f < FORMS; f++) {
			planted(x, 2000, f, 50, 0.2, &rng);
			shuffle(x, 2000, &rng);
			found[f] += find(x, 2000, seed).found;
		}
		ar1(x, 2000, 0.98, &rng);
		for (int i = 0; i < 2000; i++)
			x[i] += 10 * normal(&rng);
		found[3] += find(x, 2000, seed).found;
		for (int i = 0; i < 2000; i++)
			x[i] = pow(1 - rng_double(&rng), -1 / 1.5);
		found[4] += find(x, 2000, seed).found;
		for (int i = 0; i < 2000; i++)
			x[i] = (i < 700 ? 100 : 60) + 3 * normal(&rng);
		found[5] += find(x, 2000, seed).found;
	}
	report("shuffled sine", 2000, found[0], runs);
	report("shuffled sawtooth", 2000, found[1], runs);
	report("shuffled pulses", 2000, found[2], runs);
	report("wander and noise", 2000, found[3], runs);
	report("Pareto 1.5", 2000, found[4], runs);
	report("step", 2000, found[5], runs);
}

/* Many operations in some seconds: pulses fifty thousand apart. */
static void many(void **state)
{
	static double x[500000];
	struct periodic p;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, 80);
	/* These are too faint to be seen one by one. */
	planted(x, 200000, PULSE, 19999.5, 0.3, &rng);
	p = find(x, 200000, 1);
	assert_true(p.found && isnan(p.period[0].low) && p.repetitions == 0);
	assert_near(p.period[0].value, 19999.5, 100);
	planted(x, 500000, PULSE, 49999.5, 0.02, &rng);
	p = find(x, 500000, 1);
	assert_true(p.found && p.repetitions >= 9);
	assert_true(p.period[0].low <= 49999.5 && p.period[0].high >= 49999.5);
	printf("# 5e5: period %.1f in [%.1f, %.1f]\n", p.period[0].value, p.period[0].low,
	       p.period[0].high);
}

/*
 * Operations of three sizes at a rate that falls by half; every so many operations, bytes or seconds fifteen of
 * them take ten times as long.
 */
static void mixed(double *x, double *bytes, double *seconds, size_t n, enum periodic_axis axis,
		  struct rng *rng)
{
	static const double every[] = { 400, 16e6, 0.08 };
	double b = 0, t = 0, last = 0;
	int slow = 0;

	for (size_t i = 0; i < n; i++) {
		/* Large ones come in long runs, so that bytes and operations are not the same. */
		double size = i * 7 / n % 2 ? 65536 : rng_double(rng) < 0.5 ? 4096 : 32768;
		double at = axis == PERIODIC_SAMPLES ? (double)i : axis == PERIODIC_BYTES ? b : t;

		if (floor(at / every[axis]) > floor(last / every[axis]))
			slow = 15;
		last = at;
		x[i] = 150 * (1 + (double)i / (double)n) * (1 + 0.1 * normal(rng)) *
		       (slow > 0 ? 10 : 1);
		slow -= slow > 0;
		b += size;
		t += x[i] * 1e-6;
		bytes[i] = b;
		seconds[i] = t;
	}
}

static void axes(void **state)
{
	static const double every[] = { 400, 16e6, 0.08 };
	static const char *const names[] = { "operations", "bytes", "seconds" };
	static double x[12000], bytes[12000], seconds[12000];

	(void)state;
	for (enum periodic_axis axis = 0; axis < PERIODIC_AXES; axis++) {
		unsigned right = 0, wrong = 0, near = 0, covered = 0, runs = 20;
		struct periodic p;

		for (uint64_t seed = 0; seed < runs; seed++) {
			struct periodic_input in = { x, bytes, seconds, 12000 };
			struct rng rng;

			rng_init(&rng, seed, 90);
			mixed(x, bytes, seconds, 12000, axis, &rng);
			assert_int_equal(periodic_find(&in, seed, &p), 0);
			right += p.constant == axis;
			wrong += p.constant != axis && p.constant != PERIODIC_UNDECIDED;
			near += fabs(p.period[axis].value / every[axis] - 1) < 0.02;
			covered += p.period[axis].low <= every[axis] &&
				   p.period[axis].high >= every[axis];
		}
		printf("# constant in %s: said so in %u of %u, otherwise %u, within 2 %% %u, "
		       "covered %u; "
		       "variation %.3f %.3f %.3f\n",
		       names[axis], right, runs, wrong, near, covered, p.variation[0],
		       p.variation[1], p.variation[2]);
		assert_true(right * 20 >= runs * 19 && wrong == 0 && near * 20 >= runs * 19);
		/* They last longer as the rate falls, which moves their middle: a clock is met less well. */
		assert_true(covered * 10 >= runs * (axis == PERIODIC_SECONDS ? 7 : 9));
	}
}

static void axes_equal(void **state)
{
	static double x[3000], bytes[3000], seconds[3000];
	struct periodic_input in = { x, bytes, seconds, 3000 };
	struct periodic p;
	struct rng rng;

	(void)state;
	/* Of one size at an even rate nothing can be said, but every period is known. */
	rng_init(&rng, 1, 91);
	planted(x, 3000, SAWTOOTH, 60, 0.05, &rng);
	for (int i = 0; i < 3000; i++) {
		bytes[i] = 4096. * (i + 1);
		seconds[i] = 1e-4 * (i + 1);
	}
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_true(p.found);
	assert_int_equal(p.constant, PERIODIC_UNDECIDED);
	assert_near(p.period[1].value, 60 * 4096, 60 * 41);
	assert_near(p.period[2].value, 6e-3, 6e-5);
	/* What is not known is not said; nor is what is known alone the most constant. */
	in.bytes = in.seconds = NULL;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_true(p.found);
	assert_int_equal(p.period[1].status, STATUS_NOT_IDENTIFIABLE);
	assert_true(isnan(p.variation[2]));
	assert_int_equal(p.constant, PERIODIC_UNDECIDED);
}

static void edges(void **state)
{
	struct periodic_input in = { NULL, NULL, NULL, 0 };
	struct periodic p, q;
	struct rng rng;
	double x[400];

	(void)state;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_int_equal(p.status, STATUS_NOT_IDENTIFIABLE);
	for (int i = 0; i < 400; i++)
		x[i] = 3;
	in.x = in.bytes = in.seconds = x;
	in.n = 63;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_int_equal(p.status, STATUS_NOT_IDENTIFIABLE);
	in.n = 400;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_int_equal(p.status, STATUS_MEASURED);
	assert_false(p.found);
	for (int i = 0; i < 400; i++)
		x[i] = 100 + i;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_false(p.found);
	/* Four repetitions are too few. */
	rng_init(&rng, 5, 5);
	planted(x, 400, SINE, 110, 0.05, &rng);
	in.bytes = in.seconds = NULL;
	assert_int_equal(periodic_find(&in, 1, &p), 0);
	assert_false(p.found && p.period[0].value > 100);
	/* The same seed says the same, and units do not matter. */
	planted(x, 400, SAWTOOTH, 33, 0.2, &rng);
	assert_int_equal(periodic_find(&in, 7, &p), 0);
	for (int i = 0; i < 400; i++)
		x[i] *= 1e-9;
	assert_int_equal(periodic_find(&in, 7, &q), 0);
	assert_true(p.found && q.found);
	assert_near(p.period[0].value, q.period[0].value, 1e-6);
	assert_near(p.amplitude, q.amplitude, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_found),
		cmocka_unit_test(weak),
		cmocka_unit_test(amplitude),
		cmocka_unit_test(noise_has_none),
		cmocka_unit_test(correlated_has_none),
		cmocka_unit_test(controls_have_none),
		cmocka_unit_test(many),
		cmocka_unit_test(axes),
		cmocka_unit_test(axes_equal),
		cmocka_unit_test(edges),
	};

	analysis_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
