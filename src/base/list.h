/* SPDX-License-Identifier: MIT */
/*
 * list.h - lists and ranges as people type them: "0..100/10", "8GiB,80%,100%", "1,4,32".
 */
#ifndef ASSAY_BASE_LIST_H
#define ASSAY_BASE_LIST_H

#include <stddef.h>

#include "base/err.h"

#define LIST_ITEMS_MAX 256
#define LIST_ITEM_SIZE 48

struct list {
	char item[LIST_ITEMS_MAX][LIST_ITEM_SIZE];
	size_t n;
};

/*
 * Split at commas and write every range FIRST..LAST/STEP out as its numbers (LAST is included where the
 * steps meet it; a falling range has FIRST > LAST). What stands behind STEP ("%", "KiB") is put behind every
 * number. Returns 0, -EINVAL or -E2BIG with a sentence that quotes the text.
 */
int list_parse(const char *text, struct list *ret, struct err *err);

#endif
