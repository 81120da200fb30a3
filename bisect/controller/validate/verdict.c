// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The effect of a set of patches, by rules that are asked in order: see verdict.h.
 *
 * Both builds are measured in turns, so that what the machine does meanwhile meets both. Besides the bands of
 * judge/, made for a bisection where guests lie hours apart, a finer rule holds here: a row moved if none of its
 * copies was as fast as the slowest of the base, and its median is more than twice the base's and 10 ms.
 */
#include "controller/validate/verdict.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define MOVED_FACTOR 2
#define MOVED_NS     (10 * NS_PER_MS)

static const char *const names[] = {
	[EFFECT_REPAIRS] = "repairs",
	[EFFECT_BREAKS] = "breaks",
	[EFFECT_NONE] = "no effect",
	[EFFECT_CONTROL_MOVED] = "control moved",
	[EFFECT_SLOWER] = "slower, not quantised",
	[EFFECT_UNCLEAR] = "unclear",
	[EFFECT_UNTESTED] = "not tested",
};
static_assert(ARRAY_SIZE(names) == EFFECTS, "an effect has no name");

const char *effect_name(enum effect e)
{
	return (unsigned int)e < EFFECTS ? names[e] : "unknown";
}

__attribute__((format(printf, 4, 5))) static void say(struct effect_verdict *v, enum effect e,
						      const char *rule, const char *fmt, ...)
{
	va_list ap;

	v->effect = e;
	str_copy(v->rule, sizeof(v->rule), rule);
	va_start(ap, fmt);
	vsnprintf(v->reason, sizeof(v->reason), fmt, ap);
	va_end(ap);
}

/* A build that was not measured. Return: true if that is the verdict. */
static bool by_state(const struct validated *b, struct effect_verdict *ret)
{
	const char *why = b->why ? b->why : "";

	switch (b->state) {
	case BUILD_COLLIDES:
		say(ret, EFFECT_UNTESTED, "does-not-apply", "%s", why);
		return true;
	case BUILD_UNCHANGED:
		say(ret, EFFECT_NONE, "same-source", "it changes nothing in the base's source");
		return true;
	case BUILD_FAILED:
		say(ret, EFFECT_UNTESTED, "does-not-build", "%s", why);
		return true;
	case BUILD_SAME:
		say(ret, EFFECT_NONE, "same-artifact",
		    "it is built to the very artifact of the base; not booted");
		return true;
	case BUILD_UNTRIED:
		say(ret, EFFECT_UNTESTED, "no-measurement", "%s", why);
		return true;
	default:
		return false;
	}
}

static const struct measurement *row_of(const struct validated *v, const struct measurement *m)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->m[i].regime == m->regime && v->m[i].bytes == m->bytes &&
		    v->m[i].offset == m->offset)
			return &v->m[i];
	return NULL;
}

/* A row of one kind that moved by the finer rule, with the base's in *@was; NULL: none. */
static const struct measurement *moved(const struct validated *base, const struct validated *row,
				       bool controls, const struct measurement **was)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct measurement *m = &row->m[i], *b = row_of(base, m);

		if ((m->regime != REGIME_RW_RESIDENT) != controls || !b || !b->repeats ||
		    !m->repeats || m->min_ns <= b->max_ns ||
		    m->median_ns <= MOVED_FACTOR * b->median_ns + MOVED_NS)
			continue;
		*was = b;
		return m;
	}
	return NULL;
}

static void say_moved(struct effect_verdict *v, enum effect e, const struct measurement *m,
		      const struct measurement *b)
{
	say(v, e, "ranges-apart", "%s at %llu KiB took %.1f to %.1f ms, %.1f to %.1f in the base",
	    regime_name(m->regime), (unsigned long long)(m->bytes >> 10),
	    (double)m->min_ns / NS_PER_MS, (double)m->max_ns / NS_PER_MS,
	    (double)b->min_ns / NS_PER_MS, (double)b->max_ns / NS_PER_MS);
}

void validate_state(const struct validated *base, struct judgement *ret)
{
	judge(base->m, base->n, NULL, NULL, ret);
}

/* The base as the band of the other; where it waits for windows its own time of that is no measure. */
static void judge_row(const struct validated *base, const struct validated *row, bool base_is_bad,
		      struct judgement *ret)
{
	_cleanup_free_ struct baseline *band = xcalloc(1, sizeof(*band));

	for (size_t i = 0; i < base->n; i++)
		if (!base_is_bad || base->m[i].regime != REGIME_RW_RESIDENT)
			band->m[band->n++] = base->m[i];
	judge(row->m, row->n, band, NULL, ret);
}

static void by_windows(bool before, bool after, const struct judgement *j,
		       struct effect_verdict *ret)
{
	if (before && !after)
		say(ret, EFFECT_REPAIRS, "windows-gone", "%s", j->reason);
	else if (!before && after)
		say(ret, EFFECT_BREAKS, "windows-came", "%s", j->reason);
	else
		say(ret, EFFECT_NONE, after ? "windows-stay" : "no-windows", "%s", j->reason);
}

void validate_effect(const struct validated *base, const struct validated *row,
		     struct effect_verdict *ret)
{
	const struct measurement *m, *was = NULL;
	struct effect_verdict of_base;
	struct judgement b, j;

	if (by_state(row, ret))
		return;
	if (by_state(base, &of_base)) {
		say(ret, EFFECT_UNCLEAR, "base-not-measured", "the base: %s", of_base.reason);
		return;
	}
	validate_state(base, &b);
	if (b.verdict == VERDICT_WEAK) {
		say(ret, EFFECT_UNCLEAR, "base-unclear", "the base: %s", b.reason);
		return;
	}
	judge_row(base, row, b.verdict == VERDICT_BAD, &j);
	m = moved(base, row, true, &was);
	if (j.rule == RULE_CONTROL_WINDOWS || j.rule == RULE_CONTROL_MOVED)
		say(ret, EFFECT_CONTROL_MOVED, judge_rule_name(j.rule), "%s", j.reason);
	else if (m)
		say_moved(ret, EFFECT_CONTROL_MOVED, m, was);
	else if (j.rule == RULE_SLOW)
		say(ret, EFFECT_SLOWER, judge_rule_name(j.rule), "%s", j.reason);
	else if (j.verdict == VERDICT_WEAK)
		say(ret, EFFECT_UNCLEAR, judge_rule_name(j.rule), "%s", j.reason);
	else if (b.verdict == VERDICT_GOOD && j.verdict == VERDICT_GOOD &&
		 (m = moved(base, row, false, &was)))
		say_moved(ret, EFFECT_SLOWER, m, was);
	else
		by_windows(b.verdict == VERDICT_BAD, j.verdict == VERDICT_BAD, &j, ret);
}
