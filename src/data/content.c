/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random words come from a counter: word i of a block is the folded 128-bit product of (key + i * step)
 * and a second key, the mixing step of Wang Yi's wyrand (public domain). There is no chain from word to
 * word, so that the processor overlaps the multiplications, and a block needs none of the blocks before it.
 *
 * The gigafile on a drive is the source's file repeated, with one difference that makes every byte
 * computable by itself: each row has exactly 80 of its 160 characters above 127 (the expected number), hence
 * exactly 242 bytes, and the period is the expected size of the file, 1.21e9 bytes. Which 80 is uniform over
 * all choices; this takes 4 of the row's 1280 bits of entropy.
 */
#include "data/content.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"

#define BLOCK_WORDS (CONTENT_BLOCK_BYTES / 8)
#define ROW_CHARS 160u
#define ROW_BYTES (ROW_CHARS + ROW_CHARS / 2 + 2)
#define ROW_BYTES_MAX (2 * ROW_CHARS + 2)
#define FILE_ROWS 5000000u

/* At the start of every verify block; all fields little-endian. */
struct header {
	uint64_t magic;
	uint64_t offset; /* bytes of the drive */
	uint64_t seed;
	uint32_t generation;
	uint32_t kind; /* enum content_kind | compress_pct << 8 */
	uint64_t checksum;
};

static const uint64_t header_magic = 0x4b4c425941535341u; /* "ASSAYBLK" */

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* n random words that belong to (seed, a, b). */
static void random_words(uint64_t seed, uint64_t a, uint64_t b, uint64_t *out, size_t n)
{
	uint64_t x = rng_mix(rng_mix(seed) + a);
	uint64_t key = rng_mix(x ^ b);

	x = rng_mix(key + a);
	for (size_t i = 0; i < n; i++) {
		x += 0xa0761d6478bd642fu;
		out[i] = htole64(fold(x, x ^ key));
	}
}

/*
 * One step is a bijection of the lane for a given word and of the word for a given lane, and so is each step
 * of the end: damage to a single word never goes unseen, other damage with a probability of 2^-64.
 */
static uint64_t checksum(const void *block)
{
	uint64_t lane[4] = { 1, 2, 3, 4 };
	uint64_t sum = CONTENT_BLOCK_BYTES;
	uint64_t word[BLOCK_WORDS];

	memcpy(word, block, sizeof(word));
	word[offsetof(struct header, checksum) / 8] = 0;
	for (size_t i = 0; i < BLOCK_WORDS; i += 4)
		for (size_t j = 0; j < 4; j++)
			lane[j] = rng_rotl((lane[j] ^ le64toh(word[i + j])) * 0x9e3779b97f4a7c15u,
					   29);
	for (int j = 0; j < 4; j++)
		sum = rng_mix(sum ^ lane[j]);
	return sum;
}

static void put_header(const struct content *content, uint64_t offset, void *block)
{
	struct header header = {
		.magic = htole64(header_magic),
		.offset = htole64(offset),
		.seed = htole64(content->seed),
		.generation = htole32(content->generation),
		.kind = htole32((uint32_t)content->kind | (uint32_t)content->compress_pct << 8),
	};

	memcpy(block, &header, sizeof(header));
	header.checksum = htole64(checksum(block));
	memcpy(block, &header, sizeof(header));
}

/* Character c as UTF-8, its first byte in the low half. */
#define UTF8(c) ((c) < 0x80 ? (c) : (0xc0 | (c) >> 6) | (0x80 | ((c)&0x3f)) << 8)
#define UTF8_4(c) UTF8(c), UTF8(c + 1), UTF8(c + 2), UTF8(c + 3)
#define UTF8_16(c) UTF8_4(c), UTF8_4(c + 4), UTF8_4(c + 8), UTF8_4(c + 12)
#define UTF8_64(c) UTF8_16(c), UTF8_16(c + 16), UTF8_16(c + 32), UTF8_16(c + 48)

static const uint16_t utf8[256] = { UTF8_64(0), UTF8_64(64), UTF8_64(128), UTF8_64(192) };

/*
 * A row of characters as UTF-8. Two bytes are stored each time, of which the next character overwrites the
 * second where it was not needed: out needs one byte of room behind the text. Returns the end.
 */
static uint8_t *put_utf8(const uint64_t *word, uint8_t *out)
{
	for (unsigned i = 0; i < ROW_CHARS / 8; i++) {
		uint64_t chars = le64toh(word[i]);

		for (unsigned j = 0; j < 64; j += 8) {
			unsigned c = chars >> j & 0xff;
			uint16_t pair = htole16(utf8[c]);

			memcpy(out, &pair, 2);
			out += 1 + (c >> 7);
		}
	}
	return out;
}

