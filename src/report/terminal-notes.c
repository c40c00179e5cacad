/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/terminal-part.h"

/* By bit of enum phase_note: what it means and what one can do. */
static const char *const sentences[PHASE_NOTES] = {
	"this is close to what the instrument itself can do on this machine; the drive may be "
	"faster",
	"the drive saw fewer I/Os at once than were asked for, so this is a figure for less depth",
	"reads went to addresses that were never written, which many drives answer without reading",
	"the drive's counters show fewer bytes than were moved: something above it answered",
	"the drive was throttling",
	"the rate was still changing when the phase ended, so a longer one would give another "
	"figure",
	"the phase ended before every address of its span was touched once",
	"the phase was interrupted",
};

/* The share of the depth that the device saw. */
static double depth_share(const struct group *group)
{
	return group->device_depth.mean / group->asked_depth;
}

char *footnote_marks(struct footnotes *notes, const struct group *group, char buf[FOOTNOTE_SIZE])
{
	size_t used = 0;

	if (group->notes & NOTE_DEPTH_NOT_REACHED && group->device_depth.n &&
	    (!notes->shallow || depth_share(group) < depth_share(notes->shallow)))
		notes->shallow = group;
	for (unsigned bit = 0; bit < PHASE_NOTES; bit++) {
		if (!(group->notes & 1u << bit) || notes->used & 1u << bit)
			continue;
		notes->used |= 1u << bit;
		notes->order[notes->n++] = bit;
	}
	for (unsigned i = 0; i < notes->n; i++)
		if (group->notes & 1u << notes->order[i])
			buf[used++] = (char)('a' + i);
	buf[used] = '\0';
	return buf;
}

void footnotes_print(FILE *out, const struct terminal *terminal, const struct footnotes *notes)
{
	for (unsigned i = 0; i < notes->n; i++) {
		unsigned bit = notes->order[i];
		char text[400];
		size_t used;

		used = (size_t)snprintf(text, sizeof(text), "%s: %s", phase_note_names[bit],
					sentences[bit]);
		if (1u << bit == NOTE_DEPTH_NOT_REACHED && notes->shallow)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"; furthest from it is %s with %.1f of %.0f on average",
				notes->shallow->label, notes->shallow->device_depth.mean,
				notes->shallow->asked_depth);
		if (1u << bit == NOTE_DEPTH_NOT_REACHED && notes->shallow &&
		    notes->shallow->device_depth_max > 0)
			snprintf(text + used, sizeof(text) - used, ", %.0f at most",
				 notes->shallow->device_depth_max);
		text_style(out, terminal, STYLE_DOUBT);
		fprintf(out, "%c", (char)('a' + i));
		text_style(out, terminal, STYLE_PLAIN);
		fputs("  ", out);
		text_wrap(out, terminal, 3, 3, text);
	}
}
