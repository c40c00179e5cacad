/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * written.h - which parts of a file were ever written: a bit for each 4 KiB.
 *
 * A file system answers reads of what was never written with zeros, at the speed of memory. So that this is
 * never taken for the drive's speed, file and folder drives remember. Setting and testing may be done by
 * several threads at once.
 */
#ifndef ASSAY_DEVICE_WRITTEN_H
#define ASSAY_DEVICE_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#define WRITTEN_UNIT 4096u

struct written;

struct written *written_new(uint64_t bytes); /* nothing written; NULL: no memory */
void written_free(struct written *w);	     /* NULL is fine */

/* Units that are touched count as written; units that are covered count as cleared. */
void written_set(struct written *w, uint64_t offset, uint64_t length);
void written_clear(struct written *w, uint64_t offset, uint64_t length);
bool written_all(const struct written *w, uint64_t offset, uint64_t length);
bool written_none(const struct written *w, uint64_t offset, uint64_t length);
uint64_t written_bytes(const struct written *w); /* in units */

/* Set what the file system says has data in `fd`, which holds the addresses from `base` on. */
int written_from_file(struct written *w, int fd, uint64_t base);

#endif
