// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop: see run.h. It keeps no state of its own that matters: verdicts are read from the store
 * at the start, so that a new run and a resumed one go the same way.
 *
 *   ends       every good end must be good (the first one sets the baseline), the bad end bad
 *   search     search/ says which candidate; lab/ tries it; the verdict goes back
 *   confirm    the culprit and its real parents once more, in fresh guests; a verdict that does not
 *              repeat is decided by a third trial and the search goes on from there
 */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "halving.h"
#include "lab.h"
#include "paths.h"
#include "range/range.h"
#include "rates.h"
#include "run_facts.h"
#include "search/search.h"

/* A culprit that does not confirm sends the search on; more often than this it is chance. */
#define CONFIRM_ROUNDS 3

struct run {
	const struct options *o;
	const char *dir;
	struct progress *progress;
	struct lab lab;
	struct store *store;
	struct range *range;
	struct search *search;
	struct baseline base;
	unsigned int step; /* trials of this run so far, ends included */
	unsigned int confirm_rounds;
	const char *unconfirmed; /* why a culprit could not be confirmed, if that is known */
	struct run_result *result;
};

static void run_deinit(struct run *r)
{
	search_destroy(r->search);
	range_destroy(r->range);
	lab_deinit(&r->lab);
	store_close(r->store);
}

static const char *short_name(const struct run *r, const char *id, char *buf, size_t size)
{
	long node = range_find(r->range, id);
	_cleanup_free_ char *subject = NULL;
	struct err ignored;

	/* An end or a parent need not be a candidate; its subject is only for people. */
	if (node < 0 && range_subject(r->lab.repo, id, &subject, &ignored) < 0)
		subject = NULL;
	snprintf(buf, size, "%.12s %s", id,
		 node >= 0 ? r->range->commits[node].subject
		 : subject ? subject
			   : "");
	return buf;
}

static int64_t step_ns(const struct run *r)
{
	const char *scope = options_str(r->o, OPT_SCOPE);

	return rates_get(scope, "build") + rates_get(scope, "guest");
}

/* One trial, shown and counted. @more: expected further trials after this one. */
static int try_commit(struct run *r, const char *id, enum store_role role, unsigned int more,
		      const struct baseline *base, struct attempt *ret, struct err *err)
{
	char name[160], took[32];

	r->step++;
	progress_step(r->progress, r->step, r->step + more, short_name(r, id, name, sizeof(name)),
		      step_ns(r) * (more + 1));
	if (lab_try_hard(&r->lab, r->store, r->dir, id, role, base, ret, err) < 0)
		return -1;
	progress_stage(r->progress, NULL, -1);
	clock_duration_text(ret->elapsed_ns, took, sizeof(took));
	progress_event(r->progress, "%-4s %s (%s, %s): %s", verdict_name(ret->v.verdict),
		       short_name(r, id, name, sizeof(name)), store_role_name(role), took,
		       ret->v.reason);
	return 0;
}

/*
 * An end that could not be tested is tried once more: a guest may die of the machine's own trouble, and
 * on an end the whole run hangs. What does not build will not build the second time.
 */
static int try_end(struct run *r, const char *id, enum store_role role, unsigned int more,
		   const struct baseline *base, struct attempt *ret, struct err *err)
{
	if (try_commit(r, id, role, more, base, ret, err) < 0)
		return -1;
	if (ret->v.verdict != VERDICT_SKIP || strcmp(ret->v.rule, "build") == 0 ||
	    strcmp(ret->v.rule, trial_end_name(TRIAL_NO_BOOT)) == 0 ||
	    strcmp(ret->v.rule, trial_end_name(TRIAL_DIED)) == 0) /* those were tried twice */
		return 0;
	return try_commit(r, id, role, more, base, ret, err);
}

/* The last trial of a commit in a role that found @verdict and nothing else since; NULL if none. */
static const struct store_trial *stored(const struct store_trial *t, size_t n, const char *id,
					enum store_role role, enum verdict verdict)
{
	for (size_t i = n; i > 0; i--)
		if (halving_counts(&t[i - 1]) && t[i - 1].role == role &&
		    strcmp(t[i - 1].commit, id) == 0)
			return t[i - 1].v.verdict == verdict ? &t[i - 1] : NULL;
	return NULL;
}

static int recall_baseline(struct run *r, int64_t trial, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	size_t n;
	int m;

	if (store_trial_samples(r->store, trial, &samples, &n, err) < 0)
		return -1;
	m = measure_samples(samples, n, MEASURE_WINDOW_NS, r->base.m, err);
	if (m < 0)
		return -1;
	r->base.n = (size_t)m;
	return 0;
}

/* Verdicts stored by an earlier part of this run go into the search. */
static int recall(struct run *r, const struct store_trial *t, size_t n, struct err *err)
{
	const struct store_trial *good =
		stored(t, n, r->range->good_ids[0], ROLE_GOOD_END, VERDICT_GOOD);

	r->step += (unsigned int)n;
	halving_recall(r->o, r->range, t, n, r->search);
	return good ? recall_baseline(r, good->trial, err) : 0;
}

