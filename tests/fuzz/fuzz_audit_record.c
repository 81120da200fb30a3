// SPDX-License-Identifier: GPL-2.0-or-later
/* What an audit keeps of commits, changed by anyone: no commit, or one that is written down in the same bytes. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "range/audit/record.h"

static void check_lines(const struct audit_lines *l)
{
	for (size_t i = 1; i < l->n; i++)
		assert(l->items[i - 1] < l->items[i]);
}

static void check_commit(const struct audit_commit *c)
{
	assert(str_is_commit_id(c->id) && c->subject);
	assert(c->has_lines || !c->n_touches);
	for (size_t i = 0; i < c->words.n_mentions; i++) {
		assert(c->words.mentions[i].word < AUDIT_WORDS);
		assert(!c->words.mentions[i].subject || *c->words.mentions[i].subject);
	}
	for (size_t i = 0; i < c->n_touches; i++) {
		assert(c->touches[i].path && c->touches[i].function);
		check_lines(&c->touches[i].added);
		check_lines(&c->touches[i].removed);
		check_lines(&c->touches[i].near);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct audit_commit c;

	for (const char *from = at; record_take(&at, end, &c); from = at) {
		_cleanup_buf_ struct buf again = { 0 };

		assert(at > from && at <= end);
		check_commit(&c);
		record_put(&again, &c);
		assert(again.len == (size_t)(at - from) &&
		       memcmp(again.data, from, again.len) == 0);
		commit_deinit(&c);
	}
	return 0;
}
