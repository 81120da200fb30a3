// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts of a run: see run_facts.h. */
#include "run_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "controller/kept/config.h"
#include "controller/kept/question.h"
#include "halving.h"

/* Killed while facts_start() wrote, a run holds too little to go on with. */
#define NOT_BEGUN "the run was ended before it began; remove its directory and start it anew"

static const struct {
	enum run_outcome outcome;
	const char *name;
} outcomes[] = {
	{ RUN_PROVEN, "proven" }, { RUN_SET, "set" },	      { RUN_END_WRONG, "end" },
	{ RUN_HOST, "host" },	  { RUN_STOPPED, "stopped" },
};

const char *facts_outcome_name(enum run_outcome o)
{
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		if (outcomes[i].outcome == o)
			return outcomes[i].name;
	return "unknown";
}

int facts_put(struct store *s, const struct fact *f, struct err *err)
{
	for (; f->key; f++) {
		_cleanup_free_ char *before = NULL;

		if (!f->value)
			continue;
		if (store_get(s, f->key, &before, err) < 0)
			return -1;
		if ((!before || strcmp(before, f->value) != 0) &&
		    store_set(s, f->key, f->value, err) < 0)
			return -1;
	}
	return 0;
}

static int set_num(struct store *s, const char *key, uint64_t value, struct err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return store_set(s, key, text, err);
}

int facts_probe(struct store *s, const struct options *o, const char *asked, struct err *err)
{
	static const enum option probe[] = { OPT_EXEC,	  OPT_EXEC_ARGS,   OPT_PACK, OPT_RULE,
					     OPT_REPEATS, OPT_PROBE_LIMIT, OPT_SCOPE };

	for (size_t i = 0; i < ARRAY_SIZE(probe); i++)
		if (kept_option_put(s, o, probe[i], err) < 0)
			return -1;
	return asked ? store_set(s, "probe.args", asked, err) : 0;
}