static int end_wrong(struct run *r, const char *which, const char *id, const struct attempt *a,
		     struct err *err)
{
	char name[160];

	short_name(r, id, name, sizeof(name));
	if (a->v.verdict == VERDICT_SKIP)
		progress_warn(r->progress,
			      "the %s end %s cannot be tested (%s); name a commit near it", which,
			      name, a->v.reason);
	else
		progress_warn(r->progress, "the %s end %s is %s, not %s: %s", which, name,
			      verdict_name(a->v.verdict), which, a->v.reason);
	r->result->outcome = RUN_END_WRONG;
	return facts_end_wrong(r->store, which, id, &a->v, err);
}

/* 1: both ends are what was claimed; 0: one is not (said and stored); -1: error. */
static int check_ends(struct run *r, const struct store_trial *t, size_t n, unsigned int more,
		      struct err *err)
{
	struct attempt a;

	for (size_t i = 0; i < r->range->n_good; i++) {
		const char *id = r->range->good_ids[i];

		if (stored(t, n, id, ROLE_GOOD_END, VERDICT_GOOD))
			continue;
		if (try_end(r, id, ROLE_GOOD_END, more, i ? &r->base : NULL, &a, err) < 0)
			return -1;
		if (a.v.verdict != VERDICT_GOOD)
			return end_wrong(r, "good", id, &a, err);
		if (i == 0) {
			memcpy(r->base.m, a.m, sizeof(a.m));
			r->base.n = a.n_m;
		}
	}
	if (!stored(t, n, r->range->bad_id, ROLE_BAD_END, VERDICT_BAD)) {
		if (try_end(r, r->range->bad_id, ROLE_BAD_END, more, &r->base, &a, err) < 0)
			return -1;
		if (a.v.verdict != VERDICT_BAD)
			return end_wrong(r, "bad", r->range->bad_id, &a, err);
	}
	search_set(r->search, r->range->bad_node, VERDICT_BAD);
	return 1;
}

/*
 * Tests one commit once more. @want: what it was found to be.
 * Return: 1 it repeats; 0 it does not, nor did a third trial, and the search has what they settle;
 * -1 error.
 */
static int confirm_one(struct run *r, const char *id, enum store_role role, enum verdict want,
		       unsigned int more, struct err *err)
{
	long node = range_find(r->range, id);
	enum verdict second;
	struct attempt a;

	if (try_commit(r, id, role, more, &r->base, &a, err) < 0)
		return -1;
	second = a.v.verdict;
	if (second == want)
		return 1;
	progress_warn(r->progress, "%.12s was %s and is now %s; a third trial decides", id,
		      verdict_name(want), verdict_name(second));
	if (try_commit(r, id, role, more, &r->base, &a, err) < 0)
		return -1;
	if (a.v.verdict == want)
		return 1;
	if (second == VERDICT_SKIP && a.v.verdict == VERDICT_SKIP)
		r->unconfirmed = "it or a parent of it could not be tested once more";
	if (node >= 0)
		search_set(r->search, (uint32_t)node, halving_settle(second, a.v.verdict));
	return 0;
}

/* The culprit and its real parents in fresh guests: 1 proven, 0 not, -1 error. */
static int confirm(struct run *r, uint32_t node, struct err *err)
{
	const char *id = r->range->commits[node].id;
	_cleanup_strv_ struct strv parents = { 0 };
	int ok;

	if (range_real_parents(r->lab.repo, id, &parents, err) < 0)
		return -1;
	if (facts_parents(r->store, &parents, err) < 0)
		return -1;
	ok = confirm_one(r, id, ROLE_CONFIRM, VERDICT_BAD, (unsigned int)parents.n, err);
	for (size_t i = 0; ok == 1 && i < parents.n; i++)
		ok = confirm_one(r, parents.items[i], ROLE_CONFIRM_PARENT, VERDICT_GOOD,
				 (unsigned int)(parents.n - i - 1), err);
	return ok;
}

static int found(struct run *r, uint32_t node, bool *done, struct err *err)
{
	const struct range_commit *c = &r->range->commits[node];
	int ok;

	progress_event(r->progress,
		       "first bad commit: %.12s %s; testing it and its parents once more", c->id,
		       c->subject);
	ok = confirm(r, node, err);
	if (ok < 0)
		return -1;
	if (ok) {
		*done = true;
		r->result->outcome = RUN_PROVEN;
		str_copy(r->result->culprit, sizeof(r->result->culprit), c->id);
		return facts_culprit(r->store, c->id, c->subject, err);
	}
	if (++r->confirm_rounds < CONFIRM_ROUNDS)
		return 0;
	*done = true;
	r->result->outcome = RUN_SET;
	return facts_set(
		r->store, r->range, &node, 1,
		r->unconfirmed ? r->unconfirmed
			       : "its verdicts do not repeat; raise --repeats or look at the host",
		err);
}

