/* SPDX-License-Identifier: MIT */
/*
 * heat.h - power, temperature and throttling.
 *
 * Energy is counted by what was done: each page read, unit programmed, block erased, unit moved over channel
 * and link costs its own; the controller draws one power always and another on top while commands are at the
 * drive. Two poles (the package, and the board it sits on) turn power into temperature:
 *
 *	T = ambient + x1 + x2,   x' = (P r - x) / tau   for each pole
 *
 * (a Foster network, as thermal studies of SSDs fit it). It is advanced once a step with the mean power of the
 * step, in closed form, and so is an idle time of any length. Temperatures are told at the ends of steps.
 *
 * At limit1 and limit2 the firmware lets the host's data pass at rate1 and rate2 at most, until the temperature is
 * a hysteresis below the limit again (NVMe's TMT1 and TMT2 work that way; how a drive slows down is its own).
 */
#ifndef ASSAY_SSD_HEAT_H
#define ASSAY_SSD_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ssd/config.h"

struct ssd;
struct ssd_stats;

struct heat {
	double rise_k[2]; /* of each pole over the ambient, at last_ns */
	double keep[2];	  /* exp(-step / tau) */
	double seen_uj;	  /* energy of all work until last_ns ... */
	double idle_uj;	  /* ... and of background work in idle time since then */
	double power_w;	  /* mean of the last step */
	uint64_t last_ns,
		next_ns;       /* end of the last step and of this one; next UINT64_MAX: no heat */
	uint32_t level;	       /* of throttling, 0 to 2 */
	uint64_t unit_ns[3];   /* at least so long for each unit of the host, by level */
	uint64_t gate_ns;      /* when the next one may pass */
	uint64_t throttles;    /* how often throttling began */
	uint64_t throttled_ns; /* steps that ended throttled */
};

static inline bool heat_on(const struct ssd_config *cfg)
{
	return cfg->heat.r_k_per_w[0] > 0 || cfg->heat.r_k_per_w[1] > 0;
}

/* What no single row can say. 0 or -EINVAL with a sentence; *name is the parameter to blame. */
int heat_check(const struct ssd_config *cfg, const char **name, struct err *err);

/* In balance with the ambient, idle. */
void heat_init(struct ssd *ssd);

/* The counters of work begin from zero (a purge); the temperature stays. */
void heat_forget(struct ssd *ssd);

/* With a command at now >= next_ns: what was done since the last step becomes temperature. */
void heat_advance(struct ssd *ssd, uint64_t now);

/* Energy of all work so far, in uJ: without the controller. */
double heat_work_uj(const struct ssd *ssd);

/* Temperature, power and throttling as they are at now_ns, with nothing changed. */
void heat_tell(const struct ssd *ssd, uint64_t now_ns, struct ssd_stats *ret);

/* While throttled: when n units of the host that are there at t may pass. */
uint64_t heat_admit(struct heat *heat, uint64_t t, uint32_t n);

#endif
