/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/uring-lane.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/units.h"
#include "device/clock.h"

#define BUFFER_ALIGN 4096u
#define BUFFER_GROUP_BYTES (1u << 30) /* the kernel's limit for one registered buffer */
#define HUGE_PAGE_BYTES (2u << 20)
#define CLOSE_WAIT_NS (5 * NS_PER_S) /* for I/Os that are given up but not lost */

/*
 * Flags that spare interrupts to the submitting thread, newest kernel first; what a kernel does not know
 * it refuses with -EINVAL.
 */
static const unsigned ring_flags[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	0,
};

static int ring_open(struct uring_lane *l, unsigned entries, struct err *err)
{
	int r = -EINVAL;

	for (size_t i = 0; i < sizeof(ring_flags) / sizeof(*ring_flags) && r == -EINVAL; i++)
		r = io_uring_queue_init(entries, &l->ring, ring_flags[i]);
	if (r == -ENOSYS || r == -EPERM)
		return err_sys(err, r,
			       "this system does not let programs use io_uring (see "
			       "/proc/sys/kernel/io_uring_disabled; containers often forbid it)");
	if (r < 0)
		return err_sys(err, r, "cannot set up an io_uring of %u entries", entries);
	if (!(l->ring.features & IORING_FEAT_EXT_ARG)) {
		io_uring_queue_exit(&l->ring);
		return err_set(err, -ENOSYS,
			       "io_uring of this kernel is too old; use Linux 5.11 or later");
	}
	io_uring_register_ring_fd(&l->ring); /* saves a little; older kernels cannot */
	r = io_uring_register_files(&l->ring, l->u->fds, l->u->n_fds);
	if (r < 0) {
		io_uring_queue_exit(&l->ring);
		return err_sys(err, r, "cannot register %u files with io_uring", l->u->n_fds);
	}
	return 0;
}

static int slots_new(struct uring_lane *l, const struct lane_spec *spec)
{
	size_t align = BUFFER_ALIGN;

	l->slots_n = l->free_n = spec->depth;
	l->stride = ((size_t)spec->length_max + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
	if (l->stride * spec->depth >= HUGE_PAGE_BYTES / 2)
		align = HUGE_PAGE_BYTES;
	l->buffers_bytes = (l->stride * spec->depth + align - 1) / align * align;
	l->slots = calloc(spec->depth, sizeof(*l->slots));
	l->free_slots = calloc(spec->depth, sizeof(*l->free_slots));
	l->buffers = mmap(NULL, l->buffers_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!l->slots || !l->free_slots || l->buffers == MAP_FAILED)
		return -ENOMEM;
	if (align == HUGE_PAGE_BYTES)
		madvise(l->buffers, l->buffers_bytes, MADV_HUGEPAGE);
	for (unsigned i = 0; i < spec->depth; i++) {
		l->slots[i].buf = l->buffers + i * l->stride;
		l->free_slots[i] = spec->depth - 1 - i;
	}
	return 0;
}

/* Buffers that cannot be registered (RLIMIT_MEMLOCK of users) still work, at a higher cost per I/O. */
static void buffers_register(struct uring_lane *l)
{
	size_t per_group = BUFFER_GROUP_BYTES / l->stride;
	struct iovec groups[URING_DEPTH_MAX / (BUFFER_GROUP_BYTES / URING_LENGTH_MAX)];
	unsigned n = 0;

	for (size_t first = 0; first < l->slots_n; first += per_group, n++) {
		size_t count = l->slots_n - first < per_group ? l->slots_n - first : per_group;

		groups[n] = (struct iovec){ .iov_base = l->slots[first].buf,
					    .iov_len = count * l->stride };
		for (size_t i = first; i < first + count; i++)
			l->slots[i].group = (uint16_t)n;
	}
	l->buffers_fixed = io_uring_register_buffers(&l->ring, groups, n) == 0;
}

static void lane_release(struct uring_lane *l)
{
	if (l->buffers && l->buffers != MAP_FAILED)
		munmap(l->buffers, l->buffers_bytes);
	free(l->free_messages);
	free(l->messages);
	free(l->free_slots);
	free(l->slots);
	free(l);
}

int uring_lane_open(struct lane **ret, struct device *dev, const struct lane_spec *spec,
		    struct err *err)
{
	struct uring_lane *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_sys(err, -ENOMEM, "cannot open a lane");
	l->u = (struct uring_device *)dev;
	if (spec->length_max > URING_LENGTH_MAX) {
		free(l);
		return err_set(err, -EINVAL, "blocks of %u bytes are too long; at most %u",
			       spec->length_max, URING_LENGTH_MAX);
	}
	r = slots_new(l, spec);
	if (r < 0)
		err_sys(err, r, "cannot get memory for %u I/Os of %u bytes", spec->depth,
			spec->length_max);
	else
		r = ring_open(l, 2 * spec->depth, err);
	if (r < 0) {
		lane_release(l);
		return r;
	}
	buffers_register(l);
	l->lost_check_ns = clock_now_ns();
	/* Waits end within a few us of their time instead of 50. */
	prctl(PR_SET_TIMERSLACK, 1);
	*ret = &l->lane;
	return 0;
}

/* Entries that are out for slots that are not lost. */
static unsigned out(const struct uring_lane *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->slots_n; i++)
		n += l->slots[i].state == SLOT_BUSY;
	return n;
}

/* The caller gave these up, but their buffers are the kernel's until they are back. */
static void drain(struct uring_lane *l)
{
	uint64_t until = clock_now_ns() + CLOSE_WAIT_NS;
	struct io *ignored[32];

	for (unsigned n = out(l); n > 0 && clock_now_ns() < until; n = out(l)) {
		l->lane.in_flight = n;
		if (uring_lane_reap(&l->lane, ignored, 32, until) < 0)
			break;
	}
	if (out(l))
		__atomic_store_n(&l->u->lost, true, __ATOMIC_RELAXED);
	l->lost_n += out(l);
}

void uring_lane_close(struct lane *lane)
{
	struct uring_lane *l = (struct uring_lane *)lane;

	drain(l);
	aside_free(l->aside, l->lost_n > 0);
	if (l->lost_n > 0) {
		/* Neither memory nor files are touched: the kernel may use them still. */
		io_uring_queue_exit(&l->ring);
		return;
	}
	/* By hand, so that the drive is free for others when this returns and not some time later. */
	io_uring_unregister_files(&l->ring);
	if (l->buffers_fixed)
		io_uring_unregister_buffers(&l->ring);
	io_uring_queue_exit(&l->ring);
	lane_release(l);
}
