/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <string.h>

#include "base/units.h"

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "4096", 4096 },	  { "4KiB", 4096 },
		{ "1.5GB", 1500000000 },  { "1GiB", 1073741824 },
		{ "0.5KiB", 512 },	  { "120034123776B", 120034123776u },
		{ "8TB", 8000000000000 }, { "1.21GB", 1210000000 },
	};
	static const char *const bad[] = { "",	   "4K",  "-1",	  "1.5",    "0x10",	 "1e9",
					   "1 GB", "GiB", ".5GB", "1..5GB", "99999999TB" };
	struct err err;
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse_bytes(good[i].text, &bytes, &err), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		bytes = 7;
		assert_true(parse_bytes(bad[i], &bytes, &err) < 0);
		assert_non_null(strstr(err.text, bad[i]));
		assert_int_equal(bytes, 7);
	}
}

static void times(void **state)
{
	uint64_t ns;
	struct err err;

	(void)state;
	assert_int_equal(parse_time("72h", &ns, &err), 0);
	assert_int_equal(ns, 72ull * 3600 * NS_PER_S);
	assert_int_equal(parse_time("2.5ms", &ns, &err), 0);
	assert_int_equal(ns, 2500000);
	assert_true(parse_time("5", &ns, &err) < 0);
	assert_true(parse_time("5 s", &ns, &err) < 0);
}

static void percentages(void **state)
{
	uint64_t bytes;
	struct err err;

	(void)state;
	assert_int_equal(parse_bytes_or_pct("80%", 1000000, 4096, &bytes, &err), 0);
	assert_int_equal(bytes, 800000 - 800000 % 4096);
	assert_int_equal(parse_bytes_or_pct("8KiB", 1000000, 4096, &bytes, &err), 0);
	assert_int_equal(bytes, 8192);
	assert_true(parse_bytes_or_pct("101%", 1000000, 1, &bytes, &err) < 0);
}

static void formats(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(format_bytes(buf, sizeof(buf), 1048576), "1 MiB");
	assert_string_equal(format_bytes(buf, sizeof(buf), 120000000000), "120.0 GB");
	assert_string_equal(format_bytes(buf, sizeof(buf), 1536), "1536 B");
	assert_string_equal(format_bytes_decimal(buf, sizeof(buf), 6.05e9), "6.05 GB");
	assert_string_equal(format_time(buf, sizeof(buf), 1234), "1.23 us");
	assert_string_equal(format_time(buf, sizeof(buf), 3ull * 3600 * NS_PER_S), "3 h 0 min");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(times),
		cmocka_unit_test(percentages),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
