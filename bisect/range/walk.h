/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the commits of good..bad and what of their history counts. */
#ifndef RANGE_WALK_H
#define RANGE_WALK_H

#include "range/ends.h"
#include "range/keymap.h"
#include "range/pathkey.h"

#define WALK_NONE UINT32_MAX

struct walk_node {
	git_oid id;
	uint32_t edges; /* its first followed parent in walk->edges */
	uint32_t n_edges;
	uint32_t key;	    /* what it holds in the paths; WALK_NONE: not asked yet */
	uint32_t candidate; /* candidate it is, or whose content it has; WALK_NONE: none */
	bool reached;	    /* from bad, over followed parents */
	bool changes;	    /* it is a candidate */
	bool end;	    /* one of the good ends */
};

/*
 * Nodes 0..n_walked-1 are the commits of good..bad, every child before its parents. Behind them come
 * the good ends and whatever other excluded parents were looked at.
 */
struct walk {
	git_repository *repo;
	struct pathkey *pk; /* NULL: no limit to paths */
	bool first_parent;
	struct walk_node *nodes;
	size_t n, cap;
	size_t n_walked;
	struct keymap index; /* commit id → node */
	uint32_t *edges;
	size_t n_edges, cap_edges;
};

/** walk_collect() - all commits of good..bad */
int walk_collect(struct walk *w, const struct ends *ends, struct err *err);

/** walk_simplify() - which of them are candidates, and which parents are followed */
int walk_simplify(struct walk *w, struct err *err);

/** walk_key() - what node @i holds in the paths */
int walk_key(struct walk *w, uint32_t i, uint32_t *ret, struct err *err);

void walk_deinit(struct walk *w);

#endif
