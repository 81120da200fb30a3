/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sixth step: measurements become a verdict. Pure. `bad` needs the mechanism, not slowness; the
 * rules are those of docs/judging.md, each with its own reason, so a report can say which one led.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/verdict.h"
#include "judge/gap.h"
#include "measure/measure.h"

enum judge_rule {
	RULE_NO_WINDOWS,      /* good: complete, no windows anywhere, every regime in its band */
	RULE_MECHANISM,	      /* bad: windows match the prediction at two sizes, controls clean */
	RULE_CONTROL_WINDOWS, /* weak: a control shows windows */
	RULE_CONTROL_MOVED,   /* weak: a control left the band the baseline set */
	RULE_ONE_SIZE,	      /* weak: windows at one size only, or sizes that predict the same */
	RULE_OFF_PREDICTION,  /* weak: windows, but not those predicted */
	RULE_SLOW, /* weak: rw-p resident slow beyond its band, not quantised: a different effect */
	RULE_INCOMPLETE, /* weak: a regime or size is missing, a copy failed, nothing was resident */
	RULE_COUNT
};
/** judge_rule_name() - "no-windows", "mechanism", ...; never NULL */
const char *judge_rule_name(enum judge_rule r);
/** judge_rule_parse() - the inverse; false for any other text */
bool judge_rule_parse(const char *name, enum judge_rule *ret);

/* What the good end measured; the band that the others must stay in. */
struct baseline {
	struct measurement m[MEASURE_MAX];
	size_t n; /* 0: no baseline; only absolute ceilings are used */
	struct gap_ends ends; /* where a metric is judged: what the ends had so far */
};

struct judge_limits {
	double band_factor;    /* a regime's median may be this times the baseline's median ... */
	int64_t band_slack_ns; /* ... plus this [ns] */
	int64_t ceiling_ns;    /* where the baseline has no such row it may be this at most [ns] */
};

/* Defaults, with where they come from in judge.c. */
extern const struct judge_limits judge_default_limits;

struct judgement {
	enum verdict verdict; /* GOOD, BAD or WEAK */
	enum judge_rule rule;
	char reason[256];   /* one line with the figures */
	uint32_t windows;   /* rw-p resident, medians summed over sizes */
	uint32_t predicted; /* likewise */
	uint32_t off;	    /* largest |windows - prediction| where windows were seen; a good
				 * candidate burns none of those predicted, which is no deviation */
};

/**
 * judge() - measurements to a verdict
 * @m:      [n] of one trial, as measure_samples() orders them
 * @base:   the good end's; NULL or n == 0: none
 * @limits: NULL: judge_default_limits
 * @ret:    always written
 *
 * Source: the rules in docs/judging.md.
 */
void judge(const struct measurement *m, size_t n, const struct baseline *base,
	   const struct judge_limits *limits, struct judgement *ret);

#endif
