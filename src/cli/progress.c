/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

#define PLAIN_EVERY_NS (10 * NS_PER_S)

uint64_t progress_wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void progress_begin(struct progress_line *line, bool quiet)
{
	struct winsize size;

	memset(line, 0, sizeof(*line));
	line->quiet = quiet;
	line->live = isatty(STDERR_FILENO);
	line->width = 80;
	if (line->live && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
		line->width = size.ws_col;
	line->last_ns = progress_wall_ns();
}

void progress_watch(void *user, const struct progress *p)
{
	struct progress_line *line = user;
	char text[256], level[32] = "", eta[48] = "", repeat[48] = "", speed[64] = "";
	double mbps = p->read_mbps + p->write_mbps;

	if (line->quiet || (!line->live && progress_wall_ns() - line->last_ns < PLAIN_EVERY_NS))
		return;
	line->last_ns = progress_wall_ns();
	if (!isnan(p->level_pct))
		snprintf(level, sizeof(level), " at %g %%", p->level_pct);
	if (p->repeats > 1 && p->repeat)
		snprintf(repeat, sizeof(repeat), ", repeat %u of %u", p->repeat, p->repeats);
	if (p->iops > 0)
		snprintf(speed, sizeof(speed), ", %.0f MB/s", mbps);
	if (!isnan(p->eta_s)) {
		char left[32];

		snprintf(eta, sizeof(eta), ", %s left",
			 format_time(left, sizeof(left), (uint64_t)(ceil(p->eta_s) * 1e9)));
	}
	snprintf(text, sizeof(text), "%3.0f %%  %s%s%s%s%s",
		 p->items ? 100.0 * p->item / p->items : 0, p->label, level, repeat, speed, eta);
	if (line->live)
		fprintf(stderr, "\r\033[K%.*s", (int)line->width - 1, text);
	else
		fprintf(stderr, "%s\n", text);
	line->shown = true;
}

void progress_end(struct progress_line *line)
{
	if (line->live && line->shown)
		fputs("\r\033[K", stderr);
}
