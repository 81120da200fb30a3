// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo reads C: from text to tokens, functions and slots. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "demo/text/ctext.h"

#define CONDITIONALS_MAX 64

struct scanner {
	struct ctext *out;
	size_t at;
	size_t cap;
	size_t cap_slots;
	uint16_t depth;
	bool line_start;  /* nothing but blanks since the line began */
	bool after_close; /* the line before is a closing brace in the first column */
	uint16_t saved[CONDITIONALS_MAX]; /* depth before each open #if */
	size_t n_saved;
};

static char peek(const struct scanner *s, size_t ahead)
{
	return s->at + ahead < s->out->len ? s->out->text[s->at + ahead] : '\0';
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static void push(struct scanner *s, enum ctoken_kind kind, size_t len, uint16_t depth)
{
	struct ctext *out = s->out;

	if (out->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		out->tokens = xrealloc(out->tokens, s->cap, sizeof(*out->tokens));
	}
	out->tokens[out->n++] = (struct ctoken){
		.at = (uint32_t)s->at,
		.len = (uint32_t)len,
		.kind = (uint16_t)kind,
		.depth = depth,
	};
}

static void push_slot(struct scanner *s)
{
	struct ctext *out = s->out;

	if (out->n_slots == s->cap_slots) {
		s->cap_slots = s->cap_slots ? 2 * s->cap_slots : 64;
		out->slots = xrealloc(out->slots, s->cap_slots, sizeof(*out->slots));
	}
	out->slots[out->n_slots++] = (uint32_t)s->at;
}

static size_t comment_length(const struct scanner *s)
{
	const char *text = s->out->text + s->at;
	size_t left = s->out->len - s->at;
	const char *end;

	if (text[1] == '/') {
		end = memchr(text, '\n', left);
		return end ? (size_t)(end - text) : left;
	}
	end = left > 2 ? memmem(text + 2, left - 2, "*/", 2) : NULL;
	return end ? (size_t)(end - text) + 2 : left;
}

static size_t string_length(const struct scanner *s)
{
	char quote = peek(s, 0);
	size_t n = 1;

	while (s->at + n < s->out->len && peek(s, n) != quote && peek(s, n) != '\n')
		n += peek(s, n) == '\\' ? 2 : 1;
	if (s->at + n >= s->out->len)
		return s->out->len - s->at;
	return peek(s, n) == quote ? n + 1 : n;
}

/* A directive ends with its line, unless a backslash or a comment carries it on. */
static size_t directive_length(struct scanner *s)
{
	size_t start = s->at;
	size_t len;

	while (s->at < s->out->len && peek(s, 0) != '\n') {
		if (peek(s, 0) == '\\' && peek(s, 1) == '\n')
			s->at += 2;
		else if (peek(s, 0) == '/' && peek(s, 1) == '*')
			s->at += comment_length(s);
		else
			s->at++;
	}
	len = s->at - start;
	s->at = start;
	return len;
}

static void follow_conditional(struct scanner *s)
{
	size_t n = 1;
	const char *word;

	while (peek(s, n) == ' ' || peek(s, n) == '\t')
		n++;
	word = s->out->text + s->at + n;
	if (s->out->len - s->at - n < 5)
		return;
	/* What a header is guarded by stands around all of it, and so is no condition. */
	if (!s->out->n && !strncmp(word, "ifnde", 5))
		return;
	if (!strncmp(word, "if", 2)) {
		if (s->n_saved < CONDITIONALS_MAX)
			s->saved[s->n_saved++] = s->depth;
	} else if (!strncmp(word, "endif", 5)) {
		s->n_saved -= s->n_saved > 0;
	} else if ((!strncmp(word, "else", 4) || !strncmp(word, "elif", 4)) && s->n_saved) {
		s->depth = s->saved[s->n_saved - 1];
	}
}

static void scan_blank(struct scanner *s)
{
	if (peek(s, 0) != '\n') {
		s->at++;
		return;
	}
	/* A blank line starts with its line feed. */
	if (s->after_close && s->line_start && s->out->text[s->at - 1] == '\n' && !s->depth &&
	    !s->n_saved)
		push_slot(s);
	s->after_close = !s->line_start && s->after_close;
	s->line_start = true;
	s->at++;
}

static void scan_sign(struct scanner *s)
{
	char ch = peek(s, 0);
	size_t len = ch == '-' && peek(s, 1) == '>' ? 2 : 1;

	if (ch == '}' && s->depth)
		s->depth--;
	if (ch == '}')
		s->after_close = s->at == 0 || s->out->text[s->at - 1] == '\n';
	else if (ch != ';')
		s->after_close = false;
	push(s, CTOKEN_SIGN, len, s->depth);
	if (ch == '{')
		s->depth++;
	s->at += len;
}

static void scan_token(struct scanner *s)
{
	char ch = peek(s, 0);
	size_t len = 1;

	if (ch == '/' && (peek(s, 1) == '*' || peek(s, 1) == '/')) {
		len = comment_length(s);
		s->after_close = false;
	} else if (ch == '#' && s->line_start) {
		follow_conditional(s);
		len = directive_length(s);
		push(s, CTOKEN_DIRECTIVE, len, s->depth);
		s->after_close = false;
	} else if (ch == '"' || ch == '\'') {
		len = string_length(s);
		push(s, CTOKEN_STRING, len, s->depth);
	} else if (is_word(ch)) {
		while (is_word(peek(s, len)))
			len++;
		push(s, isdigit((unsigned char)ch) ? CTOKEN_NUMBER : CTOKEN_WORD, len, s->depth);
		s->after_close = false;
	} else {
		s->line_start = false;
		scan_sign(s);
		return;
	}
	s->line_start = false;
	s->at += len;
}

void ctext_scan(const char *text, size_t len, struct ctext *ret)
{
	struct scanner s = { .out = ret, .line_start = true };

	*ret = (struct ctext){ .text = text, .len = len };
	while (s.at < len) {
		if (isspace((unsigned char)peek(&s, 0)))
			scan_blank(&s);
		else
			scan_token(&s);
	}
}

void ctext_deinit(struct ctext *c)
{
	free(c->tokens);
	free(c->slots);
	*c = (struct ctext){ 0 };
}

bool ctext_is(const struct ctext *c, size_t i, const char *spelling)
{
	size_t len = strlen(spelling);

	return i < c->n && c->tokens[i].len == len &&
	       !memcmp(c->text + c->tokens[i].at, spelling, len);
}

size_t ctext_find(const struct ctext *c, size_t from, size_t to, const char *const *words, size_t n)
{
	for (size_t i = from; i + n <= to; i++) {
		size_t k = 0;

		while (k < n && ctext_is(c, i + k, words[k]))
			k++;
		if (k == n)
			return i;
	}
	return to;
}

/* The token after the parenthesis that closes the one at @i. */
static size_t after_parentheses(const struct ctext *c, size_t i)
{
	size_t open = 0;

	for (; i < c->n; i++) {
		if (ctext_is(c, i, "("))
			open++;
		else if (ctext_is(c, i, ")") && --open == 0)
			return i + 1;
	}
	return c->n;
}

bool ctext_function(const struct ctext *c, const char *name, struct cfunction *ret)
{
	struct cfunction found = { 0 };
	size_t n_found = 0;

	for (size_t i = 0; i + 1 < c->n; i++) {
		size_t open;

		if (c->tokens[i].depth || !ctext_is(c, i, name) || !ctext_is(c, i + 1, "("))
			continue;
		open = after_parentheses(c, i + 1);
		if (!ctext_is(c, open, "{"))
			continue;
		found = (struct cfunction){ ctext_statement(c, i, 0), open, open + 1 };
		while (found.close < c->n && c->tokens[found.close].depth > 0)
			found.close++;
		n_found += ctext_is(c, found.close, "}");
	}
	if (n_found == 1)
		*ret = found;
	return n_found == 1;
}

size_t ctext_statement(const struct ctext *c, size_t i, size_t from)
{
	while (i > from) {
		if (c->tokens[i - 1].kind == CTOKEN_DIRECTIVE || ctext_is(c, i - 1, ";") ||
		    ctext_is(c, i - 1, "{") || ctext_is(c, i - 1, "}") || ctext_is(c, i - 1, ":"))
			break;
		i--;
	}
	return i;
}

size_t ctext_line(const struct ctext *c, size_t at)
{
	while (at > 0 && c->text[at - 1] != '\n')
		at--;
	return at;
}

size_t ctext_line_end(const struct ctext *c, size_t at)
{
	const char *end = at < c->len ? memchr(c->text + at, '\n', c->len - at) : NULL;

	return end ? (size_t)(end - c->text) + 1 : c->len;
}
