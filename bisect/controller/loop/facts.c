// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts of histories that are no straight line: see facts.h. */
#include "controller/loop/facts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "run_facts.h"

static const char *const fork_states[] = {
	[FORK_BEFORE] = "before",
	[FORK_MENDED] = "mended",
	[FORK_UNTESTED] = "untested",
};
static_assert(ARRAY_SIZE(fork_states) == FORK_STATES, "a state has no name");

int facts_fork(struct store *s, enum fork_state state, const char *base, const char *end,
	       const char *story, const char *next, struct err *err)
{
	return facts_put(s,
			 (struct fact[]){ { "fork.base", base },
					  { "fork.end", end },
					  { "fork.state", fork_states[state] },
					  { "fork.story", story },
					  { "fork.next", next },
					  { NULL, NULL } },
			 err);
}

/* "PART.N.KEY" for each key */
static int put_numbered(struct store *s, const char *part, size_t n, const struct fact *f,
			struct err *err)
{
	for (; f->key; f++) {
		_cleanup_free_ char *key = str_printf("%s.%zu.%s", part, n, f->key);

		if (facts_put(s, (struct fact[]){ { key, f->value }, { NULL, NULL } }, err) < 0)
			return -1;
	}
	return 0;
}

int facts_inherit(struct run *r, size_t n, const char *id, const char *parent, const char *end,
		  const char *story, struct err *err)
{
	_cleanup_free_ char *subject = NULL;

	if (range_subject(r->lab.repo, parent, &subject, err) < 0)
		return -1;
	return put_numbered(r->store, "inherit", n,
			    (struct fact[]){ { "commit", id },
					     { "parent", parent },
					     { "parent_subject", subject },
					     { "end", end },
					     { "story", story },
					     { NULL, NULL } },
			    err);
}

void facts_turn_deinit(struct facts_turn *t)
{
	strv_deinit(&t->set);
}

int facts_turn_met(struct run *r, size_t n, struct err *err)
{
	const struct turn *t = &r->turns[n];

	return put_numbered(r->store, "turn", n,
			    (struct fact[]){ { "kind", t->twice ? "twice" : "again" },
					     { "fresh", r->range->commits[t->fresh].id },
					     { "stale", r->range->commits[t->stale].id },
					     { NULL, NULL } },
			    err);
}

int facts_turn(struct run *r, size_t n, const char *part, const struct facts_turn *found,
	       struct err *err)
{
	_cleanup_free_ char *subject = str_printf("%s.subject", part);
	_cleanup_free_ char *proven = str_printf("%s.proven", part);
	_cleanup_free_ char *set = str_printf("%s.set", part);
	_cleanup_free_ char *ids = facts_join(&found->set);
	bool named = found->commit[0];

	return put_numbered(r->store, "turn", n,
			    (struct fact[]){ { part, named ? found->commit : NULL },
					     { subject, named ? found->subject : NULL },
					     { proven, !named	       ? NULL
						       : found->proven ? "yes"
								       : "no" },
					     { set, found->set.n ? ids : NULL },
					     { NULL, NULL } },
			    err);
}

int facts_team(struct store *s, const struct team_size *size, struct err *err)
{
	_cleanup_free_ char *cards = facts_join(&size->cards);
	char n[24];

	snprintf(n, sizeof(n), "%zu", size->n);
	return facts_put(s,
			 (struct fact[]){ { "run.workers", n },
					  { "run.workers_why", size->why },
					  { "run.cards", size->cards.n ? cards : NULL },
					  { NULL, NULL } },
			 err);
}
