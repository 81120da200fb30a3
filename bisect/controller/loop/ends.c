// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ends of a run: what they were claimed to be, and where those on other branches forked off.
 *
 * A fork point that is new already says that the old end got rid of the change on its own side: the
 * change is older than the range, and what could be found in the range is something else.
 */
#include <stdio.h>
#include <string.h>

#include "controller/loop/band.h"
#include "controller/loop/facts.h"
#include "controller/loop/loop.h"
#include "controller/rule/rule.h"
#include "run_facts.h"

static int recall_baseline(struct run *r, int64_t trial, struct err *err)
{
	_cleanup_free_ char *number = str_printf("%lld", (long long)trial);

	if (band_of(r->store, trial, &r->base, err) < 0 ||
	    facts_put(r->store, (struct fact[]){ { "band.trial", number }, { NULL, NULL } }, err) <
		    0)
		return -1;
	r->base_trial = trial;
	r->has_base = true;
	return 0;
}

/* What a metric is at either end is the measure for all others. */
static int recall_own(struct run *r, int64_t trial, enum store_role role, struct err *err)
{
	r->has_base = true;
	return own_recall_end(r->lab.own, r->store, trial, role, &r->base.ends, err);
}

static int end_wrong(struct run *r, const char *id, enum verdict claimed, const struct attempt *a,
		     struct err *err)
{
	const char *word = loop_word(r, claimed);
	struct loop_name name = loop_name(r, id);

	if (a->v.verdict == VERDICT_SKIP)
		progress_warn(r->progress,
			      "the %s end %s cannot be tested (%s); name a commit near it", word,
			      name.text, a->v.reason);
	else
		progress_warn(r->progress, "the %s end %s is %s, not %s: %s", word, name.text,
			      loop_word(r, a->v.verdict), word, a->v.reason);
	r->result->outcome = RUN_END_WRONG;
	return facts_end_wrong(r->store, verdict_name(claimed), id, &a->v, err);
}

unsigned int loop_tries(const struct run *r)
{
	double missed = options_real(r->o, OPT_FLAKY), doubt = missed;
	unsigned int n = 1;

	while (doubt > 1 - options_real(r->o, OPT_CONFIDENCE) && n < 12) {
		doubt *= missed;
		n++;
	}
	return n;
}

static enum store_role role_of(enum verdict claimed)
{
	return claimed == VERDICT_GOOD ? ROLE_GOOD_END : ROLE_BAD_END;
}

/* One that was tried before there was a band is tried once more if that would tell another thing. */
static int try_end(struct run *r, const char *id, enum store_role role, unsigned int more,
		   struct attempt *ret, struct err *err)
{
	int stands;

	if (loop_try_end(r, id, role, more, ret, err) < 0)
		return -1;
	stands = r->has_base ? band_allows(r->store, ret->trial, &ret->v, &r->base, err) : 1;
	if (stands)
		return stands < 0 ? -1 : 0;
	progress_event(r->progress,
		       "%.12s: by what the good end measured that does not stand; "
		       "once more",
		       id);
	return loop_try_end(r, id, role, more, ret, err);
}

static int check_end(struct run *r, const char *id, enum verdict claimed, unsigned int more,
		     struct err *err)
{
	unsigned int left = claimed == VERDICT_BAD ? loop_tries(r) : 1;
	struct attempt a;

	do {
		if (try_end(r, id, role_of(claimed), more, &a, err) < 0)
			return -1;
	} while (a.v.verdict != claimed && --left);
	if (a.v.verdict != claimed)
		return end_wrong(r, id, claimed, &a, err);
	if (r->lab.own)
		return recall_own(r, a.trial, role_of(claimed), err) == 0 ? 1 : -1;
	return r->has_base || recall_baseline(r, a.trial, err) == 0 ? 1 : -1;
}

/* In the order that they are asked for. */
static void want_ends(struct run *r)
{
	enum verdict old = halving_old(r->o), new = halving_new(r->o);

	if (new == VERDICT_GOOD)
		loop_want(r, r->range->bad_id, role_of(new));
	for (size_t i = 0; i < r->range->n_good; i++)
		loop_want(r, r->range->good_ids[i], role_of(old));
	if (new != VERDICT_GOOD)
		loop_want(r, r->range->bad_id, role_of(new));
}

