/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring.c - a lane: one io_uring of one thread, its buffers and its slots.
 *
 * A slot is an I/O in flight with its buffer, and the ring's user data is the slot's number. An I/O that
 * crosses from one piece to the next takes two entries and counts when both are back.
 *
 * Clock: one reading before each system call that submits, one for each batch of completions. A stamp of
 * submission lies before the call, so the time that the kernel takes to accept an I/O is part of its
 * latency. Large batches of large writes are submitted as they are rendered, so that the drive does not
 * stand still while the rest of the batch is made up.
 *
 * AddressSanitizer does not see the kernel write to memory; a buffer is poisoned from submit to completion
 * so that at least our own accesses to it are caught.
 */
#include "device/uring-lane.h"

#include <assert.h>
#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <stddef.h>

#include "base/units.h"
#include "data/content.h"
#include "device/clock.h"

#define RENDERED_BYTES_MAX (128u << 10) /* submit after having rendered so much */
#define WAIT_NS_MAX NS_PER_S		/* so that lost I/Os are noticed while waiting */

uint64_t uring_lane_now_ns(struct lane *lane)
{
	(void)lane;
	return clock_now_ns();
}

/* Stamp what has no stamp yet and hand it to the kernel, which also tells what is done meanwhile. */
static void send_off(struct uring_lane *l, struct io *const *io, unsigned n)
{
	uint64_t now = clock_now_ns();

	while (l->stamped < n)
		io[l->stamped++]->submit_ns = now;
	l->rendered = 0;
	/* What the kernel did not take now stays in the ring and goes with the next call. */
	io_uring_submit_and_get_events(&l->ring);
}

int uring_lane_submit(struct lane *lane, struct io *const *io, unsigned n)
{
	struct uring_lane *l = (struct uring_lane *)lane;
	unsigned taken = 0;

	l->stamped = 0;
	while (taken < n && l->free_n) {
		uint32_t slot = l->free_slots[--l->free_n];
		struct uring_slot *s = &l->slots[slot];

		s->state = SLOT_BUSY;
		s->io = io[taken++];
		s->io->slot = slot;
		s->moved = s->error = 0;
		uring_prepare(l, slot);
		if (l->rendered >= RENDERED_BYTES_MAX)
			send_off(l, io, taken);
	}
	if (l->stamped < taken)
		send_off(l, io, taken);
	/* Slots are only ever missing where I/Os were lost: the drive does not answer any more. */
	return taken || !n ? (int)taken : -ETIMEDOUT;
}

/* What the caller has to know of an I/O whose entries are all back. */
static void settle(struct uring_lane *l, struct uring_slot *s)
{
	struct uring_device *u = l->u;
	struct io *io = s->io;

	if (io->op == IO_READ || io->op == IO_WRITE)
		ASAN_UNPOISON_MEMORY_REGION(s->buf, io->length);
	io->result = s->error < 0 ? s->error : s->moved;
	if (io->result < 0)
		return;
	switch (io->op) {
	case IO_READ:
		if (u->written && !written_all(u->written, io->offset, io->length))
			__atomic_add_fetch(&u->unwritten_read, io->length, __ATOMIC_RELAXED);
		if (io->content.verify &&
		    content_check(&io->content, io->offset, s->buf, (size_t)io->result, NULL) < 0)
			io->result = -EILSEQ;
		break;
	case IO_WRITE:
		if (u->written)
			written_set(u->written, io->offset, (uint64_t)io->result);
		break;
	case IO_TRIM:
		if (u->target->trimmed)
			u->target->trimmed(u, io->offset, io->length);
		io->result = (int32_t)io->length;
		break;
	case IO_FLUSH:
	case IO_WRITE_ZEROES:
		io->result = (int32_t)io->length;
		break;
	}
}

/* One entry came back. Returns the slot if that was its last and somebody waits for it, else NULL. */
static struct uring_slot *entry_done(struct uring_lane *l, const struct io_uring_cqe *cqe)
{
	uint32_t number = (uint32_t)cqe->user_data;
	int32_t result = cqe->res;
	struct uring_slot *s;

