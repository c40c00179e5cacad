/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parameter table on "name=value": a refusal changes nothing and says why; what is taken lies within its
 * row's range and is the same after being formatted and parsed again.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/param.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct thing {
	uint32_t u32;
	uint64_t u64, bytes, ns;
	double f64;
	bool flag;
	int word;
	char text[PARAM_TEXT_SIZE];
};

static const char *const words[] = { "greedy", "fifo", NULL };

static const struct param table[] = {
	{ "u32", "", PARAM_U32, offsetof(struct thing, u32), 1, 4294967295.0, "1", NULL, "", "" },
	{ "u64", "", PARAM_U64, offsetof(struct thing, u64), 0, 0x1p53, "1", NULL, "", "" },
	{ "bytes", "bytes", PARAM_BYTES, offsetof(struct thing, bytes), 512, 0x1p50, "4KiB", NULL,
	  "", "" },
	{ "ns", "ns", PARAM_NS, offsetof(struct thing, ns), 0, 1e15, "1s", NULL, "", "" },
	{ "f64", "", PARAM_F64, offsetof(struct thing, f64), -1e6, 1e6, "0.5", NULL, "", "" },
	{ "flag", "", PARAM_BOOL, offsetof(struct thing, flag), 0, 0, "true", NULL, "", "" },
	{ "word", "", PARAM_ENUM, offsetof(struct thing, word), 0, 0, "fifo", words, "", "" },
	{ "text", "", PARAM_TEXT, offsetof(struct thing, text), 0, 0, "", NULL, "", "" },
	PARAM_END
};

static void check_ranges(const struct thing *t)
{
	assert(t->u32 >= 1);
	assert(t->u64 <= 1ull << 53);
	assert(t->bytes >= 512 && t->bytes <= 1ull << 50);
	assert(t->ns <= 1000000000000000ull);
	assert(t->f64 >= -1e6 && t->f64 <= 1e6);
	assert(t->word == 0 || t->word == 1);
	assert(memchr(t->text, '\0', sizeof(t->text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[1024], written[2 * PARAM_TEXT_SIZE], *value;
	struct thing t = { 0 }, before, back = { 0 };
	const struct param *row;
	struct err err = { 0 };
	int r;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	value = strchr(text, '=');
	if (!value)
		return 0;
	*value++ = '\0';
	param_defaults(table, &t);
	check_ranges(&t);
	memcpy(&before, &t, sizeof(t));
	r = param_set(table, &t, text, value, &err);
	if (r < 0) {
		assert(err.code == r && err.text[0]);
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding was copied, too */
		assert(!memcmp(&t, &before, sizeof(t)));
		return 0;
	}
	check_ranges(&t);
	row = param_find(table, text);
	assert(row);
	assert(strlen(param_range(row, written, sizeof(written))) < sizeof(written));
	param_format(row, &t, written, sizeof(written));
	memcpy(&back, &before, sizeof(t));
	assert(param_parse(row, &back, written, NULL) == 0);
	/* All bytes can be compared; only what lies behind the end of a text may differ. */
	if (row->type != PARAM_TEXT)
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding was copied, too */
		assert(!memcmp(&back, &t, sizeof(t)));
	else
		assert(!strcmp(back.text, t.text));
	return 0;
}
