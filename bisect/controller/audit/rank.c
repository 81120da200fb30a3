// SPDX-License-Identifier: GPL-2.0-or-later
/* What a maintainer should read first: see audit.h; the rules stand in docs/audit.md. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "controller/audit/audit.h"

static const char *const rank_names[] = {
	[RANK_CERTAIN] = "certain",
	[RANK_STRONG] = "strong",
	[RANK_LIKELY] = "likely",
	[RANK_POSSIBLE] = "possible",
};
static_assert(ARRAY_SIZE(rank_names) == RANKS, "a rank has no name");

const char *rank_name(enum pair_rank rank)
{
	return (unsigned int)rank < RANKS ? rank_names[rank] : "unknown";
}

#define AT_ONCE_DAYS \
	14 /* a change and its follow-up are often of one series, or of one week's testing */

static bool has_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	for (; *s; s++)
		if (strncasecmp(s, word, len) == 0)
			return true;
	return false;
}

/* Words of a subject; the rest of a message says too much. */
static bool sounds_like_fix(const char *subject)
{
	static const char *const words[] = {
		"fix",	      "revert",	 "regress", "avoid",	    "prevent", "leak",
		"hang",	      "crash",	 "race",    "deadlock",	    "null",    "wrong",
		"correct",    "missing", "don't",   "do not",	    "restore", "overflow",
		"workaround", "broken",	 "error",   "out of bound", "uninit",  "invalid",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_word(subject, words[i]))
			return true;
	return false;
}

/* What changes no behaviour, whatever else its subject says. */
static bool sounds_like_cleanup(const char *subject)
{
	static const char *const words[] = {
		"style",   "typo",	 "comment",    "rename",     "clean up",
		"cleanup", "refactor",	 "kernel doc", "kernel-doc", "kdoc",
		"unused",  "whitespace", "indent",     "coding",     "spelling",
		"macro",   "helper",	 "drop ",      "obsolete",   "dead code",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_word(subject, words[i]))
			return true;
	return false;
}

/* "drm/amd/display: 3.2.256": its message only lists others. */
static bool is_version(const char *subject)
{
	const char *colon = strrchr(subject, ':');

	return colon && strspn(colon, ": .0123456789") == strlen(colon);
}

/* Of what a follow-up takes away, how much is the change's own work: at least one in @of. */
static bool is_about(const struct pair_lines *l, unsigned int of)
{
	return l->undone && l->undone * of >= l->removed;
}

static enum pair_rank rank_lines(const struct audit *a, const struct pair *p)
{
	const char *subject = a->upstream.commits[p->follow]->subject;
	bool picked = a->how[p->carried] > CARRIED_COMMIT;
	bool fix = sounds_like_fix(subject) || a->upstream.commits[p->follow]->words.cc_stable;

	if (p->both_name_it && picked)
		return RANK_LIKELY;
	if (sounds_like_cleanup(subject))
		return RANK_POSSIBLE;
	if (p->names_function && picked && fix)
		return RANK_LIKELY;
	if (p->reason != PAIR_REWRITES || !p->lines.in_tree)
		return RANK_POSSIBLE;
	if (picked && (is_about(&p->lines, 2) ||
		       ((fix || p->days <= AT_ONCE_DAYS) && is_about(&p->lines, 4))))
		return RANK_LIKELY;
	if (!picked && fix && is_about(&p->lines, 2))
		return RANK_LIKELY;
	return RANK_POSSIBLE;
}

static enum pair_rank rank_of(const struct audit *a, const struct pair *p)
{
	const char *subject = a->upstream.commits[p->follow]->subject;

	switch (p->reason) {
	case PAIR_REVERTS:
	case PAIR_FIXES:
		return RANK_CERTAIN;
	case PAIR_BLAMES:
		return sounds_like_cleanup(subject) || is_version(subject) ? RANK_POSSIBLE
									   : RANK_STRONG;
	case PAIR_NAMES:
		return RANK_POSSIBLE;
	default:
		return rank_lines(a, p);
	}
}

static int compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->follow != y->follow)
		return x->follow < y->follow ? -1 : 1;
	return (x->carried > y->carried) - (x->carried < y->carried);
}

void audit_rank(struct audit *a, enum pair_rank min)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_pairs; i++) {
		struct pair *p = &a->pairs[i];

		p->rank = rank_of(a, p);
		if (p->rank > min)
			strv_deinit(&p->functions);
		else
			a->pairs[n++] = *p;
	}
	a->n_pairs = n;
	if (n)
		qsort(a->pairs, a->n_pairs, sizeof(*a->pairs), compare);
}
