// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a run may try next, for building ahead: see controller/ahead/ahead.h. A guess that is wrong costs nothing
 * but idle time, so errors here are none.
 */
#include "controller/ahead/ahead.h"
#include "controller/loop/loop.h"

/*
 * Where both are about as likely, the old state's successor comes first: such a trial waits for no windows,
 * so it leaves less time to build.
 */
#define LIKELIER 0.55

static void add_parents(struct run *r, const char *id, struct strv *ids)
{
	_cleanup_strv_ struct strv parents = { 0 };
	struct err ignored;

	if (range_real_parents(r->lab.repo, id, &parents, &ignored) < 0)
		return;
	for (size_t i = 0; i < parents.n; i++)
		strv_add(ids, parents.items[i]);
}

/* What a step asks to be built: its node, or of a culprit the parents it is confirmed with. */
static void add_step(struct run *r, const struct search_step *s, struct strv *ids)
{
	const char *id = r->range->commits[s->node].id;

	if (s->action != SEARCH_TEST && s->action != SEARCH_FOUND)
		return;
	strv_add(ids, id);
	if (s->action == SEARCH_FOUND)
		add_parents(r, id, ids);
}

void loop_foresee_these(struct run *r, const struct strv *ids)
{
	ahead_plan(r->lab.ahead, (const char *const *)ids->items, ids->n);
}

void loop_foresee(struct run *r, const struct search *search, const struct search_step *s)
{
	enum verdict order[2] = { halving_old(r->o), halving_new(r->o) };
	_cleanup_strv_ struct strv ids = { 0 };

	if (!r->lab.ahead)
		return;
	if (s->chance > LIKELIER) {
		order[0] = halving_new(r->o);
		order[1] = halving_old(r->o);
	}
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		struct search_step then;

		search_peek(search, s->node, order[i], &then);
		add_step(r, &then, &ids);
	}
	loop_foresee_these(r, &ids);
}

void loop_foresee_ends(struct run *r)
{
	_cleanup_strv_ struct strv ids = { 0 };
	struct search_step first;

	if (!r->lab.ahead)
		return;
	for (size_t i = 0; i < r->range->n_good; i++)
		strv_add(&ids, r->range->good_ids[i]);
	strv_add(&ids, r->range->bad_id);
	for (size_t i = 0; i < r->range->n_bases; i++)
		strv_add(&ids, r->range->base_ids[i]);
	search_peek(r->search, r->range->bad_node, halving_new(r->o), &first);
	add_step(r, &first, &ids);
	loop_foresee_these(r, &ids);
}
