/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window_row.h - a window without its histograms: what waits to be committed, and the numbers of its row.
 */
#ifndef ASSAY_STORE_WINDOW_ROW_H
#define ASSAY_STORE_WINDOW_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "data/window.h"

/* The members of struct flow before its histogram, in the same order. */
struct flow_head {
	uint64_t ops, bytes, errors, lat_ns_sum, lat_ns_min, lat_ns_max;
};

_Static_assert(sizeof(struct flow_head) == offsetof(struct flow, lat),
	       "flow_head is struct flow up to its histogram");

struct window_row {
	uint32_t index;
	uint64_t start_ns, length_ns, written_bytes, in_flight_ns, backlog;
	struct flow_head read, write;
};

void window_row_from(struct window_row *row, const struct window *window);
/* Everything but phase_id and the histograms, which are left alone. */
void window_row_to(const struct window_row *row, struct window *window);

#endif