/* Row `index` of the drive's gigafile: ROW_BYTES bytes and one that is scratch. */
static void periodic_row(uint64_t seed, uint64_t index, uint8_t *out)
{
	/* 20 words of characters, the rest for the choice of those that change sides. */
	uint64_t word[ROW_CHARS / 8 + 1];
	uint8_t *chars = (uint8_t *)word;
	uint64_t pick;
	int excess = -(int)ROW_CHARS / 2;

	random_words(seed, index, CONTENT_GIGAFILE, word, ROW_CHARS / 8 + 1);
	for (unsigned i = 0; i < ROW_CHARS / 8; i++)
		excess += __builtin_popcountll(word[i] & 0x8080808080808080u);
	/* Flip characters of the side that has too many, each as likely as the other, until it is even. */
	for (pick = word[ROW_CHARS / 8]; excess != 0; pick = rng_mix(pick)) {
		uint8_t *c = &chars[(pick >> 32) * ROW_CHARS >> 32];

		if ((*c >> 7) != (excess > 0))
			continue;
		*c ^= 0x80;
		excess += excess > 0 ? -1 : 1;
	}
	out = put_utf8(word, out);
	out[0] = '\r';
	out[1] = '\n';
}

static void render_gigafile(uint64_t seed, uint64_t offset, uint8_t *buf, size_t length)
{
	while (length > 0) {
		uint8_t row[ROW_BYTES_MAX + 1];
		size_t skip = offset % ROW_BYTES;
		size_t n = ROW_BYTES - skip < length ? ROW_BYTES - skip : length;

		periodic_row(seed, offset / ROW_BYTES % FILE_ROWS, row);
		memcpy(buf, row + skip, n);
		offset += n;
		buf += n;
		length -= n;
	}
}

static void render_block(const struct content *content, uint64_t offset, uint64_t *block)
{
	size_t data_words;

	switch (content->kind) {
	case CONTENT_RANDOM:
		assert(content->compress_pct <= 100);
		data_words = (BLOCK_WORDS * (100u - content->compress_pct) + 50) / 100;
		random_words(content->seed, offset, (uint64_t)content->generation << 8, block,
			     data_words);
		memset(block + data_words, 0, (BLOCK_WORDS - data_words) * 8);
		break;
	case CONTENT_ZEROS:
		memset(block, 0, CONTENT_BLOCK_BYTES);
		break;
	case CONTENT_DUPLICATE:
		random_words(content->seed, 0, CONTENT_DUPLICATE, block, BLOCK_WORDS);
		break;
	case CONTENT_GIGAFILE:
		render_gigafile(content->seed, offset, (uint8_t *)block, CONTENT_BLOCK_BYTES);
		break;
	}
	if (content->verify)
		put_header(content, offset, block);
}

static void render_part(const struct content *content, uint64_t offset, void *buf, size_t length)
{
	uint64_t block[BLOCK_WORDS];
	size_t skip = offset % CONTENT_BLOCK_BYTES;

	assert(skip + length <= CONTENT_BLOCK_BYTES);
	render_block(content, offset - skip, block);
	memcpy(buf, (uint8_t *)block + skip, length);
}

void content_render(const struct content *content, uint64_t offset, void *buf, size_t length)
{
	uint8_t *out = buf;

	if (content->kind == CONTENT_GIGAFILE && !content->verify) {
		render_gigafile(content->seed, offset, out, length);
		return;
	}
	if (content->kind == CONTENT_ZEROS && !content->verify) {
		memset(out, 0, length);
		return;
	}
	if (offset % CONTENT_BLOCK_BYTES || length < CONTENT_BLOCK_BYTES ||
	    (uintptr_t)buf % sizeof(uint64_t)) {
		while (length > 0) {
			size_t n = CONTENT_BLOCK_BYTES - offset % CONTENT_BLOCK_BYTES;

			n = n < length ? n : length;
			render_part(content, offset, out, n);
			offset += n;
			out += n;
			length -= n;
		}
		return;
	}
	assert(length % CONTENT_BLOCK_BYTES == 0);
	for (size_t i = 0; i < length; i += CONTENT_BLOCK_BYTES)
		render_block(content, offset + i, (uint64_t *)(void *)(out + i));
}

