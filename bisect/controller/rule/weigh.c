// SPDX-License-Identifier: GPL-2.0-or-later
/* After a trial: what the user's program did becomes rows, and the rows a verdict. See rule.h. */
#include "controller/rule/rule.h"

#include <string.h>

#include "base/cleanup.h"

/* What judges has only what is stored, so that it can be judged again. */
static int keep(struct store *s, int64_t trial, const struct trial *t, struct err *err)
{
	_cleanup_free_ struct store_run *runs = xcalloc(t->n_runs + 1, sizeof(*runs));
	bool done = t->end == TRIAL_DONE;
	const struct store_own own = {
		.runs = runs,
		.n_runs = t->n_runs,
		.console = t->console ? t->console : (char *)"",
		.said = (char *)t->said,
		.ended = (char *)(done ? "" : trial_end_name(t->end)),
		.why = (char *)(done ? "" : t->reason),
	};

	for (size_t i = 0; i < t->n_runs; i++)
		runs[i] = (struct store_run){ .code = t->runs[i].code,
					      .elapsed_ns = t->runs[i].elapsed_ns,
					      .output = t->runs[i].output };
	return store_own(s, trial, &own, err);
}

static enum rule_end claimed(enum store_role role)
{
	return role == ROLE_GOOD_END  ? RULE_END_GOOD
	       : role == ROLE_BAD_END ? RULE_END_BAD
				      : RULE_END_NONE;
}

static struct rule_run *runs_of(const struct store_own *own)
{
	struct rule_run *ret = xcalloc(own->n_runs + 1, sizeof(*ret));

	for (size_t i = 0; i < own->n_runs; i++)
		ret[i] = (struct rule_run){ own->runs[i].code, own->runs[i].output };
	return ret;
}

int own_recall(const struct own *own, struct store *s, int64_t trial, enum store_role role,
	       const struct baseline *base, struct rule_verdict *ret, struct err *err)
{
	_cleanup_(store_own_deinit) struct store_own was = { 0 };
	_cleanup_free_ struct rule_run *runs = NULL;
	struct rule_facts f;

	*ret = (struct rule_verdict){ 0 };
	if (store_trial_own(s, trial, &was, err) < 0)
		return -1;
	if (!was.ended)
		return 0;
	runs = runs_of(&was);
	f = (struct rule_facts){
		.runs = runs,
		.n = was.n_runs,
		.note = was.said,
		.console = was.console,
		.ended = was.ended[0] ? was.ended : NULL,
		.why = was.why,
		.claimed = claimed(role),
		.ends = base ? &base->ends : NULL,
	};
	rules_judge(&own->rules, &f, ret);
	return 0;
}

int own_weigh(const struct own *own, struct store *s, int64_t trial, const struct trial *t,
	      enum store_role role, const struct baseline *base, bool last,
	      struct store_verdict *ret, struct err *err)
{
	struct rule_verdict v;

	if (keep(s, trial, t, err) < 0 || own_recall(own, s, trial, role, base, &v, err) < 0)
		return -1;
	ret->verdict = v.verdict == VERDICT_WEAK && last ? VERDICT_SKIP : v.verdict;
	str_copy(ret->rule, sizeof(ret->rule), v.rule);
	str_copy(ret->reason, sizeof(ret->reason), v.reason);
	return 0;
}

int own_recall_end(const struct own *own, struct store *s, int64_t trial, enum store_role role,
		   struct gap_ends *ends, struct err *err)
{
	struct spread *end = role == ROLE_GOOD_END ? &ends->good : &ends->bad;
	_cleanup_(store_own_deinit) struct store_own was = { 0 };
	_cleanup_free_ struct rule_run *runs = NULL;
	struct spread got;

	if (!rules_find(&own->rules, RULE_METRIC) || end->n)
		return 0;
	if (store_trial_own(s, trial, &was, err) < 0)
		return -1;
	runs = runs_of(&was);
	if (rules_spread(&own->rules, runs, was.n_runs, &got, err) < 0)
		return -1;
	*end = got;
	return 0;
}
