/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * aside.h - calls that may block (a discard by ioctl on kernels before 6.12, removing data on a file system
 * without holes), done on a thread of their own.
 *
 * Each lane has at most one. The result comes back as a message of aside_message through a pipe, which
 * the lane reads through its ring: so completions of every sort come in one order from one queue.
 */
#ifndef ASSAY_DEVICE_ASIDE_H
#define ASSAY_DEVICE_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

struct aside;
struct uring_device;

struct aside_message {
	uint32_t slot;
	int32_t result; /* 0 or a negative errno */
};

/* Start the thread; at most `depth` jobs at a time. NULL: no memory, thread or pipe. */
struct aside *aside_new(struct uring_device *u, unsigned depth);
/* Waits for the jobs, or with `stuck` gives thread and memory up. NULL is fine. */
void aside_free(struct aside *aside, bool stuck);
/* The read end of the pipe. */
int aside_fd(const struct aside *aside);
/* Have u->target->trim() called; never blocks. */
void aside_trim(struct aside *aside, uint32_t slot, uint64_t offset, uint64_t length);

#endif
