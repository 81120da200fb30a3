// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a commit, as bytes and back: see record.h. Of this machine's byte order. */
#include "range/audit/record.h"

#include <stdlib.h>
#include <string.h>

#include "range/audit/lines.h"
#include "range/audit/words.h"

#define TEXT_MAX 65536
#define LIST_MAX 65536

enum { FLAG_MERGE = 1, FLAG_STABLE = 2, FLAG_LINES = 4, FLAG_WIDE = 8, FLAGS = 15 };

void commit_deinit(struct audit_commit *c)
{
	free(c->subject);
	words_deinit(&c->words);
	for (size_t i = 0; i < c->n_touches; i++)
		touch_deinit(&c->touches[i]);
	free(c->touches);
	*c = (struct audit_commit){ 0 };
}

static void put_u32(struct buf *b, size_t n)
{
	uint32_t v = (uint32_t)n;

	buf_add(b, &v, sizeof(v));
}

static void put_text(struct buf *b, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	put_u32(b, len);
	buf_add(b, s ? s : "", len);
}

static void put_lines(struct buf *b, const struct audit_lines *l)
{
	put_u32(b, l->n);
	buf_add(b, l->items, l->n * sizeof(*l->items));
}

void record_put(struct buf *b, const struct audit_commit *c)
{
	put_text(b, c->id);
	put_text(b, c->subject);
	buf_add(b, &c->authored_s, sizeof(c->authored_s));
	put_u32(b, (c->merge ? FLAG_MERGE : 0) | (c->words.cc_stable ? FLAG_STABLE : 0) |
			   (c->has_lines ? FLAG_LINES : 0) | (c->wide ? FLAG_WIDE : 0));
	put_u32(b, c->n_files);
	put_u32(b, c->words.n_origins);
	for (size_t i = 0; i < c->words.n_origins; i++)
		put_text(b, c->words.origins[i]);
	put_u32(b, c->words.n_mentions);
	for (size_t i = 0; i < c->words.n_mentions; i++) {
		put_u32(b, c->words.mentions[i].word);
		put_text(b, c->words.mentions[i].id);
		put_text(b, c->words.mentions[i].subject);
	}
	put_u32(b, c->n_touches);
	for (size_t i = 0; i < c->n_touches; i++) {
		const struct audit_touch *t = &c->touches[i];

		put_text(b, t->path);
		put_text(b, t->function);
		put_lines(b, &t->added);
		put_lines(b, &t->removed);
		put_lines(b, &t->near);
	}
}

/* What is left to take; @bad once anything did not fit. */
struct source {
	const char *at, *end;
	bool bad;
};

static void take(struct source *s, void *ret, size_t len)
{
	if (s->bad || (size_t)(s->end - s->at) < len) {
		s->bad = true;
		memset(ret, 0, len);
		return;
	}
	memcpy(ret, s->at, len);
	s->at += len;
}

static uint32_t take_u32(struct source *s, uint32_t max)
{
	uint32_t v;

	take(s, &v, sizeof(v));
	s->bad |= v > max;
	return s->bad ? 0 : v;
}

static char *take_text(struct source *s)
{
	uint32_t len = take_u32(s, TEXT_MAX);
	char *text;

	if (s->bad || (size_t)(s->end - s->at) < len || memchr(s->at, '\0', len)) {
		s->bad = true;
		len = 0;
	}
	text = xstrndup(len ? s->at : "", len);
	s->at += len;
	return text;
}

static void take_id(struct source *s, char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *text = take_text(s);

	s->bad |= !str_copy(ret, COMMIT_ID_SIZE, text) ||
		  strspn(text, "0123456789abcdef") != strlen(text);
}

static void take_lines(struct source *s, struct audit_lines *l)
{
	uint32_t n = take_u32(s, LIST_MAX);

	if (s->bad || (size_t)(s->end - s->at) < n * sizeof(*l->items)) {
		s->bad = true;
		return;
	}
	if (!n)
		return;
	l->items = xcalloc(n, sizeof(*l->items));
	l->n = l->cap = n;
	take(s, l->items, n * sizeof(*l->items));
	for (uint32_t i = 1; i < n; i++)
		s->bad |= l->items[i - 1] >= l->items[i];
}

static void take_words(struct source *s, struct audit_words *w)
{
	uint32_t n = take_u32(s, LIST_MAX);

	for (uint32_t i = 0; i < n && !s->bad; i++) {
		w->origins = xrealloc(w->origins, w->n_origins + 1, sizeof(*w->origins));
		take_id(s, w->origins[w->n_origins++]);
	}
	n = take_u32(s, LIST_MAX);
	for (uint32_t i = 0; i < n && !s->bad; i++) {
		struct audit_mention *m;

		w->mentions = xrealloc(w->mentions, w->n_mentions + 1, sizeof(*w->mentions));
		m = &w->mentions[w->n_mentions++];
		*m = (struct audit_mention){ .word = take_u32(s, AUDIT_WORDS - 1) };
		take_id(s, m->id);
		m->subject = take_text(s);
		if (!*m->subject)
			free(take_ptr(m->subject));
	}
}

static void take_touches(struct source *s, struct audit_commit *c)
{
	uint32_t n = take_u32(s, LIST_MAX);

	for (uint32_t i = 0; i < n && !s->bad; i++) {
		struct audit_touch *t;

		c->touches = xrealloc(c->touches, c->n_touches + 1, sizeof(*c->touches));
		t = &c->touches[c->n_touches++];
		*t = (struct audit_touch){ 0 };
		t->path = take_text(s);
		t->function = take_text(s);
		take_lines(s, &t->added);
		take_lines(s, &t->removed);
		take_lines(s, &t->near);
	}
}

bool record_take(const char **at, const char *end, struct audit_commit *ret)
{
	struct source s = { .at = *at, .end = end };
	struct audit_commit c = { 0 };
	uint32_t flags;

	take_id(&s, c.id);
	c.subject = take_text(&s);
	take(&s, &c.authored_s, sizeof(c.authored_s));
	flags = take_u32(&s, FLAGS);
	c.merge = flags & FLAG_MERGE;
	c.words.cc_stable = flags & FLAG_STABLE;
	c.has_lines = flags & FLAG_LINES;
	c.wide = flags & FLAG_WIDE;
	c.n_files = take_u32(&s, UINT32_MAX);
	take_words(&s, &c.words);
	take_touches(&s, &c);
	/* lines that are not known yet are read into a list that must be empty */
	s.bad |= !c.has_lines && c.n_touches;
	if (s.bad || !str_is_commit_id(c.id)) {
		commit_deinit(&c);
		return false;
	}
	*at = s.at;
	*ret = c;
	return true;
}
