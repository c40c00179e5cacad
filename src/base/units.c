/* SPDX-License-Identifier: MIT */
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double scale;
};

static const struct unit size_units[] = {
	{ "", 1 },	   { "B", 1 },	      { "kB", 1e3 },	 { "KB", 1e3 },
	{ "MB", 1e6 },	   { "GB", 1e9 },     { "TB", 1e12 },	 { "KiB", 1024.0 },
	{ "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "TiB", 0x1p40 },
};

static const struct unit time_units[] = {
	{ "ns", 1 },	 { "us", 1e3 }, { "µs", 1e3 },	 { "ms", 1e6 },	   { "s", 1e9 },
	{ "min", 60e9 }, { "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
};

/* strtod that takes digits only: no sign, no hexadecimal, no "inf", no white space. */
static int number_head(const char *text, double *ret, const char **rest)
{
	size_t len = strspn(text, "0123456789.");
	char *end;

	if (len == 0 || text[0] == '.')
		return -EINVAL;
	errno = 0;
	*ret = strtod(text, &end);
	if (errno || end != text + len || !isfinite(*ret))
		return -EINVAL;
	*rest = end;
	return 0;
}

int parse_u64(const char *text, uint64_t *ret, struct err *err)
{
	char *end;
	unsigned long long value;

	if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
		return err_set(err, -EINVAL, "'%s' is not a whole number", text);
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return err_set(err, -ERANGE, "'%s' is too large", text);
	*ret = value;
	return 0;
}

/* The end of "12", "1.5" or "1e-6" at text, or NULL: as strtod, but no sign, hexadecimal, "inf" or space. */
static const char *real_end(const char *text)
{
	size_t digits = strspn(text, "0123456789.");

	if (digits == 0 || text[0] == '.')
		return NULL;
	text += digits;
	if (*text != 'e' && *text != 'E')
		return text;
	text++;
	text += *text == '+' || *text == '-';
	digits = strspn(text, "0123456789");
	return digits ? text + digits : NULL;
}

int parse_double(const char *text, double *ret, struct err *err)
{
	const char *body = text[0] == '-' ? text + 1 : text;
	const char *rest = real_end(body);
	char *end = NULL;
	double value = 0;

	/* A number too small for a double is zero or nearly so: no error. */
	if (rest && *rest == '\0')
		value = strtod(body, &end);
	if (!end || end != rest || !isfinite(value))
		return err_set(err, -EINVAL, "'%s' is not a number", text);
	*ret = body == text ? value : -value;
	return 0;
}

int parse_bool(const char *text, bool *ret, struct err *err)
{
	if (!strcmp(text, "true") || !strcmp(text, "yes") || !strcmp(text, "on")) {
		*ret = true;
		return 0;
	}
	if (!strcmp(text, "false") || !strcmp(text, "no") || !strcmp(text, "off")) {
		*ret = false;
		return 0;
	}
	return err_set(err, -EINVAL, "'%s' is neither true nor false", text);
}

static int scaled(const char *text, const struct unit *units, size_t n, const char *what,
		  uint64_t *ret, struct err *err)
{
	const char *rest;
	double value;

	if (number_head(text, &value, &rest) < 0)
		return err_set(err, -EINVAL, "'%s' is not a %s", text, what);
	for (size_t i = 0; i < n; i++) {
		double whole;

		if (strcmp(rest, units[i].name) != 0)
			continue;
		whole = value * units[i].scale;
		if (whole >= 0x1p63)
			return err_set(err, -ERANGE, "'%s' is too large", text);
		if (fabs(whole - nearbyint(whole)) > 1e-6 * fmax(1, whole * 1e-9))
			return err_set(err, -EINVAL, "'%s' is not a whole number of %s", text,
				       units == size_units ? "bytes" : "nanoseconds");
		*ret = (uint64_t)llround(whole);
		return 0;
	}
	return -ENOENT;
}

int parse_bytes(const char *text, uint64_t *ret_bytes, struct err *err)
{
	int r = scaled(text, size_units, sizeof(size_units) / sizeof(*size_units), "size",
		       ret_bytes, err);

	if (r == -ENOENT)
		return err_set(err, -EINVAL,
			       "'%s' has no size unit that is known; use B, kB, MB, GB, TB, KiB, "
			       "MiB, GiB or TiB",
			       text);
	return r;
}

int parse_time(const char *text, uint64_t *ret_ns, struct err *err)
{
	int r = scaled(text, time_units, sizeof(time_units) / sizeof(*time_units), "time", ret_ns,
		       err);

	if (r == -ENOENT)
		return err_set(
			err, -EINVAL,
			"'%s' has no time unit that is known; use ns, us, ms, s, min, h or d",
			text);
	return r;
}

int parse_bytes_or_pct(const char *text, uint64_t whole_bytes, uint64_t align_bytes,
		       uint64_t *ret_bytes, struct err *err)
{
	size_t len = strlen(text);
	uint64_t bytes;
	int r;

	if (len && text[len - 1] == '%') {
		const char *rest;
		double pct;

		if (number_head(text, &pct, &rest) < 0 || strcmp(rest, "%") != 0)
			return err_set(err, -EINVAL, "'%s' is not a percentage", text);
		if (pct > 100)
			return err_set(err, -ERANGE, "'%s' is more than the whole", text);
		bytes = (uint64_t)((double)whole_bytes * (pct / 100));
	} else {
		r = parse_bytes(text, &bytes, err);
		if (r < 0)
			return r;
	}
	if (align_bytes > 1)
		bytes -= bytes % align_bytes;
	*ret_bytes = bytes;
	return 0;
}

char *format_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned i = 0;
	uint64_t value = bytes;

	while (value && value % 1024 == 0 && i < 4) {
		value /= 1024;
		i++;
	}
	if (value < 10000) {
		snprintf(buf, size, "%llu %s", (unsigned long long)value, names[i]);
		return buf;
	}
	return format_bytes_decimal(buf, size, (double)bytes);
}

char *format_bytes_decimal(char *buf, size_t size, double bytes)
{
	static const char *const names[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	unsigned i = 0;

	while (fabs(bytes) >= 999.5 && i < 5) {
		bytes /= 1000;
		i++;
	}
	snprintf(buf, size,
		 i == 0		 ? "%.0f %s"
		 : bytes < 99.95 ? "%.2f %s"
				 : "%.1f %s",
		 bytes, names[i]);
	return buf;
}

char *format_time(char *buf, size_t size, uint64_t ns)
{
	double s = (double)ns / 1e9;

	if (ns < 1000)
		snprintf(buf, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.3g us", (double)ns / 1e3);
	else if (ns < NS_PER_S)
		snprintf(buf, size, "%.3g ms", (double)ns / 1e6);
	else if (s < 120)
		snprintf(buf, size, "%.3g s", s);
	else if (s < 7200)
		snprintf(buf, size, "%d min %d s", (int)(s / 60), (int)s % 60);
	else
		snprintf(buf, size, "%d h %d min", (int)(s / 3600), (int)(s / 60) % 60);
	return buf;
}
