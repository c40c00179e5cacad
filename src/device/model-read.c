/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-read.c - the YAML of a model: what it may hold, and where it is wrong.
 */
#include "device/model-read.h"

#include <assert.h>
#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define FILE_BYTES_MAX (1u << 20)

DEFINE_CLEANUP(struct fy_document *, fy_document_destroy);
DEFINE_CLEANUP(struct fy_diag *, fy_diag_destroy);

static int line_of(struct fy_node *node)
{
	struct fy_token *token = fy_node_get_scalar_token(node);
	const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
	struct fy_node_pair *pair;
	void *iter = NULL;

	if (mark)
		return mark->line + 1;
	if (node && fy_node_is_mapping(node)) {
		pair = fy_node_mapping_iterate(node, &iter);
		return pair ? line_of(fy_node_pair_key(pair)) : 0;
	}
	if (node && fy_node_is_sequence(node)) {
		node = fy_node_sequence_iterate(node, &iter);
		return node ? line_of(node) : 0;
	}
	return 0;
}

int model_refuse(const struct model *m, int line, struct err *err, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (line)
		return err_set(err, -EINVAL, "model '%s', line %d: %s", m->path, line, text);
	return err_set(err, -EINVAL, "model '%s': %s", m->path, text);
}

/* A plain scalar's text into buf. */
static int text_of(const struct model *m, struct fy_node *node, const char *what, char *buf,
		   size_t size, struct err *err)
{
	const char *text;

	if (!node || !fy_node_is_scalar(node) || fy_node_is_alias(node))
		return model_refuse(m, line_of(node), err, "'%s' must be a single value", what);
	text = fy_node_get_scalar0(node);
	if (!text || !*text)
		return model_refuse(m, line_of(node), err, "'%s' is empty", what);
	if ((size_t)snprintf(buf, size, "%s", text) >= size)
		return model_refuse(m, line_of(node), err, "'%s' is longer than %zu bytes", what,
				    size - 1);
	return 0;
}

struct model_value *model_value_of(struct model *m, const char *name)
{
	for (unsigned i = 0; i < m->values; i++)
		if (!strcmp(m->value[i].row->name, name))
			return &m->value[i];
	return NULL;
}

/* `NAME: { value: ..., source: ... }` */
static int read_parameter(struct model *m, const char *name, int line, struct fy_node *node,
			  struct err *err)
{
	struct fy_node *value = NULL, *source = NULL;
	struct fy_node_pair *pair;
	struct model_value *v;
	char key[64], text[64];
	struct err why = { 0 };
	void *iter = NULL;
	int r;

	/* An unknown name is told by param_set(), which knows the nearest one. */
	if (!param_find(m->kind->params, name)) {
		param_set(m->kind->params, &m->any, name, "", &why);
		return model_refuse(m, line, err, "%s", why.text);
	}
	if (!fy_node_is_mapping(node))
		return model_refuse(m, line, err, "'%s' must be { value: ..., source: ... }", name);
	while ((pair = fy_node_mapping_iterate(node, &iter))) {
		r = text_of(m, fy_node_pair_key(pair), name, key, sizeof(key), err);
		if (r < 0)
			return r;
		if (!strcmp(key, "value"))
			value = fy_node_pair_value(pair);
		else if (!strcmp(key, "source"))
			source = fy_node_pair_value(pair);
		else
			return model_refuse(
				m, line, err,
				"'%s' has a field '%s'; only value and source are known", name,
				key);
	}
	if (!value || !source)
		return model_refuse(m, line, err, "'%s' has no %s", name,
				    value ? "source" : "value");
	v = model_value_of(m, name);
	r = text_of(m, source, name, v->source, sizeof(v->source), err);
	if (r == 0)
		r = text_of(m, value, name, text, sizeof(text), err);
	if (r < 0)
		return r;
	if (param_parse(v->row, &m->any, text, &why) < 0)
		return model_refuse(m, line, err, "%s", why.text);
	snprintf(v->value, sizeof(v->value), "%s", text);
	v->origin = MODEL_FROM_FILE;
	v->line = line;
	return 0;
}

/* What makes the drive: no model may leave it to a default. */
static bool required(const struct model *m, const char *name)
{
	for (const char *const *begin = m->kind->required; *begin; begin++) {
		size_t n = strlen(*begin);

		if (!strncmp(name, *begin, n) && ((*begin)[n - 1] == '.' || !name[n]))
			return true;
	}
	return false;
}

static int read_parameters(struct model *m, struct fy_node *node, struct err *err)
{
	struct fy_node_pair *pair;
	void *iter = NULL;
	char name[64];
	int r;

	if (!node || !fy_node_is_mapping(node))
		return model_refuse(m, line_of(node), err,
				    "'parameters' must be a mapping of names");
	m->parameters_line = line_of(node);
	while ((pair = fy_node_mapping_iterate(node, &iter))) {
		struct fy_node *key = fy_node_pair_key(pair);

		r = text_of(m, key, "parameters", name, sizeof(name), err);
		if (r == 0)
			r = read_parameter(m, name, line_of(key), fy_node_pair_value(pair), err);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < m->values; i++)
		if (required(m, m->value[i].row->name) && !m->value[i].line)
			return model_refuse(m, m->parameters_line, err, "parameter '%s' is missing",
					    m->value[i].row->name);
	return 0;
}

