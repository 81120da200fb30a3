/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's own rules: which exit code, which figure and which words of the kernel make a commit bad.
 * Pure: what a program did in a guest comes in as data, and a verdict goes out with its reason.
 * Source: docs/judging.md, "The user's own rules".
 */
#ifndef JUDGE_RULE_H
#define JUDGE_RULE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/verdict.h"
#include "judge/gap.h"

#define RULES_MAX	 8
#define RULE_TEXT_MAX	 256	    /* of a rule, NUL included */
#define RULE_CONSOLE_MAX (64 << 10) /* of a console that is looked at [bytes] */
#define RULE_LINE_MAX	 256 /* of one line of it; the rest of a longer one is not looked at */

enum rule_kind {
	RULE_EXIT,    /* 0 good, 1 to 124 bad */
	RULE_METRIC,  /* a figure of the program's last line, against the ends */
	RULE_CONSOLE, /* words of the kernel, while the program ran */
	RULE_KINDS
};

struct rule {
	enum rule_kind kind;
	char name[32];		  /* for people; of the kind if the user gave none */
	char what[RULE_TEXT_MAX]; /* metric, preset or /REGEX/; "" for an exit code */
	regex_t regex;		  /* RULE_CONSOLE */
};

struct rules {
	struct rule items[RULES_MAX];
	size_t n;
};

/**
 * rules_parse() - the user's rules, one text each
 * @texts: [n] "[NAME: ]exit", "[NAME: ]metric METRIC", "[NAME: ]console PRESET|/REGEX/"; none at all stands
 *         for "exit"
 * @ret:   owned by the caller, rules_deinit(); written on success only
 * @err:   ERR_USAGE: which text, and what is meant; more than RULES_MAX, two metrics
 */
int rules_parse(const char *const *texts, size_t n, struct rules *ret, struct err *err);
void rules_deinit(struct rules *r);

/** rules_find() - the first of a kind, or NULL */
const struct rule *rules_find(const struct rules *r, enum rule_kind kind);

/** rule_presets() - names of the patterns that are known, as "oops|warn|..." */
const char *rule_presets(void);

/* One run of the program. */
struct rule_run {
	int code;	    /* exit code */
	const char *output; /* the last line of its stdout; "" if there is none */
};

enum rule_end { RULE_END_NONE, RULE_END_GOOD, RULE_END_BAD };

struct rule_facts {
	const struct rule_run *runs; /* [n], those that ended by themselves */
	size_t n;
	const char *note;      /* the last that it said besides, for people; may be "" */
	const char *console;   /* lines of the kernel from the candidate's modules on; may be "" */
	const char *ended;     /* how the trial ended, "panic"; NULL: all runs were made */
	const char *why;       /* with @ended: one line */
	enum rule_end claimed; /* an end of the range is tried, and claimed to be so */
	const struct gap_ends *ends; /* what the ends measured so far, or NULL */
};

struct rule_verdict {
	enum verdict verdict; /* GOOD, BAD, WEAK, SKIP */
	char rule[32];	      /* of the rule that led, or @ended */
	char reason[512];
};

/**
 * rules_judge() - one trial to a verdict
 * @ret: always written
 *
 * A pattern that shows is bad, however the trial ended. A trial that ended otherwise is a skip, and so is a
 * code of 125 and above. Then codes, then the metric; what passes them all is good.
 */
void rules_judge(const struct rules *r, const struct rule_facts *f, struct rule_verdict *ret);

/**
 * rules_spread() - the metric of one trial's runs
 * @ret: written on success only
 * @err: ERR_PROTOCOL: a run that does not have it; ERR_USAGE: no rule asks for one
 */
int rules_spread(const struct rules *r, const struct rule_run *runs, size_t n, struct spread *ret,
		 struct err *err);

#endif
