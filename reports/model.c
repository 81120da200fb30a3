// SPDX-License-Identifier: GPL-2.0-or-later
/* A stored run read whole: see model.h. */
#include "reports/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/history/history.h"
#include "reports/metric/metric.h"

const char *report_fact(const struct report *r, const char *key)
{
	for (size_t i = 0; i < r->keys.n; i++)
		if (strcmp(r->keys.items[i], key) == 0)
			return r->values.items[i];
	return NULL;
}

const char *report_fact_or(const struct report *r, const char *key, const char *other)
{
	const char *value = report_fact(r, key);

	return value ? value : other;
}

enum verdict report_old(const struct report *r)
{
	return r->fix ? VERDICT_BAD : VERDICT_GOOD;
}

enum verdict report_new(const struct report *r)
{
	return r->fix ? VERDICT_GOOD : VERDICT_BAD;
}

const char *report_word(const struct report *r, enum verdict v)
{
	if (v == report_old(r))
		return r->old_word;
	return v == report_new(r) ? r->new_word : verdict_name(v);
}

enum verdict report_part_is(const struct report *r, const struct report_subject *s)
{
	if (strcmp(s->part, "good-end") == 0)
		return VERDICT_GOOD;
	if (strcmp(s->part, "bad-end") == 0)
		return VERDICT_BAD;
	if (strcmp(s->part, "tested") == 0)
		return report_tested(r)->v.verdict;
	return strcmp(s->part, "culprit") == 0 || report_is_carried(r, s->id) ? report_new(r)
									      : report_old(r);
}

bool report_is_carried(const struct report *r, const char *id)
{
	return strv_has(&r->carried, id);
}

const struct store_trial *report_tested(const struct report *r)
{
	const char *id = report_fact(r, "test.commit");

	for (size_t i = id ? r->n_trials : 0; i > 0; i--) {
		const struct store_trial *t = &r->trials[i - 1];

		if (t->role == ROLE_TEST && strcmp(t->commit, id) == 0)
			return t->ended && t->v.verdict != VERDICT_HOST ? t : NULL;
	}
	return NULL;
}

const char *report_tested_words(const struct store_trial *t)
{
	static const char *const words[VERDICT_COUNT] = {
		[VERDICT_NONE] = "The commit tested was measured and not judged",
		[VERDICT_GOOD] = "The commit tested is good",
		[VERDICT_BAD] = "The commit tested is bad",
		[VERDICT_SKIP] = "The commit tested is skip",
		[VERDICT_WEAK] = "The commit tested is weak",
	};

	return words[t->v.verdict];
}

const char *report_state(const struct report *r)
{
	/* Of one revision by itself nothing says that it ended but its trial. */
	if (report_tested(r))
		return report_fact_or(r, "run.outcome", "tested");
	return report_fact_or(r, "run.outcome", "running");
}

bool report_is_own(const struct report *r)
{
	return *report_fact_or(r, "option.probe.exec", "") != '\0';
}

bool report_is_over(const struct report *r)
{
	const char *state = report_state(r);

	return strcmp(state, "proven") == 0 || strcmp(state, "set") == 0 ||
	       strcmp(state, "end") == 0 || strcmp(state, "tested") == 0;
}

const struct report_commit *report_commit(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->n_commits; i++)
		if (strcmp(r->commits[i].id, id) == 0)
			return &r->commits[i];
	return NULL;
}

const char *report_subject_of(const struct report *r, const char *id)
{
	const struct report_commit *c = report_commit(r, id);

	if (c && *c->subject)
		return c->subject;
	if (r->culprit && strcmp(r->culprit, id) == 0)
		return report_fact_or(r, "culprit.subject", "");
	return "";
}

const char *report_commit_title(const struct report *r, const struct report_commit *c)
{
	static const char *const why[] = {
		[ROLE_GOOD_END] = "(good end)",
		[ROLE_BAD_END] = "(bad end)",
		[ROLE_SEARCH] = "",
		[ROLE_CONFIRM] = "",
		[ROLE_CONFIRM_PARENT] = "(parent of the one found)",
		[ROLE_TEST] = "(tried by itself)",
		[ROLE_MERGE_BASE] = "(where an end forked off)",
		[ROLE_RETEST] = "",
		[ROLE_TURN] = "",
		[ROLE_TURN_CONFIRM] = "(parent of an earlier turn)",
		[ROLE_CANARY] = "",
		[ROLE_USER] = "(told by the user)",
		[ROLE_TIP] = "(the tip of the proof)",
		[ROLE_TIP_WITHOUT] = "(the tip without the one found)",
		[ROLE_TIP_WITH_FOLLOWUP] = "(the tip with the follow-up)",
		[ROLE_OLD_END_WITH] = "(the old end with the one found)",
		[ROLE_VALIDATE] = "(a build of the table)",
	};

	static_assert(ARRAY_SIZE(why) == ROLES, "a role has no words");
	for (size_t i = 0; !*c->subject && !c->candidate && i < r->n_trials; i++)
		if (strcmp(r->trials[i].commit, c->id) == 0)
			return why[r->trials[i].role];
	return c->subject;
}

