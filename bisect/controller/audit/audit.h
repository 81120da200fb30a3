/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Half-applied pairs: upstream changes that a tree carries without what upstream did about them later.
 *
 *     same ──► which upstream changes the tree carries
 *     named ──► follow-ups whose message names one of them
 *     rewritten ──► follow-ups that only rewrite what one of them wrote
 *     ranked ──► what a maintainer should read first
 *
 * Pure: commits come from range/audit, read by the command.
 */
#ifndef CONTROLLER_AUDIT_AUDIT_H
#define CONTROLLER_AUDIT_AUDIT_H

#include "range/audit/audit.h"

#define PAIR_NONE UINT32_MAX

/* How it is known that the tree has an upstream change, the surest first. */
enum carried_how {
	CARRIED_NOT,
	CARRIED_COMMIT,	  /* the same commit */
	CARRIED_NAMED,	  /* the tree's commit names it, or both name the same third */
	CARRIED_AUTHORED, /* the same subject and author's date, to the second */
	CARRIED_PATCH,	  /* the same subject and patch-id */
	CARRIED_HOWS
};

/** carried_how_name() - "not", "commit", "named", "subject and author's date", "subject and patch-id" */
const char *carried_how_name(enum carried_how how);

/* Why a commit is taken for a follow-up. */
enum pair_reason {
	PAIR_REVERTS,
	PAIR_FIXES,
	PAIR_BLAMES,
	PAIR_NAMES,
	PAIR_REWRITES, /* takes away lines that the change added, in the same function */
	PAIR_BESIDE,   /* changes lines right beside those that the change wrote */
	PAIR_REASONS
};

/* How sure it is that the tree needs it; docs/audit.md has the rules and how often each was right. */
enum pair_rank { RANK_CERTAIN, RANK_STRONG, RANK_LIKELY, RANK_POSSIBLE, RANKS };

/** rank_name() - "certain", "strong", "likely", "possible" */
const char *rank_name(enum pair_rank rank);

/* What lines tell of a pair; counts of lines that say something. */
struct pair_lines {
	uint32_t undone;  /* added by the change, taken away by the follow-up */
	uint32_t beside;  /* right beside a line of the change, taken away or added to */
	uint32_t in_tree; /* of those undone, still in the tree's function */
	uint32_t added;	  /* by the change in the functions shared */
	uint32_t removed; /* by the follow-up, in all functions */
};

struct pair {
	uint32_t carried; /* in upstream's list */
	uint32_t follow;  /* in upstream's list; the tree has it not */
	enum pair_reason reason;
	enum pair_rank rank;
	struct pair_lines lines;
	struct strv functions; /* "path: function" that both change */
	int32_t days;	       /* between the two, by their authors' dates */
	bool names_function;   /* the follow-up's subject names a function that both change */
	bool both_name_it;     /* and so does the change's */
};

struct audit_list {
	struct audit_commit **commits; /* [n], parents first; owned by an index */
	size_t n;
};

struct audit_rules {
	unsigned int distance_days; /* between a change and a follow-up that nobody names */
};

struct audit {
	struct audit_list upstream;
	struct audit_list tree;
	struct audit_rules rules;
	bool *old; /* [upstream.n] changes that are not asked about, or NULL */

	/* by audit_same() */
	uint32_t *carrier; /* [upstream.n] in the tree's list; PAIR_NONE: the tree never had it */
	enum carried_how *how; /* [upstream.n] CARRIED_NOT: never, or it was taken back */
	bool *undone;	       /* [upstream.n] reverted later, upstream */
	size_t n_carried;
	size_t n_picked; /* of them, not the same commit */

	struct pair *pairs;
	size_t n_pairs, cap_pairs;
};

void audit_deinit(struct audit *a);

/* Whether two commits are one patch: asked for few, as it costs two diffs. 1, 0, or -1 with @err. */
typedef int (*audit_same_patch)(void *arg, const char *upstream, const char *tree, struct err *err);

/**
 * audit_same() - which upstream changes the tree carries, and has not taken back
 * @a:     lists and rules set
 * @patch: NULL: patch-ids are not asked for
 */
int audit_same(struct audit *a, audit_same_patch patch, void *arg, struct err *err);

/**
 * audit_needs_lines() - which commits' lines the search for pairs that nobody names depends on
 * @ret: [upstream.n]
 * Return: how many they are.
 */
size_t audit_needs_lines(const struct audit *a, bool *ret);

/** audit_named() - add the pairs that messages tell of */
void audit_named(struct audit *a);

/** audit_rewritten() - add the pairs that only lines tell of; lines are there where they are needed */
void audit_rewritten(struct audit *a);

/** audit_pair_lines() - what lines tell of a pair; both have theirs */
void audit_pair_lines(const struct audit *a, struct pair *p);

/**
 * audit_in_tree() - look into the tree's own functions
 * Sets lines.in_tree of each pair, and drops those whose follow-up the tree has in other words: all lines
 * that it adds are there, and none of those that it takes away. One or two lines say too little for that.
 */
int audit_in_tree(struct audit *a, struct audit_tree *tree, size_t *dropped, struct err *err);

/** audit_rank() - rank all pairs, drop those below @min, and sort: surest first, then as upstream has them */
void audit_rank(struct audit *a, enum pair_rank min);

#endif
