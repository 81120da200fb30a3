// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sixth step: measurements become a verdict, see judge.h.
 *
 * The rules stand in one list and are asked in order; the first that applies leads. What could make
 * the figures mean something else comes first (a missing row, a control that is no control any
 * more), then what is windows but not the mechanism, then slowness, and only what passed all of
 * these can be bad or good. A wrong `weak` costs one more trial; a wrong `bad` or `good` sends the
 * whole search astray.
 */
#include "judge/judge.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "judge/rows.h"

/*
 * Controls take 0.2 to 20 ms, and up to some tens of ms where the guest is emulated on a busy
 * machine; the permanent cost of a writable mapping is 4 to 8 times that of a read-only one, in
 * every kernel, so the baseline's own row is what a row is held against. Three times a median
 * plus 100 ms forgives a busy machine, and a third of a second added to each call stands out of it
 * for every baseline below 115 ms. Without a baseline 250 ms stands between the two. The window
 * itself, 1000 ms, is far from all of these.
 */
const struct judge_limits judge_default_limits = {
	.band_factor = 3.0,
	.band_slack_ns = 100 * NS_PER_MS,
	.ceiling_ns = 250 * NS_PER_MS,
};

/* One too many or too few is allowed: the kernel counts its timeout in jiffies, and 200 restarts of
 * 1005 ms hold one more whole second than restarts. */
#define OFF_ALLOWED 1

static const char *const rule_names[] = {
	[RULE_NO_WINDOWS] = "no-windows",
	[RULE_MECHANISM] = "mechanism",
	[RULE_CONTROL_WINDOWS] = "control-windows",
	[RULE_CONTROL_MOVED] = "control-moved",
	[RULE_ONE_SIZE] = "one-size",
	[RULE_OFF_PREDICTION] = "off-prediction",
	[RULE_SLOW] = "slow",
	[RULE_INCOMPLETE] = "incomplete",
};
static_assert(ARRAY_SIZE(rule_names) == RULE_COUNT, "a rule has no name");

const char *judge_rule_name(enum judge_rule r)
{
	return (unsigned int)r < RULE_COUNT ? rule_names[r] : "unknown";
}

bool judge_rule_parse(const char *name, enum judge_rule *ret)
{
	for (unsigned int i = 0; i < RULE_COUNT; i++)
		if (strcmp(name, rule_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

static double as_ms(int64_t ns)
{
	return (double)ns / NS_PER_MS;
}

/* A rule applies: it leads. Always true, so that a rule can end with it. */
__attribute__((format(printf, 4, 5))) static bool rule_applies(const struct judge_facts *f,
							       enum judge_rule rule, enum verdict v,
							       const char *fmt, ...)
{
	va_list ap;

	f->ret->rule = rule;
	f->ret->verdict = v;
	va_start(ap, fmt);
	vsnprintf(f->ret->reason, sizeof(f->ret->reason), fmt, ap);
	va_end(ap);
	return true;
}

static const char *doubt_says(enum wire_doubt d)
{
	static const char *const says[] = {
		[DOUBT_NONE] = "",
		[DOUBT_CLOCKS] = "the guest's clocks disagree",
		[DOUBT_SUSPENDED] = "the guest slept meanwhile",
		[DOUBT_STOLEN] = "the host took the processor away",
	};

	static_assert(ARRAY_SIZE(says) == DOUBTS, "a doubt is not said");
	return (unsigned int)d < DOUBTS ? says[d] : "";
}

static bool row_is_incomplete(const struct judge_facts *f, const struct measurement *m)
{
	struct row_label size = row_size(m);

	for (enum wire_regime r = 0; r < REGIME_COUNT; r++)
		if (!row_find(f->m, f->n, r, m))
			return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
					    "%s was not measured at %s", regime_name(r), size.text);
	if (m->failed)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "%u of %u copies failed: %s, %s", m->failed,
				    m->failed + m->repeats, regime_name(m->regime), size.text);
	if (m->staged)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "copies were staged, not pinned, so they never met the driver: "
				    "%s, %s",
				    regime_name(m->regime), size.text);
	if (m->voided && !m->repeats)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "%u copies are void (%s): %s, %s", m->voided,
				    doubt_says(m->doubt), regime_name(m->regime), size.text);
	if (!m->repeats)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK, "no copy was counted: %s, %s",
				    regime_name(m->regime), size.text);
	if (m->regime != REGIME_RW_ABSENT && !m->resident)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "nothing was resident before the copy: %s, %s",
				    regime_name(m->regime), size.text);
	if (m->regime == REGIME_RW_ABSENT && m->resident)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "%s at %s had extents resident before the copy (%u)",
				    regime_name(m->regime), size.text, m->resident);
	return false;
}

