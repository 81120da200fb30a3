/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Second step: candidates and verdicts say what to try next. Pure: no I/O, no clock, no chance; the
 * same verdicts always give the same answer, so a resumed run goes on where it stood.
 *
 * Nodes are 0..n-1 in topological order. A commit is in the old state or in the new one: good and bad
 * when a regression is searched, bad and good when a fix is. "Left" are the nodes that could be the
 * first new one: ancestors of every new node and of no old one, a node counting as its own ancestor.
 *
 * When none of the left can be tried any more, "witnesses" are: nodes that are not left and have a part
 * of the left among their ancestors, like a side branch on which a broken build was mended. So the set
 * that is named in the end is the smallest one by all commits that can be tried; but for what is taken
 * to be blocked (search_block()) and not tried, what lies above a strand that inherited
 * (search_inherit()), and where very many witnesses fail: blocks/witness.c.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/verdict.h"

struct search_graph {
	size_t n;
	const uint32_t *first;	 /* [n+1]: node i's parents are parents[first[i]..first[i+1]) */
	const uint32_t *parents; /* each smaller than its child */
	uint32_t bad;		 /* node known to be new at the start (the new end) */
	const uint32_t *weights; /* [n] as search_weights() gave them for this graph, or NULL */
	const double *
		priors; /* [n] > 0, how likely each is before any trial, in any unit; NULL: alike */
};

enum search_find {
	SEARCH_REGRESSION, /* the first bad one */
	SEARCH_FIX,	   /* the first good one */
};

struct search_rules {
	enum search_find find;
	double flaky; /* chance that a bad commit's trial finds nothing, 0 to 0.45; 0: trials do
			    * not lie. A bad verdict is never chance: it needs the mechanism. */
	double confidence; /* asked for before a culprit is named, 0.5 to 0.9999; with flaky > 0 only */
};

enum search_action {
	SEARCH_TEST,	      /* try node, one of the left or a witness */
	SEARCH_FOUND,	      /* node is the first new one: all its parents are old or excluded */
	SEARCH_SET,	      /* only a set can be named: what is left cannot be tested, and nobody
			       * else knows more; one node, if it is the answer but cannot be tested */
	SEARCH_CONTRADICTION, /* a new node is an ancestor of an old one: node, other, the last turn
			       * if there are several, or the new end is old itself; or no node
			       * left is an ancestor of two new ones: node, other */
};

struct search_step {
	enum search_action action;
	uint32_t node;	/* SEARCH_SET: the lowest new one that has all of the set below */
	uint32_t other; /* SEARCH_CONTRADICTION: the old descendant, or the second new node */
	uint32_t *
		set; /* SEARCH_SET: the nodes, ascending; owned by the search, until its next call */
	size_t n_set;
	const uint32_t *blockers; /* SEARCH_SET: what hides the answer, each once; owned as @set */
	size_t n_blockers;
	size_t left;	    /* nodes that could still be the first new one */
	uint32_t weight;    /* SEARCH_TEST: left ancestors of node, itself included if it is left */
	unsigned int steps; /* SEARCH_TEST: expected further tests, this one included */
	double chance;	    /* SEARCH_TEST: how likely the trial finds node new, 0 to 1 */
	double confidence; /* of the likeliest node, by the trials alone; 1 (SEARCH_FOUND) or 0 where
			     * trials do not lie */
	bool carried;	   /* SEARCH_FOUND: a parent of node was new before, search_inherit(), so
			     * node is the merge that carried the change in. If no parent of it is
			     * old, it is the new end, and all of its history was new before. */
};

struct search;

/**
 * search_create() - copies the graph
 * @rules: NULL: a regression, and trials that do not lie
 * @err:   ERR_USAGE if the graph is not topological or empty, or a rule is out of its bounds
 */
int search_create(const struct search_graph *graph, const struct search_rules *rules,
		  struct search **ret, struct err *err);
void search_destroy(struct search *s);
DEFINE_CLEANUP(struct search *, search_destroy)

