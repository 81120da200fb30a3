// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sixth step, for a program of the user's: what it did becomes a verdict, see rule.h.
 *
 * Asked in order, and the first that applies leads: a pattern on the console, how the trial ended, exit
 * codes, the metric. A pattern comes first since a guest that died of what the user looks for is no skip.
 */
#include "judge/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "wire/metrics.h"

/* As git-bisect(1) and shells have them. */
#define CODE_SKIP      125
#define CODE_NOT_RUN   126
#define CODE_NOT_FOUND 127
#define CODE_BAD_MAX   124

__attribute__((format(printf, 4, 5))) static bool lead(struct rule_verdict *ret, enum verdict v,
						       const char *rule, const char *fmt, ...)
{
	va_list ap;

	ret->verdict = v;
	str_copy(ret->rule, sizeof(ret->rule), rule);
	va_start(ap, fmt);
	vsnprintf(ret->reason, sizeof(ret->reason), fmt, ap);
	va_end(ap);
	return true;
}

/* The first line that one of the patterns is in, and which. */
static const struct rule *match(const struct rules *r, const char *console,
				char line[RULE_LINE_MAX])
{
	for (const char *at = console; *at;) {
		size_t len = strcspn(at, "\n");

		snprintf(line, RULE_LINE_MAX, "%.*s", (int)len, at);
		for (size_t i = 0; i < r->n; i++)
			if (r->items[i].kind == RULE_CONSOLE &&
			    regexec(&r->items[i].regex, line, 0, NULL, 0) == 0)
				return &r->items[i];
		at += len + (at[len] != '\0');
	}
	return NULL;
}

static bool by_console(const struct rules *r, const struct rule_facts *f, struct rule_verdict *ret)
{
	char line[RULE_LINE_MAX];
	const struct rule *rule = match(r, f->console, line);

	return rule && lead(ret, VERDICT_BAD, rule->name,
			    "the kernel said, as rule %s has it: %s%s%s", rule->name, line,
			    f->ended ? "; the trial ended as " : "", f->ended ? f->ended : "");
}

static bool by_code(const struct rules *r, const struct rule_facts *f, struct rule_verdict *ret)
{
	const struct rule *rule = rules_find(r, RULE_EXIT);

	for (size_t i = 0; i < f->n; i++) {
		int code = f->runs[i].code;
		const char *said = *f->note ? ": " : "";

		if (code == CODE_NOT_RUN || code == CODE_NOT_FOUND)
			return lead(ret, VERDICT_SKIP, "exit-not-run",
				    "the program could not be run (%d)%s%s", code, said, f->note);
		if (code == CODE_SKIP)
			return lead(ret, VERDICT_SKIP, "exit-skip",
				    "the program says that it cannot tell (125)%s%s", said,
				    f->note);
		if (code > CODE_BAD_MAX)
			return lead(ret, VERDICT_SKIP, "exit-signal",
				    "the program ended with %d, as a shell says of a signal%s%s",
				    code, said, f->note);
		if (code && !rule)
			return lead(ret, VERDICT_SKIP, "exit-failed",
				    "the program ended with %d, and no rule is for exit codes%s%s",
				    code, said, f->note);
		if (code)
			return lead(ret, VERDICT_BAD, rule->name,
				    "the program ended with %d in run %zu%s%s", code, i + 1, said,
				    f->note);
	}
	return false;
}

int rules_spread(const struct rules *r, const struct rule_run *runs, size_t n, struct spread *ret,
		 struct err *err)
{
	const struct rule *rule = rules_find(r, RULE_METRIC);
	double value[GAP_RUNS_MAX];

	if (!rule)
		return err_set(err, ERR_USAGE, "no rule is for a metric");
	if (!n || n > GAP_RUNS_MAX)
		return err_set(err, ERR_PROTOCOL, "%zu runs, 1 to %d wanted", n, GAP_RUNS_MAX);
	for (size_t i = 0; i < n; i++) {
		struct wire_metric m[WIRE_METRICS_MAX];
		int found = wire_metrics_parse(runs[i].output, strlen(runs[i].output), m, err);
		int k = 0;

		if (found < 0)
			return err_prefix(err, "the last line of run %zu has no metrics", i + 1);
		while (k < found && strcmp(m[k].name, rule->what) != 0)
			k++;
		if (k == found)
			return err_set(err, ERR_PROTOCOL, "run %zu has no metric %s", i + 1,
				       rule->what);
		value[i] = m[k].value;
	}
	spread_make(value, n, ret);
	return 0;
}

