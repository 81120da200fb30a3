// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop: see run.h. It keeps no state of its own that matters: every trial it asks for is taken
 * from the store as long as there is one (controller/loop/past.h), so that a new run and a resumed
 * one go the same way.
 *
 *   ends       every old end must be old and the new end new; a good one sets the baseline
 *   fork       where an end on another branch forked off must be old as well
 *   search     search/ says which candidate; lab/ tries it; the verdict goes back
 *   confirm    the culprit and its real parents once more, in fresh guests; a verdict that does not
 *              repeat is decided by a third trial and the search goes on from there
 *   turns      where verdicts contradict each other and stand, who introduced and who repaired
 *   identity   what other trees call the culprit
 *   proof      the tip without it, the tip with what follows it up, the old end with it
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "controller/ahead/ahead.h"
#include "controller/gate/gate.h"
#include "controller/kept/disk.h"
#include "controller/kept/inputs.h"
#include "controller/loop/loop.h"
#include "controller/prove/prove.h"
#include "controller/replay.h"
#include "controller/scope.h"
#include "paths.h"
#include "run_facts.h"

/* A culprit that does not confirm sends the search on; more often than this it is chance. */
#define CONFIRM_ROUNDS	     3
#define CONFIRM_ROUNDS_FLAKY 10

static void run_deinit(struct run *r)
{
	search_destroy(r->search);
	range_destroy(r->range);
	past_deinit(&r->past);
	team_close(r->team);
	team_size_deinit(&r->size);
	lab_deinit(&r->lab);
	package_kernel_deinit(&r->packages);
	store_close(r->store);
	free(r->turns);
}

static int proven(struct run *r, const struct range_commit *c, const struct search_step *s,
		  struct err *err)
{
	r->result->outcome = RUN_PROVEN;
	str_copy(r->result->culprit, sizeof(r->result->culprit), c->id);
	if (facts_culprit(r->store, c->id, c->subject, err) < 0)
		return -1;
	if (loop_flaky(r) && facts_left(r->store, s->left, 0, s->confidence, err) < 0)
		return -1;
	return loop_identity(r, c->id, err);
}

static int found(struct run *r, const struct search_step *s, bool *done, struct err *err)
{
	const struct range_commit *c = &r->range->commits[s->node];
	unsigned int rounds_max = loop_flaky(r) ? CONFIRM_ROUNDS_FLAKY : CONFIRM_ROUNDS;
	enum proof proof;

	progress_event(r->progress,
		       "first %s commit: %.12s %s; testing it and its parents once more",
		       r->words.new, c->id, c->subject);
	if (loop_confirm(r, s, &proof, err) < 0)
		return -1;
	if (proof == PROOF_SHOWN) {
		*done = true;
		return proven(r, c, s, err);
	}
	if (proof == PROOF_PARENT || (proof == PROOF_NO && ++r->rounds < rounds_max))
		return 0;
	/* Where trials may miss, the two that confirmed are evidence as well, and may turn the scale. */
	if (proof == PROOF_NOOP && loop_flaky(r) && ++r->rounds < rounds_max)
		return 0;
	*done = true;
	if (proof == PROOF_NOOP)
		r->unconfirmed = "its artifact is the same as its parent's, so it changes nothing "
				 "that was tested: the verdicts contradict each other";
	if (proof == PROOF_HALF)
		r->unconfirmed = "a parent of it cannot be tested; that it was free of the change "
				 "follows from its descendants alone";
	if (proof == PROOF_BEFORE)
		r->unconfirmed = "on every way to it the change was there before the ends; name "
				 "older ends";
	return loop_set(r, s,
			r->unconfirmed ? r->unconfirmed
				       : "its verdicts do not repeat; raise --repeats or look at "
					 "the host",
			err);
}

static int test(struct run *r, const struct search_step *s, struct err *err)
{
	const char *id = r->range->commits[s->node].id;
	struct attempt a;

	if (!past_has(&r->past, id, ROLE_SEARCH)) {
		if (loop_tell_left(r, r->search, ROLE_SEARCH))
			return 0;
		if (facts_left(r->store, s->left, s->steps, loop_flaky(r) ? s->confidence : -1,
			       err) < 0)
			return -1;
		if (r->team)
			return loop_round(r, r->search, ROLE_SEARCH, s, err);
	}
	loop_foresee(r, r->search, s);
	if (loop_try(r, id, ROLE_SEARCH, s->steps + 1, &a, err) < 0)
		return -1;
	halving_tell(r->search, s->node, &a.v);
	return 0;
}

static int search_on(struct run *r, struct err *err)
{
	bool done = false;
	int ret = 0;

	while (!done && !ret) {
		struct search_step s;

		search_next(r->search, &s);
		switch (s.action) {
		case SEARCH_TEST:
			ret = test(r, &s, err);
			break;
		case SEARCH_FOUND:
			ret = found(r, &s, &done, err);
			break;
		case SEARCH_CONTRADICTION:
			ret = loop_clash(r, &s, &done, err);
			break;
		case SEARCH_SET:
			done = true;
			ret = loop_set(r, &s, "the commits between cannot be tested", err);
			break;
		}
	}
	return ret < 0 ? -1 : loop_turns(r, err);
}

