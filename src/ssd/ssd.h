/* SPDX-License-Identifier: MIT */
/*
 * ssd.h - a simulated SSD as a library: takes a time, returns a time.
 *
 * Virtual time in integer nanoseconds. A resource of the drive (link, firmware, channel, die, buffer) is a
 * busy-until time; a command is passed through them when it is given and its completion is known at once.
 * The same configuration and the same calls give the same times on every compiler and machine.
 *
 * Addresses and lengths are in units of 4 KiB. Calls must come with times that never go back. Nothing is
 * allocated after ssd_new(). One thread at a time; two drives share nothing.
 */
#ifndef ASSAY_SSD_SSD_H
#define ASSAY_SSD_SSD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ssd/config.h"

struct ssd;

/* When a command reached the drive (it may have waited at the host for its turn), was accepted, was done. */
struct ssd_times {
	uint64_t start_ns, done_ns; /* done_ns UINT64_MAX: it never comes back */
	uint64_t
		accept_ns; /* when it takes the data of a write or begins to fetch those of a read */
	int error;	   /* 0, or a negative errno: the command failed at done_ns */
};

/* What a write carries, as far as the drive can tell. NULL where a call takes one: nothing to be gained. */
struct ssd_data {
	double ratio; /* compressed size / size, each unit by itself; 1: incompressible, 0: zeros */
	uint32_t tag; /* kept per unit where content.tags is on, and given back by ssd_tag() */
	bool fua;     /* done when it is in flash */
};

/* Counters since the drive was made or purged; a level where it says so. All exact. */
struct ssd_stats {
	uint64_t host_write_units, host_read_units, trim_units;
	uint64_t zero_units; /* of host_write_units: zeros that were detected and not programmed */
	uint64_t gc_units, fold_units, compact_units, campaign_units, refresh_units, level_units,
		pad_units;		      /* programmed for these */
	uint64_t nand_units;		      /* programmed in all: host + the line above + map */
	uint64_t cache_nand_units;	      /* of these in pSLC mode */
	uint64_t erases;		      /* superblocks */
	uint64_t mapped_units, written_units; /* levels: mapped now, ever written */
	uint64_t cache_used_units,
		cache_limit_units; /* levels: pSLC positions taken, allowed now */
	uint64_t cache_valid_units;
	uint64_t free_superblocks;     /* level */
	uint64_t campaigns;	       /* started */
	uint64_t prefill_units;	       /* written before the first command; in no other count */
	uint64_t map_units;	       /* programmed when changed map pages were written back */
	uint64_t map_hits, map_misses; /* look-ups of map pages, 0 where the whole map is in DRAM */
	bool campaign_active;	       /* level */
	bool cleaning;		       /* level: between gc.low and gc.high free superblocks */
	uint64_t journal_flushes;
	uint64_t clean_ns;    /* for which commands were stopped by it */
	uint64_t main_units;  /* level: positions of the main area as collection sees it */
	uint64_t suspends;    /* programs and erases interrupted for reads */
	uint64_t die_busy_ns; /* sum over the dies */
	uint64_t link_busy_ns, fw_busy_ns, channel_busy_ns;
	/* heat: as of the last step; a purge does not reset it. Where heat is not modelled: NAN, NAN and 0 */
	double temperature_c, power_w; /* levels */
	uint32_t throttle_level;       /* level: 0 none, 1 light, 2 heavy */
	uint64_t throttles;	       /* begun */
	uint64_t throttled_ns;
	uint64_t stored_bytes; /* programmed, after compression */
	uint64_t read_errors, late_commands, stuck_commands, power_cuts;
	uint64_t reverted_units; /* that went back to an older version at power cuts */
	/* wear, where it is modelled */
	uint64_t retries, soft_decodes; /* reads at other voltages; pages decoded softly */
	uint64_t uncorrectable;		/* page reads that failed */
	uint64_t unreadable_units;	/* level: lost when they were copied, not written since */
	uint64_t calibrations;
	uint64_t retired_superblocks;	/* level */
	double pe_min, pe_mean, pe_max; /* levels: erase cycles of the superblocks */
	double wear_pct;		/* level: pe_mean of the rated cycles; NAN: not modelled */
	bool read_only;			/* level: end of life */
};

