/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fixture.h - made-up runs for the tests of the page: what its parts share. A failing call ends the program.
 */
#ifndef ASSAY_TESTS_WEB_FIXTURE_H
#define ASSAY_TESTS_WEB_FIXTURE_H

#include "base/rng.h"
#include "base/units.h"
#include "data/sink.h"
#include "device/truth.h"
#include "store/store.h"

#define GB 1e9
#define CAPACITY 120034123776ull

struct fixture {
	struct store *store;
	struct sink *sink;
	struct rng rng;
	struct phase *phase;
	struct window *window;
	uint64_t now_ns, written, id;
	double cache_used, cache_limit; /* bytes */
	struct truth truth;
	struct err err;
};

void fixture_must(struct fixture *f, int r);
double fixture_gauss(struct rng *rng);
void fixture_truth(struct fixture *f, const char *binding, const char *activity);

/* What the next phase is asked for; then begin, windows, end. */
struct fixture_load {
	double read_pct;
	uint32_t block_bytes;
	unsigned depth, threads;
	enum load_order order;
	uint64_t span_bytes, window_ns;
};
void fixture_load(struct fixture *f, const struct fixture_load *load);
void fixture_begin(struct fixture *f, const char *key, const char *label, double level,
		   unsigned repeat, unsigned pass);
void fixture_window(struct fixture *f, uint32_t index, uint64_t length_ns, double mbps, bool write);
void fixture_end(struct fixture *f);
/* The drive is left alone; what is in its cache is folded away. */
void fixture_rest(struct fixture *f, double seconds);

/* A verdict with its interval of value +- half; NAN: none. `n` 3. */
void fixture_verdict(struct fixture *f, const char *name, double value, const char *unit,
		     double half, const char *text);
void fixture_verdict_status(struct fixture *f, const char *name, enum verdict_status status,
			    const char *text);

void fixture_fill(struct fixture *f, bool down);

#endif