int loop_ends(struct run *r, unsigned int more, struct err *err)
{
	enum verdict old = halving_old(r->o), new = halving_new(r->o);
	int ok = 1;

	loop_foresee_ends(r);
	want_ends(r);
	/* What the controls took in a good commit is the measure for all others, so one comes first. */
	if (new == VERDICT_GOOD)
		ok = check_end(r, r->range->bad_id, new, more, err);
	for (size_t i = 0; ok == 1 && i < r->range->n_good; i++)
		ok = check_end(r, r->range->good_ids[i], old, more, err);
	if (ok == 1 && new != VERDICT_GOOD)
		ok = check_end(r, r->range->bad_id, new, more, err);
	if (ok == 1)
		search_set(r->search, r->range->bad_node, new);
	return ok;
}

/*
 * The old end that forked off at a base; the first, if there are several. No base lies below an end that is
 * an ancestor of the new one.
 */
static int end_of(const struct run *r, const char *base, const char **ret, struct err *err)
{
	*ret = r->range->good_ids[0];
	for (size_t i = 0; i < r->range->n_good; i++) {
		const char *id = r->range->good_ids[i];
		int below = range_is_ancestor(r->lab.repo, base, id, err);

		if (below < 0)
			return -1;
		if (!below)
			continue;
		*ret = id;
		return 0;
	}
	return 0;
}

static char *command(const struct run *r, const char *find, const char *old, const char *new)
{
	_cleanup_free_ char *asked = options_asked(r->o, CMD_RUN);
	struct buf b = { 0 };

	buf_puts(&b, "amdgpu-bisect run --repo ");
	buf_shell(&b, r->lab.repo);
	buf_printf(&b, "%s%s %.12s..%.12s", asked, find, old, new);
	return buf_take(&b);
}

/* The end lost the change after it forked off. */
static int mended(struct run *r, const char *base, const char *end, struct err *err)
{
	bool fix = halving_find(r->o) == SEARCH_FIX;
	_cleanup_free_ char *next = command(r, fix ? "" : " --find fix", base, end);
	_cleanup_free_ char *story =
		str_printf("%.12s is %s, but forked off at %.12s, which is %s already: it became "
			   "%s after that, on "
			   "its own side, and the change looked for is older than the fork; name a "
			   "%s end older "
			   "than %.12s",
			   end, r->words.old, base, r->words.new, r->words.old, r->words.old, base);

	progress_warn(r->progress, "%s", story);
	progress_warn(r->progress, "what made it %s: %s", r->words.old, next);
	r->result->outcome = RUN_END_WRONG;
	return facts_fork(r->store, FORK_MENDED, base, end, story, next, err);
}

static int before(struct run *r, const char *base, const char *end, const struct attempt *a,
		  struct err *err)
{
	bool tested = a->v.verdict != VERDICT_SKIP;
	_cleanup_free_ char *story =
		tested ? str_printf("%.12s forked off at %.12s before the change, which is %s", end,
				    base, r->words.old)
		       : str_printf(
				 "%.12s, where %.12s forked off, cannot be tested (%s); if it is "
				 "%s, what is named here is not what made the difference",
				 base, end, a->v.reason, r->words.new);

	if (tested)
		progress_event(r->progress, "%s", story);
	else
		progress_warn(r->progress, "%s", story);
	return facts_fork(r->store, tested ? FORK_BEFORE : FORK_UNTESTED, base, end, story, NULL,
			  err);
}

int loop_fork(struct run *r, unsigned int more, struct err *err)
{
	for (size_t i = 0; i < r->range->n_bases; i++)
		loop_want(r, r->range->base_ids[i], ROLE_MERGE_BASE);
	for (size_t i = 0; i < r->range->n_bases; i++) {
		const char *base = r->range->base_ids[i];
		struct attempt a;
		const char *end;

		if (end_of(r, base, &end, err) < 0 ||
		    loop_try_end(r, base, ROLE_MERGE_BASE, more, &a, err) < 0)
			return -1;
		if (a.v.verdict == halving_new(r->o))
			return mended(r, base, end, err);
		if (before(r, base, end, &a, err) < 0)
			return -1;
	}
	return 1;
}
