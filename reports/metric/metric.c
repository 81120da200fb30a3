// SPDX-License-Identifier: GPL-2.0-or-later
/* What each trial measured, and what that says: see metric.h. */
#include "reports/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* As names of figures end everywhere in kernels and their tests. */
static const char *unit_of(const char *name)
{
	static const char *const units[][2] = {
		{ "_ns", "ns" },       { "_us", "us" },	  { "_ms", "ms" },   { "_s", "s" },
		{ "_bytes", "bytes" }, { "_kib", "KiB" }, { "_mib", "MiB" }, { "_gib", "GiB" },
		{ "_pages", "pages" }, { "_hz", "Hz" },	  { "_mhz", "MHz" }, { "_fps", "fps" },
		{ "_percent", "%" },
	};

	/* "mib_per_s" is no time */
	for (size_t i = 0; !strstr(name, "_per_") && i < ARRAY_SIZE(units); i++)
		if (str_ends(name, units[i][0]))
			return units[i][1];
	return "";
}

/* A run of an older version, or a damaged one, may hold rules that are none: then nothing is told. */
static bool read_rules(const struct report *r, struct rules *ret)
{
	_cleanup_free_ char *text = xstrdup(report_fact_or(r, "option.probe.rule", ""));
	_cleanup_strv_ struct strv lines = { 0 };
	char *save = NULL;
	struct err ignored;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		strv_add(&lines, l);
	return report_is_own(r) && lines.n &&
	       rules_parse((const char *const *)lines.items, lines.n, ret, &ignored) == 0;
}

/* A trial that did not come to its runs, or whose runs lack the figure, measured nothing. */
static int read_trial(struct store *s, int64_t trial, const struct rules *rules, struct spread *ret,
		      struct metric_lack *lack, struct err *err)
{
	_cleanup_(store_own_deinit) struct store_own own = { 0 };
	_cleanup_free_ struct rule_run *runs = NULL;
	struct err ignored;

	if (store_trial_own(s, trial, &own, err) < 0)
		return -1;
	runs = xcalloc(own.n_runs + 1, sizeof(*runs));
	for (size_t i = 0; i < own.n_runs; i++)
		runs[i] = (struct rule_run){ own.runs[i].code, own.runs[i].output };
	lack->runs = own.n_runs;
	if (rules_spread(rules, runs, own.n_runs, ret, &ignored) == 0)
		return 0;
	for (size_t i = 0; i < own.n_runs; i++)
		lack->without += rules_spread(rules, &runs[i], 1, ret, &ignored) < 0;
	ret->n = 0;
	return 0;
}

/* The first trial that found what its end was claimed to be; without one, the last that has figures. */
static const struct store_trial *find_end(const struct report *r, enum store_role role,
					  enum verdict claimed)
{
	const struct store_trial *last = NULL;

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct store_trial *t = &r->trials[i];

		if (t->role != role || !metric_of(r, t))
			continue;
		if (t->ended && t->v.verdict == claimed)
			return t;
		last = t;
	}
	return last;
}

static void find_ends(struct report *r)
{
	struct metric *m = r->metric;

	m->good = find_end(r, ROLE_GOOD_END, VERDICT_GOOD);
	m->bad = find_end(r, ROLE_BAD_END, VERDICT_BAD);
	if (m->good)
		m->ends.good = *metric_of(r, m->good);
	if (m->bad)
		m->ends.bad = *metric_of(r, m->bad);
}

/* Between the ends of a range, or, where all ranges are points, between two of these. */
static void find_gap(struct metric *m, size_t n)
{
	double of_ranges = 0, of_points = 0;

	for (size_t i = 0; i < n; i++) {
		const struct spread *s = &m->of[i];
		double wide = s->n ? s->high - s->low : 0;

		if (wide > 0 && (of_ranges <= 0 || wide < of_ranges))
			of_ranges = wide;
		for (size_t k = 0; s->n && k < i; k++) {
			double apart = m->of[k].n ? fabs(m->of[k].median - s->median) : 0;

			if (apart > 0 && (of_points <= 0 || apart < of_points))
				of_points = apart;
		}
	}
	m->gap = of_ranges > 0 ? of_ranges : of_points;
}

int metric_load(struct store *s, struct report *r, struct err *err)
{
	_cleanup_(rules_deinit) struct rules rules = { 0 };
	const struct rule *rule;

	if (!read_rules(r, &rules))
		return 0;
	rule = rules_find(&rules, RULE_METRIC);
	if (!rule)
		return 0;
	r->metric = xcalloc(1, sizeof(*r->metric));
	str_copy(r->metric->what, sizeof(r->metric->what), rule->what);
	str_copy(r->metric->rule, sizeof(r->metric->rule), rule->name);
	r->metric->unit = unit_of(r->metric->what);
	r->metric->of = xcalloc(r->n_trials + 1, sizeof(*r->metric->of));
	r->metric->lack = xcalloc(r->n_trials + 1, sizeof(*r->metric->lack));
	for (size_t i = 0; i < r->n_trials; i++)
		if (read_trial(s, r->trials[i].trial, &rules, &r->metric->of[i],
			       &r->metric->lack[i], err) < 0)
			return -1;
	find_ends(r);
	find_gap(r->metric, r->n_trials);
	return 0;
}

void metric_free(struct metric *m)
{
	if (!m)
		return;
	free(m->of);
	free(m->lack);
	free(m);
}

const struct spread *metric_of(const struct report *r, const struct store_trial *t)
{
	const struct spread *s;

	if (!r->metric || !t)
		return NULL;
	s = &r->metric->of[t - r->trials];
	return s->n ? s : NULL;
}