static int set_range(struct store *s, const struct range *range, struct err *err)
{
	_cleanup_free_ struct store_candidate *c = xcalloc(range->n, sizeof(*c));

	for (size_t i = 0; i < range->n_good; i++) {
		char key[32];

		snprintf(key, sizeof(key), "good.%zu", i);
		if (store_set(s, key, range->good_ids[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < range->n; i++) {
		str_copy(c[i].id, sizeof(c[i].id), range->commits[i].id);
		c[i].subject = range->commits[i].subject;
		c[i].node = (uint32_t)i;
	}
	if (store_set(s, "bad", range->bad_id, err) < 0 ||
	    set_num(s, "candidates.total", range->n, err) < 0 ||
	    set_num(s, "walked.total", range->n_walked, err) < 0)
		return -1;
	return store_add_candidates(s, c, range->n, err);
}

int facts_start(struct store *s, const struct options *o, const char *repo,
		const struct range *range, const struct lab *lab, struct err *err)
{
	_cleanup_buf_ struct buf paths = { 0 };
	_cleanup_free_ char *command = options_command(o, CMD_RUN, "run");
	_cleanup_free_ char *kernel_cc = config_compiler(lab->kernel.config);
	const struct strv *v = options_list(o, OPT_PATH);
	char date[32];

	for (size_t i = 0; i < v->n; i++)
		buf_printf(&paths, "%s%s", i ? " " : "", v->items[i]);
	clock_date_text(clock_date_s(), date, sizeof(date));
	if (kept_options_put(s, o, err) < 0 || set_range(s, range, err) < 0)
		return -1;
	return facts_put(s,
			 (struct fact[]){ { "run.started", date },
					  { "run.command", command },
					  { "repo", repo },
					  { "paths", paths.data },
					  { "scope", options_str(o, OPT_SCOPE) },
					  { "kernel.release", lab->kernel.release },
					  { "kernel.source", lab->kernel.source },
					  { "kernel.config", lab->kernel.config },
					  { "kernel.cc", kernel_cc },
					  { "build.cc", options_str(o, OPT_CC) },
					  { "probe.args", lab->probe_args },
					  { "tool.version", AMDGPU_BISECT_VERSION },
					  { NULL, NULL } },
			 err);
}

int facts_scope(struct store *s, const struct scope_choice *scope, struct err *err)
{
	return facts_put(s,
			 (struct fact[]){ { "build.scope.why", scope->why },
					  { "build.scope.warning",
					    scope->warning[0] ? scope->warning : NULL },
					  { NULL, NULL } },
			 err);
}

/* Ends are taken as the full ids they were at the start: a branch may have moved since. */
static int recall_ends(struct store *s, struct options *o, struct err *err)
{
	_cleanup_strv_ struct strv good = { 0 };
	_cleanup_free_ char *bad = NULL;

	for (size_t i = 0;; i++) {
		char key[32];
		char *id;

		snprintf(key, sizeof(key), "good.%zu", i);
		if (store_get(s, key, &id, err) < 0)
			return -1;
		if (!id)
			break;
		strv_take(&good, id);
	}
	if (store_get(s, "bad", &bad, err) < 0)
		return -1;
	if (!bad || !good.n)
		return err_set(err, ERR_USAGE, NOT_BEGUN);
	return halving_set_ends(o, (const char *const *)good.items, good.n, bad, ORIGIN_RUN, err);
}

static int recall_result(struct store *s, const char *outcome, struct run_result *result,
			 struct err *err)
{
	_cleanup_free_ char *culprit = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		if (strcmp(outcomes[i].name, outcome) == 0)
			result->outcome = outcomes[i].outcome;
	if (store_get(s, "culprit.commit", &culprit, err) < 0)
		return -1;
	if (culprit)
		str_copy(result->culprit, sizeof(result->culprit), culprit);
	return 1;
}

bool facts_begun(const char *dir)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ char *version = NULL;
	struct err ignored;

	/* the last that facts_start() writes */
	return store_open(dir, false, &s, &ignored) == 0 &&
	       store_get(s, "tool.version", &version, &ignored) == 0 && version;
}

int facts_question(struct store *s, struct options *o, char **repo, struct err *err)
{
	_cleanup_free_ char *where = NULL;

	if (store_get(s, "repo", &where, err) < 0)
		return -1;
	if (!where)
		return err_set(err, ERR_USAGE, NOT_BEGUN);
	if (kept_options(s, o, err) < 0 || recall_ends(s, o, err) < 0)
		return -1;
	*repo = take_ptr(where);
	return 0;
}

int facts_recall(struct store *s, struct options *o, char **repo, struct run_result *result,
		 struct err *err)
{
	_cleanup_free_ char *outcome = NULL;

	if (store_get(s, "run.outcome", &outcome, err) < 0)
		return -1;
	if (outcome && (strcmp(outcome, "proven") == 0 || strcmp(outcome, "set") == 0))
		return recall_result(s, outcome, result, err);
	return facts_question(s, o, repo, err);
}

int facts_lab(struct store *s, const struct lab *lab, struct err *err)
{
	const char *why = NULL;
	const char *accel = lab_accel(lab, &why);
	const char *start_why = NULL;
	const char *start = lab_start(lab, &start_why);

	return facts_put(s,
			 (struct fact[]){ { "run.outcome", "running" },
					  { "guest.accel", accel },
					  { "guest.accel_why", why },
					  { "guest.start", start },
					  { "guest.start_why", start_why },
					  { "build.tree", lab_tree(lab) },
					  { NULL, NULL } },
			 err);
}

int facts_left(struct store *s, size_t left, unsigned int steps, double confidence, struct err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%.4f", confidence);
	return set_num(s, "search.left", left, err) < 0 ||
			       set_num(s, "search.steps", steps, err) < 0 ||
			       (confidence >= 0 && store_set(s, "search.confidence", text, err) < 0)
		       ? -1
		       : 0;
}

char *facts_join(const struct strv *v)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < v->n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", v->items[i]);
	return buf_take(&b);
}

int facts_parents(struct store *s, const struct strv *parents, const struct strv *carried,
		  struct err *err)
{
	_cleanup_free_ char *all = facts_join(parents);
	_cleanup_free_ char *new = facts_join(carried);

	return facts_put(s,
			 (struct fact[]){ { "culprit.parents", all },
					  { "culprit.carried", carried->n ? new : NULL },
					  { NULL, NULL } },
			 err);
}

int facts_culprit(struct store *s, const char *id, const char *subject, struct err *err)
{
	return facts_put(s,
			 (struct fact[]){ { "culprit.commit", id },
					  { "culprit.subject", subject },
					  { NULL, NULL } },
			 err);
}

int facts_set(struct store *s, const struct range *range, const uint32_t *nodes, size_t n,
	      const char *why, struct err *err)
{
	_cleanup_strv_ struct strv ids = { 0 };
	_cleanup_free_ char *all = NULL;

	for (size_t i = 0; i < n; i++)
		strv_add(&ids, range->commits[nodes[i]].id);
	all = facts_join(&ids);
	return facts_put(s, (struct fact[]){ { "set", all }, { "set.why", why }, { NULL, NULL } },
			 err);
}

int facts_end_wrong(struct store *s, const char *which, const char *id,
		    const struct store_verdict *v, struct err *err)
{
	return facts_put(s,
			 (struct fact[]){ { "end.which", which },
					  { "end.commit", id },
					  { "end.verdict", verdict_name(v->verdict) },
					  { "end.why", v->reason },
					  { NULL, NULL } },
			 err);
}

int facts_end_again(struct store *s, struct err *err)
{
	static const char *const keys[] = { "end.which",  "end.commit", "end.verdict",
					    "end.why",	  "fork.base",	"fork.end",
					    "fork.state", "fork.story", "fork.next" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (store_set(s, keys[i], NULL, err) < 0)
			return -1;
	return 0;
}

int facts_outcome(struct store *s, enum run_outcome outcome, struct err *err)
{
	char date[32];

	clock_date_text(clock_date_s(), date, sizeof(date));
	return facts_put(s,
			 (struct fact[]){ { "run.outcome", facts_outcome_name(outcome) },
					  { "run.ended", date },
					  { NULL, NULL } },
			 err);
}
