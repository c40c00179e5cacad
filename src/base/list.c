/* SPDX-License-Identifier: MIT */
#include "base/list.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int push(struct list *list, const char *text, const char *item, size_t len, struct err *err)
{
	if (len == 0)
		return err_set(err, -EINVAL, "the list '%s' has an empty item", text);
	if (len >= LIST_ITEM_SIZE)
		return err_set(err, -EINVAL, "the list '%s' has an item that is too long", text);
	if (list->n == LIST_ITEMS_MAX)
		return err_set(err, -E2BIG, "the list '%s' has more than %d items", text,
			       LIST_ITEMS_MAX);
	memcpy(list->item[list->n], item, len);
	list->item[list->n++][len] = '\0';
	return 0;
}

/* A number at *p; moves *p behind it. */
static int number(const char **p, double *ret)
{
	char *end;

	if (!strchr("0123456789", **p) || **p == '\0')
		return -EINVAL;
	*ret = strtod(*p, &end);
	/* "0..100": strtod stops at "0." and leaves ".100"; give the dot back. */
	if (end > *p && end[-1] == '.')
		end--;
	*p = end;
	return isfinite(*ret) ? 0 : -EINVAL;
}

static int range(struct list *list, const char *text, const char *item, size_t len, struct err *err)
{
	double first, last, step;
	const char *p = item;
	const char *unit;
	int r = 0;

	if (number(&p, &first) < 0 || strncmp(p, "..", 2) != 0)
		goto bad;
	p += 2;
	if (number(&p, &last) < 0 || *p++ != '/')
		goto bad;
	if (number(&p, &step) < 0 || step <= 0 || p > item + len)
		goto bad;
	unit = p;
	if (last < first)
		step = -step;
	for (double i = 0; i <= floor((last - first) / step + 1e-9) && r == 0; i++) {
		char value[LIST_ITEM_SIZE];

		snprintf(value, sizeof(value), "%.10g%.*s", first + i * step,
			 (int)(item + len - unit), unit);
		r = push(list, text, value, strlen(value), err);
	}
	return r;
bad:
	return err_set(err, -EINVAL, "'%.*s' is not a range FIRST..LAST/STEP", (int)len, item);
}

int list_parse(const char *text, struct list *ret, struct err *err)
{
	const char *item = text;
	int r = 0;

	ret->n = 0;
	for (;;) {
		size_t len = strcspn(item, ",");

		if (memmem(item, len, "..", 2))
			r = range(ret, text, item, len, err);
		else
			r = push(ret, text, item, len, err);
		if (r < 0 || item[len] == '\0')
			return r;
		item += len + 1;
	}
}
