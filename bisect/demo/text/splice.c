// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo edits: from collected changes to a new text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "demo/text/splice.h"

void splices_add(struct splices *s, size_t at, size_t cut, char *insert)
{
	size_t i = s->n;

	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->items = xrealloc(s->items, s->cap, sizeof(*s->items));
	}
	/* Mostly added in order, so this seldom moves anything. */
	for (; i > 0 && s->items[i - 1].at > at; i--)
		s->items[i] = s->items[i - 1];
	s->items[i] = (struct splice){ at, cut, insert };
	s->n++;
}

char *splices_apply(struct splices *s, const char *text, size_t len, size_t *ret_len)
{
	struct buf out = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct splice *it = &s->items[i];

		assert(it->at >= at && it->at + it->cut <= len);
		buf_add(&out, text + at, it->at - at);
		buf_puts(&out, it->insert);
		at = it->at + it->cut;
	}
	buf_add(&out, text + at, len - at);
	*ret_len = out.len;
	return buf_take(&out);
}

void splices_deinit(struct splices *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].insert);
	free(s->items);
	*s = (struct splices){ 0 };
}
