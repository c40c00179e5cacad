/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * identity.h - which drives there are and what they are called.
 *
 * Sources, the first that knows: sysfs, the udev database (readable by everybody), and for SATA, SAS and
 * USB drives smartctl (needs root). Works without privileges, with gaps: empty strings and NAN.
 */
#ifndef ASSAY_DEVICE_IDENTITY_H
#define ASSAY_DEVICE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct drive_listing {
	char name[32];	   /* the kernel's: "nvme0n1", "sda", "loop7" */
	char path[64];	   /* "/dev/nvme0n1" */
	char model[64];	   /* empty: not known */
	char serial[64];   /* empty: it has none, or we may not know */
	char firmware[32]; /* empty: not known */
	uint64_t size_bytes;
	bool rotational, removable, read_only;
	double temperature_c, wear_pct; /* NAN: not known */
	char in_use[256];		/* "is mounted at '/home'", ...; empty: not in use */
};

DEFINE_VEC(drive_listings, struct drive_listing);

/* Everything that `assay drives` shows; in the order of the names. Release with drive_listings_release(). */
int drives_list(struct drive_listings *ret, struct err *err);
/* The same on a made-up machine, without asking programs or drives. */
int drives_list_at(const char *root, struct drive_listings *ret, struct err *err);

/*
 * One whole drive, by kernel name. `ask` also asks the drive itself (smartctl, NVMe log), which takes a
 * moment; without it only the kernel's and udev's tables are read.
 */
void drive_identify(const char *root, const char *name, bool ask, struct drive_listing *ret);

#endif