bool metric_seen(const struct report *r, const struct store_trial *t, char *ret, size_t size)
{
	const struct spread *s = metric_of(r, t);

	if (!s || strcmp(t->v.rule, r->metric->rule) != 0)
		return false;
	snprintf(ret, size, "%.100s is %s to %s, median %s in %zu runs", r->metric->what,
		 metric_number(r, s->low).text, metric_number(r, s->high).text,
		 metric_number(r, s->median).text, s->n);
	return true;
}

static const struct store_trial *trial_of(const struct report *r, int64_t trial)
{
	for (size_t i = 0; i < r->n_trials; i++)
		if (r->trials[i].trial == trial)
			return &r->trials[i];
	return NULL;
}

const struct store_trial *metric_trial(const struct report *r, const struct store_trial *t)
{
	return t && *t->same_as ? report_last_trial(r, t->same_as, ROLES) : t;
}

static void add_row(const struct report *r, struct metric_row *rows, size_t *n, const char *part,
		    const struct store_trial *t)
{
	if (t)
		rows[(*n)++] = (struct metric_row){ part, t, metric_of(r, metric_trial(r, t)) };
}

size_t metric_rows(const struct report *r, struct metric_row **ret)
{
	struct metric_row *rows = xcalloc(r->n_subjects + 2, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < r->n_subjects; i++)
		if (!str_ends(r->subjects[i].part, "-end"))
			add_row(r, rows, &n, r->subjects[i].part,
				trial_of(r, r->subjects[i].trial));
	add_row(r, rows, &n, r->fix ? "bad-end" : "good-end",
		r->fix ? r->metric->bad : r->metric->good);
	add_row(r, rows, &n, r->fix ? "good-end" : "bad-end",
		r->fix ? r->metric->good : r->metric->bad);
	*ret = rows;
	return n;
}

const char *metric_is_like(const struct report *r, const struct spread *s)
{
	if (!s || !gap_is_there(&r->metric->ends))
		return "-";
	switch (gap_judge(&r->metric->ends, s)) {
	case VERDICT_GOOD:
		return "good end";
	case VERDICT_BAD:
		return "bad end";
	default:
		return "neither";
	}
}

static void ends_words(const struct metric *m, struct strv *ret)
{
	if (!m->good || !m->bad)
		return;
	if (gap_is_there(&m->ends))
		strv_addf(ret,
			  "The ranges of the ends do not overlap: %s is worse; chance of one wrong "
			  "verdict at most %.1g.",
			  gap_higher_is_worse(&m->ends) ? "higher" : "lower",
			  gap_error(&m->ends, m->ends.bad.n));
	else
		strv_addf(ret, "The ranges of the ends overlap: they cannot be told apart by %s.",
			  m->what);
}

void metric_words(const struct report *r, struct strv *ret)
{
	_cleanup_free_ struct metric_row *rows = NULL;
	size_t n = metric_rows(r, &rows);

	ends_words(r->metric, ret);
	for (size_t i = 1; i < n && r->culprit; i++) {
		struct gap_ends pair;

		if (strcmp(rows[i].part, "parent") != 0 || !rows[0].s || !rows[i].s)
			continue;
		pair = (struct gap_ends){ .good = *rows[i].s, .bad = *rows[0].s };
		strv_addf(ret, "Those of the culprit and its parent %.12s %s.", rows[i].t->commit,
			  gap_is_there(&pair) ? "do not overlap" : "overlap");
	}
}

/* Places before the point, less one; of less than 1 negative. */
static int places(double value)
{
	return value > 0 && isfinite(value) ? (int)floor(log10(value)) : 0;
}

struct word metric_number(const struct report *r, double value)
{
	double size = fabs(value), tenth = r->metric->gap / 10;
	int digits = size >= 1000 && size < 1e7 ? places(size) + 1 : 4;
	int most = size >= 1 && size < 1e11
			   ? 12
			   : 8; /* with a sign, a point and an exponent 15 characters */
	struct word w = { "" };

	if (size > 0 && tenth > 0 && places(size) - places(tenth) + 1 > digits)
		digits = places(size) - places(tenth) + 1;
	snprintf(w.text, sizeof(w.text), "%.*g", digits < most ? digits : most,
		 size > 0 ? value : 0);
	return w;
}

struct word metric_tick(double value, double step)
{
	int decimals = places(step) < 0 ? -places(step) : 0;
	int digits = places(fabs(value)) - places(step) + 1;
	struct word w = { "" };

	if (fabs(value) < step / 2)
		value = 0;
	if (fabs(value) < 1e7 && decimals <= 6)
		snprintf(w.text, sizeof(w.text), "%.*f", decimals, value);
	else
		snprintf(w.text, sizeof(w.text), "%.*g",
			 digits < 1    ? 1
			 : digits > 12 ? 12
				       : digits,
			 value);
	return w;
}

struct word metric_nothing(const struct report *r, const struct store_trial *t)
{
	const struct store_trial *by = metric_trial(r, t);
	const struct metric_lack *lack = by ? &r->metric->lack[by - r->trials] : NULL;
	struct word w = { "the trial measured nothing" };

	if (lack && lack->without)
		snprintf(w.text, sizeof(w.text),
			 "the trial measured nothing: %zu of %zu runs gave no number",
			 lack->without, lack->runs);
	return w;
}

struct word metric_label(const struct report *r)
{
	struct word w = { "" };

	snprintf(w.text, sizeof(w.text), "%.70s%s%s", r->metric->what,
		 *r->metric->unit ? ", in " : "", r->metric->unit);
	return w;
}
