/* SPDX-License-Identifier: MIT */
/*
 * refresh.h - what a drive does by the clock: data refresh, static wear levelling, calibration.
 *
 * Refresh rewrites a closed superblock of the main area when its data are refresh.days old, or when its
 * error rate has reached refresh.rber and is well above that of fresh data (else a worn drive would rewrite
 * for ever). Levelling moves the data of the least worn closed superblock when cycles differ by
 * wear.level_spread, so that it wears too. Both go at refresh.rate, looking at one superblock's positions one
 * after the other, in idle time and under load alike. Calibration: every so often all dies are busy for a
 * moment.
 *
 * next_ns is the one time that a command compares with; UINT64_MAX where there is nothing to do.
 */
#ifndef ASSAY_SSD_REFRESH_H
#define ASSAY_SSD_REFRESH_H

#include <stdbool.h>
#include <stdint.h>

struct ssd;

/* Times UINT64_MAX: never. */
struct refresh {
	bool due;	/* there is something to move */
	bool levelling; /* the superblock that is moved is, for levelling */
	bool moving;	/* ... at this moment */
	uint32_t level; /* wear level from which data are written anew */
	uint64_t credit_bytes_ns, last_ns;
	uint64_t tick_ns, look_ns,
		calibrate_ns; /* next day, look at the temperature, calibration */
	uint64_t next_ns;     /* the first of all that */
};

/* Nothing under way; the clock goes on. */
void refresh_reset(struct ssd *ssd, uint64_t now);

/* With a command or after idle time, where next_ns <= now. In quiet mode data move and timelines do not. */
void refresh_run(struct ssd *ssd, uint64_t now);

/* Something may have become due: look for it. */
void refresh_wake(struct ssd *ssd, uint64_t now);

#endif
