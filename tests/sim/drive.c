/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drive.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

void drive_config(struct ssd_config *cfg, const char *text)
{
	char copy[2048], *save = NULL;
	struct err err = { 0 };

	memset(cfg, 0, sizeof(*cfg));
	param_defaults(ssd_params, cfg);
	assert_true((size_t)snprintf(copy, sizeof(copy), "%s", text) < sizeof(copy));
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		if (param_set(ssd_params, cfg, word, equals + 1, &err) < 0)
			fail_msg("%s", err.text);
	}
}

struct ssd *drive_new(const char *text)
{
	struct ssd_config cfg;
	struct err err = { 0 };
	struct ssd *ret = NULL;

	drive_config(&cfg, text);
	if (ssd_new(&ret, &cfg, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

uint64_t *closed_next(struct closed *c)
{
	uint64_t *first = &c->done_ns[0];

	for (unsigned i = 1; i < c->depth; i++)
		if (c->done_ns[i] < *first)
			first = &c->done_ns[i];
	if (*first > c->now_ns)
		c->now_ns = *first;
	return first;
}

uint64_t closed_end(const struct closed *c)
{
	uint64_t last = c->now_ns;

	for (unsigned i = 0; i < c->depth; i++)
		if (c->done_ns[i] > last)
			last = c->done_ns[i];
	return last;
}

uint64_t drive_fill(struct ssd *ssd, struct closed *c)
{
	uint32_t units = (uint32_t)(ssd_get_config(ssd)->capacity_bytes / SSD_UNIT_BYTES);

	for (uint32_t unit = 0, n; unit < units; unit += n) {
		uint64_t *slot = closed_next(c);
		struct ssd_times t;

		n = units - unit < 256 ? units - unit : 256;
		ssd_write(ssd, c->now_ns, unit, n, NULL, &t);
		*slot = t.done_ns;
	}
	return closed_end(c);
}
