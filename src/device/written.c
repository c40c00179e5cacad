/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "device/written.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct written {
	uint64_t units;
	uint64_t bits[];
};

struct written *written_new(uint64_t bytes)
{
	uint64_t units = (bytes + WRITTEN_UNIT - 1) / WRITTEN_UNIT;
	struct written *w = calloc(1, sizeof(*w) + (units + 63) / 64 * sizeof(*w->bits));

	if (w)
		w->units = units;
	return w;
}

void written_free(struct written *w)
{
	free(w);
}

/* The bits of word `i` that lie in units [first, end). */
static uint64_t word_mask(uint64_t i, uint64_t first, uint64_t end)
{
	uint64_t mask = UINT64_MAX;

	if (i == first / 64)
		mask &= UINT64_MAX << first % 64;
	if (i == end / 64)
		mask &= (UINT64_C(1) << end % 64) - 1;
	return mask;
}

void written_set(struct written *w, uint64_t offset, uint64_t length)
{
	uint64_t first = offset / WRITTEN_UNIT;
	uint64_t end = (offset + length + WRITTEN_UNIT - 1) / WRITTEN_UNIT;

	if (end > w->units)
		end = w->units;
	for (uint64_t i = first / 64; i * 64 < end; i++) {
		uint64_t mask = word_mask(i, first, end);

		/* Mostly it is set already; then the line need not be owned. */
		if (mask & ~__atomic_load_n(&w->bits[i], __ATOMIC_RELAXED))
			__atomic_or_fetch(&w->bits[i], mask, __ATOMIC_RELAXED);
	}
}

void written_clear(struct written *w, uint64_t offset, uint64_t length)
{
	uint64_t first = (offset + WRITTEN_UNIT - 1) / WRITTEN_UNIT;
	uint64_t end = (offset + length) / WRITTEN_UNIT;

	if (end > w->units)
		end = w->units;
	for (uint64_t i = first / 64; i * 64 < end; i++)
		__atomic_and_fetch(&w->bits[i], ~word_mask(i, first, end), __ATOMIC_RELAXED);
}

bool written_all(const struct written *w, uint64_t offset, uint64_t length)
{
	uint64_t first = offset / WRITTEN_UNIT;
	uint64_t end = (offset + length + WRITTEN_UNIT - 1) / WRITTEN_UNIT;

	if (end > w->units)
		return false;
	for (uint64_t i = first / 64; i * 64 < end; i++)
		if (word_mask(i, first, end) & ~__atomic_load_n(&w->bits[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

bool written_none(const struct written *w, uint64_t offset, uint64_t length)
{
	uint64_t first = offset / WRITTEN_UNIT;
	uint64_t end = (offset + length + WRITTEN_UNIT - 1) / WRITTEN_UNIT;

	if (end > w->units)
		end = w->units;
	for (uint64_t i = first / 64; i * 64 < end; i++)
		if (word_mask(i, first, end) & __atomic_load_n(&w->bits[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

uint64_t written_bytes(const struct written *w)
{
	uint64_t units = 0;

	for (uint64_t i = 0; i < (w->units + 63) / 64; i++)
		units += (uint64_t)__builtin_popcountll(w->bits[i]);
	return units * WRITTEN_UNIT;
}

int written_from_file(struct written *w, int fd, uint64_t base)
{
	off_t start = 0;

	for (;;) {
		off_t data = lseek(fd, start, SEEK_DATA), hole;

		if (data < 0)
			return errno == ENXIO ? 0 : -errno;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		written_set(w, base + (uint64_t)data, (uint64_t)(hole - data));
		start = hole;
	}
}
