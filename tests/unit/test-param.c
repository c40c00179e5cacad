/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/param.h"
#include "base/rng.h"

struct thing {
	uint32_t depth;
	uint64_t count;
	double share;
	bool enabled;
	uint64_t size_bytes;
	uint64_t delay_ns;
	int policy;
	char label[PARAM_TEXT_SIZE];
};

static const char *const policies[] = { "greedy", "fifo", "cost-benefit", NULL };

static const struct param table[] = {
	{ "depth", "", PARAM_U32, offsetof(struct thing, depth), 1, 65536, "32", NULL,
	  "I/Os in flight", "test" },
	{ "count", "", PARAM_U64, offsetof(struct thing, count), 0, 0x1p53, "7", NULL, "how many",
	  "test" },
	{ "share", "", PARAM_F64, offsetof(struct thing, share), -1, 1, "0.067", NULL,
	  "share of free space", "test" },
	{ "enabled", "", PARAM_BOOL, offsetof(struct thing, enabled), 0, 0, "true", NULL,
	  "whether at all", "test" },
	{ "cache.size", "bytes", PARAM_BYTES, offsetof(struct thing, size_bytes), 4096, 1e12,
	  "1.6GB", NULL, "size of the cache", "test" },
	{ "cache.delay", "ns", PARAM_NS, offsetof(struct thing, delay_ns), 0, 3600e9, "500ms", NULL,
	  "how long it waits", "test" },
	{ "gc.policy", "", PARAM_ENUM, offsetof(struct thing, policy), 0, 0, "fifo", policies,
	  "victim selection", "test" },
	{ "label", "", PARAM_TEXT, offsetof(struct thing, label), 0, 0, NULL, NULL, "a name",
	  "test" },
	PARAM_END
};

static void defaults(void **state)
{
	struct thing t;

	(void)state;
	memset(&t, 0xff, sizeof(t));
	param_defaults(table, &t);
	assert_int_equal(t.depth, 32);
	assert_int_equal(t.count, 7);
	assert_true(fabs(t.share - 0.067) < 1e-15);
	assert_true(t.enabled);
	assert_int_equal(t.size_bytes, 1600000000);
	assert_int_equal(t.delay_ns, 500000000);
	assert_int_equal(t.policy, 1);
	/* No default: not touched. */
	assert_int_equal((unsigned char)t.label[0], 0xff);
}

struct attempt {
	const char *name, *value;
	int result;
	const char *says; /* part of the sentence */
};