/* What a replayed log holds: never tried, so nothing of it is taken from the past. */
static void tell_user(struct run *r)
{
	for (size_t i = 0; i < r->past.n; i++) {
		const struct store_trial *t = &r->past.trials[i];
		long node = t->role == ROLE_USER ? range_find(r->range, t->commit) : -1;

		if (node >= 0)
			halving_tell(r->search, (uint32_t)node, &t->v);
	}
}

/* Ends that were not what was claimed are asked again when the user resumes such a run. */
static int load_past(struct run *r, struct err *err)
{
	_cleanup_free_ char *outcome = NULL;

	if (past_load(&r->past, r->store, err) < 0 ||
	    store_get(r->store, "run.outcome", &outcome, err) < 0)
		return -1;
	for (size_t i = 0; i < r->past.n; i++) {
		const struct store_trial *t = &r->past.trials[i];

		if (t->role == ROLE_USER)
			continue;
		r->step++;
		if (t->ended && t->v.verdict == VERDICT_GOOD)
			str_copy(r->lab.known_good, sizeof(r->lab.known_good), t->commit);
	}
	tell_user(r);
	if (!outcome || strcmp(outcome, facts_outcome_name(RUN_END_WRONG)) != 0)
		return 0;
	past_keep(&r->past, ROLE_GOOD_END, VERDICT_GOOD);
	past_keep(&r->past, ROLE_BAD_END, VERDICT_BAD);
	past_keep(&r->past, ROLE_MERGE_BASE, halving_old(r->o));
	return facts_end_again(r->store, err);
}

/*
 * The builds of the ends say which files matter, unless earlier ones did already: the search begins with
 * that. What it was told before is told again.
 */
static int learn(struct run *r, struct err *err)
{
	_cleanup_(priors_deinit) struct priors priors = { 0 };
	_cleanup_strv_ struct strv said = { 0 };
	size_t n_left_out;

	search_destroy(take_ptr(r->search));
	if (halving_priors(r->o, r->lab.repo, r->range, &priors, err) < 0 ||
	    halving_search_by(r->o, r->range, &priors, &r->search, &n_left_out, err) < 0)
		return -1;
	priors_say(&priors, r->o, n_left_out, &said);
	for (size_t i = 0; i < said.n; i++)
		progress_event(r->progress, "%s", said.items[i]);
	search_set(r->search, r->range->bad_node, halving_new(r->o));
	tell_user(r);
	return 1;
}

/* Without it everything is built just when it is needed. */
static void open_ahead(struct run *r)
{
	const struct ahead_spec spec = {
		.o = r->o,
		.kernel = &r->lab.kernel,
		.repo = r->lab.repo,
		.dir = r->dir,
		.store = r->store,
	};
	struct err why;

	if (strcmp(options_str(r->o, OPT_AHEAD), "off") != 0 &&
	    ahead_open(&spec, &r->lab.ahead, &why) < 0)
		progress_warn(r->progress, "nothing is built ahead: %s", why.msg);
}

