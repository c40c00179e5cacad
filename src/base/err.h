/* SPDX-License-Identifier: MIT */
/*
 * err.h - the one way to report a failure: a negative errno for the program, one sentence for the person.
 *
 * A function that can fail returns 0 (or a count) or a negative errno, and where it knows something a
 * person can act on it writes one sentence into the caller's struct err. Nothing is allocated, nothing is
 * global, and nothing below src/cli/ prints. A caller that does not care passes NULL.
 *
 * Sentences: lower case, what failed first, the subject in single quotes, then the cause, then what to do
 * if there is one thing to do: "cannot open '/dev/sdz': No such file or directory; see 'assay drives'".
 */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include <stddef.h>

/* Positive codes beyond errno that callers branch on; returned negated like an errno. */
#define ERR_USAGE 4001	 /* the command line is wrong: exit 2 */
#define ERR_REFUSED 4002 /* refused for safety: exit 3 */

struct err {
	int code;	 /* the negative number that was returned, 0 if none */
	char text[1000]; /* one sentence, no newline, no full stop */
};

/* Set the sentence and return `code` (a negative errno), so that one can write `return err_set(...)`. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set(), with ": " and strerror(-code) behind the sentence. */
int err_sys(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "text: " before what err already says. Keeps the code. */
void err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
