// SPDX-License-Identifier: GPL-2.0-or-later
/* Stored samples, and what is judged by them: see band.h. */
#include "controller/loop/band.h"

#include "base/cleanup.h"

static int measure_trial(struct store *s, int64_t trial, struct measurement *ret, size_t *n,
			 struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	size_t n_samples;
	int m;

	if (store_trial_samples(s, trial, &samples, &n_samples, err) < 0)
		return -1;
	m = measure_samples(samples, n_samples, MEASURE_WINDOW_NS, ret, err);
	if (m < 0)
		return -1;
	*n = (size_t)m;
	return 0;
}

int band_of(struct store *s, int64_t trial, struct baseline *ret, struct err *err)
{
	return measure_trial(s, trial, ret->m, &ret->n, err);
}

int band_allows(struct store *s, int64_t trial, const struct store_verdict *v,
		const struct baseline *base, struct err *err)
{
	struct measurement m[MEASURE_MAX];
	enum judge_rule rule;
	struct judgement j;
	size_t n;

	if ((v->verdict != VERDICT_GOOD && v->verdict != VERDICT_BAD) ||
	    !judge_rule_parse(v->rule, &rule))
		return 1;
	if (measure_trial(s, trial, m, &n, err) < 0)
		return -1;
	judge(m, n, NULL, NULL, &j);
	if (j.verdict != v->verdict) /* so it was judged by a band */
		return 1;
	judge(m, n, base, NULL, &j);
	return j.verdict == v->verdict;
}
