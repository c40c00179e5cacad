/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * health.h - temperature, wear and lifetime counters of a real drive, as far as it says and we may ask.
 *
 * NVMe: the SMART log (NVM Express base specification 2.0, 5.16.1.3) through libnvme. Others: hwmon for the
 * temperature (the kernel's drivetemp), and `smartctl --json` where asked for: that starts a program, so it
 * is not for use while measuring.
 */
#ifndef ASSAY_DEVICE_HEALTH_H
#define ASSAY_DEVICE_HEALTH_H

#include <stdint.h>

struct health {
	double temperature_c, wear_pct; /* NAN: not known */
	double throttled_s; /* NAN: not known; in whole seconds, 0 also where a drive does not count */
	int64_t host_written_bytes, host_read_bytes; /* -1: not known */
};

/* What smartctl said. Empty strings: nothing. */
struct smart {
	char model[64], serial[64], firmware[32];
	struct health health;
};

/* `name` is the kernel's, of the whole drive. 0, or -ENOTSUP where nothing is known at all. */
int health_read(const char *root, const char *name, struct health *ret);

/* Run smartctl on /dev/NAME. 0 or a negative errno (-ENOENT: not installed). */
int smart_read(const char *name, struct smart *ret);
/* Parse what `smartctl --json` prints; -EINVAL where it is not that. */
int smart_parse(const char *text, struct smart *ret);

#endif