static bool is_conclusive(const struct store_trial *t)
{
	return t->ended && (t->v.verdict == VERDICT_GOOD || t->v.verdict == VERDICT_BAD ||
			    t->v.verdict == VERDICT_SKIP);
}

const struct store_trial *report_last_trial(const struct report *r, const char *id,
					    enum store_role role)
{
	for (size_t i = r->n_trials; i > 0; i--) {
		const struct store_trial *t = &r->trials[i - 1];

		if (is_conclusive(t) && (role == ROLES || t->role == role) &&
		    strcmp(t->commit, id) == 0)
			return t;
	}
	return NULL;
}

int64_t report_stage_ns(const struct store_trial *t, const char *stage)
{
	for (size_t i = 0; i < t->n_stages; i++)
		if (strcmp(t->stages[i].stage, stage) == 0)
			return t->stages[i].elapsed_ns;
	return -1;
}

const struct measurement *report_row(const struct report_subject *s, const struct measurement *m)
{
	for (size_t i = 0; i < s->n_m; i++)
		if (s->m[i].regime == m->regime && s->m[i].bytes == m->bytes &&
		    s->m[i].offset == m->offset)
			return &s->m[i];
	return NULL;
}

static int keep_fact(const char *key, const char *value, void *arg)
{
	struct report *r = arg;

	strv_add(&r->keys, key);
	strv_add(&r->values, value);
	return 0;
}

static void add_ids(struct strv *v, const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text ? text : "");
	char *save = NULL;

	for (char *w = strtok_r(copy, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (str_is_commit_id(w))
			strv_add(v, w);
}

static void list_ends(struct report *r)
{
	for (unsigned int i = 0;; i++) {
		_cleanup_free_ char *key = str_printf("good.%u", i);
		const char *id = report_fact(r, key);

		if (!id)
			break;
		add_ids(&r->old, id);
	}
}

static void list_words(struct report *r)
{
	r->fix = strcmp(report_fact_or(r, "option.bisect.find", ""), "fix") == 0;
	r->old_word = report_fact_or(r, "option.bisect.termold", verdict_name(report_old(r)));
	r->new_word = report_fact_or(r, "option.bisect.termnew", verdict_name(report_new(r)));
	r->new = report_fact(r, "bad");
	if (r->new && !str_is_commit_id(r->new))
		r->new = NULL;
}

/*
 * The final verdict is the last conclusive one. A commit that was only ever weak, or that only the
 * rig failed on, says that.
 */
static void settle(const struct report *r, struct report_commit *c)
{
	const struct store_trial *last = report_last_trial(r, c->id, ROLES);

	for (size_t i = r->n_trials; !last && i > 0; i--)
		if (r->trials[i - 1].ended && strcmp(r->trials[i - 1].commit, c->id) == 0)
			last = &r->trials[i - 1];
	if (!last)
		return;
	c->v = last->v;
	c->trial = last->trial;
}

static void list_commits(struct report *r)
{
	r->commits = xcalloc(r->n_candidates + r->n_trials, sizeof(*r->commits));
	for (size_t i = 0; i < r->n_candidates; i++) {
		struct report_commit *c = &r->commits[r->n_commits++];

		memcpy(c->id, r->candidates[i].id, sizeof(c->id));
		c->subject = r->candidates[i].subject;
		c->node = r->candidates[i].node;
		c->candidate = true;
	}
	for (size_t i = 0; i < r->n_trials; i++) {
		struct report_commit *c;

		if (report_commit(r, r->trials[i].commit))
			continue;
		c = &r->commits[r->n_commits++];
		memcpy(c->id, r->trials[i].commit, sizeof(c->id));
		c->subject = "";
	}
	for (size_t i = 0; i < r->n_commits; i++)
		settle(r, &r->commits[i]);
}

static int add_subject_trial(struct store *s, struct report *r, const char *part,
			     const struct store_trial *t, struct err *err)
{
	struct report_subject *sub = &r->subjects[r->n_subjects];
	int n;

	sub->part = part;
	memcpy(sub->id, t->commit, sizeof(sub->id));
	sub->trial = t->trial;
	if (store_trial_samples(s, t->trial, &sub->samples, &sub->n_samples, err))
		return -1;
	r->n_subjects++;
	if (store_trial_kernel(s, t->trial, &sub->kernel, &sub->n_kernel, err))
		return -1;
	n = measure_samples(sub->samples, sub->n_samples, MEASURE_WINDOW_NS, sub->m, err);
	if (n < 0)
		return -1;
	sub->n_m = (size_t)n;
	return 0;
}

/* @role: the trial to show if there is one; else the commit's last. */
static int add_subject(struct store *s, struct report *r, const char *part, const char *id,
		       enum store_role role, struct err *err)
{
	const struct store_trial *t = report_last_trial(r, id, role);

	if (!t)
		t = report_last_trial(r, id, ROLES);
	return t ? add_subject_trial(s, r, part, t, err) : 0;
}

static int list_subjects(struct store *s, struct report *r, struct err *err)
{
	const char *old_end = r->fix ? "bad-end" : "good-end";
	enum store_role old_role = r->fix ? ROLE_BAD_END : ROLE_GOOD_END;
	const struct store_trial *tested = r->new ? NULL : report_tested(r);

	r->subjects = xcalloc(r->parents.n + r->old.n + 2, sizeof(*r->subjects));
	if (r->culprit) {
		if (add_subject(s, r, "culprit", r->culprit, ROLE_CONFIRM, err))
			return -1;
		for (size_t i = 0; i < r->parents.n; i++)
			if (add_subject(s, r, "parent", r->parents.items[i], ROLE_CONFIRM_PARENT,
					err))
				return -1;
		return 0;
	}
	if (r->new &&add_subject(s, r, r->fix ? "good-end" : "bad-end", r->new,
				 r->fix ? ROLE_GOOD_END : ROLE_BAD_END, err))
		return -1;
	/* Of `test` and of a gate, which have no new end: judged or not, it has its figures. */
	if (tested && add_subject_trial(s, r, "tested", tested, err))
		return -1;
	for (size_t i = 0; i < r->old.n; i++)
		if (add_subject(s, r, old_end, r->old.items[i], old_role, err))
			return -1;
	return 0;
}

/* Ids are printed without an escape, so they are held to be ids, wherever the file came from. */
static int check_ids(const struct report *r, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; i < r->n_candidates; i++)
		ok &= str_is_commit_id(r->candidates[i].id);
	for (size_t i = 0; i < r->n_trials; i++)
		ok &= str_is_commit_id(r->trials[i].commit);
	if (ok)
		return 0;
	return err_set(err, ERR_HOST,
		       "the run holds a commit id that is none; its run.db is damaged");
}

