// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histories that turn more than once: good, bad, good, bad.
 *
 * A new commit below an old one is either a wrong verdict, which another trial shows, or true: the
 * change came, went and came again. Then the main search asks for the last time only, and two more
 * searches ask who brought it first and who took it back. Verdicts are never averaged.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/loop/facts.h"
#include "controller/loop/loop.h"
#include "run_facts.h"

/* So many contradictions are no history any more. */
#define DOUBTS_MAX   16
#define ROUNDS_MAX   3
#define ROUNDS_FLAKY 10

/* What one search for a turn needs to know. */
struct hunt {
	struct search *search;
	enum verdict before, after; /* of the commits around the one that is looked for */
	bool all_parents; /* each must be as before; else one, since others may not see the turn */
	unsigned int rounds;
};

static const char *id_of(const struct run *r, uint32_t node)
{
	return r->range->commits[node].id;
}

static enum verdict told(const struct run *r, uint32_t node)
{
	_cleanup_free_ struct search_view *views = xcalloc(r->range->n, sizeof(*views));

	search_views(r->search, views);
	return views[node].verdict;
}

/* The search goes on with one of the two; the other gets a search of its own. */
static int take_back(struct run *r, const struct turn *t, struct err *err)
{
	if (t->twice)
		search_set(r->search, t->stale, VERDICT_NONE);
	else
		search_accept(r->search);
	r->turns = xrealloc(r->turns, r->n_turns + 1, sizeof(*r->turns));
	r->turns[r->n_turns++] = *t;
	return facts_turn_met(r, r->n_turns - 1, err);
}

static bool met_before(const struct run *r, const struct turn *t)
{
	for (size_t i = 0; i < r->n_turns; i++)
		if (!t->twice || (r->turns[i].fresh == t->fresh && r->turns[i].stale == t->stale))
			return true;
	return false;
}

int loop_clash(struct run *r, const struct search_step *s, bool *done, struct err *err)
{
	enum verdict old = halving_old(r->o), new = halving_new(r->o), is;
	struct turn t = { .fresh = s->node, .stale = s->other };
	enum verdict want;

	t.twice = told(r, t.stale) == new;
	if (++r->doubts > DOUBTS_MAX || met_before(r, &t)) {
		*done = true;
		return loop_set(r, s, "its verdicts contradict each other in more ways than one",
				err);
	}
	progress_event(r->progress, "%.12s is %s and %.12s, %s, is %s; both once more",
		       id_of(r, t.fresh), r->words.new, id_of(r, t.stale),
		       t.twice ? "which shares no candidate with it" : "which comes after it",
		       t.twice ? r->words.new : r->words.old);
	loop_foresee_these(r, &(struct strv){ 0 });
	loop_want(r, id_of(r, t.fresh), ROLE_RETEST);
	loop_want(r, id_of(r, t.stale), ROLE_RETEST);
	want = t.twice ? new : old;
	if (loop_repeat(r, r->search, id_of(r, t.fresh), ROLE_RETEST, new, 1, &is, err) < 0)
		return -1;
	if (is != new)
		return 0;
	if (loop_repeat(r, r->search, id_of(r, t.stale), ROLE_RETEST, want, 0, &is, err) < 0)
		return -1;
	if (is != want)
		return 0;
	progress_event(r->progress,
		       t.twice ? "both stand: what is looked for came in on two ways"
			       : "both stand: what is looked for came, went and came again");
	return take_back(r, &t, err);
}

/* 1 proven, 0 not, and the search knows more; -1 error */
static int prove(struct run *r, struct hunt *h, const char *id, struct err *err)
{
	_cleanup_strv_ struct strv parents = { 0 };
	enum verdict is;
	size_t as_before = 0;

	if (range_real_parents(r->lab.repo, id, &parents, err) < 0)
		return -1;
	loop_foresee_these(r, &parents);
	loop_want_with_parents(r, id, ROLE_TURN_CONFIRM, ROLE_TURN_CONFIRM);
	if (loop_repeat(r, h->search, id, ROLE_TURN_CONFIRM, h->after, (unsigned int)parents.n, &is,
			err) < 0)
		return -1;
	for (size_t i = 0; is == h->after && i < parents.n; i++) {
		enum verdict parent;
		long node = range_find(r->range, parents.items[i]);

		if (loop_repeat(r, h->search, parents.items[i], ROLE_TURN_CONFIRM, h->before, 0,
				&parent, err) < 0)
			return -1;
		as_before += parent == h->before;
		if (parent != h->before && h->all_parents && node >= 0)
			return 0;
	}
	return is == h->after && as_before && (!h->all_parents || as_before == parents.n);
}

