/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside search/ only: the nodes that could still be the first new one, as a graph of their own.
 *
 * In here verdicts stand for states, whatever is searched: GOOD is the old state, BAD the new one.
 */
#ifndef SEARCH_LEFT_H
#define SEARCH_LEFT_H

#include "search/search.h"

#define LEFT_NONE UINT32_MAX

struct left {
	struct search_graph graph; /* the whole one; its arrays are not owned */
	size_t n;
	uint32_t *nodes; /* [n] nodes of the whole graph, ascending */
	uint32_t
		*first; /* [n+1]: parents of i, among the left, are parents[first[i]..first[i+1]) */
	uint32_t *parents;
	uint32_t *weight;      /* [n] left ancestors, itself included; NULL before weigh() */
	unsigned char *before; /* [graph.n] 1: should the node be new, then from before: left.c */
	unsigned char
		*entangled; /* [graph.n] 1: a verdict might not just cut what is left: left.c */
};

/* What was told of a node of the whole graph. */
struct told {
	enum verdict verdict; /* the last one */
	uint32_t blocker;     /* of a SKIP: the error's number; 0: its own */
	bool inherited;	      /* new only by an excluded parent: search_inherit() */
	bool beside;	      /* a parent that is no part of a turn has the new state: turn.c */
	uint32_t n_old;	      /* how often it was found old, and new: where trials may lie */
	uint32_t n_new;
};

/** told_is_new() - found new, or new by an excluded parent */
bool told_is_new(const struct told *t);

/* A new node below an old one: the verdicts cannot all be right, or the history is not monotone. */
struct clash {
	uint32_t bad;
	uint32_t other; /* the old descendant, or a new node that shares no left ancestor */
};

/**
 * left_find() - what the verdicts leave
 * @graph:    whole graph
 * @told:     [graph->n]
 * @accepted: new nodes with an old descendant say nothing, instead of being a clash
 * @ret:      owned by the caller, left_deinit(); without weights
 * @clash:    filled on -1
 *
 * Return: 0, or -1 if the verdicts contradict each other.
 */
int left_find(const struct search_graph *graph, const struct told *told, bool accepted,
	      struct left *ret, struct clash *clash);
void left_deinit(struct left *l);

/**
 * left_part() - the nodes marked in @keep, as a graph of their own
 * @keep: [graph->n]; parents that are not kept are forgotten
 * @ret:  owned by the caller, left_deinit(); only graph, nodes and edges
 */
void left_part(const struct search_graph *graph, const unsigned char *keep, struct left *ret);

/** left_all() - every node of @graph, as if nothing was told */
void left_all(const struct search_graph *graph, struct left *ret);

/** left_carried() - whether left node @i has a parent that was new before */
bool left_carried(const struct search_graph *graph, const struct told *told, const struct left *l,
		  uint32_t i);

#endif
