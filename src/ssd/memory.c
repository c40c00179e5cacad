/* SPDX-License-Identifier: MIT */
#include "ssd/memory.h"

#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2u << 20)

void *memory_take(struct memory *m, uint64_t n, size_t size)
{
	uint64_t slack = n * size >= HUGE_PAGE ? HUGE_PAGE : 0;
	uintptr_t start;
	void *base;

	/* 2^32 items and their slack fit in any size_t that a drive can be simulated with. */
	if (!n || n > (SIZE_MAX - HUGE_PAGE) / size)
		return NULL;
	base = mmap(NULL, (size_t)n * size + slack, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	start = (uintptr_t)base;
	if (slack)
		start = (start + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	*m = (struct memory){ base, (size_t)n * size + slack, (void *)start, (size_t)n * size };
	/* Only advice: without huge pages the results are the same. */
	if (slack)
		madvise(m->start, m->bytes, MADV_HUGEPAGE);
	return m->start;
}

void memory_zero(struct memory *m)
{
	if (m->base && madvise(m->base, m->size, MADV_DONTNEED) < 0)
		memset(m->start, 0, m->bytes);
}

void memory_free(struct memory *m)
{
	if (m->base)
		munmap(m->base, m->size);
	m->base = NULL;
}
