/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model as a file of any bytes: it is refused with a sentence, or it is a whole one. What is taken holds for
 * every parameter when it is formatted and parsed again, and can be explained.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/explain.h"
#include "device/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(struct model *m)
{
	struct explained e;
	char text[128];

	assert(m->kind && m->name[0] && m->description[0] && m->values > 0);
	assert(model_check(m, NULL) == 0);
	for (unsigned i = 0; i < m->values; i++) {
		param_format(m->value[i].row, &m->any, text, sizeof(text));
		assert(param_parse(m->value[i].row, &m->any, text, NULL) == 0);
	}
	m->kind->explain(&m->any, &e);
	assert(e.facts > 0 && e.facts <= EXPLAIN_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = NULL;
	struct err err = { 0 };
	char path[64];
	int fd = memfd_create("model", MFD_CLOEXEC), r;

	assert(fd >= 0);
	assert(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = model_load(&m, path, NULL, &err);
	if (r < 0) {
		assert(!m && err.code == r && err.text[0]);
	} else {
		check_taken(m);
		model_free(m);
	}
	close(fd);
	return 0;
}
