/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"

static void parse(const char *text, struct device_spec *spec)
{
	struct err err = { 0 };
	int r = device_spec_parse(text, spec, &err);

	if (r < 0)
		print_error("%s: %s\n", text, err.text);
	assert_int_equal(r, 0);
}

static void kinds(void **state)
{
	struct device_spec spec;

	(void)state;
	parse("", &spec);
	assert_string_equal(spec.kind, "sim");
	assert_string_equal(spec.path, "sm2258xt-120g-usb");
	parse("/dev/disk/by-id/x:y", &spec);
	assert_string_equal(spec.kind, "block");
	assert_string_equal(spec.path, "/dev/disk/by-id/x:y");
	parse("file:a/b c,size=4GiB", &spec);
	assert_string_equal(spec.kind, "file");
	assert_string_equal(spec.path, "a/b c");
	assert_string_equal(device_spec_option(&spec, "size"), "4GiB");
	parse("dir:/mnt/x\\,y:z,keep=true,piece=64MiB", &spec);
	assert_string_equal(spec.kind, "dir");
	assert_string_equal(spec.path, "/mnt/x,y:z");
	assert_string_equal(device_spec_option(&spec, "keep"), "true");
	assert_string_equal(device_spec_option(&spec, "piece"), "64MiB");
	assert_null(device_spec_option(&spec, "size"));
	parse("sim:./my.yaml,nand.t_prog=600us,seed=2", &spec);
	assert_string_equal(spec.kind, "sim");
	assert_string_equal(spec.path, "./my.yaml");
	assert_int_equal(spec.options, 2);
	parse("null", &spec);
	assert_string_equal(spec.kind, "null");
	parse("null,capacity=8GB,label=a=b", &spec);
	assert_string_equal(device_spec_option(&spec, "capacity"), "8GB");
	assert_string_equal(device_spec_option(&spec, "label"), "a=b");
	assert_string_equal(spec.text, "null,capacity=8GB,label=a=b");
}

/* Each is a usage error, and its sentence names what is wrong. */
static void refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "nul", "did you mean 'null" },
		{ "fil:/tmp/x", "did you mean 'file:'" },
		{ "floppy", "/dev/NAME" },
		{ "averyveryverylongkindname:x", "no kind" },
		{ "/tmp/x", "file:/tmp/x" },
		{ "./x", "dir:./x" },
		{ ".", "dir:." },
		{ "file", "file:PATH" },
		{ "file:", "file:PATH" },
		{ "file:,size=1GiB", "file:PATH" },
		{ "sim", "sim:MODEL" },
		{ ":x", "does not begin" },
		{ ",size=3", "does not begin" },
		{ "null:x", "takes no path" },
		{ "null,capacity", "not NAME=VALUE" },
		{ "null,=3", "not NAME=VALUE" },
		{ "null,", "not NAME=VALUE" },
		{ "null,a=1,a=2", "twice" },
		{ "null,a=,b=,c=,d=,e=,f=,g=,h=,i=,j=,k=,l=,m=,n=,o=,p=,q=", "more than 16" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct device_spec spec = { .kind = "untouched" };
		struct err err = { 0 };

		assert_int_equal(device_spec_parse(cases[i].text, &spec, &err), -ERR_USAGE);
		if (!strstr(err.text, cases[i].says))
			fail_msg("'%s' says: %s", cases[i].text, err.text);
		assert_string_equal(spec.kind, "untouched");
	}
}

static void too_long(void **state)
{
	char text[1200];
	struct device_spec spec;
	struct err err;

	(void)state;
	for (size_t n = 5; n < sizeof(text) - 1; n += 97) {
		int r;

		memset(text, 'x', n);
		text[n] = '\0';
		memcpy(text, "file:", 5);
		r = device_spec_parse(text, &spec, &err);
		assert_int_equal(r, n > 5 && n - 5 < sizeof(spec.path) ? 0 : -ERR_USAGE);
		memcpy(text, "null,", 5);
		if (n > 20)
			text[20] = '=';
		assert_int_equal(device_spec_parse(text, &spec, &err),
				 n > 20 && n - 21 < sizeof(spec.option->value) ? 0 : -ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(refused),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