/* "11.9 to 13.1, median 12.4" */
struct figures {
	char text[96];
};
static struct figures figures(const struct spread *s)
{
	struct figures ret;

	snprintf(ret.text, sizeof(ret.text), "%.4g to %.4g, median %.4g", s->low, s->high,
		 s->median);
	return ret;
}

/* Before both ends are known. */
static bool by_first_end(const struct rule *rule, const struct rule_facts *f,
			 const struct spread *s, struct rule_verdict *ret)
{
	struct gap_ends ends = { .bad = *s };

	if (!f->ends || !f->ends->good.n)
		return lead(ret, f->claimed == RULE_END_GOOD ? VERDICT_GOOD : VERDICT_WEAK,
			    f->claimed == RULE_END_GOOD ? rule->name : "metric-without-ends",
			    f->claimed == RULE_END_GOOD
				    ? "%s is %s in %zu runs: what the good end has"
				    : "%s is %s in %zu runs, and no good end to hold it against",
			    rule->what, figures(s).text, s->n);
	ends.good = f->ends->good;
	if (f->claimed == RULE_END_BAD && gap_is_there(&ends))
		return lead(ret, VERDICT_BAD, rule->name,
			    "%s is %s in %zu runs, the good end's %s: %s is worse; chance of one "
			    "wrong verdict at most %.1g",
			    rule->what, figures(s).text, s->n, figures(&ends.good).text,
			    gap_higher_is_worse(&ends) ? "higher" : "lower",
			    gap_error(&ends, s->n));
	if (f->claimed == RULE_END_GOOD && !gap_is_there(&ends))
		return lead(ret, VERDICT_GOOD, rule->name, "%s is %s, the first good end's %s",
			    rule->what, figures(s).text, figures(&ends.good).text);
	return lead(ret, VERDICT_WEAK, "metric-overlap",
		    f->claimed == RULE_END_BAD
			    ? "the ends cannot be told apart by %s: %s here, %s at the good end; "
			      "make more runs (--repeats), or take another metric"
			    : "two good ends differ in %s: %s here, %s at the other",
		    rule->what, figures(s).text, figures(&ends.good).text);
}

static bool by_metric(const struct rules *r, const struct rule_facts *f, struct rule_verdict *ret)
{
	const struct rule *rule = rules_find(r, RULE_METRIC);
	struct spread s;
	enum verdict v;
	struct err err;

	if (!rule)
		return false;
	if (rules_spread(r, f->runs, f->n, &s, &err) < 0)
		return lead(ret, VERDICT_SKIP, "metric-missing", "%s", err.msg);
	if (s.n < GAP_RUNS_MIN)
		return lead(ret, VERDICT_SKIP, "metric-few",
			    "%s was measured in %zu runs, and fewer than %d have no range",
			    rule->what, s.n, GAP_RUNS_MIN);
	if (!f->ends || !f->ends->good.n || !f->ends->bad.n)
		return by_first_end(rule, f, &s, ret);
	/* Nothing lies on either side of a gap that is not there. */
	if (!gap_is_there(f->ends))
		return lead(ret, VERDICT_WEAK, "metric-overlap",
			    "the ends cannot be told apart by %s: good end %s, bad end %s",
			    rule->what, figures(&f->ends->good).text, figures(&f->ends->bad).text);
	v = gap_judge(f->ends, &s);
	return lead(ret, v, v == VERDICT_WEAK ? "metric-between" : rule->name,
		    "%s is %s in %zu runs%s; good end %s, bad end %s", rule->what, figures(&s).text,
		    s.n, v == VERDICT_WEAK ? ", in the middle of the gap" : "",
		    figures(&f->ends->good).text, figures(&f->ends->bad).text);
}

void rules_judge(const struct rules *r, const struct rule_facts *f, struct rule_verdict *ret)
{
	*ret = (struct rule_verdict){ 0 };
	if (by_console(r, f, ret))
		return;
	if (f->ended) {
		lead(ret, VERDICT_SKIP, f->ended, "%s", f->why);
		return;
	}
	if (by_code(r, f, ret) || by_metric(r, f, ret))
		return;
	lead(ret, VERDICT_GOOD, r->items[0].name, "%zu run%s ended with 0%s", f->n,
	     f->n == 1 ? "" : "s",
	     rules_find(r, RULE_CONSOLE) ? ", and the kernel said nothing that a rule names" : "");
}