static int read_sources(struct model *m, struct fy_node *node, struct err *err)
{
	struct fy_node_pair *pair;
	void *iter = NULL;
	int r;

	if (!node || !fy_node_is_mapping(node))
		return model_refuse(m, line_of(node), err,
				    "'sources' must be a mapping of key: text");
	while ((pair = fy_node_mapping_iterate(node, &iter))) {
		if (m->sources == MODEL_SOURCES_MAX)
			return model_refuse(m, line_of(fy_node_pair_key(pair)), err,
					    "more than %d sources", MODEL_SOURCES_MAX);
		r = text_of(m, fy_node_pair_key(pair), "sources", m->source[m->sources].key,
			    sizeof(m->source[0].key), err);
		if (r == 0)
			r = text_of(m, fy_node_pair_value(pair), m->source[m->sources].key,
				    m->source[m->sources].text, sizeof(m->source[0].text), err);
		if (r < 0)
			return r;
		m->sources++;
	}
	return 0;
}

/* One item of the list: what, source, model and test, each once. */
static int read_match(struct model *m, struct fy_node *node, struct err *err)
{
	static const char *const names[] = { "what", "source", "model", "test" };
	char *const text[] = { m->match[m->matches].what, m->match[m->matches].source,
			       m->match[m->matches].model, m->match[m->matches].test };
	static const size_t size[] = { sizeof(m->match->what), sizeof(m->match->source),
				       sizeof(m->match->model), sizeof(m->match->test) };
	struct fy_node_pair *pair;
	void *iter = NULL;
	char key[64];
	int r;

	if (!fy_node_is_mapping(node))
		return model_refuse(
			m, line_of(node), err,
			"an item of 'matches' must be { what: , source: , model: , test: }");
	while ((pair = fy_node_mapping_iterate(node, &iter))) {
		unsigned i = 0;

		r = text_of(m, fy_node_pair_key(pair), "matches", key, sizeof(key), err);
		if (r < 0)
			return r;
		while (i < 4 && strcmp(key, names[i]) != 0)
			i++;
		if (i == 4)
			return model_refuse(
				m, line_of(fy_node_pair_key(pair)), err,
				"'matches' has a field '%s'; known are what, source, model, test",
				key);
		r = text_of(m, fy_node_pair_value(pair), key, text[i], size[i], err);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < 4; i++)
		if (!*text[i])
			return model_refuse(m, line_of(node), err, "an item of 'matches' has no %s",
					    names[i]);
	m->matches++;
	return 0;
}

static int read_matches(struct model *m, struct fy_node *node, struct err *err)
{
	struct fy_node *item;
	void *iter = NULL;
	int r = 0;

	if (!node || !fy_node_is_sequence(node))
		return model_refuse(m, line_of(node), err, "'matches' must be a list");
	while (r == 0 && (item = fy_node_sequence_iterate(node, &iter))) {
		if (m->matches == MODEL_MATCHES_MAX)
			return model_refuse(m, line_of(item), err, "more than %d matches",
					    MODEL_MATCHES_MAX);
		r = read_match(m, item, err);
	}
	return r;
}

static void fill_defaults(struct model *m)
{
	param_defaults(m->kind->params, &m->any);
	for (const struct param *row = m->kind->params; row->name; row++) {
		struct model_value *v;

		assert(m->values < MODEL_PARAMS_MAX);
		v = &m->value[m->values++];
		v->row = row;
		snprintf(v->value, sizeof(v->value), "%s", row->def ? row->def : "");
		snprintf(v->source, sizeof(v->source), "%s", row->source ? row->source : "default");
	}
}

/* The kind comes first wherever it stands, since it says what the parameters are. */
static int read_kind(struct model *m, struct fy_node *root, struct err *err)
{
	struct fy_node *node = fy_node_mapping_lookup_by_string(root, "kind", FY_NT);
	char word[16];
	int r;

	m->kind = sim_kinds[0];
	if (node) {
		r = text_of(m, node, "kind", word, sizeof(word), err);
		if (r < 0)
			return r;
		m->kind = sim_kind_find(word);
		if (!m->kind)
			return model_refuse(m, line_of(node), err, "there is no kind of drive '%s'",
					    word);
	}
	fill_defaults(m);
	return 0;
}