/* Bounds are inclusive; a refusal names parameter, value and what is allowed, and stores nothing. */
static void bounds_and_words(void **state)
{
	static const struct attempt attempts[] = {
		{ "depth", "1", 0, NULL },
		{ "depth", "65536", 0, NULL },
		{ "depth", "0", -ERANGE, "depth = '0' is out of range (allowed: 1 to 65536)" },
		{ "depth", "65537", -ERANGE, "65537" },
		{ "depth", "4294967297", -ERANGE, "allowed: 1 to 65536" },
		{ "depth", "18446744073709551616", -ERANGE, "too large" },
		{ "depth", "-1", -EINVAL, "depth: '-1' is not a whole number" },
		{ "depth", "1.5", -EINVAL, "depth" },
		{ "depth", "1e3", -EINVAL, "depth" },
		{ "depth", "", -EINVAL, "depth" },
		{ "depth", " 1", -EINVAL, "depth" },
		{ "depth", "0x10", -EINVAL, "depth" },
		{ "count", "0", 0, NULL },
		{ "count", "9007199254740992", 0, NULL },
		{ "count", "9007199254740993", -ERANGE, "count" },
		{ "share", "-1", 0, NULL },
		{ "share", "1", 0, NULL },
		{ "share", "1.0000001", -ERANGE, "share = '1.0000001' is out of range" },
		{ "share", "-1.01", -ERANGE, "allowed: -1 to 1" },
		{ "share", "nan", -EINVAL, "share: 'nan' is not a number" },
		{ "share", "inf", -EINVAL, "share" },
		{ "share", "0,5", -EINVAL, "share" },
		{ "share", "1e-6", 0, NULL },
		{ "share", "2.5E-1", 0, NULL },
		{ "share", "1e-400", 0, NULL },
		{ "share", "1e", -EINVAL, "share" },
		{ "share", "1e-", -EINVAL, "share" },
		{ "share", "e5", -EINVAL, "share" },
		{ "share", "1e5e5", -EINVAL, "share" },
		{ "share", "1e400", -EINVAL, "share" },
		{ "share", "1.2.3", -EINVAL, "share" },
		{ "share", "--1", -EINVAL, "share" },
		{ "enabled", "false", 0, NULL },
		{ "enabled", "yes", 0, NULL },
		{ "enabled", "1", -EINVAL, "enabled: '1' is neither true nor false" },
		{ "cache.size", "4096", 0, NULL },
		{ "cache.size", "4KiB", 0, NULL },
		{ "cache.size", "1TB", 0, NULL },
		{ "cache.size", "4095", -ERANGE, "allowed: 4 KiB to 1.00 TB" },
		{ "cache.size", "2G", -EINVAL, "cache.size: '2G'" },
		{ "cache.size", "0.3B", -EINVAL, "cache.size" },
		{ "cache.delay", "1h", 0, NULL },
		{ "cache.delay", "0ns", 0, NULL },
		{ "cache.delay", "61min", -ERANGE, "cache.delay = '61min'" },
		{ "cache.delay", "5", -EINVAL, "time unit" },
		{ "gc.policy", "cost-benefit", 0, NULL },
		{ "gc.policy", "greed", -EINVAL, "is not one of: greedy, fifo, cost-benefit" },
		{ "gc.policy", "GREEDY", -EINVAL, "gc.policy = 'GREEDY'" },
		{ "label", "", 0, NULL },
		{ "label", "any text", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		struct thing t, before;
		struct err err = { 0 };
		int r;

		memset(&t, 0x5a, sizeof(t));
		before = t;
		r = param_set(table, &t, attempts[i].name, attempts[i].value, &err);
		if (r != attempts[i].result)
			fail_msg("%s = '%s': %d, not %d (%s)", attempts[i].name, attempts[i].value,
				 r, attempts[i].result, err.text);
		if (r == 0)
			continue;
		assert_int_equal(err.code, r);
		if (!attempts[i].says || !strstr(err.text, attempts[i].says))
			fail_msg("%s = '%s' says: %s", attempts[i].name, attempts[i].value,
				 err.text);
		assert_memory_equal(&t, &before, sizeof(t));
	}
}

static void long_text(void **state)
{
	char text[PARAM_TEXT_SIZE + 1];
	struct thing t = { 0 };
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[PARAM_TEXT_SIZE] = '\0';
	assert_int_equal(param_set(table, &t, "label", text, &err), -ERANGE);
	assert_int_equal(t.label[0], 0);
	text[PARAM_TEXT_SIZE - 1] = '\0';
	assert_int_equal(param_set(table, &t, "label", text, &err), 0);
	assert_string_equal(t.label, text);
}

/* One slip of the keyboard finds the name; something else does not. */
static void suggestions(void **state)
{
	static const char *const slips[][2] = {
		{ "dept", "depth" },
		{ "depht", "depth" },
		{ "cache_size", "cache.size" },
		{ "cache.dely", "cache.delay" },
		{ "gc.polcy", "gc.policy" },
		{ "Share", "share" },
	};
	char longest[4096];
	struct thing t;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(slips) / sizeof(*slips); i++) {
		char expected[100];

		snprintf(expected, sizeof(expected), "did you mean '%s'?", slips[i][1]);
		assert_int_equal(param_set(table, &t, slips[i][0], "1", &err), -ENOENT);
		assert_non_null(strstr(err.text, expected));
		assert_non_null(strstr(err.text, slips[i][0]));
	}
	assert_int_equal(param_set(table, &t, "something-quite-different", "1", &err), -ENOENT);
	assert_null(strstr(err.text, "did you mean"));
	/* Longer than anything the distance is computed for. */
	memset(longest, 'd', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(param_set(table, &t, longest, "1", &err), -ENOENT);
	assert_int_equal(param_set(table, &t, "", "1", &err), -ENOENT);
	assert_null(param_find(table, "cache"));
	assert_ptr_equal(param_find(table, "count"), &table[1]);
}

/* What param_format() writes, param_parse() reads back to the same bits; any value of any type. */
static void round_trip(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, 1);
	for (int i = 0; i < 20000; i++) {
		struct thing t, back;

		memset(&t, 0, sizeof(t));
		memset(&back, 0, sizeof(back));
		t.depth = 1 + (uint32_t)rng_below(&rng, 65536);
		t.count = rng_u64(&rng) >> (11 + rng_below(&rng, 53));
		t.share = (2 * rng_double(&rng) - 1) * pow(10, -(double)rng_below(&rng, 8));
		t.enabled = rng_u64(&rng) & 1;
		t.size_bytes = 4096 + (rng_below(&rng, 999999990000) >> rng_below(&rng, 40));
		t.delay_ns = rng_below(&rng, 3600000000000) >> rng_below(&rng, 40);
		t.policy = (int)rng_below(&rng, 3);
		snprintf(t.label, sizeof(t.label), "%d %%s = '", i);
		for (const struct param *row = table; row->name; row++) {
			struct err err;
			char buf[PARAM_TEXT_SIZE + 1];

			param_format(row, &t, buf, sizeof(buf));
			if (param_parse(row, &back, buf, &err) < 0)
				fail_msg("%s: wrote '%s', then: %s", row->name, buf, err.text);
		}
		assert_memory_equal(&t, &back, sizeof(t));
	}
}

static void ranges(void **state)
{
	char buf[64], tiny[10];

	(void)state;
	assert_string_equal(param_range(param_find(table, "depth"), buf, sizeof(buf)),
			    "1 to 65536");
	assert_string_equal(param_range(param_find(table, "gc.policy"), buf, sizeof(buf)),
			    "greedy, fifo, cost-benefit");
	assert_string_equal(param_range(param_find(table, "enabled"), buf, sizeof(buf)),
			    "true or false");
	assert_string_equal(param_range(param_find(table, "label"), buf, sizeof(buf)), "");
	/* A buffer that is too small is filled, not overrun. */
	assert_true(strlen(param_range(param_find(table, "gc.policy"), tiny, sizeof(tiny))) <
		    sizeof(tiny));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),   cmocka_unit_test(bounds_and_words),
		cmocka_unit_test(long_text),  cmocka_unit_test(suggestions),
		cmocka_unit_test(round_trip), cmocka_unit_test(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
