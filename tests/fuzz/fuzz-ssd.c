/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated drive on any stream of operations over any valid configuration. The first bytes choose the
 * configuration, a value for each row of a table, which may be refused; each four bytes after them are an operation.
 * Whatever they say: a command starts when it was given or later, is done no earlier than it started, and everything
 * is in its one place (ssd_check()).
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ssd/ssd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHOICES 4
#define CHECK_EVERY 32

/* A 16 MiB drive of small superblocks; the first value of each row is the plain one. */
static const struct {
	const char *name, *value[CHOICES];
} rows[] = {
	{ "nand.cell", { "tlc", "slc", "mlc", "qlc" } },
	{ "geometry.dies", { "2", "1", "4", "2" } },
	{ "geometry.channels", { "1", "2", "1", "2" } },
	{ "geometry.superblock_units", { "96", "48", "192", "144" } },
	{ "geometry.superblocks", { "90", "60", "130", "200" } },
	{ "nand.program_units", { "12", "4", "24", "2" } },
	{ "nand.planes_independent", { "false", "true", "false", "true" } },
	{ "pslc.program_units", { "4", "2", "4", "8" } },
	{ "pslc.static", { "0B", "512KiB", "1MiB", "256KiB" } },
	{ "pslc.share", { "0", "0.1", "0.25", "0.333" } },
	{ "pslc.full", { "direct", "fold", "direct", "fold" } },
	{ "pslc.basis", { "unmapped", "unwritten", "unmapped", "unwritten" } },
	{ "pslc.fold_share", { "1", "1.5", "0.5", "4" } },
	{ "pslc.fold_low", { "0B", "128KiB", "1MiB", "4KiB" } },
	{ "pslc.reclaim", { "false", "true", "false", "true" } },
	{ "pslc.reclaim_valid", { "0", "60", "99", "10" } },
	{ "pslc.idle_delay", { "500ms", "0ns", "1ms", "1us" } },
	{ "pslc.idle_rate", { "100MB", "0B", "1GB", "1MB" } },
	{ "channel.unit", { "8us", "0ns", "1us", "200us" } },
	{ "link.kind", { "sata", "pcie", "usb-bot", "sata" } },
	{ "link.queue", { "32", "1", "4", "256" } },
	{ "link.trim", { "true", "false", "true", "true" } },
	{ "fw.copy", { "0ns", "10us", "100us", "1us" } },
	{ "fw.random_write", { "0ns", "50us", "1ms", "1us" } },
	{ "fw.readahead", { "0", "32", "128", "8" } },
	{ "buffer", { "64", "256", "48", "96" } },
	{ "gc.policy", { "greedy", "fifo", "cost-benefit", "d-choices" } },
	{ "gc.choices", { "10", "1", "2", "5" } },
	{ "gc.low", { "4", "5", "8", "12" } },
	{ "gc.high", { "0", "10", "16", "24" } },
	{ "gc.pacing", { "paced", "batch", "slices", "batch" } },
	{ "gc.mixed", { "false", "true", "false", "true" } },
	{ "gc.host_slice", { "10ms", "0ns", "100us", "1s" } },
	{ "gc.slice_units", { "8", "1", "64", "1000" } },
	{ "gc.reads_too", { "false", "true", "false", "true" } },
	{ "gc.idle_rate", { "0B", "1MB", "100MB", "10GB" } },
	{ "gc.idle_delay", { "1s", "0ns", "1ms", "100us" } },
	{ "journal.units", { "0", "64", "1", "4096" } },
	{ "journal.a1", { "0ns", "250us", "1us", "10ms" } },
	{ "journal.flush", { "0ns", "2ms", "60ms", "1us" } },
	{ "content.zero_detect", { "false", "true", "false", "true" } },
	{ "content.compress", { "false", "false", "true", "false" } },
	{ "content.tags", { "false", "true", "false", "false" } },
	{ "campaign.every", { "0B", "1MiB", "2MiB", "16MiB" } },
	{ "campaign.copy", { "0B", "512KiB", "1MiB", "4KiB" } },
	{ "campaign.start", { "0B", "4KiB", "1MiB", "16MiB" } },
	{ "campaign.idle_rate", { "30MB", "0B", "1GB", "1MB" } },
	{ "fault.read_error", { "0", "0.1", "0", "0" } },
	{ "fault.late", { "0", "0", "0.1", "0" } },
	{ "fault.cut_every", { "0B", "0B", "0B", "1MiB" } },
	{ "wear.endurance", { "0", "0", "300", "20" } },
	{ "wear.level_spread", { "0", "0", "4", "16" } },
};
#define ROWS (sizeof(rows) / sizeof(*rows))
#define CONFIG_BYTES ((ROWS + 3) / 4) /* two bits a row */