/**
 * search_set() - tell a verdict: GOOD, BAD or SKIP (a weak that stays weak is told as SKIP)
 * A later call for the same node replaces the earlier one, but where trials may lie good and bad
 * verdicts add up, and a SKIP leaves them as they are. NONE takes back all that was told of the node.
 * The order of calls for different nodes makes no difference.
 */
void search_set(struct search *s, uint32_t node, enum verdict v);

/**
 * search_block() - tell a SKIP and why
 * @blocker: > 0; the same number means the same error. What lies between two nodes with one blocker is
 *           taken to have it too, and tried last, but stays left: a skip is never innocence.
 */
void search_block(struct search *s, uint32_t node, uint32_t blocker);

/**
 * search_inherit() - the node is new, and so is a parent of it that is excluded
 * To be told when a parent of what was found turns out to be new. The change came into the old side
 * before the ends, and was taken back there. The node and its ancestors are no answer, and a new node
 * whose ways down all lead there says nothing. But if another way leads down to an old node or to the
 * edge of the graph, the node counts as it always does; if it is the answer, it carried the change in.
 */
void search_inherit(struct search *s, uint32_t node);

/**
 * search_accept() - new nodes below old ones are true: the change came, went and came again
 * From here on they say nothing about the last change; search_turn() asks about the earlier ones. Of new
 * nodes without a left ancestor in common the lowest one is asked about. All pairs are accepted, also
 * those that are told later.
 */
void search_accept(struct search *s);

enum search_turn { TURN_CAME, TURN_WENT };
/**
 * search_turn() - a search of its own for one turn of a history that is not monotone
 * @fresh: a new node, @stale: an old descendant of it
 * @turn:  TURN_CAME: who made @fresh new; TURN_WENT: who made @stale old again, among the nodes that
 *         have @fresh below them. Then states are swapped, verdicts are not: what is found is the
 *         first node that is old again.
 * @ret:   same numbering; knows what @s was told, as far as it speaks of this turn. What is told of
 *         nodes that are no part of the turn is ignored. Turns inside are told as SEARCH_CONTRADICTION
 *         again, so that asking about each pair in turn names every turn there is.
 * @err:   ERR_USAGE if @stale is no descendant of @fresh
 */
int search_turn(const struct search *s, uint32_t fresh, uint32_t stale, enum search_turn turn,
		struct search **ret, struct err *err);

/** search_next() - what to do now, by all verdicts so far */
void search_next(struct search *s, struct search_step *ret);

/**
 * search_next_k() - the nodes to be tried at once by @k workers: those that cut what is left most evenly
 * @ret: [k], the best single one first
 * Return: how many there are; 0 where search_next() would not test.
 */
size_t search_next_k(struct search *s, size_t k, uint32_t *ret);

/**
 * search_rounds() - expected rounds until the answer, this one included, where each is cut like this one
 * @nodes: [n] to be tried at once, n <= 64, as search_next_k() gave them for what was told so far
 */
unsigned int search_rounds(struct search *s, const uint32_t *nodes, size_t n);

/**
 * search_peek() - what search_next() would give, were a verdict on @node told now
 * For building ahead: the search stays as it is, and asking costs what search_next() does.
 * @v:   as for search_set()
 * @ret: without lists: @set and @blockers are NULL, and empty
 */
void search_peek(const struct search *s, uint32_t node, enum verdict v, struct search_step *ret);

/** search_weights() - each node's number of ancestors in the whole graph, itself included; @ret: [n] */
void search_weights(const struct search *s, uint32_t *ret);

/* A node as people want to see it. */
struct search_view {
	enum verdict verdict; /* last told */
	uint32_t blocker;     /* told, or taken to have (verdict NONE); 0: none */
	bool left;
	bool inherited;
	uint32_t
		weight; /* left ancestors, itself included; 0 if neither left nor a witness to be tried */
	double mass; /* how likely it is the answer; alike over the left where nothing else is known */
};
/** search_views() - all nodes; @ret: [n] */
void search_views(struct search *s, struct search_view *ret);

#endif
