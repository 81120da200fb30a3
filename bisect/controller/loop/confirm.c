// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was named is proven: it once more, and its real parents, in fresh guests.
 *
 * A parent that the ends exclude can be new: the change was there before an old end, was taken back
 * there, and came over a side that never saw the repair. A commit on that side introduced nothing;
 * the merge that brought it back did.
 */
#include <string.h>

#include "controller/loop/facts.h"
#include "controller/loop/loop.h"
#include "run_facts.h"

/* The parents of one culprit by what they turned out to be. */
struct parents {
	struct strv old;
	struct strv carried;  /* new before: excluded, or on a side that inherited */
	struct strv excluded; /* of those, the ones older than the ends */
	bool other;	      /* one is none of that: the culprit is not proven */
	bool untested;	      /* and could never be tested, so that no further round will help */
};

static void parents_deinit(struct parents *p)
{
	strv_deinit(&p->old);
	strv_deinit(&p->carried);
	strv_deinit(&p->excluded);
}

/* What the search was told of a candidate. */
static enum verdict told(struct run *r, long node)
{
	_cleanup_free_ struct search_view *views = NULL;

	if (node < 0)
		return VERDICT_NONE;
	views = xcalloc(r->range->n, sizeof(*views));
	search_views(r->search, views);
	return views[node].verdict;
}

/* True if the search, with all that it was told since, still names the same. */
static bool still_found(struct run *r, const struct search_step *found)
{
	struct search_step now;

	search_next(r->search, &now);
	return now.action == SEARCH_FOUND && now.node == found->node && now.carried;
}

/* 1: @id is older than an old end; *@end is that; 0: not; -1 error */
static int is_excluded(const struct run *r, const char *id, const char **end, struct err *err)
{
	for (size_t i = 0; i < r->range->n_good; i++) {
		int is = range_is_ancestor(r->lab.repo, id, r->range->good_ids[i], err);

		if (is) {
			*end = r->range->good_ids[i];
			return is;
		}
	}
	return 0;
}

/* A parent that is no candidate and new. */
static int check_outside(struct run *r, const struct search_step *found, const char *id,
			 struct parents *p, struct err *err)
{
	const char *end;
	int excluded = is_excluded(r, id, &end, err);

	if (excluded < 0)
		return -1;
	if (excluded)
		strv_add(&p->excluded, id);
	if (excluded || found->carried) {
		strv_add(&p->carried, id);
		return 0;
	}
	p->other = true;
	r->unconfirmed =
		"a parent of it that touches none of the paths is like it: the change lies "
		"outside of the paths, add them with --path";
	return 0;
}

static int check_parent(struct run *r, const struct search_step *found, const char *id,
			unsigned int more, struct parents *p, struct err *err)
{
	long node = range_find(r->range, id);
	enum verdict old = halving_old(r->o), new = halving_new(r->o), is;
	enum verdict was = told(r, node);
	enum verdict want = found->carried && was == new ? new : old;

	if (loop_repeat(r, r->search, id, ROLE_CONFIRM_PARENT, want, more, &is, err) < 0)
		return -1;
	if (is == old) {
		strv_add(&p->old, id);
		return 0;
	}
	if (is == new &&node < 0)
		return check_outside(r, found, id, p, err);
	if (is == new && found->carried && still_found(r, found))
		strv_add(&p->carried, id);
	else
		p->other = true;
	p->untested = is == VERDICT_SKIP && was != old && was != new;
	return 0;
}

/* The culprit was new before the ends already, through this parent. */
static int inherit(struct run *r, const char *id, const struct parents *p, struct err *err)
{
	for (size_t i = 0; i < p->excluded.n; i++) {
		const char *parent = p->excluded.items[i], *end = "";
		_cleanup_free_ char *story = NULL;

		if (is_excluded(r, parent, &end, err) < 0)
			return -1;
		story = str_printf("%.12s, older than the ends, was %s already; between it and "
				   "%.12s that was taken back, and %.12s never got the repair",
				   parent, r->words.new, end, id);
		progress_event(r->progress, "%s", story);
		if (facts_inherit(r, r->n_inherited++, id, parent, end, story, err) < 0)
			return -1;
	}
	return 0;
}

int loop_confirm(struct run *r, const struct search_step *found, enum proof *ret, struct err *err)
{
	const char *id = r->range->commits[found->node].id;
	_cleanup_(parents_deinit) struct parents p = { 0 };
	_cleanup_strv_ struct strv all = { 0 };
	enum verdict is;
	int noop;

	*ret = PROOF_NO;
	if (range_real_parents(r->lab.repo, id, &all, err) < 0)
		return -1;
	loop_foresee_these(r, &all);
	loop_want_with_parents(r, id, ROLE_CONFIRM, ROLE_CONFIRM_PARENT);
	if (loop_repeat(r, r->search, id, ROLE_CONFIRM, halving_new(r->o), (unsigned int)all.n, &is,
			err) < 0)
		return -1;
	if (is != halving_new(r->o))
		return 0;
	for (size_t i = 0; !p.other && i < all.n; i++)
		if (check_parent(r, found, all.items[i], (unsigned int)(all.n - i - 1), &p, err) <
		    0)
			return -1;
	if (p.other) {
		*ret = p.untested ? PROOF_HALF : PROOF_NO;
		return 0;
	}
	noop = loop_is_noop(r, id, &p.old, err);
	if (noop < 0 || (!noop && inherit(r, id, &p, err) < 0))
		return -1;
	if (noop) {
		*ret = PROOF_NOOP;
		return 0;
	}
	if (p.carried.n && !p.old.n) {
		*ret = found->node == r->range->bad_node ? PROOF_BEFORE : PROOF_PARENT;
		search_inherit(r->search, found->node);
		return 0;
	}
	*ret = PROOF_SHOWN;
	return facts_parents(r->store, &all, &p.carried, err);
}
