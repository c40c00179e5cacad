/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load: your own workload, any field swept. Every field takes a list or a range; the cells are all their
 * combinations, the last field varying fastest.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/units.h"
#include "experiment/bench.h"
#include "experiment/experiments.h"

enum load_field {
	FIELD_SPAN,
	FIELD_BLOCK,
	FIELD_ORDER,
	FIELD_READ,
	FIELD_DEPTH,
	FIELD_THREADS,
	FIELD_RATE,
	FIELDS
};

struct load_params {
	char field[FIELDS][PARAM_TEXT_SIZE]; /* lists */
	char offset[PARAM_TEXT_SIZE];
	int mix, arrival;
	bool share_start, verify;
	double zipf_theta, hot_ops_pct, hot_span_pct;
	uint64_t stride_bytes, burst_ios, burst_pause_ns;
	char content[PARAM_TEXT_SIZE];
	uint64_t ramp_ns, stop_ns, stop_bytes, stop_passes, window_ns;
};

#define AT(name) offsetof(struct load_params, name)
#define AT_FIELD(i) (offsetof(struct load_params, field) + (size_t)(i)*PARAM_TEXT_SIZE)

static const struct param load_table[] = {
	{ "span", "", PARAM_TEXT, AT_FIELD(FIELD_SPAN), 0, 0, "100%", NULL,
	  "range of addresses: bytes or percent of the drive; a list", "SNIA: active range" },
	{ "block", "", PARAM_TEXT, AT_FIELD(FIELD_BLOCK), 0, 0, "4KiB", NULL,
	  "block size; a list; mixed sizes as 4KiB:70+64KiB:30", "" },
	{ "order", "", PARAM_TEXT, AT_FIELD(FIELD_ORDER), 0, 0, "random", NULL,
	  "sequential, permuted (every address once a pass), random, zipf, hot-cold or strided; a "
	  "list",
	  "" },
	{ "read", "%", PARAM_TEXT, AT_FIELD(FIELD_READ), 0, 0, "100", NULL,
	  "share of reads; a list or a range such as 0..100/10", "" },
	{ "depth", "", PARAM_TEXT, AT_FIELD(FIELD_DEPTH), 0, 0, "32", NULL,
	  "I/Os in flight per thread; a list", "" },
	{ "threads", "", PARAM_TEXT, AT_FIELD(FIELD_THREADS), 0, 0, "1", NULL, "threads; a list",
	  "" },
	{ "rate", "1/s", PARAM_TEXT, AT_FIELD(FIELD_RATE), 0, 0, "0", NULL,
	  "open loop: I/Os offered a second by all threads together; a list; 0: closed loop", "" },
	{ "arrival", "", PARAM_ENUM, AT(arrival), 0, 0, "poisson", load_arrival_names,
	  "how the offered I/Os of an open loop arrive", "" },
	{ "mix", "", PARAM_ENUM, AT(mix), 0, 0, "bernoulli", load_mix_names,
	  "reads and writes drawn for each I/O, or in strict alternation", "Iometer draws" },
	{ "offset", "", PARAM_TEXT, AT(offset), 0, 0, "0", NULL,
	  "where the span begins: bytes or percent of the drive", "" },
	{ "share-start", "", PARAM_BOOL, AT(share_start), 0, 0, "false", NULL,
	  "sequential threads all begin at the start of the span", "each its own part else" },
	{ "zipf-theta", "", PARAM_F64, AT(zipf_theta), 0, 4, "1", NULL, "exponent of order zipf",
	  "" },
	{ "hot-ops", "%", PARAM_F64, AT(hot_ops_pct), 0, 100, "80", NULL,
	  "order hot-cold: share of the I/Os that go to the hot part", "the 80/20 rule" },
	{ "hot-span", "%", PARAM_F64, AT(hot_span_pct), 0, 100, "20", NULL,
	  "order hot-cold: share of the span that is hot", "the 80/20 rule" },
	{ "stride", "bytes", PARAM_BYTES, AT(stride_bytes), 0, 0x1p50, "1MiB", NULL,
	  "order strided: distance between I/Os", "" },
	{ "burst", "", PARAM_U64, AT(burst_ios), 0, 1e12, "0", NULL,
	  "pause after so many I/Os of a thread; 0: no pauses", "" },
	{ "pause", "s", PARAM_NS, AT(burst_pause_ns), 0, 3.6e12, "100ms", NULL, "length of a pause",
	  "" },
	{ "content", "", PARAM_TEXT, AT(content), 0, 0, "random", NULL,
	  "what is written: random, zeros, duplicate, gigafile or compressible:PERCENT", "" },
	{ "verify", "", PARAM_BOOL, AT(verify), 0, 0, "false", NULL,
	  "blocks carry address, generation and checksum; reads check them", "" },
	{ "ramp", "s", PARAM_NS, AT(ramp_ns), 0, 3.6e12, "0s", NULL, "run so long before measuring",
	  "" },
	{ "time", "s", PARAM_NS, AT(stop_ns), 0, 2.6e15, "10s", NULL,
	  "stop after so long; 0s: not bounded by time", "" },
	{ "bytes", "bytes", PARAM_BYTES, AT(stop_bytes), 0, 0x1p60, "0", NULL,
	  "stop after so many bytes; 0: not bounded so", "" },
	{ "passes", "", PARAM_U64, AT(stop_passes), 0, 1e9, "0", NULL,
	  "stop after so many passes of the span; 0: not bounded so", "" },
	{ "window", "s", PARAM_NS, AT(window_ns), 1e6, 3.6e12, "100ms", NULL,
	  "resolution of the record over time", "" },
	PARAM_END
};

