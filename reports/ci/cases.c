// SPDX-License-Identifier: GPL-2.0-or-later
/* A run as tests that pass or fail: see cases.h. */
#include "reports/ci/cases.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void add(struct ci_suite *s, const struct ci_case *c)
{
	s->cases = xrealloc(s->cases, s->n + 1, sizeof(*s->cases));
	s->cases[s->n++] = *c;
	s->count[c->state]++;
	s->elapsed_ns = clock_add_ns(s->elapsed_ns, c->elapsed_ns);
}

static enum ci_state state_of(enum verdict v)
{
	switch (v) {
	case VERDICT_GOOD:
		return CI_PASS;
	case VERDICT_BAD:
		return CI_FAIL;
	case VERDICT_SKIP:
	case VERDICT_WEAK:
		return CI_SKIP;
	default:
		return CI_ERROR;
	}
}

static int64_t time_of(const struct report *r, const char *id)
{
	int64_t ns = 0;

	for (size_t i = 0; i < r->n_trials; i++)
		if (strcmp(r->trials[i].commit, id) == 0)
			for (size_t k = 0; k < r->trials[i].n_stages; k++)
				ns = clock_add_ns(ns, r->trials[i].stages[k].elapsed_ns);
	return ns;
}

static bool was_begun(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->n_trials; i++)
		if (strcmp(r->trials[i].commit, id) == 0)
			return true;
	return false;
}

static void add_commits(const struct report *r, struct ci_suite *s)
{
	for (size_t i = 0; i < r->n_commits; i++) {
		const struct report_commit *c = &r->commits[i];
		const char *title = report_commit_title(r, c);
		struct ci_case k = { .rule = c->v.rule, .reason = c->v.reason };

		if (!was_begun(r, c->id))
			continue;
		k.state = state_of(c->v.verdict);
		if (!c->trial)
			k.reason = "its trial has not ended";
		k.elapsed_ns = time_of(r, c->id);
		k.name = str_printf("%.12s%s%s", c->id, *title ? " " : "", title);
		add(s, &k);
	}
}

static void add_corners(const struct report *r, struct ci_suite *s)
{
	static const enum ci_state states[] = {
		[CORNER_SHOWN] = CI_PASS,
		[CORNER_MISSING] = CI_SKIP,
		[CORNER_FAILED] = CI_FAIL,
	};

	for (enum corner i = 0; i < CORNERS; i++) {
		const struct report_corner *c = &r->corners[i];
		struct ci_case k = { .rule = corner_state_name(c->state), .reason = c->reason };

		k.state = states[c->state];
		k.name = xstrdup(corner_title(r, i).text);
		add(s, &k);
	}
}

/* Of a test by itself or a table of patches nothing says that it ended but its trials. */
static bool trials_ended(const struct report *r)
{
	const char *test = report_fact(r, "test.commit");

	if (test && !report_tested(r))
		return false;
	if (!test && !report_fact(r, "validate.rows"))
		return false;
	for (size_t i = 0; i < r->n_commits; i++)
		if (was_begun(r, r->commits[i].id) &&
		    (!r->commits[i].trial || r->commits[i].v.verdict == VERDICT_HOST))
			return false;
	return r->n_trials > 0;
}

static void add_run(const struct report *r, struct ci_suite *s)
{
	struct ci_case k = { .rule = report_state(r), .reason = "", .state = CI_PASS };

	k.name = xstrdup("the run came to its end");
	if (!report_is_over(r) && !trials_ended(r)) {
		k.state = CI_ERROR;
		k.reason = strcmp(k.rule, "host") == 0	    ? "this machine failed, no commit did"
			   : strcmp(k.rule, "stopped") == 0 ? "it was stopped before its end"
							    : "it goes on, or was interrupted";
		k.reason = report_fact_or(r, "run.why", k.reason);
	}
	add(s, &k);
}

void ci_collect(const struct report *r, struct ci_report *ret)
{
	*ret = (struct ci_report){ .n = 1 };
	ret->suites[0].name = "run";
	add_run(r, &ret->suites[0]);
	ret->suites[ret->n].name = "commits";
	add_commits(r, &ret->suites[ret->n]);
	ret->n += ret->suites[ret->n].n > 0; /* a plan of no tests is none in KTAP */
	if (!r->culprit)
		return;
	ret->suites[ret->n].name = "proof";
	add_corners(r, &ret->suites[ret->n++]);
}

void ci_deinit(struct ci_report *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->suites[i].n; k++)
			free(c->suites[i].cases[k].name);
		free(c->suites[i].cases);
	}
}
