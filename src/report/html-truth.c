/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-truth.c - what the drive knew of itself, thinned.
 *
 * Samples are put together in groups. Rates are differences of the drive's counters over the group's time
 * and so exact; of the cache the greatest use is kept, of the free superblocks the least, of the
 * temperature the greatest; words (what bound, which background work) are those of the longest time,
 * background work before none. Samples between which nothing moved are put together first: a night's rest
 * is one point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "report/html-data.h"

DEFINE_VEC(truths, struct truth);
DEFINE_VEC(telemetries, struct telemetry);

/* A group of samples: first and last index. Rates are from sample first - 1 to last. */
struct span {
	size_t first, last;
};

DEFINE_VEC(spans, struct span);

struct words {
	char word[64][32];
	size_t n;
};

static int keep_truth(void *user, const struct truth *t)
{
	return truths_push(user, *t);
}

static int keep_telemetry(void *user, const struct telemetry *t)
{
	return telemetries_push(user, *t);
}

static double word_index(struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->word[i], word))
			return (double)i;
	if (words->n == sizeof(words->word) / sizeof(words->word[0]))
		return NAN;
	snprintf(words->word[words->n], sizeof(words->word[0]), "%s", word);
	return (double)words->n++;
}

static bool nothing_moved(const struct truth *a, const struct truth *b)
{
	return a->host_written_bytes == b->host_written_bytes &&
	       a->host_read_bytes == b->host_read_bytes &&
	       a->nand_written_bytes == b->nand_written_bytes && a->erases == b->erases &&
	       a->cache_used_bytes == b->cache_used_bytes &&
	       a->cache_limit_bytes == b->cache_limit_bytes && !strcmp(a->activity, b->activity);
}

static int group_samples(const struct truths *truths, size_t points_max, struct spans *spans)
{
	struct spans still = { 0 };
	size_t per, n = 0;
	int r = 0;

	for (size_t i = 0; i < truths->n && r == 0; i++) {
		struct span *open = still.n ? &still.items[still.n - 1] : NULL;

		/* The first sample of a rest stays a point of its own, so that its start is sharp. */
		if (open && i >= 2 && nothing_moved(&truths->items[i - 1], &truths->items[i]) &&
		    nothing_moved(&truths->items[i - 2], &truths->items[i - 1]))
			open->last = i;
		else
			r = spans_push(&still, (struct span){ i, i });
	}
	per = points_max ? (still.n + points_max - 1) / points_max : 1;
	for (size_t i = 0; i < still.n && r == 0; i++, n = (n + 1) % per) {
		if (n)
			spans->items[spans->n - 1].last = still.items[i].last;
		else
			r = spans_push(spans, still.items[i]);
	}
	spans_release(&still);
	return r;
}

struct truth_column {
	const struct truths *truths;
	const struct spans *spans;
	size_t counter; /* offset of a counter in struct truth */
	struct words *words;
	int which;
};

static double at_s(const struct truth *t)
{
	return (double)t->at_ns / 1e9;
}

static uint64_t counter_of(const struct truth *t, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)t + offset, sizeof(value));
	return value;
}

/* MB/s of a counter; NAN for the first sample, and where the drive was made anew. */
static double rate_get(const void *user, size_t i)
{
	const struct truth_column *c = user;
	const struct span *s = &c->spans->items[i];
	const struct truth *from, *to = &c->truths->items[s->last];
	uint64_t before, after;

	if (s->first == 0)
		return NAN;
	from = &c->truths->items[s->first - 1];
	before = counter_of(from, c->counter);
	after = counter_of(to, c->counter);
	if (after < before || to->at_ns <= from->at_ns)
		return NAN;
	return (double)(after - before) / 1e6 / (at_s(to) - at_s(from));
}

enum { AT, CACHE_USED, CACHE_LIMIT, FREE, ALPHA, DIE_BUSY, LINK_BUSY, TEMPERATURE };

static double gauge_of(const struct truth *t, int which)
{
	switch (which) {
	case CACHE_USED:
		return (double)t->cache_used_bytes / 1e9;
	case CACHE_LIMIT:
		return (double)t->cache_limit_bytes / 1e9;
	case FREE:
		return (double)t->free_superblocks;
	case ALPHA:
		return t->alpha_eff;
	case DIE_BUSY:
		return t->die_busy_share;
	case LINK_BUSY:
		return t->link_busy_share;
	case TEMPERATURE:
		return t->temperature_c;
	default:
		return at_s(t);
	}
}

static double gauge_get(const void *user, size_t i)
{
	const struct truth_column *c = user;
	const struct span *s = &c->spans->items[i];
	const struct truth *t = c->truths->items;
	double value = gauge_of(&t[s->last], c->which), weighted = 0;

	for (size_t k = s->first; k <= s->last; k++) {
		double sample = gauge_of(&t[k], c->which);

		if (c->which == CACHE_USED || c->which == TEMPERATURE)
			value = fmax(value, sample);
		else if (c->which == FREE)
			value = fmin(value, sample);
		if (k > 0)
			weighted += sample * (at_s(&t[k]) - at_s(&t[k - 1]));
	}
	if ((c->which == DIE_BUSY || c->which == LINK_BUSY) && s->first > 0 &&
	    t[s->last].at_ns > t[s->first - 1].at_ns)
		return weighted / (at_s(&t[s->last]) - at_s(&t[s->first - 1]));
	return value;
}

static const char *word_of(const struct truth *t, int activity)
{
	return activity ? t->activity : t->binding;
}

