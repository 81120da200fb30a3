// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The corners of the proof, from the stored trials. A corner is shown only by a trial that was made
 * for it (the culprit and its parents once more, or an end): one verdict on the way of the search is
 * no proof. What was not run is missing, and says so.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "reports/model.h"

static const char *const names[] = {
	[CORNER_PARENTS_GOOD] = "parents_good",	  [CORNER_ITSELF_BAD] = "itself_bad",
	[CORNER_TIP_WITHOUT] = "tip_without",	  [CORNER_TIP_WITH_FOLLOWUP] = "tip_with_followup",
	[CORNER_GOOD_END_WITH] = "good_end_with",
};
static_assert(ARRAY_SIZE(names) == CORNERS, "a corner has no name");

static const char *const titles[] = {
	[CORNER_PARENTS_GOOD] = "its parents are good",
	[CORNER_ITSELF_BAD] = "it is bad itself",
	[CORNER_TIP_WITHOUT] = "the tip without it is good",
	[CORNER_TIP_WITH_FOLLOWUP] = "the tip with the follow-up is good",
	[CORNER_GOOD_END_WITH] = "the good end with it applied is bad",
};
static_assert(ARRAY_SIZE(titles) == CORNERS, "a corner has no title");

static const char *const states[] = {
	[CORNER_SHOWN] = "shown",
	[CORNER_MISSING] = "missing",
	[CORNER_FAILED] = "failed",
};
static_assert(ARRAY_SIZE(states) == CORNER_STATES, "a state has no name");

const char *corner_name(enum corner c)
{
	return (unsigned int)c < CORNERS ? names[c] : "unknown";
}

const char *corner_title(enum corner c)
{
	return (unsigned int)c < CORNERS ? titles[c] : "unknown";
}

const char *corner_state_name(enum corner_state s)
{
	return (unsigned int)s < CORNER_STATES ? states[s] : "unknown";
}

/* The worst of several commits counts: failed, then missing, then shown. */
static void lower(struct report_corner *c, enum corner_state state, const char *id, const char *why)
{
	if (c->state == CORNER_FAILED || (c->state == state && *c->reason))
		return;
	c->state = state;
	snprintf(c->reason, sizeof(c->reason), "%.12s %s", id, why);
}

/* @confirm, @end: the two roles whose trials show this corner; @want: what they must have found */
static void add_commit(const struct report *r, struct report_corner *c, const char *id,
		       enum store_role confirm, enum store_role end, enum verdict want)
{
	const struct store_trial *t = report_last_trial(r, id, confirm);
	const enum verdict against = want == VERDICT_GOOD ? VERDICT_BAD : VERDICT_GOOD;
	char why[128];

	strv_add(&c->commits, id);
	if (!t)
		t = report_last_trial(r, id, end);
	if (!t) {
		lower(c, CORNER_MISSING, id, "was not tried once more");
		return;
	}
	c->trials = xrealloc(c->trials, c->n_trials + 1, sizeof(*c->trials));
	c->trials[c->n_trials++] = t->trial;
	c->windows += t->v.windows;
	c->predicted += t->v.predicted;
	if (t->v.verdict == want)
		return;
	snprintf(why, sizeof(why), "was %s, not %s, in trial %lld", verdict_name(t->v.verdict),
		 verdict_name(want), (long long)t->trial);
	lower(c, t->v.verdict == against ? CORNER_FAILED : CORNER_MISSING, id, why);
}

static void missing(struct report_corner *c, const char *why)
{
	c->state = CORNER_MISSING;
	str_copy(c->reason, sizeof(c->reason), why);
}

void report_prove(struct report *r)
{
	struct report_corner *parents = &r->corners[CORNER_PARENTS_GOOD];
	struct report_corner *itself = &r->corners[CORNER_ITSELF_BAD];

	if (!r->culprit)
		return;
	for (size_t i = 0; i < r->parents.n; i++)
		add_commit(r, parents, r->parents.items[i], ROLE_CONFIRM_PARENT, ROLE_GOOD_END,
			   VERDICT_GOOD);
	if (!r->parents.n)
		missing(parents, "no parent was tried");
	add_commit(r, itself, r->culprit, ROLE_CONFIRM, ROLE_BAD_END, VERDICT_BAD);
	for (enum corner c = CORNER_TIP_WITHOUT; c < CORNERS; c++)
		missing(&r->corners[c], "not part of this version");
}

struct report_line report_in_short(const struct report *r)
{
	const struct report_corner *parents = &r->corners[CORNER_PARENTS_GOOD];
	const struct report_corner *itself = &r->corners[CORNER_ITSELF_BAD];
	struct report_line l = { "" };
	int n = 0;

	if (itself->n_trials)
		n = snprintf(l.text, sizeof(l.text), "%u windows of the %u predicted",
			     itself->windows, itself->predicted);
	if (n && parents->n_trials)
		n += snprintf(l.text + n, sizeof(l.text) - (size_t)n, ", %u of %u in its parent%s",
			      parents->windows, parents->predicted,
			      parents->n_trials == 1 ? "" : "s");
	snprintf(l.text + n, sizeof(l.text) - (size_t)n,
		 "%sfound among %zu candidates in %zu trials", n ? "; " : "", r->n_candidates,
		 r->n_trials);
	return l;
}
