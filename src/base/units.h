/* SPDX-License-Identifier: MIT */
/*
 * units.h - numbers with units as people write them, and back.
 *
 * Sizes: "4096", "4KiB", "1.5GB", "2G" is refused (GB or GiB?). kB, MB, GB, TB are powers of ten; KiB,
 * MiB, GiB, TiB powers of two. Times: "30s", "100ms", "250us", "10ns", "5min", "72h", "2d". Both take a
 * decimal fraction. Nothing is rounded silently: a size must come out as a whole number of bytes.
 */
#ifndef ASSAY_BASE_UNITS_H
#define ASSAY_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

/* Each returns 0, or -EINVAL / -ERANGE with a sentence that quotes `text`. */
int parse_u64(const char *text, uint64_t *ret, struct err *err);
int parse_double(const char *text, double *ret, struct err *err);
int parse_bytes(const char *text, uint64_t *ret_bytes, struct err *err);
int parse_time(const char *text, uint64_t *ret_ns, struct err *err);
int parse_bool(const char *text, bool *ret, struct err *err);

/* A size, or a percentage of `whole_bytes` ("80%"), rounded down to a multiple of `align_bytes` (0: 1). */
int parse_bytes_or_pct(const char *text, uint64_t whole_bytes, uint64_t align_bytes,
		       uint64_t *ret_bytes, struct err *err);

/* Write into buf and return buf: "1 MiB", "4 KiB", "120.03 GB", "512 B". Powers of two where exact. */
char *format_bytes(char *buf, size_t size, uint64_t bytes);
/* "6.05 GB", always decimal, three significant digits or so. */
char *format_bytes_decimal(char *buf, size_t size, double bytes);
/* "850 ns", "12.3 us", "4.56 ms", "31.2 s", "4 min 10 s", "3 h 20 min". */
char *format_time(char *buf, size_t size, uint64_t ns);

#endif
