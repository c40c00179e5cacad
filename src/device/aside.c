/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/aside.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/uring.h"

struct job {
	uint32_t slot;
	uint64_t offset, length;
};

struct aside {
	struct uring_device *u;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool ending; /* under the mutex, as head and tail */
	unsigned room, head, tail;
	int pipe[2];
	struct job ring[];
};

static void *aside_run(void *user)
{
	struct aside *aside = user;

	pthread_mutex_lock(&aside->mutex);
	for (;;) {
		struct aside_message message;
		struct job job;

		while (aside->head == aside->tail && !aside->ending)
			pthread_cond_wait(&aside->wake, &aside->mutex);
		if (aside->head == aside->tail)
			break;
		job = aside->ring[aside->tail++ % aside->room];
		pthread_mutex_unlock(&aside->mutex);
		message.slot = job.slot;
		message.result = aside->u->target->trim(aside->u, job.offset, job.length);
		/* 8 bytes go into a pipe whole or not at all; it holds depth of them. */
		if (write(aside->pipe[1], &message, sizeof(message)) < 0)
			return NULL;
		pthread_mutex_lock(&aside->mutex);
	}
	pthread_mutex_unlock(&aside->mutex);
	return NULL;
}

struct aside *aside_new(struct uring_device *u, unsigned depth)
{
	struct aside *aside = calloc(1, sizeof(*aside) + depth * sizeof(*aside->ring));
	sigset_t all, before;
	int r;

	if (!aside)
		return NULL;
	aside->u = u;
	aside->room = depth;
	pthread_mutex_init(&aside->mutex, NULL);
	pthread_cond_init(&aside->wake, NULL);
	if (pipe2(aside->pipe, O_CLOEXEC) < 0)
		goto out_free;
	/* Signals are for the threads that were there before. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&aside->thread, NULL, aside_run, aside);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		return aside;
	close(aside->pipe[0]);
	close(aside->pipe[1]);
out_free:
	free(aside);
	return NULL;
}

void aside_free(struct aside *aside, bool stuck)
{
	if (!aside)
		return;
	if (stuck) {
		pthread_detach(aside->thread);
		return;
	}
	pthread_mutex_lock(&aside->mutex);
	aside->ending = true;
	pthread_cond_signal(&aside->wake);
	pthread_mutex_unlock(&aside->mutex);
	pthread_join(aside->thread, NULL);
	close(aside->pipe[0]);
	close(aside->pipe[1]);
	pthread_cond_destroy(&aside->wake);
	pthread_mutex_destroy(&aside->mutex);
	free(aside);
}

int aside_fd(const struct aside *aside)
{
	return aside->pipe[0];
}

void aside_trim(struct aside *aside, uint32_t slot, uint64_t offset, uint64_t length)
{
	pthread_mutex_lock(&aside->mutex);
	aside->ring[aside->head++ % aside->room] =
		(struct job){ .slot = slot, .offset = offset, .length = length };
	pthread_cond_signal(&aside->wake);
	pthread_mutex_unlock(&aside->mutex);
}
