/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a search, as a graph: lanes of text, Graphviz, JSON. */
#ifndef CONTROLLER_GRAPH_GRAPH_H
#define CONTROLLER_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halving.h"
#include "range/range.h"
#include "search/search.h"
#include "wire/json_out.h"

struct graph {
	const struct range *range;
	const struct search_view *views; /* [range->n] */
	struct halving_words words;
	enum verdict new;     /* which verdict the new state has */
	const uint32_t *next; /* [n_next] to be tried */
	size_t n_next;
	const struct store_trial *trials; /* [n_trials]; 0: not those of a run */
	size_t n_trials;
	bool mass;    /* show how likely each is, not how many lie behind it */
	bool utf8;    /* lanes of box-drawing characters */
	size_t limit; /* commits shown at most, the newest; 0: all */
};

/* What is shown: what is left, and the commits known to be old that it stands on. */
enum graph_mark {
	MARK_LEFT,
	MARK_NEXT,
	MARK_NEW,
	MARK_OLD,
	MARK_SKIP,
	MARK_BLOCKED,	/* taken to have a blocker that others were skipped for */
	MARK_INHERITED, /* new since a parent older than the ends is */
	GRAPH_MARKS
};

/** graph_shown() - which candidates are shown; @ret: [range->n]. Return: how many. */
size_t graph_shown(const struct graph *g, bool *ret);

/** graph_same_as() - the commit whose artifact a candidate's is, so that it was not booted; NULL: none */
const char *graph_same_as(const struct graph *g, uint32_t node);

/** graph_mark() - how a candidate is marked */
enum graph_mark graph_mark(const struct graph *g, uint32_t node);

/** graph_mark_name() - "left", "next", "new", ... for programs */
const char *graph_mark_name(enum graph_mark m);

/** graph_text() - newest first, as `git log --graph`; owned by the caller */
char *graph_text(const struct graph *g);

/** graph_dot() - for Graphviz; owned by the caller */
char *graph_dot(const struct graph *g);

/** graph_json() - members "shown", "hidden" and "nodes" of the object that is being written */
void graph_json(const struct graph *g, struct json_out *j);

#endif