static int go(struct run *r, struct err *err)
{
	struct search_step s;
	unsigned int more;
	int64_t start;
	int ends;

	r->words = halving_words(r->o);
	if (load_past(r, err) < 0)
		return -1;
	search_next(r->search, &s);
	more = s.action == SEARCH_TEST ? s.steps + 3 : 3;
	if (lab_open(&r->lab, err) < 0 || disk_same(r->o, r->store, r->lab.rig, err) < 0 ||
	    facts_lab(r->store, &r->lab, err) < 0)
		return -1;
	if (loop_open_team(r, err) < 0)
		return -1;
	if (!r->team)
		open_ahead(r);
	start = clock_now_ns();
	ends = loop_ends(r, more, err);
	if (ends == 1)
		ends = learn(r, err);
	if (ends == 1)
		ends = loop_fork(r, more, err);
	if (ends == 1 && search_on(r, err) < 0)
		ends = -1;
	if (ends == 1 && r->result->outcome == RUN_PROVEN && !options_bool(r->o, OPT_NO_PROVE) &&
	    prove_culprit(r, r->result->culprit, err) < 0)
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

static int settle_scope(struct run *r, struct options *o, struct scope_choice *ret, struct err *err)
{
	if (scope_settle(o, r->lab.repo, r->range, ret, err) < 0)
		return -1;
	if (ret->chosen)
		progress_event(r->progress, "scope %s: %s", build_scope_name(ret->scope), ret->why);
	if (ret->warning[0])
		progress_warn(r->progress, "%s", ret->warning);
	return 0;
}

/*
 * What is asked, and whether this machine can answer it; nothing of it is kept.
 * @scope: filled for a new run; NULL: it is settled
 */
static int ask(struct run *r, struct options *o, struct scope_choice *scope, struct err *err)
{
	char *repo = r->lab.repo;
	size_t ignored;

	if (halving_range_shown(r->o, repo, r->progress, &r->range, err) < 0 ||
	    (scope && settle_scope(r, o, scope, err) < 0) ||
	    halving_search_by(r->o, r->range, &(struct priors){ 0 }, &r->search, &ignored, err) <
		    0 ||
	    inputs_check(o, repo, err) < 0 || prove_check(o, repo, err) < 0)
		return -1;
	return lab_check(&r->lab, r->o, r->progress, repo, err);
}

/* The options name copies now, and so does what was taken from them. */
static int keep_inputs(struct run *r, struct options *o, struct err *err)
{
	const char *config;

	if (inputs_keep(o, r->store, r->dir, r->lab.repo, err) < 0 ||
	    disk_keep(o, r->store, r->lab.rig, err) < 0)
		return -1;
	lab_refresh(&r->lab);
	config = options_str(o, OPT_KCONFIG);
	if (!config)
		return 0;
	free(r->lab.kernel.config);
	r->lab.kernel.config = xstrdup(config);
	return 0;
}

/* All that a resume needs; the last of it says that the run has begun. */
static int keep(struct run *r, struct options *o, const struct replay *replay,
		const struct scope_choice *scope, struct err *err)
{
	if (fs_mkdirs(r->dir, err) < 0 || store_create(r->dir, &r->store, err) < 0 ||
	    replay_store(replay, r->range, r->store, err) < 0)
		return -1;
	if (replay->n)
		progress_event(r->progress, "%zu verdicts of %s count; %zu say nothing here",
			       replay->n, options_str(r->o, OPT_REPLAY), replay->n_unused);
	if (keep_inputs(r, o, err) < 0 || facts_scope(r->store, scope, err) < 0)
		return -1;
	return facts_start(r->store, r->o, r->lab.repo, r->range, &r->lab, err);
}

int run_start(struct options *o, const char *dir, struct progress *progress, struct run_result *ret,
	      struct err *err)
{
	struct run r = { .o = o, .dir = dir, .progress = progress, .result = ret };
	_cleanup_(replay_deinit) struct replay replay = { 0 };
	struct scope_choice scope;
	const char *where = options_str(o, OPT_REPO);
	int64_t start = clock_now_ns();
	int status;

	*ret = (struct run_result){ 0 };
	str_copy(ret->dir, sizeof(ret->dir), dir);
	status = range_discover(where ? where : ".", &r.lab.repo, err);
	if (!status)
		status = ask(&r, o, &scope, err);
	if (!status)
		status = replay_load(o, r.lab.repo, r.range, &replay, err);
	if (!status)
		status = loop_size_team(&r, err);
	if (!status)
		status = lab_open_rig(&r.lab, err);
	if (!status)
		status = keep(&r, o, &replay, &scope, err);
	if (!status)
		path_run_latest(dir);
	if (!status)
		status = go(&r, err);
	return finish(&r, status, start, err);
}

/* There must be something to prove; @over: the run's question is not read yet */
static int ask_again(struct run *r, struct options *o, bool over, struct err *err)
{
	_cleanup_free_ char *culprit = NULL;

	if (store_get(r->store, "culprit.commit", &culprit, err) < 0)
		return -1;
	if (!culprit)
		return err_set(err, ERR_USAGE, "%s: no commit %s", r->dir,
			       over ? "was named, so that there is none to prove"
				    : "is named yet; go on with: amdgpu-bisect resume");
	return over ? facts_question(r->store, o, &r->lab.repo, err) : 0;
}

/* @again: what was found is proven once more, though the run is over */
static int go_on(struct options *o, const char *dir, bool again, struct progress *progress,
		 struct run_result *ret, struct err *err)
{
	struct run r = { .o = o, .dir = dir, .progress = progress, .result = ret };
	int64_t start = clock_now_ns();
	int status;

	*ret = (struct run_result){ 0 };
	str_copy(ret->dir, sizeof(ret->dir), dir);
	status = store_open(dir, true, &r.store, err);
	if (!status)
		status = facts_recall(r.store, o, &r.lab.repo, ret, err);
	if (status >= 0 && again)
		status = ask_again(&r, o, status == 1, err);
	if (status == 1)
		return finish(&r, 0, start, err);
	if (!status)
		status = gate_hold(o, progress, &r.packages, err);
	if (!status)
		status = ask(&r, o, NULL, err);
	if (!status)
		status = loop_size_team(&r, err);
	if (!status)
		path_run_latest(dir);
	if (!status)
		status = go(&r, err);
	return finish(&r, status, start, err);
}

int run_resume(struct options *o, const char *dir, struct progress *progress,
	       struct run_result *ret, struct err *err)
{
	return go_on(o, dir, false, progress, ret, err);
}

int run_prove(struct options *o, const char *dir, struct progress *progress, struct run_result *ret,
	      struct err *err)
{
	return options_set(o, options_key(OPT_NO_PROVE), "false", ORIGIN_FLAG, err) < 0
		       ? -1
		       : go_on(o, dir, true, progress, ret, err);
}
