/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/terminal-text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

unsigned terminal_width(const struct terminal *terminal)
{
	unsigned width = terminal->width ? terminal->width : 80;

	return width < 72 ? 72 : width;
}

/* Bytes of the code point that text begins with; 0 where it is none, or one that moves the cursor. */
static size_t code_point(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;

	if (c[0] < 0x20 || c[0] == 0x7f || c[0] > 0xf4 || (c[0] == 0xc2 && c[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static unsigned width_of(const char *text, size_t bytes)
{
	unsigned width = 0;

	for (size_t i = 0; i < bytes && text[i]; width++) {
		size_t n = code_point(text + i);

		i += n ? n : 1;
	}
	return width;
}

unsigned text_width(const char *text)
{
	return width_of(text, strlen(text));
}

void text_style(FILE *out, const struct terminal *terminal, enum text_style style)
{
	static const char *const sequences[] = { "0", "1", "2", "32", "33" };

	if (terminal->colour)
		fprintf(out, "\033[%sm", sequences[style]);
}

/* At most `width` code points of text, '?' for what must not be printed. Returns how many bytes. */
static size_t put(FILE *out, const char *text, size_t bytes, unsigned width)
{
	size_t i = 0;

	while (i < bytes && text[i] && width-- > 0) {
		size_t n = code_point(text + i);

		if (n == 2 && memcmp(text + i, NO_BREAK, 2) == 0)
			putc(' ', out);
		else if (n)
			fwrite(text + i, 1, n, out);
		else
			putc('?', out);
		i += n ? n : 1;
	}
	return i;
}

static void spaces(FILE *out, unsigned n)
{
	fprintf(out, "%*s", (int)n, "");
}

void text_wrap(FILE *out, const struct terminal *terminal, unsigned first, unsigned indent,
	       const char *text)
{
	unsigned width = terminal_width(terminal), at = first;
	bool begun = false; /* a word stands on this line: the next needs a space before it */

	while (*(text += strspn(text, " \n"))) {
		size_t bytes = strcspn(text, " \n");
		unsigned word = width_of(text, bytes);

		if (at + begun + word > width && (begun || at > indent)) {
			putc('\n', out);
			spaces(out, indent);
			at = indent;
			begun = false;
		}
		spaces(out, begun);
		at += begun;
		text += put(out, text, bytes,
			    width - at); /* all of it, unless longer than a line */
		at += word < width - at ? word : width - at;
		begun = true;
	}
	putc('\n', out);
}

void text_wrapf(FILE *out, const struct terminal *terminal, unsigned first, unsigned indent,
		const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		return;
	text_wrap(out, terminal, first, indent, text);
	free(text);
}

void text_heading(FILE *out, const struct terminal *terminal, const char *text)
{
	putc('\n', out);
	text_style(out, terminal, STYLE_BOLD);
	fputs(text, out);
	text_style(out, terminal, STYLE_PLAIN);
	putc('\n', out);
}

void table_cell(struct table *table, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = '\0';
	if (n < 0 || table_cells_push(&table->cells, text) < 0) {
		if (n >= 0)
			free(text);
		table->failed = true;
	}
}

void table_span(struct table *table, const char *text)
{
	table_cell(table, "%s", text);
	for (unsigned i = 1; i < table->n; i++)
		if (table_cells_push(&table->cells, NULL) < 0)
			table->failed = true;
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->cells.n; i++)
		free(table->cells.items[i]);
	table_cells_release(&table->cells);
}

#define TABLE_COLUMNS_MAX 24

/* How wide each column is; 0: not shown. */
struct layout {
	unsigned width[TABLE_COLUMNS_MAX];
	unsigned total;
	unsigned keep; /* columns whose `drop` is above are left out */
};

/* Is cell i part of a line that goes across all columns? */
static bool spans(const struct table *table, size_t i)
{
	return table->n > 1 && !table->cells.items[i - i % table->n + 1];
}

static unsigned gap_before(const struct table *table, const struct layout *layout, unsigned column)
{
	for (unsigned i = 0; i < column; i++)
		if (layout->width[i])
			return table->columns[column].gap;
	return 0;
}

/* A heading over neighbours must fit over those of them that are shown: the last one is widened. */
static void widen_for_headings(const struct table *table, struct layout *layout)
{
	for (unsigned i = 0; i < table->n;) {
		const char *group = table->columns[i].group;
		unsigned width = 0, last = 0, first = i;

		for (; i < table->n && (i == first || (group && table->columns[i].group == group));
		     i++) {
			if (!layout->width[i])
				continue;
			width += (width ? table->columns[i].gap : 0) + layout->width[i];
			last = i;
		}
		if (group && width && width < text_width(group))
			layout->width[last] += text_width(group) - width;
	}
}

static void natural_widths(const struct table *table, struct layout *layout)
{
	for (unsigned i = 0; i < table->n; i++)
		layout->width[i] = 0;
	for (size_t i = 0; i < table->cells.n; i++) {
		unsigned *column = &layout->width[i % table->n];
		unsigned cell;

		if (spans(table, i))
			continue;
		cell = text_width(table->cells.items[i]);
		if (cell > *column && table->columns[i % table->n].drop <= layout->keep)
			*column = cell;
	}
	for (unsigned i = 0; i < table->n; i++)
		if (layout->width[i] && text_width(table->columns[i].title) > layout->width[i])
			layout->width[i] = text_width(table->columns[i].title);
	widen_for_headings(table, layout);
	layout->total = 0;
	for (unsigned i = 0; i < table->n; i++)
		if (layout->width[i])
			layout->total += gap_before(table, layout, i) + layout->width[i];
}

/* Absurd numbers, as of a broken counter: the widest columns are cut until it fits. */
static void cut_widest(const struct table *table, struct layout *layout, unsigned width)
{
	while (layout->total > width) {
		unsigned widest = 0;

		for (unsigned i = 0; i < table->n; i++)
			if (layout->width[i] > layout->width[widest])
				widest = i;
		if (layout->width[widest] <= 4)
			return;
		layout->width[widest]--;
		layout->total--;
	}
}

/* Leave out columns, the most dispensable first, until it fits; then shrink what may shrink. */
static void lay_out(const struct table *table, struct layout *layout, unsigned width)
{
	unsigned over;

	layout->keep = 0;
	for (unsigned i = 0; i < table->n; i++)
		if (table->columns[i].drop > layout->keep)
			layout->keep = table->columns[i].drop;
	natural_widths(table, layout);
	while (layout->total > width && layout->keep > 0) {
		layout->keep--;
		natural_widths(table, layout);
	}
	for (unsigned i = 0; i < table->n && layout->total > width; i++) {
		if (!table->columns[i].shrinks || layout->width[i] <= 4)
			continue;
		over = layout->total - width;
		if (over > layout->width[i] - 4)
			over = layout->width[i] - 4;
		layout->width[i] -= over;
		layout->total -= over;
	}
	cut_widest(table, layout, width);
}

/* `pending` spaces are owed to what comes next, so that no line ends in spaces. */
static void print_cell(FILE *out, const char *text, unsigned width, bool left, unsigned *pending)
{
	unsigned own = text_width(text);

	if (own == 0) {
		*pending += width;
		return;
	}
	spaces(out, *pending + (left || own > width ? 0 : width - own));
	*pending = left && own < width ? width - own : 0;
	if (own <= width) {
		put(out, text, strlen(text), own);
		return;
	}
	put(out, text, strlen(text), width - 1);
	fputs("…", out);
}

static void print_row(FILE *out, const struct terminal *terminal, const struct table *table,
		      const struct layout *layout, char *const *cells)
{
	unsigned pending = 0;

	for (unsigned i = 0; i < table->n; i++) {
		const struct table_column *c = &table->columns[i];

		if (!layout->width[i])
			continue;
		pending += gap_before(table, layout, i);
		if (cells && c->dim)
			text_style(out, terminal, STYLE_DIM);
		print_cell(out, cells ? cells[i] : c->title, layout->width[i], c->left, &pending);
		if (cells && c->dim)
			text_style(out, terminal, STYLE_PLAIN);
	}
	putc('\n', out);
}

/* Headings over several columns, each in the middle of its own. */
static void print_groups(FILE *out, const struct table *table, const struct layout *layout)
{
	unsigned at = 0, printed = 0;
	bool any = false;

	for (unsigned i = 0; i < table->n; i++)
		any = any || (table->columns[i].group && layout->width[i]);
	for (unsigned i = 0; any && i < table->n;) {
		const char *group = table->columns[i].group;
		unsigned begin = 0, end = 0, text;
		unsigned first = i;

		for (; i < table->n && (i == first || (group && table->columns[i].group == group));
		     i++) {
			if (!layout->width[i])
				continue;
			at += gap_before(table, layout, i);
			if (!end)
				begin = at;
			at += layout->width[i];
			end = at;
		}
		if (!group || !end)
			continue;
		text = text_width(group) > end - begin ? end - begin : text_width(group);
		begin += (end - begin - text + 1) / 2;
		spaces(out, begin - printed);
		put(out, group, strlen(group), text);
		printed = begin + text;
	}
	if (any)
		putc('\n', out);
}

int table_print(FILE *out, const struct terminal *terminal, struct table *table, struct err *err)
{
	struct layout layout;

	assert(table->n <= TABLE_COLUMNS_MAX);
	if (table->failed)
		return err_sys(err, -ENOMEM, "cannot lay out a table");
	assert(table->cells.n % table->n == 0);
	if (table->cells.n == 0)
		return 0;
	lay_out(table, &layout, terminal_width(terminal));
	text_style(out, terminal, STYLE_BOLD);
	print_groups(out, table, &layout);
	print_row(out, terminal, table, &layout, NULL);
	text_style(out, terminal, STYLE_PLAIN);
	for (size_t i = 0; i < table->cells.n; i += table->n)
		if (spans(table, i))
			text_wrap(out, terminal, 0, 2, table->cells.items[i]);
		else
			print_row(out, terminal, table, &layout, &table->cells.items[i]);
	return 0;
}

char *text_decimals(char *buf, size_t size, double value, int decimals)
{
	if (!isfinite(value))
		snprintf(buf, size, "-");
	else if (fabs(value) * pow(10, decimals) < 0.5) /* never "-0.0" */
		snprintf(buf, size, "%.*f", decimals, 0.0);
	else
		snprintf(buf, size, "%.*f", decimals, value);
	return buf;
}

char *text_number(char *buf, size_t size, double value, int digits)
{
	int decimals = 0;

	if (isfinite(value) && value != 0)
		decimals = digits - 1 - (int)floor(log10(fabs(value)));
	return text_decimals(buf, size, value, decimals < 0 ? 0 : decimals > 9 ? 9 : decimals);
}

/* Decimals that show three significant digits. */
static int three_digits(double value)
{
	int decimals = value == 0 ? 0 : 2 - (int)floor(log10(fabs(value)));

	return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

static bool rounds_to_zero(double value, int decimals)
{
	return value > 0 && value * pow(10, decimals) < 0.5;
}

char *text_mean_sd(char *buf, size_t size, double mean, double sd)
{
	int decimals;

	if (!isfinite(mean) || !isfinite(sd))
		return text_number(buf, size, mean, 3);
	decimals = three_digits(mean);
	for (int more = 0; more < 2 && rounds_to_zero(sd, decimals); more++)
		decimals++;
	snprintf(buf, size, "%.*f ± %.*f", decimals, mean, decimals, sd);
	return buf;
}

char *text_mean_sd_narrow(char *buf, size_t size, double mean, double sd)
{
	int decimals;

	if (!isfinite(mean) || !isfinite(sd))
		return text_number(buf, size, mean, 3);
	decimals = three_digits(mean);
	if (decimals == 0 && mean < 1000 && rounds_to_zero(sd, decimals))
		decimals = 1;
	snprintf(buf, size, "%.*f±%.*f", decimals, mean, decimals, sd);
	return buf;
}