static int read_root(struct model *m, struct fy_node *root, struct err *err)
{
	struct fy_node_pair *pair;
	bool parameters = false;
	void *iter = NULL;
	char key[64];
	int r;

	if (!root || !fy_node_is_mapping(root))
		return model_refuse(m, 0, err,
				    "is not a mapping with name, description and parameters");
	r = read_kind(m, root, err);
	if (r < 0)
		return r;
	while ((pair = fy_node_mapping_iterate(root, &iter))) {
		struct fy_node *node = fy_node_pair_value(pair);

		r = text_of(m, fy_node_pair_key(pair), "field", key, sizeof(key), err);
		if (r < 0)
			return r;
		if (!strcmp(key, "name")) {
			r = text_of(m, node, key, m->name, sizeof(m->name), err);
		} else if (!strcmp(key, "description")) {
			r = text_of(m, node, key, m->description, sizeof(m->description), err);
		} else if (!strcmp(key, "sources")) {
			r = read_sources(m, node, err);
		} else if (!strcmp(key, "parameters")) {
			r = read_parameters(m, node, err);
			parameters = true;
		} else if (!strcmp(key, "matches")) {
			r = read_matches(m, node, err);
		} else if (!strcmp(key, "kind")) {
			continue;
		} else {
			r = model_refuse(m, line_of(fy_node_pair_key(pair)), err,
					 "unknown field '%s'; known are name, kind, description, "
					 "sources, matches, "
					 "parameters",
					 key);
		}
		if (r < 0)
			return r;
	}
	if (!m->name[0] || !m->description[0] || !parameters)
		return model_refuse(m, 0, err, "'%s' is missing",
				    !m->name[0]		 ? "name"
				    : !m->description[0] ? "description"
							 : "parameters");
	return 0;
}

/* The first complaint of the YAML parser. */
static int refuse_syntax(const struct model *m, struct fy_diag *diag, struct err *err)
{
	struct fy_diag_error *e;
	void *iter = NULL;

	while ((e = fy_diag_errors_iterate(diag, &iter)))
		if (e->msg)
			return model_refuse(m, e->line, err, "not valid YAML: %s", e->msg);
	return model_refuse(m, 0, err, "not valid YAML");
}

/* Length of the UTF-8 sequence at text, 0: it is none. Overlong ones and surrogates are for the parser to refuse. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
	size_t n = *text < 0x80	  ? 1
		   : *text < 0xc2 ? 0
		   : *text < 0xe0 ? 2
		   : *text < 0xf0 ? 3
		   : *text < 0xf5 ? 4
				  : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/*
 * What libfyaml 0.8 must not see, as it would scan for ever: a directive that is not UTF-8. No model needs
 * directives, bytes that are no text, or control characters.
 */
static int check_text(const struct model *m, const unsigned char *text, size_t size,
		      struct err *err)
{
	int line = 1;

	for (size_t at = 0, n; at < size; at += n) {
		n = utf8_length(text + at, size - at);
		if (!n ||
		    (text[at] < ' ' && text[at] != '\n' && text[at] != '\t' && text[at] != '\r') ||
		    text[at] == 0x7f)
			return model_refuse(m, line, err,
					    "not valid YAML: a byte that is not text");
		if (text[at] == '%' && (at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r'))
			return model_refuse(m, line, err,
					    "YAML directives are not known in models");
		line += text[at] == '\n';
	}
	return 0;
}

/* The whole file, with a 0 behind it. */
static int read_text(const struct model *m, char **ret, size_t *ret_size, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(m->path, "re");
	_cleanup_free_ char *text = malloc(FILE_BYTES_MAX + 1);

	if (!f)
		return err_sys(err, -errno, "cannot read model '%s'", m->path);
	if (!text)
		return err_set(err, -ENOMEM, "no memory to read model '%s'", m->path);
	*ret_size = fread(text, 1, FILE_BYTES_MAX, f);
	if (ferror(f))
		return err_sys(err, -EIO, "cannot read model '%s'", m->path);
	if (*ret_size == FILE_BYTES_MAX)
		return model_refuse(m, 0, err, "is larger than a model can be");
	text[*ret_size] = '\0';
	*ret = text;
	text = NULL;
	return 0;
}

int model_read(struct model *m, struct err *err)
{
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG };
	_cleanup_free_ char *text = NULL; /* the document refers to it: it goes last */
	_cleanup_(cleanup_fy_diag_destroy) struct fy_diag *diag = NULL;
	_cleanup_(cleanup_fy_document_destroy) struct fy_document *doc = NULL;
	size_t size = 0;
	int r = read_text(m, &text, &size, err);

	assert(r < 0 || text);
	if (r == 0)
		r = check_text(m, (const unsigned char *)text, size, err);
	if (r < 0)
		return r;
	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag = fy_diag_create(&diag_cfg);
	if (!diag)
		return err_set(err, -ENOMEM, "no memory to read model '%s'", m->path);
	fy_diag_set_collect_errors(diag, true);
	cfg.diag = diag;
	doc = fy_document_build_from_string(&cfg, text, size);
	if (!doc)
		return refuse_syntax(m, diag, err);
	return read_root(m, fy_document_root(doc), err);
}