static const struct profile load_profiles[] = {
	{ "custom", 1, "what the options say", "" },
	{ NULL, 0, NULL, NULL },
};

/* "4KiB" or "4KiB:70+64KiB:30". */
static int parse_blocks(const char *text, struct workload *w, struct err *err)
{
	char copy[LIST_ITEM_SIZE], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	w->blocks = 0;
	for (char *part = strtok_r(copy, "+", &save); part; part = strtok_r(NULL, "+", &save)) {
		char *weight = strchr(part, ':');
		uint64_t bytes, parts = 1;
		int r;

		if (weight)
			*weight++ = '\0';
		r = parse_bytes(part, &bytes, err);
		if (r == 0 && weight)
			r = parse_u64(weight, &parts, err);
		if (r < 0)
			return r;
		if (w->blocks == WORKLOAD_BLOCKS_MAX || bytes == 0 || bytes > 1u << 30 ||
		    parts == 0 || parts > 1000000)
			return err_set(
				err, -EINVAL,
				"block sizes '%s' are more than %d, or one is 0 or over 1 GiB",
				text, WORKLOAD_BLOCKS_MAX);
		w->block[w->blocks++] = (struct block_size){ (uint32_t)bytes, (uint32_t)parts };
	}
	return w->blocks ? 0 : err_set(err, -EINVAL, "'%s' is not a block size", text);
}

static int parse_word(const char *text, const char *const *words, int *ret, const char *what,
		      struct err *err)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], text)) {
			*ret = i;
			return 0;
		}
	return err_set(err, -EINVAL, "'%s' is not an %s", text, what);
}

static int parse_count(const char *text, unsigned *ret, struct err *err)
{
	uint64_t value;
	int r = parse_u64(text, &value, err);

	if (r == 0 && (value == 0 || value > 65536))
		r = err_set(err, -ERANGE, "'%s' is out of range (1 to 65536)", text);
	if (r == 0)
		*ret = (unsigned)value;
	return r;
}

static int apply_field(enum load_field field, const char *text, const struct load_params *p,
		       const struct device_info *info, struct workload *w, struct err *err)
{
	int word = 0, r;

	switch (field) {
	case FIELD_SPAN:
		return parse_bytes_or_pct(text, info->span_bytes, info->block_bytes, &w->span_bytes,
					  err);
	case FIELD_BLOCK:
		return parse_blocks(text, w, err);
	case FIELD_ORDER:
		r = parse_word(text, load_order_names, &word, "order", err);
		if (r == 0)
			w->order = (enum load_order)word;
		return r;
	case FIELD_READ:
		return parse_double(text, &w->read_pct, err);
	case FIELD_DEPTH:
		return parse_count(text, &w->queue_depth, err);
	case FIELD_THREADS:
		return parse_count(text, &w->threads, err);
	case FIELD_RATE:
		r = parse_double(text, &w->offered_iops, err);
		if (r == 0 && w->offered_iops > 0)
			w->arrival = (enum load_arrival)p->arrival;
		return r;
	case FIELDS:
		break;
	}
	return -EINVAL;
}

static int fixed_part(const struct load_params *p, const struct device_info *info,
		      struct workload *w, struct err *err)
{
	int r;

	workload_init(w);
	w->mix = (enum load_mix)p->mix;
	w->share_start = p->share_start;
	w->zipf_theta = p->zipf_theta;
	w->hot_ops_pct = p->hot_ops_pct;
	w->hot_span_pct = p->hot_span_pct;
	w->stride_bytes = p->stride_bytes;
	w->burst_ios = p->burst_ios;
	w->burst_pause_ns = p->burst_ios ? p->burst_pause_ns : 0;
	w->ramp_ns = p->ramp_ns;
	w->stop_ns = p->stop_ns;
	w->stop_bytes = p->stop_bytes;
	w->stop_passes = p->stop_passes;
	w->window_ns = p->window_ns;
	r = content_parse(p->content, &w->content, err);
	w->content.verify = p->verify;
	if (r == 0)
		r = parse_bytes_or_pct(p->offset, info->span_bytes, info->block_bytes,
				       &w->span_offset_bytes, err);
	return r;
}

