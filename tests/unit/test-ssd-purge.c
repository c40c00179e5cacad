/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Emptying a simulated drive in each way: what is gone, what stays, how long it takes. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "ssd/purge.h"
#include "ssd/ssd.h"

#define UNITS 4096u /* 16 MiB */
#define WAYS 6

static const char small[] =
	"capacity=16MiB geometry.channels=2 geometry.dies=2 geometry.planes=2 "
	"geometry.page_units=1 geometry.superblock_units=96 geometry.superblocks=80 "
	"nand.program_units=12 pslc.program_units=4 buffer=32 pslc.static=512KiB pslc.share=0.1 "
	"content.tags=true";

static struct ssd *make(const char *more)
{
	struct ssd_config cfg;
	struct err err = { 0 };
	struct ssd *ret = NULL;
	char text[2048], *save = NULL;

	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	snprintf(text, sizeof(text), "%s %s", small, more);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		if (param_set(ssd_params, &cfg, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
	if (ssd_new(&ret, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

static void check(const struct ssd *ssd, const char *when)
{
	struct err err = { 0 };

	if (ssd_check(ssd, &err) < 0)
		fail_msg("%s: %s", when, err.text);
}

static struct ssd_stats stats_of(const struct ssd *ssd)
{
	struct ssd_stats ret;

	ssd_get_stats(ssd, &ret);
	return ret;
}

/* Random writes of up to 40 units; returns when the last is done. */
static uint64_t use(struct ssd *ssd, uint64_t seed, int n, uint64_t now)
{
	struct ssd_data data = { .ratio = 1, .tag = 9 };
	struct rng rng;

	rng_init(&rng, seed, 1);
	for (int i = 0; i < n; i++) {
		uint32_t count = 1 + (uint32_t)rng_below(&rng, 40);
		struct ssd_times t;

		ssd_write(ssd, now, (uint32_t)rng_below(&rng, UNITS - 40), count, &data, &t);
		now = t.done_ns;
	}
	return now;
}

/* Everything is gone, nothing is lost from the books, and the drive works on. */
static void each_way(void **state)
{
	static const char *const drives[] = {
		"",
		"pslc.full=fold",
		"pslc.static=0B pslc.share=0",
		("campaign.every=1MiB campaign.copy=512KiB campaign.start=4KiB "
		 "campaign.slice_units=3"),
		"wear.rated=3000 wear.endurance=3000 refresh.days=0.0001 calibration.every=1s",
		"gc.mixed=true pslc.static=0B pslc.share=0",
		"content.compress=true fault.cut_every=900TB",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drives) / sizeof(*drives); i++)
		for (int way = 0; way < WAYS; way++) {
			struct ssd *ssd = make(drives[i]);
			uint64_t now = 0;

			for (uint64_t round = 1; round <= 5; round++) {
				struct ssd_stats was, is;
				uint64_t done;

				now = use(ssd, round, (int)round * 130, now);
				was = stats_of(ssd);
				done = ssd_purge_by(ssd, now, (enum ssd_purge_method)way);
				check(ssd, ssd_purge_words[way]);
				is = stats_of(ssd);
				assert_true(done >= now);
				now = done;
				for (uint32_t u = 0; u < UNITS; u++)
					assert_int_equal(ssd_tag(ssd, u), 0);
				assert_int_equal(is.mapped_units,
						 way == SSD_PURGE_ZERO_FILL ? UNITS : 0);
				if (way == SSD_PURGE_NEW) {
					assert_int_equal(is.erases + is.nand_units, 0);
					continue;
				}
				assert_true(is.erases >= was.erases);
				assert_true(is.nand_units >= was.nand_units);
				assert_true(is.host_write_units >= was.host_write_units);
			}
			use(ssd, 99, 1500, now);
			check(ssd, "afterwards");
			ssd_free(ssd);
		}
}

/* How long it takes, what is erased, and whether the cache knows that everything is free. */
static void cost(void **state)
{
	/* No cache that depends on it: time by what is erased. */
	static const char drive[] = "nand.erase=5ms purge.format=1s pslc.basis=unwritten "
				    "pslc.share=0.2 link.other_command=1us";
	uint64_t took[WAYS], erased[WAYS], limit[WAYS];

	(void)state;
	for (int way = 0; way < WAYS; way++) {
		struct ssd *ssd = make(drive);
		uint64_t now = use(ssd, 1, 3000, 0) + 3600000000000;
		struct ssd_stats was, is;

		ssd_idle(ssd, now);
		was = stats_of(ssd);
		took[way] = ssd_purge_by(ssd, now, (enum ssd_purge_method)way) - now;
		is = stats_of(ssd);
		erased[way] = is.erases - was.erases;
		limit[way] = is.cache_limit_units;
		if (way == SSD_PURGE_SECURE_ERASE)
			assert_int_equal(took[way], 1000000000 + erased[way] * 5000000);
		if (way == SSD_PURGE_SECURE_ERASE || way == SSD_PURGE_SANITIZE)
			assert_int_equal(is.free_superblocks, 80);
		ssd_free(ssd);
	}
	assert_int_equal(took[SSD_PURGE_NEW], 0);
	assert_int_equal(took[SSD_PURGE_FORMAT], 1000000000);
	assert_int_equal(took[SSD_PURGE_SANITIZE], 1000000000 + 80 * 5000000);
	assert_true(erased[SSD_PURGE_SECURE_ERASE] > 40 && erased[SSD_PURGE_SECURE_ERASE] <= 80);
	assert_int_equal(erased[SSD_PURGE_FORMAT] + erased[SSD_PURGE_DISCARD], 0);
	assert_true(took[SSD_PURGE_DISCARD] < 1000000);
	assert_true(took[SSD_PURGE_ZERO_FILL] > UNITS * 7700ull); /* all of it over the link */
	assert_int_equal(limit[SSD_PURGE_FORMAT], limit[SSD_PURGE_NEW]);
	assert_int_equal(limit[SSD_PURGE_SANITIZE], limit[SSD_PURGE_NEW]);
	/* TRIM makes nothing that this cache takes for never written. */
	assert_true(limit[SSD_PURGE_DISCARD] < limit[SSD_PURGE_NEW] / 4);
	assert_true(limit[SSD_PURGE_ZERO_FILL] <= limit[SSD_PURGE_DISCARD]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way),
		cmocka_unit_test(cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