/* The configuration is checked and copied. -EINVAL or -ENOMEM with a sentence. */
int ssd_new(struct ssd **ret, const struct ssd_config *cfg, struct err *err);
void ssd_free(struct ssd *ssd); /* NULL is fine */

/* Where no heat is modelled: how warm the flash is from now on (wear.temperature at first). */
void ssd_set_temperature(struct ssd *ssd, double celsius);

/* Back to never written; the clock, the seed and what was configured stay. */
void ssd_purge(struct ssd *ssd);

/*
 * Empty the drive in the way of a real one (purge.h). Nothing may be in flight. Returns when it is done; SSD_PURGE_NEW
 * is ssd_purge() and takes no time. Discard only where link.trim is set.
 */
enum ssd_purge_method {
	SSD_PURGE_NEW,
	SSD_PURGE_FORMAT,
	SSD_PURGE_SANITIZE,
	SSD_PURGE_SECURE_ERASE,
	SSD_PURGE_DISCARD,
	SSD_PURGE_ZERO_FILL
};
uint64_t ssd_purge_by(struct ssd *ssd, uint64_t now_ns, enum ssd_purge_method method);

void ssd_read(struct ssd *ssd, uint64_t now_ns, uint32_t unit, uint32_t n, struct ssd_times *ret);
void ssd_write(struct ssd *ssd, uint64_t now_ns, uint32_t unit, uint32_t n,
	       const struct ssd_data *data, struct ssd_times *ret);
/*
 * Only where link.trim is set. Writes and trims of a drive at its end of life fail with -EIO, as Linux reports
 * the aborted command of a SATA drive; a read of lost data does so too.
 */
void ssd_trim(struct ssd *ssd, uint64_t now_ns, uint32_t unit, uint32_t n, struct ssd_times *ret);
/* Done when everything written before is in flash. */
void ssd_flush(struct ssd *ssd, uint64_t now_ns, struct ssd_times *ret);

/*
 * Only where fault.cut_every is set (which cuts by itself). The power goes now and is back after fault.cut_time: what was
 * not in flash goes back to what was there before, unless buffer.protected. Commands whose done_ns lies behind now
 * were in flight: the caller must take them as failed, their writes may have happened or not.
 */
void ssd_power_cut(struct ssd *ssd, uint64_t now_ns);

/*
 * When everything in flight was lost the last time and with which error: -ENODEV the drive dropped off for good, -EIO
 * a power cut by fault.cut_every. Commands given before, whose done_ns lies behind that moment, failed then. 0: never.
 */
int ssd_broken(const struct ssd *ssd, uint64_t *ret_at_ns);

/* The tag of what a read of the unit finds now. 0: nothing was written there, or nothing with a tag. */
uint32_t ssd_tag(const struct ssd *ssd, uint32_t unit);

/* Let idle time pass until now_ns: background work is done in closed form. Other calls do it themselves. */
void ssd_idle(struct ssd *ssd, uint64_t now_ns);

/* Commands to come: fetches what they will look up. Never changes a result. */
void ssd_prefetch(const struct ssd *ssd, uint32_t unit);

const struct ssd_config *ssd_get_config(const struct ssd *ssd);
void ssd_get_stats(const struct ssd *ssd, struct ssd_stats *ret);
uint64_t ssd_memory_bytes(const struct ssd *ssd);

/*
 * Conservation: every mapped unit is in one place, valid counts sum, every superblock is in one state, what
 * was programmed is accounted for by cause. Costs one pass over the drive. 0 or -EINVAL with a sentence.
 */
int ssd_check(const struct ssd *ssd, struct err *err);

#endif
