/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/uring-lane.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>

#include "data/content.h"

/* <linux/blkdev.h> and <linux/fs.h> of Linux 6.12; the ABI does not change. */
#define COMMAND_DISCARD _IO(0x12, 0)

static struct io_uring_sqe *entry(struct uring_lane *l, uint32_t slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);

	/* Two entries for each slot are enough, but for a discard over many pieces: then submit early. */
	if (!sqe && io_uring_submit(&l->ring) > 0)
		sqe = io_uring_get_sqe(&l->ring);
	assert(sqe);
	l->slots[slot].pending++;
	return sqe;
}

static void entry_finish(struct io_uring_sqe *sqe, uint32_t slot)
{
	sqe->flags |= IOSQE_FIXED_FILE;
	sqe->user_data = slot;
}

/* One piece's part of a read or write: `part` bytes from `done` on. */
static void prepare_transfer(struct uring_lane *l, uint32_t slot, uint32_t piece, uint64_t at,
			     uint32_t done, uint32_t part)
{
	struct uring_slot *s = &l->slots[slot];
	struct io_uring_sqe *sqe = entry(l, slot);
	unsigned char *buf = s->buf + done;
	int fd = (int)piece;

	if (l->buffers_fixed && s->io->op == IO_READ)
		io_uring_prep_read_fixed(sqe, fd, buf, part, at, s->group);
	else if (l->buffers_fixed)
		io_uring_prep_write_fixed(sqe, fd, buf, part, at, s->group);
	else if (s->io->op == IO_READ)
		io_uring_prep_read(sqe, fd, buf, part, at);
	else
		io_uring_prep_write(sqe, fd, buf, part, at);
	entry_finish(sqe, slot);
}

static void prepare_trim(struct uring_lane *l, uint32_t slot, uint32_t piece, uint64_t at,
			 uint32_t part)
{
	struct io_uring_sqe *sqe = entry(l, slot);

	if (l->u->trim == URING_TRIM_PUNCH) {
		io_uring_prep_fallocate(sqe, (int)piece, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					(off_t)at, (off_t)part);
	} else {
		io_uring_prep_rw(IORING_OP_URING_CMD, sqe, (int)piece, NULL, 0, 0);
		sqe->cmd_op = COMMAND_DISCARD;
		sqe->addr = at;
		sqe->addr3 = part;
	}
	entry_finish(sqe, slot);
}

/* An entry that brings the slot back with the error it already has. */
static void prepare_failure(struct uring_lane *l, uint32_t slot, int error)
{
	struct io_uring_sqe *sqe = entry(l, slot);

	l->slots[slot].error = error;
	io_uring_prep_nop(sqe);
	sqe->user_data = slot;
}

static int aside_start(struct uring_lane *l)
{
	if (l->aside)
		return 0;
	l->messages = calloc(l->slots_n, sizeof(*l->messages));
	l->free_messages = calloc(l->slots_n, sizeof(*l->free_messages));
	if (l->messages && l->free_messages)
		l->aside = aside_new(l->u, l->slots_n);
	if (!l->aside) {
		free(l->messages);
		free(l->free_messages);
		l->messages = NULL;
		l->free_messages = NULL;
		return -ENOMEM;
	}
	for (l->free_messages_n = 0; l->free_messages_n < l->slots_n; l->free_messages_n++)
		l->free_messages[l->free_messages_n] = l->free_messages_n;
	return 0;
}

static void prepare_aside(struct uring_lane *l, uint32_t slot)
{
	const struct io *io = l->slots[slot].io;
	struct io_uring_sqe *sqe;
	uint32_t message;

	if (aside_start(l) < 0) {
		prepare_failure(l, slot, -ENOMEM);
		return;
	}
	/* As many reads are out as slots wait for a message, though not each for its own. */
	message = l->free_messages[--l->free_messages_n];
	sqe = entry(l, slot);
	io_uring_prep_read(sqe, aside_fd(l->aside), &l->messages[message], sizeof(*l->messages),
			   (uint64_t)-1);
	sqe->user_data = message | URING_USER_ASIDE;
	aside_trim(l->aside, slot, io->offset, io->length);
}

/* Split what touches addresses into pieces. */
static void prepare_pieces(struct uring_lane *l, uint32_t slot)
{
	struct uring_device *u = l->u;
	struct io *io = l->slots[slot].io;
	uint64_t piece_bytes = UINT64_C(1) << u->piece_shift;
	uint32_t done = 0;

	while (done < io->length) {
		uint64_t offset = io->offset + done, at = offset & (piece_bytes - 1);
		uint32_t piece = (uint32_t)(offset >> u->piece_shift), part = io->length - done;
		int r = 0;

		if (part > piece_bytes - at)
			part = (uint32_t)(piece_bytes - at);
		if (io->op == IO_WRITE && u->target->prepare_write)
			r = u->target->prepare_write(u, piece);
		if (r < 0)
			prepare_failure(l, slot, r);
		else if (io->op == IO_TRIM)
			prepare_trim(l, slot, piece, at, part);
		else
			prepare_transfer(l, slot, piece, at, done, part);
		if (r < 0)
			return;
		done += part;
	}
}

void uring_prepare(struct uring_lane *l, uint32_t slot)
{
	struct uring_slot *s = &l->slots[slot];
	struct io *io = s->io;
	struct io_uring_sqe *sqe;

	switch (io->op) {
	case IO_WRITE:
		content_render(&io->content, io->offset, s->buf, io->length);
		l->rendered += io->length;
		prepare_pieces(l, slot);
		break;
	case IO_READ:
		prepare_pieces(l, slot);
		break;
	case IO_TRIM:
		if (l->u->trim == URING_TRIM_CALL)
			prepare_aside(l, slot);
		else
			prepare_pieces(l, slot);
		break;
	case IO_FLUSH:
		/* Any file will do: the file system passes the flush on to the whole drive. */
		sqe = entry(l, slot);
		io_uring_prep_fsync(sqe, 0, IORING_FSYNC_DATASYNC);
		entry_finish(sqe, slot);
		break;
	case IO_WRITE_ZEROES:
		/* Block devices only: there ZERO_RANGE is the block layer's write-zeroes. */
		sqe = entry(l, slot);
		io_uring_prep_fallocate(sqe, 0, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE,
					(off_t)io->offset, (off_t)io->length);
		entry_finish(sqe, slot);
		break;
	}
	if (io->op == IO_READ || io->op == IO_WRITE)
		ASAN_POISON_MEMORY_REGION(s->buf, io->length);
}
