/* SPDX-License-Identifier: MIT */
/*
 * memory.h - large arrays that are zero and cost memory only where they were touched.
 *
 * A drive of 8 TB has maps of 16 GB; a study that writes 100 GB of it shall need 200 MB. Hence pages from the
 * kernel on first touch, huge ones (2 MiB) where it has them: the maps are looked up in no order, and what a
 * look-up then costs is mostly the walk of the page table.
 */
#ifndef ASSAY_SSD_MEMORY_H
#define ASSAY_SSD_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct memory {
	void *base; /* as the kernel gave it, NULL: none */
	size_t size;
	void *start; /* of the array */
	size_t bytes;
};

/* n items of a size, all zero. Returns the array, owned by *m, or NULL. */
void *memory_take(struct memory *m, uint64_t n, size_t size);

/* All zero again, and given back to the kernel. */
void memory_zero(struct memory *m);

void memory_free(struct memory *m);

#endif