static struct ssd *drive(const uint8_t *data)
{
	struct ssd_config cfg;
	struct ssd *ssd = NULL;
	struct err err = { 0 };

	memset(&cfg, 0, sizeof(cfg));
	param_defaults(ssd_params, &cfg);
	assert(param_set(ssd_params, &cfg, "capacity", "16MiB", &err) == 0);
	assert(param_set(ssd_params, &cfg, "geometry.page_units", "1", &err) == 0);
	for (size_t i = 0; i < ROWS; i++) {
		const char *value = rows[i].value[data[i / 4] >> (i % 4 * 2) & 3];

		if (param_set(ssd_params, &cfg, rows[i].name, value, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
	}
	if (ssd_config_check(&cfg, NULL, &err) < 0) {
		assert(err.text[0]);
		return NULL;
	}
	assert(ssd_new(&ssd, &cfg, &err) == 0);
	return ssd;
}

static void check(const struct ssd *ssd)
{
	struct err err = { 0 };

	if (ssd_check(ssd, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

/* The operation of four bytes at `now`. */
static void operate(struct ssd *ssd, const uint8_t *op, uint64_t now, struct ssd_times *t)
{
	const struct ssd_config *cfg = ssd_get_config(ssd);
	uint32_t units = (uint32_t)(cfg->capacity_bytes / SSD_UNIT_BYTES);
	uint32_t unit = (op[1] | (uint32_t)op[2] << 8) % units, n = 1 + op[3] % 128;
	struct ssd_data data = { .ratio = op[3] & 0x80 ? 0 : 0.5 + (op[3] & 1),
				 .tag = op[1],
				 .fua = op[0] == 7 };

	if (n > units - unit)
		n = units - unit;
	switch (op[0] & 31) {
	case 24:
	case 25:
	case 26:
	case 27:
		ssd_read(ssd, now, unit, n, t);
		return;
	case 28:
		if (cfg->link.trim)
			ssd_trim(ssd, now, unit, n, t);
		return;
	case 29:
		ssd_flush(ssd, now, t);
		return;
	case 30:
		ssd_idle(ssd, now);
		return;
	case 31:
		if (op[3] < 8)
			ssd_purge(ssd);
		else if (cfg->fault.cut_every_bytes)
			ssd_power_cut(ssd, now);
		return;
	default:
		ssd_write(ssd, now, unit, n, op[3] & 0x40 ? NULL : &data, t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssd *ssd = size > CONFIG_BYTES ? drive(data) : NULL;
	uint64_t now = 0, last = 0;

	if (!ssd)
		return 0;
	for (size_t at = CONFIG_BYTES, k = 1; at + 4 <= size; at += 4, k++) {
		struct ssd_times t = { .start_ns = now, .done_ns = now, .accept_ns = now };

		operate(ssd, data + at, now, &t);
		assert(t.start_ns >= now && t.done_ns >= t.start_ns);
		if (!t.error)
			assert(t.accept_ns >= t.start_ns && t.accept_ns <= t.done_ns);
		/* A command that was stuck, or is very late, does not keep the others. */
		if (t.done_ns > last && t.done_ns < now + 60000000000u)
			last = t.done_ns;
		/* Overlapping, back to back, or after a rest. */
		if (data[at] & 0x40)
			now = last > now ? last : now;
		else if (data[at] & 0x80)
			now += (uint64_t)data[at + 3] << (data[at + 1] & 31);
		if (k % CHECK_EVERY == 0)
			check(ssd);
	}
	check(ssd);
	ssd_free(ssd);
	return 0;
}
