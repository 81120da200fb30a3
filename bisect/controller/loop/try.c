// SPDX-License-Identifier: GPL-2.0-or-later
/* One verdict on one commit, from the store or from the lab: see loop.h. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "controller/loop/loop.h"
#include "controller/rates.h"

bool loop_flaky(const struct run *r)
{
	return options_real(r->o, OPT_FLAKY) > 0;
}

const char *loop_word(const struct run *r, enum verdict v)
{
	if (v != VERDICT_GOOD && v != VERDICT_BAD)
		return verdict_name(v);
	return halving_is_old(r->o, v) ? r->words.old : r->words.new;
}

struct loop_name loop_name(const struct run *r, const char *id)
{
	long node = range_find(r->range, id);
	_cleanup_free_ char *subject = NULL;
	struct loop_name ret;
	struct err ignored;

	/* An end or a parent need not be a candidate; its subject is only for people. */
	if (node < 0 && range_subject(r->lab.repo, id, &subject, &ignored) < 0)
		subject = NULL;
	snprintf(ret.text, sizeof(ret.text), "%.12s %s", id,
		 node >= 0 ? r->range->commits[node].subject
		 : subject ? subject
			   : "");
	return ret;
}

static int64_t step_ns(const struct run *r)
{
	const char *scope = options_str(r->o, OPT_SCOPE);

	return rates_get(scope, "build") + rates_get(scope, "guest");
}

/* As wide as the longer of the two states' names, or "skip". */
static int word_columns(const struct run *r)
{
	size_t old = strlen(r->words.old), new = strlen(r->words.new);
	size_t most = old > new ? old : new;

	return most < 4 ? 4 : most > 12 ? 12 : (int)most;
}

void loop_show(struct run *r, const char *id, enum store_role role, const struct attempt *a)
{
	struct loop_name name = loop_name(r, id);
	_cleanup_free_ char *patches = xstrdup(a->patches);
	char took[32];

	clock_duration_text(a->elapsed_ns, took, sizeof(took));
	for (char *end = patches; (end = strchr(end, '\n'));)
		*end = ' ';
	progress_event(r->progress, "%-*s %s (%s, %s%s%s): %s", word_columns(r),
		       loop_word(r, a->v.verdict), name.text, store_role_name(role), took,
		       patches[0] ? ", patched by " : "", patches, a->v.reason);
}

int loop_try(struct run *r, const char *id, enum store_role role, unsigned int more,
	     struct attempt *ret, struct err *err)
{
	struct loop_name name = loop_name(r, id);
	const struct store_trial *t;

	if (r->team)
		return loop_try_there(r, id, role, more, ret, err);
	if (past_take(&r->past, id, role, &t)) {
		*ret = (struct attempt){ .trial = t->trial, .v = t->v };
		return 0;
	}
	r->step++;
	progress_step(r->progress, r->step, r->step + more, name.text, step_ns(r) * (more + 1));
	if (lab_try_hard(&r->lab, r->store, r->dir, id, role, r->has_base ? &r->base : NULL, ret,
			 err) < 0)
		return -1;
	progress_stage(r->progress, NULL, -1);
	loop_show(r, id, role, ret);
	return 0;
}

int loop_try_end(struct run *r, const char *id, enum store_role role, unsigned int more,
		 struct attempt *ret, struct err *err)
{
	if (loop_try(r, id, role, more, ret, err) < 0)
		return -1;
	if (ret->v.verdict != VERDICT_SKIP || strcmp(ret->v.rule, "build") == 0 ||
	    lab_tries_again(&ret->v)) /* that was tried twice */
		return 0;
	return loop_try(r, id, role, more, ret, err);
}

/* What two trials settle of which none found what the first one did. */
static struct store_verdict settle(const struct store_verdict *second,
				   const struct store_verdict *third)
{
	struct store_verdict ret = second->verdict == VERDICT_SKIP ? *second : *third;

	/* If they differ, one of them is a skip, and so is the commit. */
	ret.verdict = halving_settle(second->verdict, third->verdict);
	return ret;
}

int loop_repeat(struct run *r, struct search *search, const char *id, enum store_role role,
		enum verdict want, unsigned int more, enum verdict *ret, struct err *err)
{
	long node = range_find(r->range, id);
	struct attempt second, third;
	struct store_verdict v;

	if (loop_try(r, id, role, more, &second, err) < 0)
		return -1;
	v = second.v;
	/* Where trials may lie every one is weighed; one that tells nothing is made once more. */
	if (v.verdict != want && (!loop_flaky(r) || node < 0 || v.verdict == VERDICT_SKIP)) {
		progress_warn(r->progress, "%.12s was %s and is now %s; a third trial decides", id,
			      loop_word(r, want), loop_word(r, v.verdict));
		if (loop_try(r, id, role, more, &third, err) < 0)
			return -1;
		if (v.verdict == VERDICT_SKIP && third.v.verdict == VERDICT_SKIP)
			r->unconfirmed = "it or a parent of it could not be tested once more";
		v = third.v.verdict == want ? third.v : settle(&second.v, &third.v);
	}
	if (node >= 0)
		halving_tell(search, (uint32_t)node, &v);
	*ret = v.verdict;
	return 0;
}
