/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-ssd.c - how fast the simulated drive is, and how that grows with its size.
 *
 *	bench-ssd [--json] [--quick] [CAPACITY_GB OP_PCT]
 *
 * For each capacity and over-provisioning: a TLC drive without cache or campaign, written full in order, then
 * brought to a steady state by uniform random 4 KiB writes (two drive writes; one for 1 TB), then measured in
 * CPU time at QD 32 with timing on and the latency of each I/O in a histogram. Reads likewise. Sequential is a
 * second overwrite in order in commands of 1 MiB, after a first one that undid the disorder. --quick leaves out
 * all but 8 GB, two numbers all but that drive. Prints an array of objects with --json, else a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "data/flow.h"
#include "ssd/ssd.h"

#define DEPTH 32u
#define BATCH 64u

struct loop {
	uint64_t done[DEPTH]; /* packed() */
	uint64_t now_ns;
	struct rng rng;
	uint32_t units;
	struct flow *flow;
};

struct figures {
	double capacity_gb, op_pct, host_writes_per_s, flash_pages_per_s, host_reads_per_s,
		bytes_per_unit, sequential_units_per_s;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Time and slot in one number, so that the least of them is found without a branch. */
static uint64_t packed(uint64_t done_ns, unsigned slot)
{
	return done_ns * DEPTH | slot;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The slot that is done first; the clock goes there. */
static unsigned next_slot(struct loop *l)
{
	uint64_t a = UINT64_MAX, b = a, c = a, d = a;

	for (unsigned i = 0; i < DEPTH; i += 4) {
		a = least(a, l->done[i]);
		b = least(b, l->done[i + 1]);
		c = least(c, l->done[i + 2]);
		d = least(d, l->done[i + 3]);
	}
	a = least(least(a, b), least(c, d));
	if (a / DEPTH > l->now_ns)
		l->now_ns = a / DEPTH;
	return a % DEPTH;
}

/* Draw a batch of addresses, and tell the drive. */
static void draw(const struct ssd *ssd, struct loop *l, uint32_t *unit)
{
	for (unsigned i = 0; i < BATCH; i++)
		unit[i] = (uint32_t)rng_below(&l->rng, l->units);
	for (unsigned i = 0; i < BATCH; i++)
		ssd_prefetch(ssd, unit[i]);
}

/* n random commands of one unit in a closed loop; what is to come is told the drive a batch ahead. */
static void run(struct ssd *ssd, struct loop *l, uint64_t n, bool write)
{
	uint32_t unit[2][BATCH];

	draw(ssd, l, unit[0]);
	for (uint64_t k = 0; k < n; k++) {
		unsigned b = k / BATCH & 1, i = k % BATCH, slot;
		struct ssd_times t;

		if (!i)
			draw(ssd, l, unit[!b]);
		slot = next_slot(l);
		if (write)
			ssd_write(ssd, l->now_ns, unit[b][i], 1, NULL, &t);
		else
			ssd_read(ssd, l->now_ns, unit[b][i], 1, &t);
		flow_record(l->flow, t.done_ns - l->now_ns, SSD_UNIT_BYTES);
		l->done[slot] = packed(t.done_ns, slot);
	}
}

static void fill(struct ssd *ssd, struct loop *l)
{
	for (uint32_t unit = 0, n; unit < l->units; unit += n) {
		unsigned slot = next_slot(l);
		struct ssd_times t;

		n = l->units - unit < 256 ? l->units - unit : 256;
		ssd_write(ssd, l->now_ns, unit, n, NULL, &t);
		l->done[slot] = packed(t.done_ns, slot);
	}
}

/* Blocks of 16 MiB a die as the drive grows from 4 dies to 32: 4096 superblocks or so from 8 GB to 1 TB. */
static int configure(struct ssd_config *cfg, double capacity_gb, double op_pct)
{
	uint64_t units = (uint64_t)(capacity_gb * 1e9) / SSD_UNIT_BYTES;
	uint32_t dies = capacity_gb < 100 ? 4 : capacity_gb < 1000 ? 16 : 32;
	uint32_t stripe = dies * 24;
	uint32_t per = (uint32_t)(units / 4096 / stripe + 1);

	param_defaults(ssd_params, cfg);
	cfg->capacity_bytes = units * SSD_UNIT_BYTES;
	cfg->geometry.dies = dies;
	cfg->geometry.superblock_units = per * stripe;
	cfg->geometry.superblocks =
		(uint32_t)((double)units * (1 + op_pct / 100) / (per * stripe)) + 7;
	cfg->link.kind = LINK_PCIE;
	cfg->link.queue = 1024;
	cfg->buffer_units = 4096;
	return ssd_config_check(cfg, NULL, NULL);
}

static int measure(double capacity_gb, double op_pct, struct loop *l, struct figures *ret)
{
	struct ssd_stats was, is;
	struct ssd_config cfg = { 0 };
	struct err err = { 0 };
	struct ssd *ssd;
	uint64_t n;
	double start;

	if (configure(&cfg, capacity_gb, op_pct) < 0 || ssd_new(&ssd, &cfg, &err) < 0) {
		fprintf(stderr, "bench-ssd: %s\n", err.text);
		return -1;
	}
	for (unsigned slot = 0; slot < DEPTH; slot++)
		l->done[slot] = packed(0, slot);
	l->now_ns = 0;
	l->units = (uint32_t)(cfg.capacity_bytes / SSD_UNIT_BYTES);
	rng_init(&l->rng, 1, 1);
	fill(ssd, l);
	run(ssd, l, (uint64_t)(l->units * (capacity_gb < 1000 ? 2.0 : 1.0)), true);
	n = l->units < 20000000 ? l->units : 20000000;
	ssd_get_stats(ssd, &was);
	start = cpu_seconds();
	run(ssd, l, n, true);
	start = cpu_seconds() - start;
	ssd_get_stats(ssd, &is);
	ret->capacity_gb = capacity_gb;
	ret->op_pct = op_pct;
	ret->host_writes_per_s = (double)n / start;
	ret->flash_pages_per_s = (double)(is.nand_units - was.nand_units) / start;
	start = cpu_seconds();
	run(ssd, l, n, false);
	ret->host_reads_per_s = (double)n / (cpu_seconds() - start);
	fill(ssd, l);
	start = cpu_seconds();
	fill(ssd, l);
	ret->sequential_units_per_s = (double)l->units / (cpu_seconds() - start);
	ret->bytes_per_unit = (double)ssd_memory_bytes(ssd) / l->units;
	ssd_free(ssd);
	return 0;
}

static void print(const struct figures *f, bool json, bool first)
{
	if (json)
		printf("%s{\"capacity_gb\": %g, \"op_pct\": %g, \"host_writes_per_s\": %.0f, "
		       "\"flash_pages_per_s\": %.0f, \"host_reads_per_s\": %.0f, "
		       "\"bytes_per_unit\": %.2f, "
		       "\"sequential_units_per_s\": %.0f}",
		       first ? "[" : ",\n ", f->capacity_gb, f->op_pct, f->host_writes_per_s,
		       f->flash_pages_per_s, f->host_reads_per_s, f->bytes_per_unit,
		       f->sequential_units_per_s);
	else
		printf("%8g GB  OP %4g %%  %6.2f M writes/s  %6.2f M flash pages/s  %6.2f M "
		       "reads/s  "
		       "%5.2f B/unit  %4.0f M sequential units/s\n",
		       f->capacity_gb, f->op_pct, f->host_writes_per_s / 1e6,
		       f->flash_pages_per_s / 1e6, f->host_reads_per_s / 1e6, f->bytes_per_unit,
		       f->sequential_units_per_s / 1e6);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const double capacities[] = { 8, 128, 1024 }, ops[] = { 7, 28 };
	bool json = false, quick = false;
	struct loop l = { .flow = calloc(1, sizeof(*l.flow)) };
	double only[2] = { 0, 0 };
	unsigned numbers = 0;
	int r = 0, printed = 0;

	for (int i = 1; i < argc; i++) {
		json |= !strcmp(argv[i], "--json");
		quick |= !strcmp(argv[i], "--quick");
		if (argv[i][0] != '-' && numbers < 2)
			only[numbers++] = strtod(argv[i], NULL);
	}
	for (unsigned i = 0; r == 0 && l.flow && i < (numbers == 2 ? 1 : quick ? 2 : 6); i++) {
		struct figures f;

		r = measure(numbers == 2 ? only[0] : capacities[i / 2],
			    numbers == 2 ? only[1] : ops[i % 2], &l, &f);
		if (r == 0)
			print(&f, json, !printed++);
	}
	if (json)
		printf("]\n");
	free(l.flow);
	return r == 0 ? 0 : 1;
}
