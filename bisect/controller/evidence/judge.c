// SPDX-License-Identifier: GPL-2.0-or-later
/* Every verdict of a folder once more, from its samples alone: see evidence.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "controller/evidence/evidence.h"
#include "reports/words.h"

/* Measurements are large: one set for each that is needed. */
struct judging {
	const struct evidence *e;
	struct baseline *band;
	struct measurement *m;
	struct evidence_replay *ret;
	struct buf *differences;
};

static void judging_deinit(struct judging *g)
{
	free(g->band);
	free(g->m);
}

static int measure(const struct evidence *e, const char *name, struct measurement *ret, size_t *n,
		   size_t *n_samples, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	struct err why;
	int m;

	if (evidence_samples(e, name, &samples, n_samples, err) < 0)
		return -1;
	m = measure_samples(samples, *n_samples, e->window_ns, ret, &why);
	if (m < 0)
		return err_set(err, ERR_HOST, "%s/%s: %s", e->list.dir, name, why.msg);
	*n = (size_t)m;
	return 0;
}

static int read_band(struct judging *g, struct err *err)
{
	_cleanup_free_ char *name = NULL;
	size_t ignored;

	if (g->e->has_band_file)
		name = xstrdup("band.jsonl");
	else if (g->e->band_trial > 0)
		name = str_printf("samples/%" PRId64 ".jsonl", g->e->band_trial);
	return name ? measure(g->e, name, g->band->m, &g->band->n, &ignored, err) : 0;
}

static void differs(struct judging *g, const struct store_trial *t, const char *now)
{
	_cleanup_buf_ struct buf rule = { 0 };

	buf_plain(&rule, t->v.rule);
	g->ret->n_differ++;
	buf_printf(g->differences,
		   "trial %" PRId64 ", %.12s: recorded %s (%s, %u of %u windows), %s\n", t->trial,
		   t->commit, verdict_name(t->v.verdict), rule.data ? rule.data : "", t->v.windows,
		   t->v.predicted, now);
}

/* What stays weak after all retries is stored as a skip. */
static bool agrees(const struct store_verdict *v, const struct judgement *j)
{
	return (v->verdict == j->verdict ||
		(v->verdict == VERDICT_SKIP && j->verdict == VERDICT_WEAK)) &&
	       strcmp(v->rule, judge_rule_name(j->rule)) == 0 && v->windows == j->windows &&
	       v->predicted == j->predicted && v->off == j->off;
}

/* Whoever was tried before the band was known, or beside the end that set it, was judged without. */
static bool may_lack_band(const struct evidence *e, const struct store_trial *t)
{
	return t->trial <= e->band_trial || t->role == ROLE_GOOD_END || t->role == ROLE_BAD_END ||
	       t->role == ROLE_MERGE_BASE || t->role == ROLE_VALIDATE;
}

static int judge_trial(struct judging *g, const struct evidence_trial *et, struct err *err)
{
	const struct store_trial *t = &et->t;
	_cleanup_free_ char *name = str_printf("samples/%" PRId64 ".jsonl", t->trial);
	_cleanup_free_ char *now = NULL;
	struct judgement j;
	size_t n, n_samples;
	bool alone;

	if (measure(g->e, name, g->m, &n, &n_samples, err) < 0)
		return -1;
	if (n_samples != (size_t)et->n_samples)
		return err_set(err, ERR_HOST,
			       "%s/%s has %zu copies, and trial %" PRId64 " had %" PRId64,
			       g->e->list.dir, name, n_samples, t->trial, et->n_samples);
	g->ret->n_judged++;
	alone = t->role == ROLE_VALIDATE || t->trial == g->e->band_trial;
	judge(g->m, n, alone ? NULL : g->band, &g->e->limits, &j);
	if (!agrees(&t->v, &j) && may_lack_band(g->e, t))
		judge(g->m, n, alone ? g->band : NULL, &g->e->limits, &j);
	if (agrees(&t->v, &j))
		return 0;
	now = str_printf("judged again %s (%s, %u of %u windows)", verdict_name(j.verdict),
			 judge_rule_name(j.rule), j.windows, j.predicted);
	differs(g, t, now);
	return 0;
}

/* Its verdict is the one of another trial, which must be there. */
static void judge_same(struct judging *g, const struct store_trial *t)
{
	for (size_t i = 0; i < g->e->n; i++) {
		const struct store_trial *o = &g->e->trials[i].t;

		if (o->ended && !*o->same_as && strcmp(o->commit, t->same_as) == 0 &&
		    o->v.verdict == t->v.verdict && strcmp(o->v.rule, t->v.rule) == 0) {
			g->ret->n_same++;
			return;
		}
	}
	differs(g, t, "and no trial of the same artifact has that verdict");
}

/*
 * What was recorded of a trial without copies stands: it did not build, boot, load or end. Good and bad come from
 * copies, or of a replayed log from a person.
 */
static void keep_recorded(struct judging *g, const struct store_trial *t)
{
	if (t->ended && t->role != ROLE_USER &&
	    (t->v.verdict == VERDICT_GOOD || t->v.verdict == VERDICT_BAD))
		differs(g, t, "and no rule of judgement is called so");
	else
		g->ret->n_recorded++;
}

int evidence_judge(const struct evidence *e, struct evidence_replay *ret, struct buf *differences,
		   struct err *err)
{
	_cleanup_(judging_deinit) struct judging g = {
		.e = e,
		.band = xcalloc(1, sizeof(struct baseline)),
		.m = xcalloc(MEASURE_MAX, sizeof(struct measurement)),
		.ret = ret,
		.differences = differences,
	};

	*ret = (struct evidence_replay){ 0 };
	if (read_band(&g, err) < 0)
		return -1;
	for (size_t i = 0; i < e->n; i++) {
		const struct store_trial *t = &e->trials[i].t;
		enum judge_rule rule;

		if (stop_check(err) < 0)
			return -1;
		if (t->ended && *t->same_as)
			judge_same(&g, t);
		else if (!t->ended || !judge_rule_parse(t->v.rule, &rule))
			keep_recorded(&g, t);
		else if (judge_trial(&g, &e->trials[i], err) < 0)
			return -1;
	}
	return 0;
}
