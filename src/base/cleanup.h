/* SPDX-License-Identifier: MIT */
/*
 * cleanup.h - variables that release themselves at the end of their scope.
 *
 *	_cleanup_free_ char *text = strdup(...);
 *
 * Other types get their own with DEFINE_CLEANUP(type, function), which takes NULL without harm.
 */
#ifndef ASSAY_BASE_CLEANUP_H
#define ASSAY_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

/* Defines cleanup_f(type *), to be used as `_cleanup_(cleanup_f) type x`. */
#define DEFINE_CLEANUP(type, f)                                                                    \
	static inline void cleanup_##f(type *p)                                                    \
	{                                                                                          \
		if (*p)                                                                            \
			f(*p);                                                                     \
	}                                                                                          \
	struct cleanup_##f##_needs_semicolon

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)

#endif
