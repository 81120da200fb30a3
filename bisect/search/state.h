/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: what a search holds. */
#ifndef SEARCH_STATE_H
#define SEARCH_STATE_H

#include "search/left.h"

struct search {
	struct search_graph graph; /* its arrays are the search's own */
	uint32_t *first;	   /* behind graph.first */
	uint32_t *parents;	   /* behind graph.parents */
	uint32_t *weights;	   /* behind graph.weights, or NULL */
	double *priors;		   /* behind graph.priors, or NULL */
	struct told *told;	   /* [graph.n] verdicts are states: left.h */
	unsigned char *outside;	   /* [graph.n] of a turn: 1: no part of it; or NULL */
	struct search_rules rules;
	bool accepted;	    /* search_accept() was called */
	uint32_t *set;	    /* what the last SEARCH_SET gave */
	uint32_t *blockers; /* so did it these */
};

/** state_of() - a verdict as a state, or a state as a verdict: GOOD and BAD swapped for a fix */
enum verdict state_of(const struct search *s, enum verdict v);

/** state_settled() - what is told beyond doubt; [graph.n], the caller frees */
struct told *state_settled(const struct search *s);

#endif
