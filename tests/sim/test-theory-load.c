/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write amplification under loads that are not uniform writes of every address: T4 TRIM, T5 hot and cold data in one
 * pool, T6 overwriting in order, T7 a span of a full drive, and the transient behind a fill (T10).
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "theory.h"

#define B 64u /* units a superblock */

static void trim(void **state)
{
	static const double q[] = { 0.1, 0.2, 0.3 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (uint64_t seed = 1; seed <= 2; seed++)
			for (int policy = 0; policy < 2; policy++) {
				struct theory_load load = {
					.before = 6, .measured = 6, .trim = q[i], .seed = seed
				};
				struct ssd *ssd =
					theory_drive(0.07, B, seed, policy ? "gc.policy=fifo" : "");
				struct theory_run r = theory_run(ssd, &load);
				/* As the theory has it: usable over the expected number in use. */
				double alpha = r.alpha * r.used / theory_trim_used(q[i]);
				char what[64];

				ssd_free(ssd);
				theory_near("share in use", r.used, theory_trim_used(q[i]), 1);
				snprintf(what, sizeof(what), "%s, TRIM %.0f %%",
					 policy ? "fifo" : "greedy", q[i] * 100);
				theory_near(what, r.wa,
					    policy ? theory_fifo(alpha) : theory_greedy(alpha, B),
					    1);
			}
}

/* The approximation for greedy gets better with larger superblocks: 128 units, as in the source of the form. */
static void hot_cold(void **state)
{
	static const struct {
		double op, r, f;
	} cases[] = {
		{ 0.125, 0.8, 0.2 }, { 0.125, 0.9, 0.1 }, { 0.28, 0.8, 0.2 }, { 0.28, 0.9, 0.1 }
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++) {
			bool fifo = k & 1;
			uint64_t seed = 1 + (uint64_t)k / 2;
			struct theory_load load = { .before = 5,
						    .measured = 5,
						    .hot_writes = cases[i].r,
						    .hot_units = cases[i].f,
						    .seed = seed };
			struct ssd *ssd = theory_drive(cases[i].op, 2 * B, seed,
						       fifo ? "gc.mixed=true gc.policy=fifo"
							    : "gc.mixed=true");
			struct theory_run r = theory_run(ssd, &load);
			double want = fifo ? theory_hot_cold_fifo(r.alpha, cases[i].r, cases[i].f)
					   : theory_hot_cold_greedy(r.alpha, 2 * B, cases[i].r,
								    cases[i].f);
			char what[64];

			ssd_free(ssd);
			snprintf(what, sizeof(what), "%s %.0f/%.0f, OP %.1f %%",
				 fifo ? "fifo" : "greedy", cases[i].r * 100, cases[i].f * 100,
				 cases[i].op * 100);
			theory_near(what, r.wa, want, fifo ? 1 : 2);
		}
}

/* Streams of their own keep copies, which are cold, from the host's writes, which are hot: less is copied. */
static void separate_streams(void **state)
{
	struct theory_load load = {
		.before = 6, .measured = 3, .hot_writes = 0.9, .hot_units = 0.1, .seed = 1
	};
	struct ssd *ssd = theory_drive(0.125, B, 1, "");
	struct theory_run r = theory_run(ssd, &load);
	double mixed = theory_hot_cold_greedy(r.alpha, B, 0.9, 0.1);

	(void)state;
	ssd_free(ssd);
	printf("# greedy 90/10, OP 12.5 %%, separate streams: %.4f, one pool %.4f\n", r.wa, mixed);
	assert_true(r.wa < 0.95 * mixed);
}

/* The whole drive overwritten in order: nothing is ever copied, whatever the policy. */
static void sequential(void **state)
{
	static const char *const policies[] = { "greedy", "fifo", "cost-benefit" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct closed c = { .depth = 4 };
		struct ssd_stats s;
		char text[64];
		struct ssd *ssd;

		snprintf(text, sizeof(text), "gc.policy=%s", policies[i]);
		ssd = theory_drive(0.07, B, 1, text);
		for (int k = 0; k < 4; k++)
			drive_fill(ssd, &c);
		ssd_get_stats(ssd, &s);
		assert_int_equal(s.gc_units, 0);
		assert_int_equal(s.pad_units, 0);
		assert_true(s.host_write_units - s.nand_units <
			    16); /* what waits for its program */
		ssd_free(ssd);
	}
}

/* Cold superblocks stay full: the whole spare is the span's. */
static void span(void **state)
{
	static const double spans[] = { 0.8, 0.5, 0.25, 0.1 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (uint64_t seed = 1; seed <= 2; seed++) {
			double p = spans[i], alpha;
			struct theory_load load = {
				.before = 5 * p, .measured = 5 * p, .span = p, .seed = seed
			};
			struct ssd *ssd = theory_drive(0.07, B, seed, "");
			struct theory_run r = theory_run(ssd, &load);
			char what[64];

			ssd_free(ssd);
			alpha = (r.alpha - (1 - p)) / p;
			snprintf(what, sizeof(what), "span %.0f %%, alpha_eff %.3f", p * 100,
				 alpha);
			theory_near(what, r.wa, theory_greedy(alpha, B), 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trim),
		cmocka_unit_test(hot_cold),
		cmocka_unit_test(separate_streams),
		cmocka_unit_test(sequential),
		cmocka_unit_test(span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
