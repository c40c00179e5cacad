/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/content.h"

#define BLOCK CONTENT_BLOCK_BYTES

/* Shannon entropy of the bytes, in bits a byte. */
static double entropy(const uint8_t *bytes, size_t n)
{
	size_t count[256] = { 0 };
	double bits = 0;

	for (size_t i = 0; i < n; i++)
		count[bytes[i]]++;
	for (int i = 0; i < 256; i++)
		if (count[i])
			bits -= (double)count[i] * log2((double)count[i] / (double)n);
	return bits / (double)n;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t duplicates(uint64_t *word, size_t n)
{
	size_t found = 0;

	qsort(word, n, sizeof(*word), compare_u64);
	for (size_t i = 1; i < n; i++)
		found += word[i] == word[i - 1];
	return found;
}

/*
 * No 8-byte word appears twice in 16 MiB of any mixture of addresses, generations and seeds (by chance: once
 * in ten million runs of this test), and the bytes are as uniform as 16 Mi draws are.
 */
static void random_is_unique(void **state)
{
	size_t blocks = 4096, words = blocks * BLOCK / 8;
	uint64_t *buf = malloc(blocks * BLOCK);
	struct content content = { .kind = CONTENT_RANDOM };

	(void)state;
	assert_non_null(buf);
	for (size_t i = 0; i < blocks; i++) {
		content.seed = i % 2;
		content.generation = (uint32_t)(i / 2 % 4);
		content_render(&content, i / 8 * BLOCK, buf + i * BLOCK / 8, BLOCK);
	}
	assert_true(entropy((uint8_t *)buf, blocks * BLOCK) > 7.99998);
	assert_int_equal(duplicates(buf, words), 0);
	free(buf);
}

/* Bits are unbiased and unrelated to the same bit of the next word, of the next block, of the next generation. */
static void random_bits(void **state)
{
	enum { N = 64 };
	static uint64_t buf[N][BLOCK / 8], next[N][BLOCK / 8];
	struct content content = { .kind = CONTENT_RANDOM, .seed = 11 };
	double draws = N * (BLOCK / 8.0), limit = 5 * sqrt(draws / 4);

	(void)state;
	content_render(&content, 0, buf, sizeof(buf));
	content.generation = 1;
	content_render(&content, 0, next, sizeof(next));
	for (int bit = 0; bit < 64; bit++) {
		double ones = 0, word = 0, block = 0, generation = 0;

		for (int i = 0; i < N; i++) {
			for (unsigned j = 0; j < BLOCK / 8; j++) {
				uint64_t x = buf[i][j];

				ones += (double)(x >> bit & 1);
				word += (double)((x ^ buf[i][(j + 1) % (BLOCK / 8)]) >> bit & 1);
				block += (double)((x ^ buf[(i + 1) % N][j]) >> bit & 1);
				generation += (double)((x ^ next[i][j]) >> bit & 1);
			}
		}
		assert_true(fabs(ones - draws / 2) < limit);
		assert_true(fabs(word - draws / 2) < limit);
		assert_true(fabs(block - draws / 2) < limit);
		assert_true(fabs(generation - draws / 2) < limit);
	}
}

/* Whatever piece is asked for, at whatever alignment of memory, it is the same bytes. */
static void pieces(void **state)
{
	static uint8_t whole[16 * BLOCK], part[16 * BLOCK + 8];
	struct rng rng;

	(void)state;
	rng_init(&rng, 5, 1);
	for (int kind = CONTENT_RANDOM; kind <= CONTENT_GIGAFILE; kind++) {
		for (int verify = 0; verify < 2; verify++) {
			struct content content = { .kind = (enum content_kind)kind,
						   .verify = verify,
						   .generation = 3,
						   .seed = 9 };
			uint64_t base = 30245 * (uint64_t)BLOCK * 4000;

			content_render(&content, base, whole, sizeof(whole));
			for (int i = 0; i < 300; i++) {
				size_t block = rng_below(&rng, 15);
				size_t start = rng_below(&rng, BLOCK);
				size_t n = 1 + rng_below(&rng, BLOCK - start);
				uint8_t *to = part + rng_below(&rng, 8);

				start += block * BLOCK;
				content_render(&content, base + start, to, n);
				assert_memory_equal(to, whole + start, n);
			}
			content_render(&content, base + BLOCK, part + 3, 4 * BLOCK);
			assert_memory_equal(part + 3, whole + BLOCK, 4 * BLOCK);
		}
	}
}

static void compressible(void **state)
{
	static uint8_t buf[BLOCK];

	(void)state;
	for (unsigned pct = 0; pct <= 100; pct++) {
		struct content content = { .compress_pct = (uint8_t)pct, .seed = 1 };
		size_t zeros = 0;

		content_render(&content, BLOCK * (uint64_t)pct, buf, BLOCK);
		while (zeros < BLOCK && buf[BLOCK - 1 - zeros] == 0)
			zeros++;
		assert_true(fabs((double)zeros - BLOCK * pct / 100.0) <= 8);
		assert_true(fabs(content_ratio(&content) - (1 - pct / 100.0)) < 1e-12);
		assert_true(pct == 100 ||
			    entropy(buf, BLOCK - zeros) > log2((double)(BLOCK - zeros)) * 0.6);
	}
}

static void zeros_and_duplicate(void **state)
{
	static uint8_t buf[4 * BLOCK], other[BLOCK];
	struct content content = { .kind = CONTENT_ZEROS, .seed = 4 };

	(void)state;
	memset(buf, 1, sizeof(buf));
	content_render(&content, 12345, buf, sizeof(buf));
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], 0);
	content.kind = CONTENT_DUPLICATE;
	content_render(&content, 7 * BLOCK, buf, sizeof(buf));
	for (size_t i = 1; i < 4; i++)
		assert_memory_equal(buf, buf + i * BLOCK, BLOCK);
	assert_true(entropy(buf, BLOCK) > 7.9);
	content.generation = 1;
	content_render(&content, 1000 * BLOCK, other, BLOCK);
	assert_memory_equal(buf, other, BLOCK);
	content.seed = 5;
	content_render(&content, 7 * BLOCK, other, BLOCK);
	assert_memory_not_equal(buf, other, BLOCK);
}

