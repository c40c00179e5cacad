/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nvme-hot against its source (S4, figure 3): at 25 °C a continuous sequential write runs at over 1.2 GB/s for 95 s,
 * then the drive throttles. And against the closed form of its own thermal network, whose power is worked out here
 * from the energies of the model and the rate that was seen.
 *
 * The drive is scaled to 16 GB and written over and over: dies, link and heat are those of the whole drive, and the
 * erases that a fresh one would not need yet are 0.04 W of 6.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/model.h"
#include "drive.h"

#define SECONDS 400

struct curve {
	double mbps[SECONDS], celsius[SECONDS]; /* of each second */
	struct ssd_config cfg;
	struct ssd_stats stats;
};

/* A continuous sequential write of SECONDS in blocks of n units, begun after so long an idle time. */
static void sequential_write(struct curve *ret, const char *options, uint32_t n, uint64_t idle_ns)
{
	struct model *m = NULL;
	struct err err = { 0 };
	struct ssd *ssd = NULL;
	struct closed c = { .depth = 32, .now_ns = idle_ns };
	char text[256], *save = NULL;
	uint32_t units, unit = 0;

	memset(ret, 0, sizeof(*ret));
	if (model_load(&m, "nvme-hot", NULL, &err) < 0)
		fail_msg("%s", err.text);
	snprintf(text, sizeof(text), "capacity=16GB %s", options);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (model_set(m, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
	if (ssd_new(&ssd, &m->config, &err) < 0)
		fail_msg("%s", err.text);
	ret->cfg = m->config;
	model_free(m);
	units = (uint32_t)(ret->cfg.capacity_bytes / SSD_UNIT_BYTES);
	for (;;) {
		uint64_t *slot = closed_next(&c);
		uint64_t second = (c.now_ns - idle_ns) / 1000000000;
		struct ssd_times t;

		if (second >= SECONDS)
			break;
		if (n > units - unit)
			unit = 0;
		ssd_write(ssd, c.now_ns, unit, n, NULL, &t);
		unit += n;
		*slot = t.done_ns;
		ret->mbps[second] += n * 4096e-6;
		if (ret->celsius[second] == 0) {
			ssd_get_stats(ssd, &ret->stats);
			ret->celsius[second] = ret->stats.temperature_c;
		}
	}
	ssd_get_stats(ssd, &ret->stats);
	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s", err.text);
	ssd_free(ssd);
}

/* The first second below 1.2 GB/s; SECONDS: none. The very first fills the buffer and counts for none. */
static int onset_s(const struct curve *c)
{
	for (int s = 1; s < SECONDS; s++)
		if (c->mbps[s] < 1200)
			return s;
	return SECONDS;
}

/* Mean of the seconds [from, to). */
static double mean_mbps(const struct curve *c, int from, int to)
{
	double sum = 0;

	for (int s = from; s < to; s++)
		sum += c->mbps[s];
	return sum / (to - from);
}

/* When the closed form reaches the limit from idle at so many MB/s, in s; INFINITY: never. */
static double closed_form_s(const struct ssd_config *cfg, double mbps)
{
	double units_s = mbps * 1e6 / SSD_UNIT_BYTES, t = 0, c;
	double blocks = cfg->geometry.dies * cfg->geometry.planes;
	double work_w =
		units_s * 1e-6 *
		(cfg->heat.program_unit_uj + cfg->heat.channel_unit_uj + cfg->heat.link_unit_uj +
		 blocks * cfg->heat.erase_block_uj / cfg->geometry.superblock_units);
	double from_w = cfg->heat.idle_w, power_w = cfg->heat.idle_w + cfg->heat.active_w + work_w;

	do {
		c = cfg->heat.ambient_c;
		for (int i = 0; i < 2; i++)
			c += cfg->heat.r_k_per_w[i] *
			     (power_w -
			      (power_w - from_w) * exp(-t / ((double)cfg->heat.tau_ns[i] / 1e9)));
		t += 0.05;
	} while (c < cfg->heat.limit_c[0] && t < 10000);
	return t < 10000 ? t : INFINITY;
}

/* Ten starts and block sizes: the onset of the source, to 5 s, and of the closed form, to 3 s; then one level. */
static void source(void **state)
{
	static const uint32_t blocks[] = { 32, 64, 128, 256, 32 };
	static struct curve c;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		double fast, expected;
		int onset;

		sequential_write(&c, "", blocks[i % 5],
				 i * 1234567891ull + (i % 3) * 600000000000ull);
		onset = onset_s(&c);
		assert_in_range(onset, 90, 100);
		fast = mean_mbps(&c, 1, onset);
		expected = closed_form_s(&c.cfg, fast);
		print_message("# phase %u: %.0f MB/s for %d s (closed form %.1f s)\n", i, fast,
			      onset, expected);
		assert_true(fast > 1200 && fast < 1350);
		assert_true(fabs(onset - expected) <= 3);
		assert_true(fabs(c.celsius[onset] - c.cfg.heat.limit_c[0]) < 1);
		assert_true(fabs(mean_mbps(&c, onset + 2, SECONDS) / 500 - 1) < 0.03);
		assert_int_equal(c.stats.throttles, 1);
		assert_int_equal(c.stats.throttle_level, 1);
	}
}

/* Cooler air or a better path to it: later, or never. Warmer: sooner, and down to the second level. */
static void cooling(void **state)
{
	static const struct {
		const char *options;
		int from_s, to_s;
	} cases[] = {
		{ "heat.ambient=20", 110, SECONDS - 1 },
		{ "heat.ambient=0", SECONDS, SECONDS },
		{ "heat.r2=3", SECONDS, SECONDS },
		{ "heat.ambient=40", 30, 60 },
		{ "heat.limit1=65", 40, 60 },
	};
	static struct curve c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double expected;
		int onset;

		sequential_write(&c, cases[i].options, 128, 0);
		onset = onset_s(&c);
		expected = closed_form_s(&c.cfg, mean_mbps(&c, 1, onset));
		print_message("# %s: %d s (closed form %.1f s)\n", cases[i].options, onset,
			      expected);
		assert_in_range(onset, cases[i].from_s, cases[i].to_s);
		assert_true(onset == SECONDS ? expected >= SECONDS : fabs(onset - expected) <= 3);
		assert_true((c.stats.throttled_ns > 0) == (onset < SECONDS));
	}
}

/* The second level holds where the first does not; then the drive swings between limits. */
static void second_level(void **state)
{
	static struct curve c;
	bool light = false, heavy = false;

	(void)state;
	sequential_write(&c, "heat.ambient=40 heat.limit2=80 heat.rate1=1000MB heat.hysteresis=4",
			 128, 0);
	for (int s = 1; s < SECONDS; s++) {
		assert_true(c.celsius[s] < c.cfg.heat.limit_c[1] + 1);
		light = light || fabs(c.mbps[s] - 1000) < 50;
		heavy = heavy || fabs(c.mbps[s] - 100) < 10;
	}
	assert_true(light && heavy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source),
		cmocka_unit_test(cooling),
		cmocka_unit_test(second_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