static bool rule_incomplete(const struct judge_facts *f)
{
	bool two_sizes = false;

	if (!f->n)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK, "nothing was measured");
	for (size_t i = 0; i < f->n; i++) {
		if (row_is_incomplete(f, &f->m[i]))
			return true;
		two_sizes |= f->m[i].bytes != f->m[0].bytes;
	}
	if (!two_sizes)
		return rule_applies(f, RULE_INCOMPLETE, VERDICT_WEAK,
				    "one size was measured (%s), two are needed",
				    row_size(&f->m[0]).text);
	return false;
}

/* One copy is enough here: noise does not last a whole window, so something else happened. */
static bool rule_control_windows(const struct judge_facts *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct measurement *m = &f->m[i];

		if (row_is_control(m) && m->windows_max)
			return rule_applies(
				f, RULE_CONTROL_WINDOWS, VERDICT_WEAK,
				"a control shows windows (%u, %.1f ms) and must show none: %s, %s",
				m->windows_max, as_ms(m->max_ns), regime_name(m->regime),
				row_size(m).text);
	}
	return false;
}

static bool rule_control_moved(const struct judge_facts *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct measurement *m = &f->m[i];
		int64_t top = row_band_top(f, m);

		if (row_is_control(m) && m->median_ns > top)
			return rule_applies(f, RULE_CONTROL_MOVED, VERDICT_WEAK,
					    "a control left its band: %s, %s took %.1f ms, at most "
					    "%.1f ms expected",
					    regime_name(m->regime), row_size(m).text,
					    as_ms(m->median_ns), as_ms(top));
	}
	return false;
}

static bool rule_off_prediction(const struct judge_facts *f)
{
	for (size_t i = 0; rows_any_windows(f) && i < f->n; i++) {
		const struct measurement *m = &f->m[i];

		/* No window at all at this size is for rule_one_size() to say. */
		if (row_is_control(m) || !m->windows_max)
			continue;
		if (!m->windows_min)
			return rule_applies(f, RULE_OFF_PREDICTION, VERDICT_WEAK,
					    "windows in some copies only: %s, %s, 0 to %u windows, "
					    "%u predicted",
					    regime_name(m->regime), row_size(m).text,
					    m->windows_max, m->predicted);
		if (m->off > OFF_ALLOWED)
			return rule_applies(
				f, RULE_OFF_PREDICTION, VERDICT_WEAK,
				"%u windows where %u were predicted (off by %u): %s, %s, %.1f ms",
				m->windows, m->predicted, m->off, regime_name(m->regime),
				row_size(m).text, as_ms(m->median_ns));
	}
	return false;
}

/*
 * Windows that show the mechanism grow with the extents. A stall of the same length at every size
 * can lie within one window of each prediction (three at two and at four extents) and must not
 * pass, and sizes that predict the same cannot tell it from the mechanism.
 */
static bool rule_one_size(const struct judge_facts *f)
{
	const struct measurement *one = NULL;
	bool two_sizes = false, predictions_differ = false, windows_grow = false;

	for (size_t i = 0; i < f->n; i++) {
		if (!row_burns(&f->m[i]))
			continue;
		one = &f->m[i];
		for (size_t k = 0; k < f->n; k++) {
			if (!row_burns(&f->m[k]) || f->m[k].bytes == one->bytes)
				continue;
			two_sizes = true;
			predictions_differ |= f->m[k].predicted > one->predicted;
			windows_grow |= f->m[k].predicted > one->predicted &&
					f->m[k].windows > one->windows;
		}
	}
	if (!one || windows_grow)
		return false;
	if (!two_sizes)
		return rule_applies(
			f, RULE_ONE_SIZE, VERDICT_WEAK,
			"windows at one size only: %u of %u predicted at %s, none elsewhere",
			one->windows, one->predicted, row_size(one).text);
	if (!predictions_differ)
		return rule_applies(f, RULE_ONE_SIZE, VERDICT_WEAK,
				    "all sizes predict the same (%u), so a stall of %u s would "
				    "look alike; measure "
				    "sizes with different extents",
				    one->predicted, one->windows);
	return rule_applies(f, RULE_OFF_PREDICTION, VERDICT_WEAK,
			    "%u windows at every size, though more are predicted for more extents",
			    one->windows);
}