/* Every single damaged byte is seen, and each kind of misplacement is named. */
static void verify_damage(void **state)
{
	static uint8_t buf[3 * BLOCK];
	struct content content = { .verify = true, .generation = 7, .seed = 42 };
	uint64_t offset = 1000 * BLOCK;
	struct rng rng;
	struct err err;

	(void)state;
	content_render(&content, offset, buf, sizeof(buf));
	assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), 0);
	for (size_t i = 0; i < sizeof(buf); i++) {
		buf[i] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
		if (i % BLOCK < 8)
			assert_non_null(strstr(err.text, "no address"));
		else
			assert_non_null(strstr(err.text, "checksum"));
		buf[i] ^= (uint8_t)(1 << i % 8);
	}
	rng_init(&rng, 3, 3);
	for (int i = 0; i < 200; i++) {
		size_t start = 1 + rng_below(&rng, BLOCK - 1);
		struct content old = content;

		/* A torn write: the tail of the generation before. */
		old.generation = 6;
		content_render(&old, offset + BLOCK + start, buf + BLOCK + start, BLOCK - start);
		assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
		assert_non_null(strstr(err.text, "4100096"));
		content_render(&content, offset, buf, sizeof(buf));
	}
}

static void verify_misplaced(void **state)
{
	static uint8_t buf[2 * BLOCK];
	struct content content = { .verify = true, .generation = 7, .seed = 42 }, other = content;
	uint64_t offset = 1000 * BLOCK;
	struct err err;

	(void)state;
	content_render(&content, 999 * BLOCK, buf, BLOCK);
	assert_int_equal(content_check(&content, offset, buf, BLOCK, &err), -EILSEQ);
	assert_non_null(strstr(err.text, "carries the address 4091904"));
	assert_int_equal(content_check(&content, 999 * BLOCK, buf, BLOCK, NULL), 0);

	other.generation = 6;
	content_render(&other, offset, buf, sizeof(buf));
	assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
	assert_non_null(strstr(err.text, "generation 6, expected 7: a later write was lost"));
	assert_int_equal(content_check(&other, offset, buf, sizeof(buf), &err), 0);

	other = content;
	other.seed = 41;
	content_render(&other, offset, buf, sizeof(buf));
	assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
	assert_non_null(strstr(err.text, "another run"));

	other = content;
	other.compress_pct = 50;
	content_render(&other, offset, buf, sizeof(buf));
	assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
	assert_non_null(strstr(err.text, "other content"));

	memset(buf, 0, sizeof(buf));
	assert_int_equal(content_check(&content, offset, buf, sizeof(buf), &err), -EILSEQ);
	assert_non_null(strstr(err.text, "zeros"));

	content_render(&content, offset, buf, BLOCK);
	assert_int_equal(content_check(&content, offset + 512, buf + 512, 1024, &err), 0);
	buf[1000] ^= 1;
	assert_int_equal(content_check(&content, offset + 512, buf + 512, 1024, &err), -EILSEQ);
	assert_non_null(strstr(err.text, "4097000"));
}