/* One search to its end: a commit, proven or not, or a set. */
static int hunt(struct run *r, struct hunt *h, struct facts_turn *ret, struct err *err)
{
	unsigned int most = loop_flaky(r) ? ROUNDS_FLAKY : ROUNDS_MAX;
	bool accepted = false;

	for (;;) {
		struct search_step s;
		struct attempt a;
		int ok;

		search_next(h->search, &s);
		if (s.action == SEARCH_TEST) {
			bool known = past_has(&r->past, id_of(r, s.node), ROLE_TURN);

			if (!known && loop_tell_left(r, h->search, ROLE_TURN))
				continue;
			if (!known && r->team) {
				if (loop_round(r, h->search, ROLE_TURN, &s, err) < 0)
					return -1;
				continue;
			}
			loop_foresee(r, h->search, &s);
			if (loop_try(r, id_of(r, s.node), ROLE_TURN, s.steps + 1, &a, err) < 0)
				return -1;
			halving_tell(h->search, s.node, &a.v);
			continue;
		}
		if (s.action == SEARCH_CONTRADICTION && !accepted) {
			accepted = true;
			search_accept(h->search);
			continue;
		}
		if (s.action != SEARCH_FOUND) {
			for (size_t i = 0; s.action == SEARCH_SET && i < s.n_set; i++)
				strv_add(&ret->set, id_of(r, s.set[i]));
			return 0;
		}
		ok = prove(r, h, id_of(r, s.node), err);
		if (ok < 0)
			return -1;
		if (!ok && ++h->rounds < most)
			continue;
		str_copy(ret->commit, sizeof(ret->commit), id_of(r, s.node));
		ret->subject = r->range->commits[s.node].subject;
		ret->proven = ok;
		return 0;
	}
}

static int ask(struct run *r, size_t n, enum search_turn turn, struct err *err)
{
	const struct turn *t = &r->turns[n];
	enum verdict old = halving_old(r->o), new = halving_new(r->o);
	bool came = turn == TURN_CAME;
	struct hunt h = { .before = came ? old : new,
			  .after = came ? new : old,
			  .all_parents = came };
	_cleanup_(facts_turn_deinit) struct facts_turn found = { 0 };
	int ret;

	progress_event(r->progress, came ? "who brought it first?" : "who took it back?");
	if (search_turn(r->search, t->fresh, t->stale, turn, &h.search, err) < 0)
		return -1;
	ret = hunt(r, &h, &found, err);
	search_destroy(h.search);
	if (ret < 0)
		return -1;
	return facts_turn(r, n, came ? "introducer" : "repairer", &found, err);
}

/* The other of two that are new on ways of their own, by a search that knows of it alone. */
static int ask_twice(struct run *r, size_t n, struct err *err)
{
	_cleanup_free_ struct search_view *views = xcalloc(r->range->n, sizeof(*views));
	struct hunt h = { .before = halving_old(r->o),
			  .after = halving_new(r->o),
			  .all_parents = true };
	_cleanup_(facts_turn_deinit) struct facts_turn found = { 0 };
	int ret;

	progress_event(r->progress, "who brought it on the other way?");
	if (halving_search(r->o, r->lab.repo, r->range, &h.search, err) < 0)
		return -1;
	search_views(r->search, views);
	for (size_t i = 0; i < r->range->n; i++)
		if (views[i].verdict == h.before || views[i].verdict == VERDICT_SKIP)
			search_set(h.search, (uint32_t)i, views[i].verdict);
	search_set(h.search, r->turns[n].stale, h.after);
	ret = hunt(r, &h, &found, err);
	search_destroy(h.search);
	if (ret < 0)
		return -1;
	return facts_turn(r, n, "other", &found, err);
}

int loop_turns(struct run *r, struct err *err)
{
	for (size_t i = 0; i < r->n_turns; i++) {
		if (r->turns[i].twice
			    ? ask_twice(r, i, err) < 0
			    : ask(r, i, TURN_CAME, err) < 0 || ask(r, i, TURN_WENT, err) < 0)
			return -1;
	}
	return 0;
}
