/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim-ssd.c - the simulated SSD as a kind of simulated drive. Every completion is known when it is given.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/device.h"
#include "device/explain.h"
#include "device/simkind.h"
#include "device/truth.h"
#include "ssd/ssd.h"

struct sim_ssd {
	struct ssd *ssd;
	struct ssd_stats told; /* at the last truth */
};

static int check(const void *config, const char **ret_name, struct err *err)
{
	return ssd_config_check(config, ret_name, err);
}

static int scale(void *config, uint64_t capacity_bytes, struct err *err)
{
	return ssd_config_scale(config, capacity_bytes, err);
}

static struct sim_facts facts(const void *config)
{
	const struct ssd_config *cfg = config;

	return (struct sim_facts){ cfg->capacity_bytes, cfg->seed, cfg->link.trim, SIM_DEPTH_MAX };
}

static int make(void **ret, const void *config, struct err *err)
{
	struct sim_ssd *drive = calloc(1, sizeof(*drive));
	struct ssd_config cfg;
	int r;

	if (!drive)
		return err_set(err, -ENOMEM, "no memory for a simulated drive");
	/* So that loads can verify. Memory that is never touched, until one does. */
	cfg = *(const struct ssd_config *)config;
	cfg.tags = true;
	r = ssd_new(&drive->ssd, &cfg, err);
	if (r < 0) {
		free(drive);
		return r;
	}
	*ret = drive;
	return 0;
}

static void drive_free(void *base)
{
	struct sim_ssd *drive = base;

	ssd_free(drive->ssd);
	free(drive);
}

static uint64_t memory_bytes(const void *base)
{
	return ssd_memory_bytes(((const struct sim_ssd *)base)->ssd);
}

static void explain(const void *config, struct explained *ret)
{
	explain_ssd(config, ret);
}

/* With verify no block is smaller than its header of 44 bytes. */
static double ratio_of(const struct content *c)
{
	double ret = content_ratio(c), least = 44.0 / CONTENT_BLOCK_BYTES;

	return c->verify && ret < least ? least : ret;
}

/* What the drive keeps of verify content: its description; the address is known from where it lies. */
static uint32_t tag_of(const struct content *c)
{
	uint64_t what = c->kind | (uint64_t)c->compress_pct << 8 | (uint64_t)c->generation << 32;
	uint32_t tag = (uint32_t)rng_mix(rng_mix(what) ^ c->seed);

	if (!c->verify)
		return 0;
	return tag ? tag : 1;
}

static bool verified(const struct ssd *ssd, uint32_t unit, uint32_t units, uint32_t tag)
{
	for (uint32_t i = 0; i < units; i++)
		if (ssd_tag(ssd, unit + i) != tag)
			return false;
	return true;
}

static bool submit(void *base, uint64_t now, struct io *io, struct sim_done *ret)
{
	struct ssd *ssd = ((struct sim_ssd *)base)->ssd;
	uint32_t unit = (uint32_t)(io->offset / SSD_UNIT_BYTES);
	uint32_t units = io->length / SSD_UNIT_BYTES;
	struct ssd_data data = { .ratio = ratio_of(&io->content), .tag = tag_of(&io->content) };
	struct ssd_times times;

	switch (io->op) {
	case IO_READ:
		ssd_read(ssd, now, unit, units, &times);
		break;
	case IO_WRITE:
		ssd_write(ssd, now, unit, units, &data, &times);
		break;
	case IO_TRIM:
	case IO_WRITE_ZEROES:
		ssd_trim(ssd, now, unit, units, &times);
		break;
	case IO_FLUSH:
		ssd_flush(ssd, now, &times);
		break;
	}
	ret->start_ns = times.start_ns;
	ret->done_ns = times.done_ns;
	ret->error = times.error;
	if (io->op == IO_READ && io->content.verify && !times.error &&
	    !verified(ssd, unit, units, tag_of(&io->content)))
		ret->error = -EILSEQ;
	return true;
}

static int broken(void *base, uint64_t *ret_at_ns)
{
	return ssd_broken(((struct sim_ssd *)base)->ssd, ret_at_ns);
}

static void idle(void *base, uint64_t now)
{
	ssd_idle(((struct sim_ssd *)base)->ssd, now);
}

static void purge(void *base)
{
	struct sim_ssd *drive = base;

	ssd_purge(drive->ssd);
	memset(&drive->told, 0, sizeof(drive->told));
}

static int purge_by(void *base, enum purge_method method, uint64_t *now_ns, struct err *err)
{
	static const enum ssd_purge_method ways[] = {
		[PURGE_FORMAT] = SSD_PURGE_FORMAT,
		[PURGE_SANITIZE] = SSD_PURGE_SANITIZE,
		[PURGE_SECURE_ERASE] = SSD_PURGE_SECURE_ERASE,
		[PURGE_DISCARD] = SSD_PURGE_DISCARD,
		[PURGE_ZERO_FILL] = SSD_PURGE_ZERO_FILL,
	};
	struct sim_ssd *drive = base;
	const struct ssd_config *cfg = ssd_get_config(drive->ssd);
	enum ssd_purge_method way =
		method == PURGE_DEFAULT ? (enum ssd_purge_method)cfg->purge_by : ways[method];
	uint64_t at;

	if (way == SSD_PURGE_DISCARD && !cfg->link.trim)
		return err_set(err, -ENOTSUP, "no TRIM reaches this drive, so it cannot discard");
	if (ssd_broken(drive->ssd, &at) == -ENODEV)
		return err_set(err, -ENODEV, "the drive has dropped off the bus");
	if (way == SSD_PURGE_NEW)
		purge(base);
	else
		*now_ns = ssd_purge_by(drive->ssd, *now_ns, way);
	return 0;
}

