/* SPDX-License-Identifier: MIT */
/*
 * disk-media.h - the mechanics of a hard disk: where a unit lies, how long the arm takes, when it comes by.
 *
 * A zone of n units with w units a track is a spiral: its unit i passes the heads at the angle
 * floor(i rev / w) mod rev, in nanoseconds, so that a transfer of any length is a difference of two floors and
 * a stream never misses a turn by rounding.
 */
#ifndef ASSAY_SSD_DISK_MEDIA_H
#define ASSAY_SSD_DISK_MEDIA_H

#include "ssd/disk.h"

#define DISK_ZONES_MAX 64u

struct disk_zone {
	uint32_t first, units; /* where it begins, how many */
	uint32_t track_units;
	uint32_t first_track;
};

struct disk_media {
	uint64_t rev_ns, phase_ns;
	uint32_t zones, heads, cylinders;
	struct disk_zone zone[DISK_ZONES_MAX];
	/* seek(x), x in strokes: near + near_root sqrt(x) up to a third, far + far_slope x beyond */
	double near_ns, near_root_ns, far_ns, far_slope_ns;
	uint64_t track_ns, write_ns;
};

/* -EINVAL where the figures allow no such curve or no such tracks; *ret_name is to blame. */
int disk_media_make(struct disk_media *ret, const struct disk_config *cfg, const char **ret_name,
		    struct err *err);

const struct disk_zone *disk_zone_of(const struct disk_media *m, uint32_t unit);
uint32_t disk_track_of(const struct disk_media *m, uint32_t unit);

/* From one unit to another, without the rotation. */
uint64_t disk_seek_ns(const struct disk_media *m, uint32_t from, uint32_t to, bool write);
/* How long until the unit comes by, from t on. */
uint64_t disk_rotate_ns(const struct disk_media *m, uint32_t unit, uint64_t t);
/* n units from one on, wherever the zones end. */
uint64_t disk_transfer_ns(const struct disk_media *m, uint32_t unit, uint32_t n);
/* How many units from one on, within its zone, have come by after dur_ns. */
uint32_t disk_units_in(const struct disk_media *m, uint32_t unit, uint64_t dur_ns);

#endif