static int ended_with_set(struct run *r, const struct search_step *s, struct err *err)
{
	uint32_t pair[2] = { s->node, s->other };

	r->result->outcome = RUN_SET;
	if (s->action == SEARCH_SET)
		return facts_set(r->store, r->range, s->set, s->n_set,
				 "the commits between cannot be tested", err);
	return facts_set(r->store, r->range, pair, 2,
			 "a bad commit is an ancestor of a good one: the regression came, went and "
			 "came again, or a verdict is wrong",
			 err);
}

static int search_on(struct run *r, struct err *err)
{
	bool done = false;

	while (!done) {
		const struct range_commit *c;
		struct search_step s;
		struct attempt a;

		search_next(r->search, &s);
		if (s.action == SEARCH_FOUND) {
			if (found(r, s.node, &done, err) < 0)
				return -1;
			continue;
		}
		if (s.action != SEARCH_TEST)
			return ended_with_set(r, &s, err);
		c = &r->range->commits[s.node];
		if (facts_left(r->store, s.left, s.steps, err) < 0 ||
		    try_commit(r, c->id, ROLE_SEARCH, s.steps + 1, &r->base, &a, err) < 0)
			return -1;
		search_set(r->search, s.node, a.v.verdict);
	}
	return 0;
}

static int go(struct run *r, struct err *err)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	struct search_step s;
	int64_t start;
	size_t n;
	int ends;

	if (store_trials(r->store, &trials, &n, err) < 0 || recall(r, trials, n, err) < 0)
		return -1;
	search_next(r->search, &s);
	if (lab_open(&r->lab, err) < 0 || facts_lab(r->store, &r->lab, err) < 0)
		return -1;
	start = clock_now_ns();
	ends = check_ends(r, trials, n, s.action == SEARCH_TEST ? s.steps + 3 : 3, err);
	if (ends == 1 && search_on(r, err) < 0)
		ends = -1;
	r->result->trials = r->step;
	r->result->search_ns = clock_now_ns() - start;
	return ends < 0 ? -1 : facts_outcome(r->store, r->result->outcome, err);
}

/* What failed stays on record, so that status and report can say why a run stands still. */
static int finish(struct run *r, int status, int64_t start, struct err *err)
{
	struct err ignored;

	r->result->elapsed_ns = clock_now_ns() - start;
	if (status < 0 && r->store && err->kind != ERR_USAGE) {
		r->result->outcome = err->kind == ERR_STOPPED ? RUN_STOPPED : RUN_HOST;
		facts_outcome(r->store, r->result->outcome, &ignored);
		store_event(r->store, err_kind_name(err->kind), &ignored, "%s", err->msg);
	}
	run_deinit(r);
	return status;
}

int run_start(const struct options *o, const char *dir, struct progress *progress,
	      struct run_result *ret, struct err *err)
{
	struct run r = { .o = o, .dir = dir, .progress = progress, .result = ret };
	int64_t start = clock_now_ns();
	char *repo = NULL;
	int status;

	*ret = (struct run_result){ 0 };
	str_copy(ret->dir, sizeof(ret->dir), dir);
	status = range_discover(options_str(o, OPT_REPO) ? options_str(o, OPT_REPO) : ".", &repo,
				err);
	r.lab.repo = repo;
	if (!status)
		status = halving_range(o, repo, &r.range, err);
	if (!status)
		status = halving_search(o, repo, r.range, &r.search, err);
	if (!status)
		status = lab_check(&r.lab, o, progress, repo, err);
	if (!status)
		status = lab_open_rig(&r.lab, err);
	if (!status)
		status = fs_mkdirs(dir, err);
	if (!status)
		status = store_create(dir, &r.store, err);
	if (!status)
		status = facts_start(r.store, o, r.lab.repo, r.range, &r.lab, err);
	if (!status)
		path_run_latest(dir);
	if (!status)
		status = go(&r, err);
	return finish(&r, status, start, err);
}

int run_resume(struct options *o, const char *dir, struct progress *progress,
	       struct run_result *ret, struct err *err)
{
	struct run r = { .o = o, .dir = dir, .progress = progress, .result = ret };
	int64_t start = clock_now_ns();
	char *repo = NULL;
	int status;

	*ret = (struct run_result){ 0 };
	str_copy(ret->dir, sizeof(ret->dir), dir);
	status = store_open(dir, true, &r.store, err);
	if (!status)
		status = facts_recall(r.store, o, &repo, ret, err);
	if (status == 1)
		return finish(&r, 0, start, err);
	r.lab.repo = repo;
	if (!status)
		status = halving_range(o, repo, &r.range, err);
	if (!status)
		status = halving_search(o, repo, r.range, &r.search, err);
	if (!status)
		status = lab_check(&r.lab, o, progress, repo, err);
	if (!status)
		path_run_latest(dir);
	if (!status)
		status = go(&r, err);
	return finish(&r, status, start, err);
}
