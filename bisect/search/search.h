/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Second step: candidates and verdicts say what to try next. Pure: no I/O, no clock, no chance; the
 * same verdicts always give the same answer, so a resumed run goes on where it stood.
 *
 * Nodes are 0..n-1 in topological order. "Left" are the nodes that could be the first bad one: ancestors
 * of every bad node and of no good one, a node counting as its own ancestor.
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
	uint32_t bad;		 /* node known bad at the start (the bad end) */
};

enum search_action {
	SEARCH_TEST,		/* try node */
	SEARCH_FOUND,		/* node is the first bad one: all its parents are good or excluded */
	SEARCH_SET,		/* only a set can be named: what is left cannot be tested */
	SEARCH_CONTRADICTION,	/* a bad node is an ancestor of a good one: node, other; or no node
				 * left is an ancestor of two bad ones: node, other */
};

struct search_step {
	enum search_action action;
	uint32_t node;		/* SEARCH_SET: the lowest bad one */
	uint32_t other;		/* SEARCH_CONTRADICTION: the good descendant, or the second bad node */
	uint32_t *set;		/* SEARCH_SET: the nodes, ascending; owned by the search, until its next call */
	size_t n_set;
	size_t left;		/* nodes that could still be the first bad one */
	uint32_t weight;	/* SEARCH_TEST: left ancestors of node, itself included */
	unsigned int steps;	/* SEARCH_TEST: expected further tests, this one included */
};

struct search;

/** search_create() - copies the graph; ERR_USAGE if it is not topological or empty */
int search_create(const struct search_graph *graph, struct search **ret, struct err *err);
void search_destroy(struct search *s);
DEFINE_CLEANUP(struct search *, search_destroy)

/**
 * search_set() - tell a verdict: GOOD, BAD or SKIP (a weak that stays weak is told as SKIP)
 * A later call for the same node replaces the earlier one; NONE takes it back.
 */
void search_set(struct search *s, uint32_t node, enum verdict v);

/** search_next() - what to do now, by all verdicts so far */
void search_next(struct search *s, struct search_step *ret);

/**
 * search_likely_next() - the nodes to be tried after @node, if it is found good or bad
 * For building ahead. UINT32_MAX where the search would end.
 */
void search_likely_next(struct search *s, uint32_t node, uint32_t *if_good, uint32_t *if_bad);

#endif
