/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the commits met by a walk, as a graph of small numbers. */
#ifndef RANGE_WALK_HISTORY_H
#define RANGE_WALK_HISTORY_H

#include <stdatomic.h>

#include "range/objects/objects.h"
#include "range/walk/pool.h"
#include "range/walk/subjects.h"

#define NODE_NONE UINT32_MAX

/* What is known of a commit's place, in node->paint: written by the walking thread alone. */
enum paint {
	PAINT_NEW = 1 << 0,   /* reached from the new end */
	PAINT_OLD = 1 << 1,   /* reached from an old end */
	PAINT_STALE = 1 << 2, /* below a common ancestor */
	PAINT_BASE = 1 << 3,  /* was taken for a best common ancestor */
	PAINT_QUEUED = 1 << 4,
	PAINT_END = 1 << 5, /* one of the old ends */
	PAINT_IN = 1 << 6,  /* of the range; set when all is painted */
};

/* A node is filled by the walking thread, and read by others only after that told them of it. */
struct node {
	git_oid id;
	git_oid tree;
	int64_t date_s;
	uint32_t generation; /* UINT32_MAX: not known; such a commit is above all that are known */
	uint32_t edges;	     /* its first parent in history->edges */
	uint32_t n_parents;
	_Atomic uint32_t key; /* what it holds in the paths; NODE_NONE: not asked yet */
	uint32_t subject;     /* where it lies in history->subjects; SUBJECT_NONE: not kept */
	uint32_t candidate;   /* candidate it is, or whose content it has; NODE_NONE: none */
	_Atomic uint8_t paint;
	uint8_t crew;	/* of crew.c, under its lock */
	bool read;	/* all above is known, not the id alone */
	uint8_t number; /* of number.c */
};

struct slot {
	uint32_t tag;
	uint32_t node; /* 1 + its number; 0: free */
};

struct history {
	struct reader *reader; /* of the walking thread */
	struct pool nodes;
	struct pool edges;
	struct subjects subjects;
	struct slot *slots; /* [n_slots], a power of two: commit id → node */
	size_t n_slots;
	bool generations;			    /* they may be trusted */
	size_t n_read;				    /* commits */
	void (*on_walk)(size_t commits, void *arg); /* or NULL */
	void *on_walk_arg;
};

/** history_init() - @reader must outlive it; generation numbers count if nothing is laid over */
void history_init(struct history *h, struct reader *reader, bool generations);
void history_deinit(struct history *h);

/** history_node() - the number of a commit, which need not be read for that */
uint32_t history_node(struct history *h, const git_oid *id);

/** history_read() - fill a node, if it is not; ERR_STOPPED now and then if that was asked for */
int history_read(struct history *h, uint32_t i, struct err *err);

static inline struct node *node_at(const struct history *h, uint32_t i)
{
	return pool_at(&h->nodes, i);
}

static inline uint32_t parent_at(const struct history *h, const struct node *node, uint32_t p)
{
	return *(uint32_t *)pool_at(&h->edges, node->edges + p);
}

static inline uint8_t node_paint(const struct node *node)
{
	return atomic_load_explicit(&node->paint, memory_order_relaxed);
}

static inline void node_set_paint(struct node *node, unsigned int paint)
{
	atomic_store_explicit(&node->paint, (uint8_t)paint, memory_order_relaxed);
}

static inline uint32_t node_key(const struct node *node)
{
	return atomic_load_explicit(&node->key, memory_order_relaxed);
}

static inline void node_set_key(struct node *node, uint32_t key)
{
	atomic_store_explicit(&node->key, key, memory_order_relaxed);
}

#endif
