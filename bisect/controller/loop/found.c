// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of the answer beside its name: see loop.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/blocker.h"
#include "controller/loop/loop.h"
#include "run_facts.h"

static int put_blocker(struct run *r, const struct search_step *s, size_t n,
		       const struct search_view *views, const struct past *all, struct err *err)
{
	_cleanup_free_ char *text = blocker_text(all->trials, all->n, s->blockers[n]);
	size_t hides = 0;
	char key[2][40], count[24];

	for (size_t i = 0; i < s->n_set; i++)
		hides += views[s->set[i]].blocker == s->blockers[n];
	snprintf(key[0], sizeof(key[0]), "set.blocker.%zu", n);
	snprintf(key[1], sizeof(key[1]), "set.blocker.%zu.hides", n);
	snprintf(count, sizeof(count), "%zu", hides);
	return facts_put(
		r->store,
		(struct fact[]){ { key[0], text ? text : "" }, { key[1], count }, { NULL, NULL } },
		err);
}

int loop_set(struct run *r, const struct search_step *s, const char *why, struct err *err)
{
	const uint32_t pair[2] = { s->node, s->other };
	_cleanup_free_ struct search_view *views = NULL;
	_cleanup_(past_deinit) struct past all = { 0 };

	r->result->outcome = RUN_SET;
	if (s->action == SEARCH_FOUND)
		return facts_set(r->store, r->range, pair, 1, why, err);
	if (s->action == SEARCH_CONTRADICTION)
		return facts_set(r->store, r->range, pair, s->node == s->other ? 1 : 2, why, err);
	if (facts_set(r->store, r->range, s->set, s->n_set, why, err) < 0)
		return -1;
	views = xcalloc(r->range->n, sizeof(*views));
	if (past_load(&all, r->store, err) < 0)
		return -1;
	search_views(r->search, views);
	for (size_t i = 0; i < s->n_blockers; i++)
		if (put_blocker(r, s, i, views, &all, err) < 0)
			return -1;
	return 0;
}
