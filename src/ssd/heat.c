/* SPDX-License-Identifier: MIT */
#include "ssd/heat.h"

#include <errno.h>
#include <math.h>

#include "ssd/compress.h"

#define UJ_PER_W_NS 1e-3 /* 1 W x 1 ns = 1e-3 uJ */

int heat_check(const struct ssd_config *cfg, const char **name, struct err *err)
{
	if (!heat_on(cfg))
		return 0;
	*name = "heat.limit2";
	if (cfg->heat.limit_c[1] < cfg->heat.limit_c[0])
		return err_set(err, -EINVAL, "heat.limit2 (%g °C) is below heat.limit1 (%g °C)",
			       cfg->heat.limit_c[1], cfg->heat.limit_c[0]);
	*name = "heat.rate2";
	if (cfg->heat.rate_bytes_per_s[1] > cfg->heat.rate_bytes_per_s[0])
		return err_set(err, -EINVAL, "heat.rate2 is more than heat.rate1");
	*name = "heat.limit1";
	if (cfg->heat.limit_c[0] - cfg->heat.hysteresis_k <= cfg->heat.ambient_c)
		return err_set(err, -EINVAL,
			       "heat.limit1 (%g °C) less heat.hysteresis is not above the ambient "
			       "(%g °C): throttling would never end",
			       cfg->heat.limit_c[0], cfg->heat.ambient_c);
	return 0;
}

void heat_init(struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;
	struct heat *h = &ssd->heat;

	h->next_ns = UINT64_MAX;
	if (!heat_on(cfg))
		return;
	h->next_ns = cfg->heat.step_ns;
	h->power_w = cfg->heat.idle_w;
	for (int i = 0; i < 2; i++) {
		h->keep[i] = exp(-(double)cfg->heat.step_ns / (double)cfg->heat.tau_ns[i]);
		h->rise_k[i] = cfg->heat.idle_w * cfg->heat.r_k_per_w[i];
		h->unit_ns[i + 1] = SSD_UNIT_BYTES * 1000000000ull / cfg->heat.rate_bytes_per_s[i];
	}
}

void heat_forget(struct ssd *ssd)
{
	ssd->heat.seen_uj = ssd->heat.idle_uj = 0;
}

double heat_work_uj(const struct ssd *ssd)
{
	const struct ssd_config *cfg = &ssd->cfg;
	const struct ssd_stats *s = &ssd->stats;
	double blocks = (double)cfg->geometry.dies * cfg->geometry.planes;
	double programmed =
		(double)(s->nand_units - s->cache_nand_units) * cfg->heat.program_unit_uj +
		(double)s->cache_nand_units * cfg->heat.pslc_program_unit_uj;
	double share = ssd->stored && s->nand_units
			       ? (double)ssd->stored_sum / ((double)s->nand_units * STORED_ALL)
			       : 1;
	double moved = cfg->channel_unit_ns
			       ? (double)ssd->nand.channel_busy_ns / (double)cfg->channel_unit_ns
			       : 0;

	return (double)ssd->nand.page_reads * cfg->heat.read_page_uj + programmed * share +
	       (double)s->erases * blocks * cfg->heat.erase_block_uj +
	       moved * cfg->heat.channel_unit_uj +
	       (double)(s->host_read_units + s->host_write_units) * cfg->heat.link_unit_uj;
}

/* n steps at one power. By repeated squaring, so that it takes multiplications only and no time. */
static void pass(const struct ssd_config *cfg, struct heat *h, double power_w, uint64_t n)
{
	for (int i = 0; i < 2; i++) {
		double goal = power_w * cfg->heat.r_k_per_w[i], keep = 1, square = h->keep[i];

		for (uint64_t k = n; k; k >>= 1) {
			if (k & 1)
				keep *= square;
			square *= square;
		}
		h->rise_k[i] = goal + (h->rise_k[i] - goal) * keep;
	}
	h->power_w = power_w;
}

static double temperature(const struct ssd_config *cfg, const struct heat *h)
{
	return cfg->heat.ambient_c + h->rise_k[0] + h->rise_k[1];
}

/* The level after n steps that ended at this temperature. */
static void set_level(const struct ssd_config *cfg, struct heat *h, uint64_t n)
{
	double c = temperature(cfg, h);
	uint32_t was = h->level;

	if (c >= cfg->heat.limit_c[1])
		h->level = 2;
	else if (c >= cfg->heat.limit_c[0] && h->level < 1)
		h->level = 1;
	if (h->level == 2 && c < cfg->heat.limit_c[1] - cfg->heat.hysteresis_k)
		h->level = 1;
	if (h->level == 1 && c < cfg->heat.limit_c[0] - cfg->heat.hysteresis_k)
		h->level = 0;
	if (h->level)
		h->throttled_ns += n * cfg->heat.step_ns;
	if (h->level && !was)
		h->throttles++;
}

/*
 * Whole steps until now: first those with commands at the drive, then those without. The controller is taken as
 * active until the last command of the steps is done; gaps in between are too short for it to rest.
 */
static void step(const struct ssd *ssd, struct heat *h, uint64_t now)
{
	const struct ssd_config *cfg = &ssd->cfg;
	uint64_t step_ns = cfg->heat.step_ns, steps = (now - h->last_ns) / step_ns;
	uint64_t end_ns = h->last_ns + steps * step_ns, busy_ns = 0, active;
	double total = heat_work_uj(ssd), step_uj = (double)step_ns * UJ_PER_W_NS;
	double work_uj = total - h->seen_uj - h->idle_uj;

	if (ssd->busy_until_ns > h->last_ns)
		busy_ns = (ssd->busy_until_ns < end_ns ? ssd->busy_until_ns : end_ns) - h->last_ns;
	active = (busy_ns + step_ns - 1) / step_ns;
	if (work_uj > 0 && !active)
		active = 1;
	if (active == steps)
		work_uj += h->idle_uj;
	if (active) {
		work_uj += (double)busy_ns * cfg->heat.active_w * UJ_PER_W_NS;
		pass(cfg, h, cfg->heat.idle_w + work_uj / ((double)active * step_uj), active);
		set_level(cfg, h, active);
	}
	if (active < steps) {
		uint64_t idle = steps - active;

		pass(cfg, h, cfg->heat.idle_w + h->idle_uj / ((double)idle * step_uj), idle);
		set_level(cfg, h, idle);
	}
	h->seen_uj = total;
	h->idle_uj = 0;
	h->last_ns = end_ns;
	h->next_ns = end_ns + step_ns;
}

void heat_advance(struct ssd *ssd, uint64_t now)
{
	step(ssd, &ssd->heat, now);
}

void heat_tell(const struct ssd *ssd, uint64_t now_ns, struct ssd_stats *ret)
{
	struct heat h = ssd->heat;

	if (now_ns >= h.next_ns)
		step(ssd, &h, now_ns);
	ret->temperature_c = temperature(&ssd->cfg, &h);
	ret->power_w = h.power_w;
	ret->throttle_level = h.level;
	ret->throttles = h.throttles;
	ret->throttled_ns = h.throttled_ns;
}

uint64_t heat_admit(struct heat *heat, uint64_t t, uint32_t n)
{
	uint64_t start = max_ns(heat->gate_ns, t);

	heat->gate_ns = start + n * heat->unit_ns[heat->level];
	return start;
}