static void prefetch(void *base, const struct io *io)
{
	ssd_prefetch(((struct sim_ssd *)base)->ssd, (uint32_t)(io->offset / SSD_UNIT_BYTES));
}

static void telemetry(void *base, struct telemetry *ret)
{
	struct ssd_stats s;

	ssd_get_stats(((struct sim_ssd *)base)->ssd, &s);
	ret->wear_pct = s.wear_pct;
	ret->temperature_c = s.temperature_c;
	if (!isnan(s.temperature_c))
		ret->throttled_s = (double)s.throttled_ns / 1e9;
	ret->host_written_bytes = (int64_t)(s.host_write_units * SSD_UNIT_BYTES);
	ret->host_read_bytes = (int64_t)(s.host_read_units * SSD_UNIT_BYTES);
}

/* The background work of an interval, in words. */
static void name_activity(const struct ssd_stats *s, const struct ssd_stats *was, char *buf,
			  size_t size)
{
	snprintf(buf, size, "%s%s%s%s%s%s", s->throttle_level ? "+throttling" : "",
		 s->fold_units > was->fold_units ? "+folding" : "",
		 s->gc_units > was->gc_units ? "+gc" : "",
		 s->campaign_units > was->campaign_units ? "+campaign" : "",
		 s->refresh_units + s->level_units > was->refresh_units + was->level_units
			 ? "+refresh"
			 : "",
		 s->compact_units > was->compact_units ? "+compaction" : "");
	if (buf[0])
		memmove(buf, buf + 1, strlen(buf));
	else
		snprintf(buf, size, "none");
}

static void name_binding(struct truth *t, double fw_share, double channel_share)
{
	const struct {
		const char *name;
		double share;
	} all[] = { { "link", t->link_busy_share },
		    { "die", t->die_busy_share },
		    { "firmware", fw_share },
		    { "channel", channel_share } };
	const char *name = "none";
	double most = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].share > most) {
			most = all[i].share;
			name = all[i].name;
		}
	snprintf(t->binding, sizeof(t->binding), "%s", name);
}

static void truth(void *base, uint64_t span_ns, struct truth *t)
{
	struct sim_ssd *drive = base;
	const struct ssd_config *cfg = ssd_get_config(drive->ssd);
	const struct ssd_stats *was = &drive->told;
	double span = (double)span_ns;
	struct ssd_stats s;
	uint64_t main_valid;

	ssd_get_stats(drive->ssd, &s);
	t->host_written_bytes = s.host_write_units * SSD_UNIT_BYTES;
	t->host_read_bytes = s.host_read_units * SSD_UNIT_BYTES;
	t->nand_written_bytes = s.stored_bytes;
	t->gc_copied_bytes = (s.gc_units + s.compact_units) * SSD_UNIT_BYTES;
	t->folded_bytes = s.fold_units * SSD_UNIT_BYTES;
	t->refreshed_bytes = (s.campaign_units + s.refresh_units + s.level_units) * SSD_UNIT_BYTES;
	t->cache_used_bytes = s.cache_used_units * SSD_UNIT_BYTES;
	t->cache_limit_bytes = s.cache_limit_units * SSD_UNIT_BYTES;
	t->free_superblocks = s.free_superblocks;
	t->erases = s.erases;
	t->temperature_c = s.temperature_c;
	t->mapping_misses = s.map_misses;
	main_valid = s.mapped_units - s.cache_valid_units;
	t->alpha_eff = main_valid ? (double)s.main_units / (double)main_valid : NAN;
	t->die_busy_share = sim_share(s.die_busy_ns, was->die_busy_ns, span * cfg->geometry.dies);
	t->link_busy_share = sim_share(s.link_busy_ns, was->link_busy_ns, span);
	name_binding(
		t, sim_share(s.fw_busy_ns, was->fw_busy_ns, span),
		sim_share(s.channel_busy_ns, was->channel_busy_ns, span * cfg->geometry.channels));
	name_activity(&s, was, t->activity, sizeof(t->activity));
	drive->told = s;
}

static void truth_start(void *base)
{
	struct sim_ssd *drive = base;

	ssd_get_stats(drive->ssd, &drive->told);
}

/* Not all of nand.*: suspending is something that a drive need not do at all. */
static const char *const required[] = {
	"capacity",	"geometry.",  "nand.cell",	    "nand.read",
	"nand.program", "nand.erase", "nand.program_units", "nand.planes_independent",
	"link.",	NULL
};

const struct sim_kind sim_kind_ssd = {
	.name = "ssd",
	.sentence = "flash, with a translation layer",
	.params = ssd_params,
	.required = required,
	.check = check,
	.scale = scale,
	.facts = facts,
	.explain = explain,
	.memory_bytes = memory_bytes,
	.make = make,
	.free = drive_free,
	.submit = submit,
	.broken = broken,
	.idle = idle,
	.purge = purge,
	.purge_by = purge_by,
	.prefetch = prefetch,
	.telemetry = telemetry,
	.truth = truth,
	.truth_start = truth_start,
};
