/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target on seeded random bytes: a property test over everything that the target reads its input as.
 * Usage: random-NAME INPUTS BYTES
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	unsigned long inputs = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t size = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	uint8_t *data = malloc(size ? size : 1);

	if (!inputs || !size || !data)
		return 2;
	for (unsigned long i = 0; i < inputs; i++) {
		struct rng rng;

		rng_init(&rng, i, 0);
		for (size_t k = 0; k < size; k++)
			data[k] = (uint8_t)rng_u64(&rng);
		if (i % 1000 == 0)
			fprintf(stderr, "from input %lu\n", i);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("%lu inputs of %zu bytes\n", inputs, size);
	free(data);
	return 0;
}
