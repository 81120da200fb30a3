// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The corners of the proof, from the stored trials. A corner is shown only by a trial that was made
 * for it (the culprit and its parents once more, or an end): one verdict on the way of the search is
 * no proof. What was not run is missing, and says so.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/metric/metric.h"
#include "reports/model.h"

static const char *const names[] = {
	[CORNER_PARENTS_GOOD] = "parents_good",	  [CORNER_ITSELF_BAD] = "itself_bad",
	[CORNER_TIP_WITHOUT] = "tip_without",	  [CORNER_TIP_WITH_FOLLOWUP] = "tip_with_followup",
	[CORNER_GOOD_END_WITH] = "good_end_with",
};
static_assert(ARRAY_SIZE(names) == CORNERS, "a corner has no name");

/* %s: the state before the change, or after it */
static const struct {
	const char *title;
	bool new;
} titles[] = {
	[CORNER_PARENTS_GOOD] = { "its parents are %s", false },
	[CORNER_ITSELF_BAD] = { "it is %s itself", true },
	[CORNER_TIP_WITHOUT] = { "the tip without it is %s", false },
	[CORNER_TIP_WITH_FOLLOWUP] = { "the tip with the follow-up is %s", false },
	[CORNER_GOOD_END_WITH] = { "the older end with it applied is %s", true },
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

struct report_line corner_title(const struct report *r, enum corner c)
{
	const char *word = titles[c].new ? r->new_word : r->old_word;
	struct report_line l;

	if (c == CORNER_GOOD_END_WITH && !r->fix)
		snprintf(l.text, sizeof(l.text), "the good end with it applied is %.60s", word);
	else
		snprintf(l.text, sizeof(l.text), titles[c].title, word);
	return l;
}

const char *corner_state_name(enum corner_state s)
{
	return (unsigned int)s < CORNER_STATES ? states[s] : "unknown";
}

/* The corners that need a commit which nobody made, and the roles of their trials. */
static const struct {
	enum corner corner;
	enum store_role role;
} made[] = {
	{ CORNER_TIP_WITHOUT, ROLE_TIP_WITHOUT },
	{ CORNER_TIP_WITH_FOLLOWUP, ROLE_TIP_WITH_FOLLOWUP },
	{ CORNER_GOOD_END_WITH, ROLE_OLD_END_WITH },
};

const char *corner_fact(const struct report *r, enum corner c, const char *key)
{
	_cleanup_free_ char *name = str_printf("proof.%s.%s", corner_name(c), key);

	return report_fact(r, name);
}

/* The worst of several commits counts: failed, then missing, then shown. */
static void lower(struct report_corner *c, enum corner_state state, const char *id, const char *why)
{
	if (c->state == CORNER_FAILED || (c->state == state && *c->reason))
		return;
	c->state = state;
	snprintf(c->reason, sizeof(c->reason), "%.12s %s", id, why);
}

static void add_seen(const struct report *r, struct report_corner *c, const struct store_trial *t)
{
	struct report_seen *seen;

	c->seen = xrealloc(c->seen, c->n_seen + 1, sizeof(*c->seen));
	seen = &c->seen[c->n_seen++];
	memcpy(seen->id, t->commit, sizeof(seen->id));
	if (!metric_seen(r, t, seen->text, sizeof(seen->text)))
		str_copy(seen->text, sizeof(seen->text), t->v.reason);
}

/* @want: what the trials that show this corner must have found: of @confirm, or of an end */
static void add_commit(const struct report *r, struct report_corner *c, const char *id,
		       enum store_role confirm, enum verdict want)
{
	const enum verdict against = want == VERDICT_GOOD ? VERDICT_BAD : VERDICT_GOOD;
	const struct store_trial *t = report_last_trial(r, id, confirm);
	char why[192];

	strv_add(&c->commits, id);
	if (!t)
		t = report_last_trial(r, id, want == VERDICT_GOOD ? ROLE_GOOD_END : ROLE_BAD_END);
	if (!t) {
		lower(c, CORNER_MISSING, id, "was not tried once more");
		return;
	}
	c->trials = xrealloc(c->trials, c->n_trials + 1, sizeof(*c->trials));
	c->trials[c->n_trials++] = t->trial;
	c->windows += t->v.windows;
	c->predicted += t->v.predicted;
	if (report_is_own(r))
		add_seen(r, c, t);
	if (t->v.verdict == want)
		return;
	if (t->v.verdict == VERDICT_SKIP)
		snprintf(why, sizeof(why), "cannot be tested (trial %lld): %.140s",
			 (long long)t->trial, t->v.reason);
	else
		snprintf(why, sizeof(why), "was %.60s, not %.60s, in trial %lld",
			 report_word(r, t->v.verdict), report_word(r, want), (long long)t->trial);
	lower(c, t->v.verdict == against ? CORNER_FAILED : CORNER_MISSING, id, why);
}

static void missing(struct report_corner *c, const char *why)
{
	c->state = CORNER_MISSING;
	str_copy(c->reason, sizeof(c->reason), why);
}

/* What the run says of a corner whose commit it made, or could not make. */
static void add_made(const struct report *r, struct report_corner *c, enum corner corner,
		     enum store_role role)
{
	const char *id = corner_fact(r, corner, "commit");
	const char *why = corner_fact(r, corner, "why");

	if (id && str_is_commit_id(id))
		add_commit(r, c, id, role, titles[corner].new ? report_new(r) : report_old(r));
	else
		missing(c, why ? why : "was not asked for; see amdgpu-bisect prove");
}

void report_prove(struct report *r)
{
	struct report_corner *parents = &r->corners[CORNER_PARENTS_GOOD];
	struct report_corner *itself = &r->corners[CORNER_ITSELF_BAD];

	if (!r->culprit)
		return;
	/* A parent that had the change before the ends proves nothing; the story of it is told. */
	for (size_t i = 0; i < r->parents.n; i++)
		if (!report_is_carried(r, r->parents.items[i]))
			add_commit(r, parents, r->parents.items[i], ROLE_CONFIRM_PARENT,
				   report_old(r));
	if (!parents->commits.n)
		missing(parents, "no parent was tried");
	add_commit(r, itself, r->culprit, ROLE_CONFIRM, report_new(r));
	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		add_made(r, &r->corners[made[i].corner], made[i].corner, made[i].role);
}

/* Each of several parents by its name. */
static void put_seen(struct buf *b, const struct report_corner *c)
{
	for (size_t i = 0; i < c->n_seen; i++)
		buf_printf(b, "%s%.12s%s%s", i ? "; " : "", c->n_seen > 1 ? c->seen[i].id : "",
			   c->n_seen > 1 ? ": " : "", c->seen[i].text);
}

char *report_in_short(const struct report *r)
{
	const struct report_corner *parents = &r->corners[CORNER_PARENTS_GOOD];
	const struct report_corner *itself = &r->corners[CORNER_ITSELF_BAD];
	const char *many = parents->n_trials == 1 ? "" : "s";
	struct buf b = { 0 };

	if (itself->n_seen)
		put_seen(&b, itself);
	else if (itself->n_trials)
		buf_printf(&b, "%u windows of the %u predicted", itself->windows,
			   itself->predicted);
	if (b.len && parents->n_seen) {
		buf_printf(&b, "; in its parent%s: ", many);
		put_seen(&b, parents);
	} else if (b.len && parents->n_trials) {
		buf_printf(&b, ", %u of %u in its parent%s", parents->windows, parents->predicted,
			   many);
	}
	buf_printf(&b, "%sfound among %zu candidates in %zu trials", b.len ? "; " : "",
		   r->n_candidates, r->n_made);
	return buf_take(&b);
}
