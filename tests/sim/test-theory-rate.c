/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * T8: the steady rate of random I/O is the capacity of the resource that binds over what an I/O asks of it: dies,
 * channels, link and firmware are each made to bind in turn.
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "theory.h"

#define B 64u /* units a superblock */

/* Seconds that each resource is occupied for each random write, at amplification wa. */
struct demand {
	double dies, channels, link, firmware;
};

static struct demand demand(const struct ssd_config *cfg, double wa)
{
	/* Valid units of a victim lie 1 - (1 - u)^stripe to a page stripe: nearly every stripe is read. */
	double u = 1 - 1 / wa, stripe = cfg->geometry.planes * cfg->geometry.page_units;
	double reads = (1 - pow(1 - u, stripe)) / (stripe * (1 - u));

	return (struct demand){
		.dies = ((wa * (double)cfg->nand.program_ns / cfg->nand.program_units +
			  reads * (double)cfg->nand.read_ns) /
				 cfg->geometry.dies +
			 wa / B * (double)cfg->nand.erase_ns) /
			1e9,
		.channels =
			(2 * wa - 1) * (double)cfg->channel_unit_ns / cfg->geometry.channels / 1e9,
		.link = (double)(cfg->link.write_command_ns + cfg->link.write_unit_ns) / 1e9,
		.firmware = ((double)cfg->fw.write_ns + (wa - 1) * (double)cfg->fw.copy_ns) / 1e9,
	};
}

static void write_rate(void **state)
{
	static const struct {
		const char *name, *more;
		size_t binds;
	} cases[] = {
		{ "dies", "nand.erase=3ms nand.read=60us buffer=512 link.kind=pcie link.queue=256",
		  offsetof(struct demand, dies) },
		{ "channels", "channel.unit=60us nand.program=100us nand.read=10us buffer=512",
		  offsetof(struct demand, channels) },
		{ "link", "link.write_unit=90us nand.program=200us buffer=512",
		  offsetof(struct demand, link) },
		{ "firmware",
		  "fw.write=20us fw.copy=30us nand.program=100us nand.read=1us buffer=512",
		  offsetof(struct demand, firmware) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (uint64_t seed = 1; seed <= 2; seed++) {
			struct theory_load load = { .before = 3, .measured = 1, .seed = seed };
			struct ssd *ssd = theory_drive(0.28, B, seed, cases[i].more);
			struct theory_run r = theory_run(ssd, &load);
			struct demand d = demand(ssd_get_config(ssd), r.wa);
			double most = fmax(fmax(d.dies, d.channels), fmax(d.link, d.firmware));
			char what[64];

			ssd_free(ssd);
			/* The case is what it says, and nothing else comes near. */
			assert_true(*(const double *)((const char *)&d + cases[i].binds) == most);
			assert_true((d.dies > most * 0.9) + (d.channels > most * 0.9) +
					    (d.link > most * 0.9) + (d.firmware > most * 0.9) ==
				    1);
			snprintf(what, sizeof(what), "IOPS bound by %s", cases[i].name);
			theory_near(what, r.iops, 1 / most, 3);
		}
}

/* Random reads at QD 128 reach the least of firmware, dies and link, whatever order data come back in. */
static void random_read_rate(void **state)
{
	static const struct {
		const char *name, *more;
		double want;
	} cases[] = {
		{ "dies",
		  "fw.read=100ns link.kind=pcie link.queue=256 link.read_unit=1000ns "
		  "channel.unit=1us nand.read=100us geometry.dies=4",
		  4 / 100e-6 },
		{ "planes",
		  "fw.read=100ns link.kind=pcie link.queue=256 link.read_unit=1000ns "
		  "channel.unit=1us nand.read=100us nand.planes_independent=true geometry.dies=4",
		  8 / 100e-6 },
		{ "firmware",
		  "fw.read=10us link.kind=pcie link.queue=256 link.read_unit=1000ns "
		  "channel.unit=1us nand.read=60us",
		  1e5 },
		{ "link",
		  "fw.read=100ns link.kind=pcie link.queue=256 link.read_unit=7500ns "
		  "channel.unit=1us nand.read=60us",
		  1 / 7.5e-6 },
		{ "channels",
		  "fw.read=100ns link.kind=pcie link.queue=256 link.read_unit=1us "
		  "channel.unit=40us nand.read=60us",
		  4 / 40e-6 },
		{ "queue",
		  "fw.read=1us link.kind=sata link.queue=4 link.read_command=0ns "
		  "link.read_unit=2us channel.unit=2us nand.read=60us",
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct closed c = { .depth = 128 };
		char text[600];
		struct ssd *ssd;
		struct rng rng;
		uint64_t start;
		uint32_t units;
		double iops, want = cases[i].want;
		const int n = 400000;

		snprintf(text, sizeof(text),
			 "capacity=1GiB geometry.dies=16 geometry.superblock_units=1536 "
			 "geometry.superblocks=212 %s",
			 cases[i].more);
		ssd = drive_new(text);
		units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);
		start = drive_fill(ssd, &c) + 1000000000;
		for (unsigned k = 0; k < c.depth; k++)
			c.done_ns[k] = start;
		rng_init(&rng, 3, 0);
		for (int k = 0; k < n; k++) {
			uint64_t *slot = closed_next(&c);
			struct ssd_times t;

			ssd_read(ssd, c.now_ns, (uint32_t)rng_below(&rng, units), 1, &t);
			*slot = t.done_ns;
		}
		iops = n / ((double)(closed_end(&c) - start) / 1e9);
		if (want ==
		    0) /* four at a time on 16 dies: few meet, so about 4 over the time of one */
			want = 4 / 66.5e-6;
		printf("# reads bound by %s: %.0f IOPS, closed form %.0f (%+.2f %%)\n",
		       cases[i].name, iops, want, (iops / want - 1) * 100);
		ssd_free(ssd);
		assert_true(fabs(iops / want - 1) < (cases[i].want > 0 ? 0.03 : 0.12));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_rate),
		cmocka_unit_test(random_read_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