/* Of one place nothing is to be told. */
static bool has_places(const struct report *r)
{
	const char *first = NULL;

	for (size_t i = 0; i < r->n_trials; i++) {
		if (!r->trials[i].where[0])
			continue;
		if (first && strcmp(first, r->trials[i].where) != 0)
			return true;
		first = r->trials[i].where;
	}
	return false;
}

static int load(struct store *s, struct report *r, struct err *err)
{
	if (store_each_fact(s, keep_fact, r, err) ||
	    store_candidates(s, &r->candidates, &r->n_candidates, err) ||
	    store_trials(s, &r->trials, &r->n_trials, err))
		return -1;
	if (check_ids(r, err))
		return -1;
	for (size_t i = 0; i < r->n_trials; i++)
		r->n_made += r->trials[i].role != ROLE_USER;
	r->several = has_places(r);
	r->culprit = report_fact(r, "culprit.commit");
	if (r->culprit && !str_is_commit_id(r->culprit))
		r->culprit = NULL;
	list_ends(r);
	list_words(r);
	add_ids(&r->set, report_fact(r, "set"));
	if (r->culprit) {
		add_ids(&r->parents, report_fact(r, "culprit.parents"));
		add_ids(&r->carried, report_fact(r, "culprit.carried"));
	}
	list_commits(r);
	if (list_subjects(s, r, err) || metric_load(s, r, err))
		return -1;
	report_prove(r);
	return report_controls(s, r, err);
}

int report_load(struct store *s, struct report *ret, struct err *err)
{
	struct report r = { 0 };

	if (load(s, &r, err)) {
		report_deinit(&r);
		return -1;
	}
	*ret = r;
	return 0;
}

void report_deinit(struct report *r)
{
	for (size_t i = 0; i < CORNERS; i++) {
		strv_deinit(&r->corners[i].commits);
		free(r->corners[i].trials);
		free(r->corners[i].seen);
	}
	for (size_t i = 0; i < r->n_subjects; i++) {
		free(r->subjects[i].samples);
		free(r->subjects[i].kernel);
	}
	free(r->subjects);
	metric_free(r->metric);
	free(r->commits);
	free(r->trials);
	store_candidates_free(r->candidates, r->n_candidates);
	strv_deinit(&r->keys);
	strv_deinit(&r->values);
	strv_deinit(&r->old);
	strv_deinit(&r->parents);
	strv_deinit(&r->carried);
	strv_deinit(&r->set);
}

const char *report_end_which(const struct report *r)
{
	const char *which = report_fact(r, "end.which");
	enum verdict v;

	if (history_is_mended(r))
		return r->old_word;
	return which && verdict_parse(which, &v) ? report_word(r, v) : "good or bad";
}

const char *report_end_words(const struct report *r)
{
	if (history_is_mended(r))
		return " end lost the change on its own side";
	if (strcmp(report_fact_or(r, "end.verdict", ""), "skip") == 0)
		return " end cannot be tested; name a commit near it";
	return " end is not what was claimed";
}
