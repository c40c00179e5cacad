/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clock.h - the real clock of the backends that live in real time: CLOCK_MONOTONIC, in nanoseconds.
 */
#ifndef ASSAY_DEVICE_CLOCK_H
#define ASSAY_DEVICE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void clock_sleep_until(uint64_t until_ns)
{
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u),
				  .tv_nsec = (long)(until_ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

#endif