/* The word of the longest time in the group; "none" only where there is nothing else. */
static double word_get(const void *user, size_t i)
{
	const struct truth_column *c = user;
	const struct span *s = &c->spans->items[i];
	const struct truth *t = c->truths->items;
	double time[64] = { 0 }, best = -1;
	size_t longest = 0;

	for (size_t k = s->first; k <= s->last; k++) {
		double w = word_index(c->words, word_of(&t[k], c->which));
		double dt = k > 0 ? at_s(&t[k]) - at_s(&t[k - 1]) : 0;

		if (!isnan(w))
			time[(size_t)w] += strcmp(word_of(&t[k], c->which), "none") ? dt + 1e-9 : 0;
	}
	for (size_t w = 0; w < c->words->n; w++)
		if (time[w] > best) {
			best = time[w];
			longest = w;
		}
	return best > 0 ? (double)longest : word_index(c->words, word_of(&t[s->last], c->which));
}

static void put_words(struct html_json *j, const char *name, const struct words *words)
{
	html_json_open(j, name, '[');
	for (size_t i = 0; i < words->n; i++)
		html_json_text(j, NULL, words->word[i]);
	html_json_close(j, ']');
}

static void put_truth(struct html_json *j, const struct truths *truths, const struct spans *spans)
{
	static const struct {
		const char *name;
		size_t offset;
	} rates[] = {
		{ "host_write_mbps", offsetof(struct truth, host_written_bytes) },
		{ "host_read_mbps", offsetof(struct truth, host_read_bytes) },
		{ "nand_mbps", offsetof(struct truth, nand_written_bytes) },
		{ "gc_mbps", offsetof(struct truth, gc_copied_bytes) },
		{ "fold_mbps", offsetof(struct truth, folded_bytes) },
		{ "refresh_mbps", offsetof(struct truth, refreshed_bytes) },
	};
	static const struct {
		const char *name;
		int which, digits;
	} gauges[] = {
		{ "t_s", AT, 10 },
		{ "cache_used_gb", CACHE_USED, 4 },
		{ "cache_limit_gb", CACHE_LIMIT, 4 },
		{ "free_superblocks", FREE, 6 },
		{ "alpha_eff", ALPHA, 4 },
		{ "die_busy", DIE_BUSY, 3 },
		{ "link_busy", LINK_BUSY, 3 },
		{ "temperature_c", TEMPERATURE, 4 },
	};
	struct words binding = { .n = 0 }, activity = { .n = 0 };
	struct truth_column c = { .truths = truths, .spans = spans };

	html_json_open(j, "truth", '{');
	html_json_u64(j, "n", spans->n);
	html_json_u64(j, "samples", truths->n);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		c.counter = rates[i].offset;
		html_data_column(j, rates[i].name, spans->n, rate_get, &c, 4);
	}
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		c.which = gauges[i].which;
		html_data_column(j, gauges[i].name, spans->n, gauge_get, &c, gauges[i].digits);
	}
	c.which = 0;
	c.words = &binding;
	html_data_column(j, "binding", spans->n, word_get, &c, 3);
	c.which = 1;
	c.words = &activity;
	html_data_column(j, "activity", spans->n, word_get, &c, 3);
	put_words(j, "binding_words", &binding);
	put_words(j, "activity_words", &activity);
	html_json_close(j, '}');
}

int html_data_truth(struct html_json *j, struct store *store, const char *run_id, size_t points_max,
		    struct err *err)
{
	struct truths truths = { 0 };
	struct spans spans = { 0 };
	int r = store_truth(store, run_id, keep_truth, &truths, err);

	if (r == 0)
		r = group_samples(&truths, points_max, &spans);
	if (r == -ENOMEM)
		err_set(err, r, "no memory for the report's truth series");
	else if (r == 0 && truths.n)
		put_truth(j, &truths, &spans);
	else if (r == 0)
		html_json_text_or_null(j, "truth", NULL);
	truths_release(&truths);
	spans_release(&spans);
	return r;
}

/* ---- telemetry --------------------------------------------------------------------------------- */

struct telemetry_column {
	const struct telemetries *all;
	size_t per;
	int which;
};

static double telemetry_get(const void *user, size_t i)
{
	const struct telemetry_column *c = user;
	size_t first = i * c->per, end = first + c->per;
	const struct telemetry *t;
	double hottest = NAN;

	if (end > c->all->n)
		end = c->all->n;
	t = &c->all->items[end - 1];
	for (size_t k = first; k < end; k++)
		hottest = fmax(hottest, c->all->items[k].temperature_c);
	switch (c->which) {
	case 0:
		return (double)t->at_ns / 1e9;
	case 1:
		return hottest;
	case 2:
		return t->wear_pct;
	case 3:
		return t->host_written_bytes < 0 ? (double)NAN : (double)t->host_written_bytes;
	default:
		return t->host_read_bytes < 0 ? (double)NAN : (double)t->host_read_bytes;
	}
}

int html_data_telemetry(struct html_json *j, struct store *store, const char *run_id,
			size_t points_max, struct err *err)
{
	static const char *const names[] = { "t_s", "temperature_c", "wear_pct",
					     "host_written_bytes", "host_read_bytes" };
	struct telemetries all = { 0 };
	struct telemetry_column c = { .all = &all };
	int r = store_telemetry(store, run_id, keep_telemetry, &all, err);

	if (r == -ENOMEM)
		err_set(err, r, "no memory for the report's telemetry");
	else if (r == 0 && !all.n)
		html_json_text_or_null(j, "telemetry", NULL);
	else if (r == 0) {
		c.per = (all.n + points_max - 1) / points_max;
		html_json_open(j, "telemetry", '{');
		html_json_u64(j, "n", (all.n + c.per - 1) / c.per);
		for (c.which = 0; c.which < 5; c.which++)
			html_data_column(j, names[c.which], (all.n + c.per - 1) / c.per,
					 telemetry_get, &c, c.which == 0 ? 10 : 15);
		html_json_close(j, '}');
	}
	telemetries_release(&all);
	return r;
}
