/* SPDX-License-Identifier: MIT */
/*
 * wear.h - erase counts, raw bit errors, what a read costs because of them, and how a drive ends.
 *
 * The raw bit error rate of a superblock is (Kim, Choi and Min, FAST 2019, as read in public code)
 *
 *	RBER = [ eps + alpha PE^k + beta PE^m days^n + gamma PE^p reads^q ] x own factor x (1 + c |dT|)
 *
 * with PE the erase cycles divided by the drive's quality, days since it was programmed, reads per page since
 * then (clamped: the fit explodes beyond a few hundred), and dT the temperature now less that at programming.
 * pow() is not for the path of a read: the rate is computed when a superblock is opened, once a day, at a
 * step of temperature and each 8 reads a page, and kept as one byte, 24 levels to the octave.
 *
 * Pages differ: ln of a page's rate is normal around its superblock's with ecc.page_variation. From that each
 * level has a table of how likely a page needs 0, 1, 2 ... retries (each shift of the read voltages divides
 * the rate by ecc.retry_gain), soft decoding, or is lost. A page's draw is a hash of seed, place and erase
 * count, so that the same data are as hard to read each time, in whatever order they are read.
 */
#ifndef ASSAY_SSD_WEAR_H
#define ASSAY_SSD_WEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ssd/config.h"

#define WEAR_LEVELS 256u
#define WEAR_RETRIES_MAX 16u
#define WEAR_CYCLE 256u /* erase counts are kept in 1/256 of a cycle */

struct ssd;
struct ssd_stats;

extern const char *const wear_free_words[];

struct wear {
	/* by superblock */
	uint32_t *cycles;	/* x WEAR_CYCLE */
	uint32_t *limit;	/* cycles at which its erase fails */
	uint32_t *reads;	/* of pages since it was opened */
	uint32_t *programmed_s; /* drive's clock at opening */
	int32_t *programmed_mk; /* and temperature */
	float *factor;		/* of its error rate */
	uint8_t *level, *fresh; /* error rate now and at opening, see above */
	/* by level: a draw below entry i takes i retries, below the one after all retries soft decoding */
	uint64_t (*below)[WEAR_RETRIES_MAX + 2];
	uint64_t *lost; /* bitmap of units that were lost in a copy */
	uint64_t lost_units;
	double quality; /* of this drive */
	uint64_t salt;
	uint32_t quiet_level; /* the first level at which a page may need a retry ... */
	uint32_t lossy_level; /* ... and at which it may be lost */
	uint32_t read_shift;  /* each 2^this page reads the level is computed again */
	uint32_t retired;
	uint32_t opens;			   /* since the spread of wear was looked at */
	int32_t temperature_mk, levels_mk; /* now, and when all levels were computed last */
	bool read_lost;			   /* a page of the command that is being read */
};

static inline bool wear_on(const struct ssd_config *cfg)
{
	return cfg->wear.endurance > 0;
}

/* What no single row can say. 0 or -EINVAL with a sentence; *name is the parameter to blame. */
int wear_check(const struct ssd_config *cfg, const char **name, struct err *err);

/* Arrays (counted as memory of the drive), draws and tables. False: no memory. */
bool wear_init(struct ssd *ssd);
void wear_free(struct ssd *ssd);

/*
 * What the drive has been through by its counters when it is made (aged.h) becomes cycles, the same of all
 * superblocks; its data are as old as the drive's clock.
 */
void wear_used(struct ssd *ssd);

/* Data and their errors are gone; cycles stay. */
void wear_reset(struct ssd *ssd);

/* Bring the superblock to the head of the free ring that shall be opened next. */
void wear_choose(struct ssd *ssd);

/* A superblock was opened for programming at t. */
void wear_open(struct ssd *ssd, uint32_t sb, uint64_t t);

/*
 * A superblock was erased, in the mode of its state. True: the erase (or a program before it) failed, and it
 * is retired. Where the spare is used up by that the drive becomes read-only, and retires no more.
 */
bool wear_erase(struct ssd *ssd, uint32_t sb);

/* A purge erases what was written. True: the superblock is retired, now or before. */
bool wear_purge(struct ssd *ssd, uint32_t sb);

/*
 * Pages of one stripe are read for `n` units from `off` of a superblock on; t is when the channel was asked
 * for. Returns how much longer the die takes than tR. Sets wear.read_lost where a page is lost.
 */
uint64_t wear_read(struct ssd *ssd, uint32_t sb, uint32_t off, uint32_t n, uint32_t die,
		   uint64_t t);

/*
 * Units (complemented, as the map keeps them) are about to be copied from a superblock: those whose page is
 * lost are so until they are written again.
 */
void wear_copy(struct ssd *ssd, uint32_t sb, const uint32_t *not_unit, uint32_t n);

/* Units are written or trimmed / read. The latter: true where one of them is lost. */
void wear_heal(struct ssd *ssd, uint32_t unit, uint32_t n);
bool wear_is_lost(const struct ssd *ssd, uint32_t unit, uint32_t n);

/* All levels anew, as of t. */
void wear_levels(struct ssd *ssd, uint64_t t);

/* Level of an error rate. */
uint32_t wear_level_of(const struct ssd *ssd, double rate);

void wear_tell(const struct ssd *ssd, struct ssd_stats *ret);

#endif
