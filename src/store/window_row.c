/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/window_row.h"

#include <string.h>

void window_row_from(struct window_row *row, const struct window *window)
{
	row->index = window->index;
	row->start_ns = window->start_ns;
	row->length_ns = window->length_ns;
	row->written_bytes = window->written_bytes;
	row->in_flight_ns = window->in_flight_ns;
	row->backlog = window->backlog;
	memcpy(&row->read, &window->read, sizeof(row->read));
	memcpy(&row->write, &window->write, sizeof(row->write));
}

void window_row_to(const struct window_row *row, struct window *window)
{
	window->index = row->index;
	window->start_ns = row->start_ns;
	window->length_ns = row->length_ns;
	window->written_bytes = row->written_bytes;
	window->in_flight_ns = row->in_flight_ns;
	window->backlog = row->backlog;
	memcpy(&window->read, &row->read, sizeof(row->read));
	memcpy(&window->write, &row->write, sizeof(row->write));
}