/* A label that names what was swept: "rnd4k_q32t1_70read". */
static void label_of(const struct workload *w, char *buf, size_t size)
{
	char name[64];
	size_t n = 0;

	workload_name(w, name, sizeof(name));
	for (const char *c = name; *c && n + 1 < size; c++) {
		if (*c == '%')
			continue;
		buf[n++] = (char)(*c == ' ' ? '_' : *c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
	}
	buf[n] = '\0';
}

struct sweep {
	struct list list[FIELDS];
	size_t cells;
};

static int sweep_of(const struct load_params *p, struct sweep *ret, struct err *err)
{
	ret->cells = 1;
	for (unsigned i = 0; i < FIELDS; i++) {
		int r = list_parse(p->field[i], &ret->list[i], err);

		if (r < 0)
			return r;
		ret->cells *= ret->list[i].n;
	}
	if (ret->cells > 100000)
		return err_set(err, -E2BIG, "a sweep of %zu cells is more than 100000", ret->cells);
	return 0;
}

/* The workload of cell `index`: the last field varies fastest. */
static int cell_of(const struct sweep *sweep, const struct load_params *p,
		   const struct device_info *info, size_t index, struct workload *ret,
		   struct err *err)
{
	int r = fixed_part(p, info, ret, err);

	for (unsigned i = FIELDS; i-- > 0 && r == 0;) {
		size_t n = sweep->list[i].n;

		r = apply_field((enum load_field)i, sweep->list[i].item[index % n], p, info, ret,
				err);
		index /= n;
	}
	if (r == 0 && ret->span_offset_bytes + ret->span_bytes > info->span_bytes &&
	    ret->span_offset_bytes < info->span_bytes && !strcmp(p->field[FIELD_SPAN], "100%"))
		ret->span_bytes = info->span_bytes - ret->span_offset_bytes;
	if (r == 0 && ret->order == ORDER_RANDOM && ret->blocks == 1)
		ret->span_bytes -= ret->span_bytes % ret->block[0].bytes;
	if (r == 0)
		r = workload_validate(ret, info->span_bytes, info->block_bytes, err);
	return r;
}

static int load_check(const void *params, const struct device_info *info, struct err *err)
{
	_cleanup_free_ struct sweep *sweep = calloc(1, sizeof(*sweep));
	struct workload w;
	int r;

	if (!sweep)
		return err_sys(err, -ENOMEM, "cannot make the sweep");
	r = sweep_of(params, sweep, err);
	for (size_t i = 0; i < sweep->cells && r == 0; i++)
		r = cell_of(sweep, params, info, i, &w, err);
	return r;
}

static int load_experiment_run(struct run_ctx *ctx, const void *params, struct err *err)
{
	_cleanup_free_ struct sweep *sweep = calloc(1, sizeof(*sweep));
	struct ask ask = { .level_pct = NAN };
	int r;

	if (!sweep)
		return err_sys(err, -ENOMEM, "cannot make the sweep");
	r = sweep_of(params, sweep, err);
	for (unsigned repeat = 1; repeat <= ctx->options.repeat && r == 0; repeat++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "r%u", repeat);
		ask.repeat = repeat;
		r = phase_prepare(ctx, prefix, repeat, err);
		for (size_t i = 0; i < sweep->cells && r == 0; i++) {
			r = cell_of(sweep, params, ctx->info, i, &ask.load, err);
			label_of(&ask.load, ask.label, sizeof(ask.label));
			snprintf(ask.key, sizeof(ask.key), "%s/cell/%zu", prefix, i + 1);
			if (r == 0 && i)
				r = phase_rest(ctx);
			if (r == 0)
				r = phase_run(ctx, &ask, NULL, err);
		}
	}
	return r;
}

static int load_analyse(const struct run_ctx *ctx, const void *params, struct verdicts *ret,
			struct err *err)
{
	int r = 0;

	(void)params;
	(void)err;
	for (size_t i = 0; i < ctx->outcomes.n && r == 0; i++) {
		const struct outcome *o = ctx->outcomes.items[i];
		struct verdict v = {
			.unit = "1/s", .low = NAN, .high = NAN, .n = o->read_ops + o->write_ops
		};
		double s = (double)(o->end_ns - o->start_ns) / 1e9;
		char name[64];

		if (!strcmp(o->ask.label, "prepare"))
			continue;
		v.value = s > 0 ? (double)v.n / s : NAN;
		v.status = v.n ? STATUS_MEASURED : STATUS_NOT_REACHED;
		snprintf(v.name, sizeof(v.name), "load.iops.%u.%s", o->ask.repeat,
			 strrchr(o->ask.key, '/') + 1);
		snprintf(v.text, sizeof(v.text),
			 "%s: %.0f I/Os a second, %.1f MB/s, with %.1f in flight on average over "
			 "%.3g s",
			 workload_name(&o->ask.load, name, sizeof(name)), v.value,
			 s > 0 ? (double)(o->read_bytes + o->write_bytes) / 1e6 / s : 0,
			 o->in_flight_mean, s);
		r = verdicts_push(ret, v);
	}
	return r;
}

const struct experiment experiment_load = {
	.name = "load",
	.question = "Your own workload, any field swept",
	.from = "all",
	.prepare = "as-is",
	.rest = "for:0s",
	.repeats = "1",
	.repeat_default = repeat_once,
	.params = load_table,
	.params_size = sizeof(struct load_params),
	.profiles = load_profiles,
	.check = load_check,
	.run = load_experiment_run,
	.analyse = load_analyse,
};
