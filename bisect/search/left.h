/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: the nodes that could still be the first bad one, as a graph of their own. */
#ifndef SEARCH_LEFT_H
#define SEARCH_LEFT_H

#include "search/search.h"

#define LEFT_NONE UINT32_MAX

struct left {
	size_t n;
	uint32_t *nodes; /* [n] nodes of the whole graph, ascending */
	uint32_t
		*first; /* [n+1]: parents of i, among the left, are parents[first[i]..first[i+1]) */
	uint32_t *parents;
	uint32_t *weight; /* [n] left ancestors, itself included; NULL before weigh() */
};

/* What was told of a node of the whole graph. */
struct told {
	enum verdict verdict;
	uint32_t blocker; /* of a SKIP: the error's number; 0: its own */
	bool inherited;	  /* new only by an excluded parent: search_inherit() */
};

/* A bad node below a good one: the verdicts cannot all be right. */
struct clash {
	uint32_t bad;
	uint32_t other; /* the good descendant, or a bad node that shares no left ancestor */
};

/**
 * left_find() - what the verdicts leave
 * @graph:    whole graph
 * @told:     [graph->n]
 * @ret:      owned by the caller, left_deinit(); without weights
 * @clash:    filled on -1
 *
 * Return: 0, or -1 if the verdicts contradict each other.
 */
int left_find(const struct search_graph *graph, const struct told *told, struct left *ret,
	      struct clash *clash);
void left_deinit(struct left *l);

#endif