/* A file as it is written: how long, how many rows, whether every byte is valid UTF-8 of 0..255. */
struct file {
	uint64_t bytes, chars, rows, row_chars, bad, pieces, count[256];
	uint64_t row_bytes_min, row_bytes_max, row_bytes;
	unsigned lead, last; /* byte that waits for its second; last character */
	bool unix_newlines;
	uint64_t hash;
};

static void file_char(struct file *f, unsigned c)
{
	unsigned newline = f->unix_newlines ? 1 : 2;

	f->count[c]++;
	f->chars++;
	f->row_chars++;
	/* The 160 characters may be '\r' and '\n' as well: only their number tells where a row ends. */
	if (f->row_chars == 161)
		f->bad += c != (f->unix_newlines ? '\n' : '\r');
	if (f->row_chars == 162)
		f->bad += c != '\n';
	if (f->row_chars == 160 + newline) {
		f->rows++;
		f->row_chars = 0;
	}
}

static int file_write(void *user, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	struct file *f = user;

	f->pieces++;
	f->bytes += n;
	for (size_t i = 0; i < n; i++) {
		f->hash = (f->hash ^ b[i]) * 0x100000001b3u;
		if (f->lead) {
			f->bad += (b[i] & 0xc0) != 0x80;
			file_char(f, (f->lead & 3) << 6 | (b[i] & 0x3f));
			f->lead = 0;
		} else if (b[i] < 0x80) {
			file_char(f, b[i]);
		} else {
			f->bad += b[i] != 0xc2 && b[i] != 0xc3;
			f->lead = b[i];
		}
	}
	return 0;
}

/* Ideal size of what a file carries over its size: 8 bits a character if all are equally frequent. */
static double file_ratio(const struct file *f)
{
	double bits = 0, n = (double)f->rows * 160;

	for (int i = 0; i < 256; i++) {
		double count = (double)f->count[i];

		if (i == '\n' || (i == '\r' && !f->unix_newlines))
			count -= (double)f->rows;
		bits -= count * log2(count / n);
	}
	return bits / 8 / (double)f->bytes;
}

static void gigafile(void **state)
{
	uint32_t rows = 100000;

	(void)state;
	for (int unix_newlines = 0; unix_newlines < 2; unix_newlines++) {
		struct file f = { .unix_newlines = unix_newlines }, again = f, other = f;
		double mean = rows * (160 * 1.5 + (unix_newlines ? 1 : 2));

		assert_int_equal(content_gigafile(1, rows, unix_newlines, file_write, &f), 0);
		assert_int_equal(f.bad + f.lead + f.row_chars, 0);
		assert_int_equal(f.rows, rows);
		assert_true(fabs((double)f.bytes - mean) < 4 * sqrt(rows * 160 / 4.0));
		assert_true(fabs(file_ratio(&f) - 0.66) < 0.02);
		assert_true(f.bytes / f.pieces < 70000);
		content_gigafile(1, rows, unix_newlines, file_write, &again);
		assert_int_equal(f.hash, again.hash);
		content_gigafile(2, rows, unix_newlines, file_write, &other);
		assert_true(f.hash != other.hash);
	}
}

