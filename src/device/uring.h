/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring.h - what block devices, files and folders share: a linear address space over one or more open
 * files, and lanes that are io_uring rings on them.
 *
 * A backend fills a struct uring_device at open (uring_device_init(), then its own fields) and puts the
 * uring_lane_x() functions into its table. Pieces: offset >> piece_shift is the index of the file,
 * the low bits are the place in it. Everything here is read-only after open but what says "atomic".
 */
#ifndef ASSAY_DEVICE_URING_H
#define ASSAY_DEVICE_URING_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/diskstat.h"
#include "device/written.h"

#define URING_DEPTH_MAX 4096u
#define URING_LANES_MAX 256u
#define URING_LENGTH_MAX (64u << 20)
#define URING_TRIM_BYTES_MAX (1u << 30)
/*
 * How late a completion is stamped at most when the host is busy: the wake-up of a sleeping thread on a
 * virtual machine (p99.9 of cyclictest-like waits) plus the handling of one batch.
 */
#define URING_STAMP_ERROR_NS 50000u

enum uring_trim {
	URING_TRIM_NONE,
	URING_TRIM_COMMAND, /* the block layer's own ring command, from Linux 6.12 on */
	URING_TRIM_PUNCH,   /* fallocate() with a hole, through the ring */
	URING_TRIM_CALL,    /* uring_target.trim() on a thread of the lane */
};

struct uring_device;

struct uring_target {
	/* Called before a write to a piece (any lane, any time). 0 or a negative errno; NULL: nothing to do. */
	int (*prepare_write)(struct uring_device *u, uint32_t piece);
	/* Called when a TRIM of [offset, offset + length) was done. NULL: nothing to do. */
	void (*trimmed)(struct uring_device *u, uint64_t offset, uint64_t length);
	/* A TRIM that may block; returns 0 or a negative errno. */
	int (*trim)(struct uring_device *u, uint64_t offset, uint64_t length);
};

struct uring_device {
	struct device dev; /* first */
	const struct uring_target *target;
	int *fds; /* one a piece, owned; -1: none */
	uint32_t n_fds;
	uint8_t piece_shift; /* 63: one piece */
	enum uring_trim trim;
	uint64_t lost_after_ns;
	struct written *written; /* what was ever written; NULL: not tracked (block device) */
	uint64_t unwritten_read; /* bytes, atomic */
	bool lost;		 /* atomic: an I/O never came back, so no file may be closed */
	struct diskstat stat;	 /* where the counters are */
	double wear_pct;	 /* at open; NAN: not known */
	char drive_name[32];	 /* kernel name of the whole drive below; empty: not known */
};

/* Set what is the same for all three: limits, clock, room for the descriptors. 0 or -ENOMEM. */
int uring_device_init(struct uring_device *u, const struct device_ops *ops, const char *kind,
		      uint32_t n_fds);
/* Close the files (unless an I/O is lost in one) and free what uring_device_init() and the backend filled. */
void uring_device_release(struct uring_device *u);

int uring_lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec,
		    struct err *err);
void uring_lane_close(struct lane *lane);
uint64_t uring_lane_now_ns(struct lane *lane);
int uring_lane_submit(struct lane *lane, struct io *const *io, unsigned n);
int uring_lane_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns);
int uring_counters(struct device *dev, struct device_counters *ret);
int uring_telemetry(struct device *dev, struct telemetry *ret);

/*
 * How much may be written unless told otherwise: four times the capacity, and at least 128 GiB, which no drive
 * notices and the ladder on a few GiB needs.
 */
static inline uint64_t uring_budget_bytes(uint64_t capacity_bytes)
{
	uint64_t least = 128ull << 30;

	return capacity_bytes > least / 4 ? 4 * capacity_bytes : least;
}

#endif
