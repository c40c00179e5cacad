/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring-lane.h - the inside of a lane, for uring.c (submit, reap), uring-prepare.c (entries of the ring)
 * and uring-open.c alone. One thread owns all of it.
 */
#ifndef ASSAY_DEVICE_URING_LANE_H
#define ASSAY_DEVICE_URING_LANE_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/aside.h"
#include "device/uring.h"

#define URING_USER_ASIDE                                                                           \
	(UINT64_C(1) << 63) /* user data: a message of the thread aside, not a slot */

enum uring_slot_state { SLOT_FREE, SLOT_BUSY, SLOT_LOST };

struct uring_slot {
	struct io *io;
	unsigned char *buf;
	int32_t moved, error;
	uint16_t group;	 /* of registered buffers */
	uint8_t pending; /* entries that are still out */
	uint8_t state;	 /* enum uring_slot_state */
};

struct uring_lane {
	struct lane lane; /* first */
	struct uring_device *u;
	struct io_uring ring;
	struct uring_slot *slots;
	uint32_t *free_slots;
	unsigned free_n, slots_n;
	unsigned char *buffers;
	size_t buffers_bytes, stride;
	bool buffers_fixed;
	struct aside *aside;		/* made when first needed, with ... */
	struct aside_message *messages; /* ... one for each slot, and ... */
	uint32_t *free_messages;	/* ... a stack of those that no read is out for */
	unsigned free_messages_n;
	unsigned lost_n;
	uint64_t lost_check_ns; /* when to look for lost I/Os again */
	unsigned stamped;	/* of the batch being submitted: how many have their stamp */
	size_t rendered;
};

/* Put the entries of a slot's I/O into the ring, its content into its buffer. */
void uring_prepare(struct uring_lane *l, uint32_t slot);

#endif