static int count_write(void *user, const void *bytes, size_t n)
{
	(void)bytes;
	*(uint64_t *)user += n;
	return 0;
}

/* The source's file in full: 5 million rows, 1.210e9 bytes +- 4 sigma of 14 142. */
static void gigafile_size(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	content_gigafile(7, 5000000, false, count_write, &bytes);
	assert_true(fabs((double)bytes - 1.21e9) < 4 * 14142);
}

static int fail_third(void *user, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return ++*(int *)user == 3 ? -ENOSPC : 0;
}

static void gigafile_stops(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(content_gigafile(1, 100000, false, fail_third, &calls), -ENOSPC);
	assert_int_equal(calls, 3);
	assert_int_equal(content_gigafile(1, 0, false, fail_third, &calls), 0);
	assert_int_equal(calls, 3);
}

/* The same as content of a drive: valid rows, same statistics, and the period of the file. */
static void gigafile_on_drive(void **state)
{
	size_t size = 242 * 40000;
	uint8_t *buf = malloc(size), *again = malloc(BLOCK);
	struct content content = { .kind = CONTENT_GIGAFILE, .seed = 3 };
	struct file f = { 0 };
	size_t column[160] = { 0 };

	(void)state;
	assert_non_null(buf);
	assert_non_null(again);
	content_render(&content, 0, buf, size);
	file_write(&f, buf, size);
	assert_int_equal(f.bad + f.lead + f.row_chars, 0);
	assert_int_equal(f.rows, 40000);
	assert_true(fabs(file_ratio(&f) - content_ratio(&content)) < 0.002);
	assert_true(fabs(content_ratio(&content) - 0.66) < 0.02);
	for (int i = 0; i < 8; i++) {
		uint64_t offset = (uint64_t)i * 336 * BLOCK;

		content_render(&content, offset + 1210000000, again, BLOCK);
		assert_memory_equal(again, buf + offset, BLOCK);
	}
	/* No column is more often above 127 than another: chi-square with 159 degrees, 0.001 point 219. */
	for (size_t row = 0; row < 40000; row++) {
		const uint8_t *c = buf + row * 242;

		for (int i = 0; i < 160; i++) {
			column[i] += *c >> 7;
			c += 1 + (*c >> 7);
		}
	}
	double chi2 = 0;

	for (int i = 0; i < 160; i++)
		chi2 += pow((double)column[i] - 20000, 2) / 10000;
	assert_true(chi2 < 219);
	free(buf);
	free(again);
}

static void parse_and_format(void **state)
{
	static const char *const good[] = { "random",	"zeros",	  "duplicate",
					    "gigafile", "compressible:1", "compressible:100" };
	static const char *const bad[] = { "",
					   "Random",
					   "compressible",
					   "compressible:",
					   "compressible:-1",
					   "compressible:101",
					   "compressible:5.5",
					   "zero",
					   "gigafile " };
	struct content content = { .seed = 5, .verify = true };
	struct err err;
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(content_parse(good[i], &content, &err), 0);
		assert_string_equal(content_format(&content, buf, sizeof(buf)), good[i]);
		assert_int_equal(content.seed, 5);
		assert_true(content.verify);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(content_parse(bad[i], &content, &err), -EINVAL);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_is_unique),
		cmocka_unit_test(random_bits),
		cmocka_unit_test(pieces),
		cmocka_unit_test(compressible),
		cmocka_unit_test(zeros_and_duplicate),
		cmocka_unit_test(verify_damage),
		cmocka_unit_test(verify_misplaced),
		cmocka_unit_test(gigafile),
		cmocka_unit_test(gigafile_size),
		cmocka_unit_test(gigafile_stops),
		cmocka_unit_test(gigafile_on_drive),
		cmocka_unit_test(parse_and_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