	if (cqe->user_data & URING_USER_ASIDE) {
		/* Messages are never cut, and the pipe is open as long as the lane is. */
		assert(result == (int32_t)sizeof(*l->messages));
		l->free_messages[l->free_messages_n++] = number;
		result = l->messages[number].result;
		number = l->messages[number].slot;
	}
	s = &l->slots[number];
	s->pending--;
	if (result < 0 && !s->error)
		s->error = result;
	else if (result > 0)
		s->moved += result;
	return s->pending == 0 && s->state == SLOT_BUSY ? s : NULL;
}

static int collect(struct uring_lane *l, struct io **done, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;
	int n = 0;
	uint64_t now;

	if (io_uring_cq_ready(&l->ring) == 0)
		return 0;
	now = clock_now_ns();
	io_uring_for_each_cqe(&l->ring, head, cqe)
	{
		struct uring_slot *s;

		if (n == (int)max)
			break;
		seen++;
		s = entry_done(l, cqe);
		if (!s)
			continue;
		s->io->done_ns = now;
		done[n++] = s->io;
	}
	io_uring_cq_advance(&l->ring, seen);
	for (int i = 0; i < n; i++) {
		struct uring_slot *s = &l->slots[done[i]->slot];

		settle(l, s);
		s->state = SLOT_FREE;
		l->free_slots[l->free_n++] = done[i]->slot;
	}
	return n;
}

/* Give back I/Os that did not come back in time. Their slots and buffers stay with the kernel. */
static int collect_lost(struct uring_lane *l, struct io **done, unsigned max, uint64_t now)
{
	uint64_t lost_after = l->u->lost_after_ns;
	int n = 0;

	if (now < l->lost_check_ns)
		return 0;
	for (unsigned i = 0; i < l->slots_n && n < (int)max; i++) {
		struct uring_slot *s = &l->slots[i];

		if (s->state != SLOT_BUSY || now - s->io->submit_ns < lost_after)
			continue;
		s->state = SLOT_LOST;
		s->io->done_ns = now;
		s->io->result = -ETIMEDOUT;
		done[n++] = s->io;
	}
	if (n > 0) {
		l->lost_n += (unsigned)n;
		__atomic_store_n(&l->u->lost, true, __ATOMIC_RELAXED);
	}
	if (n < (int)max)
		l->lost_check_ns =
			now + (lost_after < 8 * WAIT_NS_MAX ? lost_after / 8 : WAIT_NS_MAX);
	return n;
}

/* Submit what is left over and wait for one completion, at most until the next look for lost I/Os. */
static int wait_for_one(struct uring_lane *l, uint64_t now, uint64_t until_ns)
{
	uint64_t wait_ns = until_ns - now;
	struct __kernel_timespec limit;
	struct io_uring_cqe *cqe;
	int r;

	if (wait_ns > l->lost_check_ns - now)
		wait_ns = l->lost_check_ns - now;
	limit.tv_sec = (long long)(wait_ns / NS_PER_S);
	limit.tv_nsec = (long long)(wait_ns % NS_PER_S);
	r = io_uring_submit_and_wait_timeout(&l->ring, &cqe, 1, &limit, NULL);
	return r >= 0 || r == -ETIME || r == -EINTR || r == -EAGAIN || r == -EBUSY ? 0 : r;
}

int uring_lane_reap(struct lane *lane, struct io **done, unsigned max, uint64_t until_ns)
{
	struct uring_lane *l = (struct uring_lane *)lane;

	for (;;) {
		int n = collect(l, done, max);
		uint64_t now;

		if (n)
			return n;
		now = clock_now_ns();
		n = collect_lost(l, done, max, now);
		if (n)
			return n;
		if (now >= until_ns)
			return 0;
		if (lane->in_flight == 0) {
			clock_sleep_until(until_ns);
			return 0;
		}
		n = wait_for_one(l, now, until_ns);
		if (n < 0)
			return n;
	}
}
