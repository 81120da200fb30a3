// SPDX-License-Identifier: GPL-2.0-or-later
/* Which function each line of a C text stands in, and when two lines are the same: see outline.h. */
#include "range/audit/outline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SAYS_MIN       10 /* letters and digits; less is in every function */
#define NAME_MAX_BYTES 128

void outline_deinit(struct outline *o)
{
	strv_deinit(&o->names);
	free(o->of_line);
	*o = (struct outline){ 0 };
}

const char *outline_at(const struct outline *o, int line)
{
	if (line < 1 || (size_t)line > o->n_lines || o->of_line[line - 1] == OUTLINE_NONE)
		return NULL;
	return o->names.items[o->of_line[line - 1]];
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The name before the first bracket of a line that may be a function's head; 0 long if there is none. */
static size_t head_name(const char *line, size_t len, const char **ret)
{
	const char *paren = memchr(line, '(', len);
	const char *at, *end;

	if (!paren || (!isalpha((unsigned char)*line) && *line != '_'))
		return 0;
	for (end = paren; end > line && end[-1] == ' '; end--)
		;
	for (at = end; at > line && is_word(at[-1]); at--)
		;
	*ret = at;
	return (size_t)(end - at) < NAME_MAX_BYTES ? (size_t)(end - at) : 0;
}

struct scan {
	struct outline *o;
	size_t head;	  /* line that the head began in */
	size_t name_line; /* line that has its name */
	char name[NAME_MAX_BYTES];
	bool has_head;
	bool inside;
};

static void add_line(struct outline *o, uint32_t of)
{
	if ((o->n_lines & (o->n_lines - 1)) == 0) /* a power of two: full, or empty */
		o->of_line =
			xrealloc(o->of_line, o->n_lines ? 2 * o->n_lines : 1, sizeof(*o->of_line));
	o->of_line[o->n_lines++] = of;
}

static void open_body(struct scan *s)
{
	uint32_t at = (uint32_t)s->o->names.n;

	strv_add(&s->o->names, s->name);
	for (size_t i = s->head; i < s->o->n_lines; i++)
		s->o->of_line[i] = at;
	s->inside = true;
	s->has_head = false;
}

/* A line outside of a body: it may begin a head, go on with one, or end it as a declaration. */
static void see_outside(struct scan *s, const char *line, size_t len)
{
	const char *name;
	size_t n;

	if (!len || *line == '#' || *line == '}') {
		s->has_head = false;
		return;
	}
	if (isspace((unsigned char)*line)) {
		if (line[len - 1] == ';')
			s->has_head = false;
		return;
	}
	n = head_name(line, len, &name);
	if (n && line[len - 1] != ';' && !memchr(line, '=', len)) {
		memcpy(s->name, name, n);
		s->name[n] = '\0';
		s->head = s->o->n_lines - 1;
		s->has_head = true;
	} else {
		s->has_head = false;
	}
}

static void see_line(struct scan *s, const char *line, size_t len)
{
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	add_line(s->o, s->inside ? (uint32_t)s->o->names.n - 1 : OUTLINE_NONE);
	if (s->inside) {
		s->inside = !(len && *line == '}');
	} else if (s->has_head && len && *line == '{') {
		open_body(s);
		/* "{}": a body that is closed at once */
		s->inside = line[len - 1] != '}';
	} else {
		see_outside(s, line, len);
	}
}

void outline_read(const char *text, size_t len, struct outline *ret)
{
	const char *end = text + len;
	struct scan s = { .o = ret };

	*ret = (struct outline){ 0 };
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		see_line(&s, text, (size_t)(stop - text));
		text = nl ? nl + 1 : end;
	}
}

/* FNV-1a over what is left of a line without blanks; a last stir, as the low bits are used alone. */
uint64_t line_hash(const char *line, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t says = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)line[i];

		if (isspace(c))
			continue;
		says += isalnum(c) || c == '_';
		h = (h ^ c) * UINT64_C(0x100000001b3);
	}
	h ^= h >> 32;
	return says < SAYS_MIN ? 0 : h ? h : 1;
}

void lines_deinit(struct audit_lines *l)
{
	free(l->items);
	*l = (struct audit_lines){ 0 };
}

void lines_add(struct audit_lines *l, uint64_t hash)
{
	if (!hash)
		return;
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 8;
		l->items = xrealloc(l->items, l->cap, sizeof(*l->items));
	}
	l->items[l->n++] = hash;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void lines_sort(struct audit_lines *l)
{
	size_t n = 0;

	if (!l->n)
		return;
	qsort(l->items, l->n, sizeof(*l->items), compare);
	for (size_t i = 0; i < l->n; i++)
		if (!n || l->items[n - 1] != l->items[i])
			l->items[n++] = l->items[i];
	l->n = n;
}
