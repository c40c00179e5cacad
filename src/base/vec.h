/* SPDX-License-Identifier: MIT */
/*
 * vec.h - a growing array of one type.
 *
 *	DEFINE_VEC(names, char *);		struct names: items, n, room
 *	struct names v = { 0 };
 *	if (names_push(&v, text) < 0) ...	-ENOMEM, v unchanged
 *	for (size_t i = 0; i < v.n; i++) use(v.items[i]);
 *	names_release(&v);			frees the array, not what the items point to
 */
#ifndef ASSAY_BASE_VEC_H
#define ASSAY_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE_VEC(name, type)                                                                     \
	struct name {                                                                              \
		type *items;                                                                       \
		size_t n, room;                                                                    \
	};                                                                                         \
	static inline int name##_push(struct name *v, type item)                                   \
	{                                                                                          \
		if (v->n == v->room) {                                                             \
			size_t room = v->room ? v->room * 2 : 16;                                  \
			type *items = reallocarray(v->items, room, sizeof(type));                  \
                                                                                                   \
			if (!items)                                                                \
				return -ENOMEM;                                                    \
			v->items = items;                                                          \
			v->room = room;                                                            \
		}                                                                                  \
		memcpy(&v->items[v->n++], &item, sizeof(type));                                    \
		return 0;                                                                          \
	}                                                                                          \
	static inline void name##_release(struct name *v)                                          \
	{                                                                                          \
		free(v->items);                                                                    \
		v->items = NULL;                                                                   \
		v->n = v->room = 0;                                                                \
	}                                                                                          \
	struct name##_needs_semicolon

#endif
