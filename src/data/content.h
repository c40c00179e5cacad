/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content.h - what a write carries, as a description. Only backends that need bytes render it.
 *
 * The description travels with every I/O. A simulated drive reads its compressibility off it; a real one
 * renders it into its buffer just before the submit. Rendering is a pure function of (content, offset), so
 * that any block can be checked later without remembering what was written.
 */
#ifndef ASSAY_DATA_CONTENT_H
#define ASSAY_DATA_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum content_kind {
	CONTENT_RANDOM, /* unique and incompressible: the default */
	CONTENT_ZEROS,
	CONTENT_DUPLICATE, /* one random 4 KiB block over and over */
	CONTENT_GIGAFILE, /* the fill file of the source: UTF-8 of random characters, sources.md 1.2 */
};

struct content {
	enum content_kind kind;
	uint8_t compress_pct; /* RANDOM only: share of each 4 KiB that is zeros, 0 to 100 */
	bool verify;	      /* each 4 KiB block carries its address, generation and a checksum */
	uint32_t
		generation; /* changes with every overwrite, so that stale data are told from lost data */
	uint64_t seed;
};

#define CONTENT_BLOCK_BYTES 4096u

/*
 * Write `length` bytes of the content that belongs at `offset` (bytes of the drive) to buf, which is best
 * aligned to 8 bytes. GIGAFILE on a drive is a file of 1.21e9 bytes over and over. For other kinds
 * and with `verify` offset and length are multiples of CONTENT_BLOCK_BYTES or lie within one block.
 */
void content_render(const struct content *content, uint64_t offset, void *buf, size_t length);

/*
 * Check bytes that were read against the description. Returns 0, or -EILSEQ with a sentence saying which
 * block differs and how (other address, other generation, checksum). Only for verify content.
 */
int content_check(const struct content *content, uint64_t offset, const void *buf, size_t length,
		  struct err *err);

/*
 * Ideal compressed size / size, 0 to 1, each 4 KiB taken by itself: 1 for RANDOM at 0 % and for DUPLICATE
 * (whose blocks only a controller that compares blocks can save), about 0.661 for GIGAFILE. What `verify`
 * adds (44 bytes a block) is not counted.
 */
double content_ratio(const struct content *content);

/*
 * The gigafile as a stream: 5 000 000 rows of 160 characters drawn from 0..255, each row ended by
 * "\r\n" (or "\n" with unix_newlines), in UTF-8. Calls write() with successive pieces until the end or
 * until it returns a negative number, which is passed on. Returns 0.
 */
int content_gigafile(uint64_t seed, uint32_t rows, bool unix_newlines,
		     int (*write)(void *user, const void *bytes, size_t n), void *user);

/*
 * "random", "zeros", "duplicate", "gigafile", "compressible:50"; -EINVAL with a sentence. Sets kind and
 * compress_pct; verify, generation and seed of *ret stay as they are.
 */
int content_parse(const char *text, struct content *ret, struct err *err);
char *content_format(const struct content *content, char *buf, size_t size);

#endif