/* Windows at two sizes do not excuse a third that should have burnt several and burnt none. */
static bool rule_silent_size(const struct judge_facts *f)
{
	for (size_t i = 0; rows_any_windows(f) && i < f->n; i++) {
		const struct measurement *m = &f->m[i];

		if (!row_is_control(m) && m->off > OFF_ALLOWED)
			return rule_applies(
				f, RULE_OFF_PREDICTION, VERDICT_WEAK,
				"no windows where %u were predicted: %s, %s; others show them",
				m->predicted, regime_name(m->regime), row_size(m).text);
	}
	return false;
}

static bool rule_slow(const struct judge_facts *f)
{
	for (size_t i = 0; !rows_any_windows(f) && i < f->n; i++) {
		const struct measurement *m = &f->m[i];
		int64_t top = row_band_top(f, m);

		if (m->regime == REGIME_RW_RESIDENT && m->median_ns > top)
			return rule_applies(f, RULE_SLOW, VERDICT_WEAK,
					    "slow, but no windows: %s, %s took %.1f ms, at most "
					    "%.1f ms expected; "
					    "a different effect",
					    regime_name(m->regime), row_size(m).text,
					    as_ms(m->median_ns), as_ms(top));
	}
	return false;
}

/* Appends to a text of fixed size; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, size - len, fmt, ap);
	va_end(ap);
}

static bool rule_mechanism(const struct judge_facts *f)
{
	char figures[160] = "";

	if (!rows_any_windows(f))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (f->m[i].regime == REGIME_RW_RESIDENT)
			add(figures, sizeof(figures), "%s%u of %u predicted at %s (%.1f ms)",
			    *figures ? ", " : "", f->m[i].windows, f->m[i].predicted,
			    row_size(&f->m[i]).text, as_ms(f->m[i].median_ns));
	return rule_applies(f, RULE_MECHANISM, VERDICT_BAD,
			    "%s windows: %s%s; controls none, %.1f ms",
			    regime_name(REGIME_RW_RESIDENT), figures,
			    f->ret->off ? ", off by one" : "", as_ms(rows_slowest_ns(f, true)));
}

static bool rule_no_windows(const struct judge_facts *f)
{
	return rule_applies(
		f, RULE_NO_WINDOWS, VERDICT_GOOD,
		"no windows (the defect would show %u): %s at most %.1f ms, controls %.1f ms",
		f->ret->predicted, regime_name(REGIME_RW_RESIDENT),
		as_ms(rows_slowest_ns(f, false)), as_ms(rows_slowest_ns(f, true)));
}

static void sum_up(const struct judge_facts *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct measurement *m = &f->m[i];

		if (m->regime != REGIME_RW_RESIDENT)
			continue;
		f->ret->windows += m->windows;
		f->ret->predicted += m->predicted;
		if (rows_any_windows(f) && m->off > f->ret->off)
			f->ret->off = m->off;
	}
}

void judge(const struct measurement *m, size_t n, const struct baseline *base,
	   const struct judge_limits *limits, struct judgement *ret)
{
	static bool (*const rules[])(const struct judge_facts *) = {
		rule_incomplete,     rule_control_windows, rule_control_moved,
		rule_off_prediction, rule_one_size,	   rule_silent_size,
		rule_slow,	     rule_mechanism,	   rule_no_windows,
	};
	struct judge_facts f = {
		.m = m,
		.n = n,
		.base = base,
		.limits = limits ? limits : &judge_default_limits,
		.ret = ret,
	};

	*ret = (struct judgement){ .verdict = VERDICT_WEAK, .rule = RULE_INCOMPLETE };
	sum_up(&f);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i](&f))
			return;
}