/* The sentence on a whole block that is not what it should be. */
static int explain_block(const struct content *content, uint64_t offset, const uint8_t *got,
			 size_t first, struct err *err)
{
	static const uint8_t zeros[CONTENT_BLOCK_BYTES];
	unsigned long long at = offset;
	struct header header;

	memcpy(&header, got, sizeof(header));
	if (!memcmp(got, zeros, CONTENT_BLOCK_BYTES))
		return err_set(
			err, -EILSEQ,
			"block at '%llu' holds zeros: it was never written, discarded or lost", at);
	if (le64toh(header.magic) != header_magic)
		return err_set(
			err, -EILSEQ,
			"block at '%llu' carries no address: foreign data, or its first bytes "
			"are damaged (first difference at byte %zu)",
			at, first);
	if (le64toh(header.checksum) != checksum(got))
		return err_set(
			err, -EILSEQ,
			"block at '%llu' is damaged: its checksum is wrong (first difference "
			"at byte %zu, generation %u, expected %u)",
			at, first, le32toh(header.generation), content->generation);
	if (le64toh(header.offset) != offset)
		return err_set(err, -EILSEQ,
			       "block at '%llu' carries the address %llu: written or read in the "
			       "wrong place",
			       at, (unsigned long long)le64toh(header.offset));
	if (le64toh(header.seed) != content->seed)
		return err_set(err, -EILSEQ,
			       "block at '%llu' was written by another run: its seed is %llu, "
			       "expected %llu",
			       at, (unsigned long long)le64toh(header.seed),
			       (unsigned long long)content->seed);
	if (le32toh(header.generation) != content->generation)
		return err_set(
			err, -EILSEQ,
			"block at '%llu' is of generation %u, expected %u: a later write was "
			"%s",
			at, le32toh(header.generation), content->generation,
			le32toh(header.generation) < content->generation ? "lost" : "not expected");
	return err_set(
		err, -EILSEQ,
		"block at '%llu' was written with other content (first difference at byte %zu)", at,
		first);
}

int content_check(const struct content *content, uint64_t offset, const void *buf, size_t length,
		  struct err *err)
{
	const uint8_t *got = buf;

	assert(content->verify);
	while (length > 0) {
		uint8_t expected[CONTENT_BLOCK_BYTES] __attribute__((aligned(8)));
		size_t n = CONTENT_BLOCK_BYTES - offset % CONTENT_BLOCK_BYTES;
		size_t first = 0;

		n = n < length ? n : length;
		render_part(content, offset, expected, n);
		if (memcmp(expected, got, n) != 0) {
			while (expected[first] == got[first])
				first++;
			if (n == CONTENT_BLOCK_BYTES)
				return explain_block(content, offset, got, first, err);
			return err_set(err, -EILSEQ,
				       "bytes at '%llu' are not what was written there",
				       (unsigned long long)(offset + first));
		}
		offset += n;
		got += n;
		length -= n;
	}
	return 0;
}

double content_ratio(const struct content *content)
{
	const unsigned row_bytes = ROW_BYTES;

	switch (content->kind) {
	case CONTENT_RANDOM:
		return 1 - content->compress_pct / 100.0;
	case CONTENT_ZEROS:
		return 0;
	case CONTENT_DUPLICATE:
		return 1;
	case CONTENT_GIGAFILE:
		return (double)ROW_CHARS / row_bytes;
	}
	return 1;
}

int content_gigafile(uint64_t seed, uint32_t rows, bool unix_newlines,
		     int (*write)(void *user, const void *bytes, size_t n), void *user)
{
	enum { ROWS_A_PIECE = 200 };
	uint8_t piece[ROWS_A_PIECE * ROW_BYTES_MAX + 1];
	uint32_t row = 0;

	while (row < rows) {
		uint8_t *out = piece;
		int r;

		for (unsigned i = 0; i < ROWS_A_PIECE && row < rows; i++, row++) {
			uint64_t word[ROW_CHARS / 8];

			random_words(seed, row, CONTENT_GIGAFILE, word, ROW_CHARS / 8);
			out = put_utf8(word, out);
			if (!unix_newlines)
				*out++ = '\r';
			*out++ = '\n';
		}
		r = write(user, piece, (size_t)(out - piece));
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *const kind_names[] = { "random", "zeros", "duplicate", "gigafile" };

int content_parse(const char *text, struct content *ret, struct err *err)
{
	static const char prefix[] = "compressible:";
	uint64_t pct;

	for (unsigned i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
		if (strcmp(text, kind_names[i]) != 0)
			continue;
		ret->kind = (enum content_kind)i;
		ret->compress_pct = 0;
		return 0;
	}
	if (!strncmp(text, prefix, sizeof(prefix) - 1)) {
		if (parse_u64(text + sizeof(prefix) - 1, &pct, NULL) < 0 || pct > 100)
			return err_set(
				err, -EINVAL,
				"content '%s' is not a share from 0 to 100 per cent; write for "
				"instance compressible:50",
				text);
		ret->kind = CONTENT_RANDOM;
		ret->compress_pct = (uint8_t)pct;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "content '%s' is not one of: random, zeros, duplicate, gigafile, "
		       "compressible:PERCENT",
		       text);
}

char *content_format(const struct content *content, char *buf, size_t size)
{
	if (content->kind == CONTENT_RANDOM && content->compress_pct)
		snprintf(buf, size, "compressible:%u", content->compress_pct);
	else
		snprintf(buf, size, "%s", kind_names[content->kind]);
	return buf;
}
