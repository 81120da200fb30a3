// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One walk for all that the ends and the history between them decide.
 *
 * Both ends are painted downwards at once, the youngest commit first: NEW from the new end, OLD from the
 * old ones. What is NEW alone is the range, a commit that gets both is a common ancestor, and the first
 * such on each way down is a best one; below it everything is STALE. An old end that gets NEW is an
 * ancestor of the new end; the new end getting OLD means that they are swapped.
 *
 * Colour that arrives late, at a commit that was passed already, is carried on from there, so all that
 * was read is always painted right. What is left is when to stop. With generation numbers (a commit's is
 * above those of all its ancestors) the highest goes first, nothing below the queue reaches what was
 * passed, and the walk ends as soon as the queue holds nothing that matters. Without them dates stand
 * in, and clocks are wrong now and then: the walk then goes on until the queue is older than the oldest
 * commit of the range, and SLOP commits further. git goes on for 5. Where a commit whose clock was that
 * far behind hides an ancestor, the range holds too much, as it does in git; never too little.
 *
 * With first_parent the range is a line, but an old end may lie beside it: then the ends are held
 * against each other by a second painting, in which all parents count.
 *
 * Source: git's limit_list() in revision.c and paint_down_to_common() in commit-reach.c.
 */
#include "range/walk/paint.h"

#include "range/walk/heap.h"

#define SLOP 1024 /* commits: a few milliseconds */

enum kind { KIND_NEW, KIND_OLD, KIND_BOTH, KIND_STALE, KINDS };

struct painter {
	struct history *h;
	struct crew *crew;
	bool first_parent;
	struct heap heap;
	size_t queued[KINDS];
	size_t ends_left;
	int64_t oldest_s; /* of all that was NEW alone when it was passed */
	unsigned int slop;
	struct list bases;
};

void painting_deinit(struct painting *p)
{
	list_deinit(&p->good);
	list_deinit(&p->bases);
	list_deinit(&p->also);
}

static enum kind kind_of(unsigned int paint)
{
	if (!(paint & PAINT_OLD))
		return KIND_NEW;
	if (!(paint & PAINT_NEW))
		return KIND_OLD;
	return paint & PAINT_STALE ? KIND_STALE : KIND_BOTH;
}

/* Adds colour to a node, and the node to the queue if it has to carry that on. */
static int add(struct painter *p, uint32_t i, unsigned int colour, struct err *err)
{
	struct node *node = node_at(p->h, i);
	unsigned int before = node_paint(node);
	unsigned int after = before | colour;

	if (after == before)
		return 0;
	if (history_read(p->h, i, err) < 0)
		return -1;
	if (after & ~before & PAINT_NEW && before & PAINT_END)
		p->ends_left--;
	if (before & PAINT_NEW && after & ~before & PAINT_OLD)
		p->slop = SLOP; /* the range lost a commit: more may follow */
	if (before & PAINT_QUEUED)
		p->queued[kind_of(before)]--;
	else
		heap_push(&p->heap, (struct heap_item){ .date_s = node->date_s,
							.generation = node->generation,
							.node = i });
	p->queued[kind_of(after)]++;
	node_set_paint(node, after | PAINT_QUEUED);
	return 0;
}

/* Takes the next commit out of the queue and paints its parents. */
static int pass(struct painter *p, struct err *err)
{
	uint32_t i = heap_pop(&p->heap).node;
	struct node *node = node_at(p->h, i);
	unsigned int paint = node_paint(node) & ~(unsigned int)PAINT_QUEUED;
	unsigned int colour = paint & (PAINT_NEW | PAINT_OLD | PAINT_STALE);
	enum kind kind = kind_of(paint);

	p->queued[kind]--;
	if (kind == KIND_BOTH && !(paint & PAINT_BASE)) {
		list_add(&p->bases, i);
		paint |= PAINT_BASE;
	}
	if (kind == KIND_BOTH)
		colour |= PAINT_STALE;
	if (kind == KIND_NEW && node->date_s < p->oldest_s)
		p->oldest_s = node->date_s;
	node_set_paint(node, paint);
	for (uint32_t e = 0; e < node->n_parents; e++) {
		if (e && p->first_parent)
			colour &= PAINT_OLD;
		if (colour && add(p, parent_at(p->h, node, e), colour, err) < 0)
			return -1;
	}
	if (kind == KIND_NEW && p->crew)
		crew_tell(p->crew, i);
	return 0;
}

/* Whether nothing that is still queued can change what was found. */
static bool is_settled(struct painter *p)
{
	bool exact = p->heap.n && p->heap.items[0].generation != UINT32_MAX;

	if (p->queued[KIND_NEW])
		return false;
	if (p->ends_left && !p->first_parent &&
	    (p->queued[KIND_BOTH] || (p->queued[KIND_OLD] && (p->queued[KIND_STALE] || !exact))))
		return false; /* a base is to be noted, or an old end may yet prove an ancestor */
	if (!p->heap.n || exact)
		return true;
	if (p->heap.items[0].date_s >= p->oldest_s)
		return false;
	return p->slop-- == 0;
}

static int paint_all(struct painter *p, const struct painting *to, struct err *err)
{
	p->oldest_s = INT64_MAX;
	p->slop = SLOP;
	p->ends_left = to->good.n;
	for (size_t i = 0; i < to->good.n; i++) {
		struct node *node = node_at(p->h, to->good.items[i]);

		node_set_paint(node, node_paint(node) | PAINT_END);
	}
	for (size_t i = 0; i < to->good.n; i++)
		if (add(p, to->good.items[i], PAINT_OLD, err) < 0)
			return -1;
	if (add(p, to->bad, PAINT_NEW, err) < 0)
		return -1;
	for (size_t i = 0; i < to->also.n; i++)
		if (add(p, to->also.items[i], PAINT_NEW, err) < 0)
			return -1;
	while (!is_settled(p))
		if (pass(p, err) < 0)
			return -1;
	return 0;
}

static void painter_deinit(struct painter *p)
{
	heap_deinit(&p->heap);
	list_deinit(&p->bases);
}

static size_t mark_range(struct history *h)
{
	size_t n = 0;

	for (uint32_t i = 0; i < h->nodes.n; i++) {
		struct node *node = node_at(h, i);
		unsigned int paint = node_paint(node);

		if ((paint & (PAINT_NEW | PAINT_OLD)) != PAINT_NEW)
			continue;
		node_set_paint(node, paint | PAINT_IN);
		n++;
	}
	return n;
}

/* Best common ancestors; those that turned out to lie below another, or are ends, are left out. */
static void keep_bases(const struct painter *p, struct painting *ret)
{
	for (size_t i = 0; i < p->bases.n; i++)
		if (!(node_paint(node_at(p->h, p->bases.items[i])) & (PAINT_STALE | PAINT_END)))
			list_add(&ret->bases, p->bases.items[i]);
}

/* The second painting of a line: the range stays as marked, all other colour is taken off. */
static int paint_relation(struct painter *p, struct painting *to, struct err *err)
{
	for (uint32_t i = 0; i < p->h->nodes.n; i++) {
		struct node *node = node_at(p->h, i);

		node_set_paint(node, node_paint(node) & (unsigned int)PAINT_IN);
	}
	return paint_all(p, to, err);
}

int paint(struct history *h, const struct ends *ends, bool first_parent, struct crew *crew,
	  struct painting *ret, struct err *err)
{
	_cleanup_(painter_deinit) struct painter line = { .h = h,
							  .crew = crew,
							  .first_parent = first_parent };
	_cleanup_(painter_deinit) struct painter all = { .h = h };
	struct painter *last = &line;

	ret->bad = history_node(h, &ends->bad);
	for (size_t i = 0; i < ends->n_good; i++)
		list_add(&ret->good, history_node(h, &ends->good[i]));
	if (paint_all(&line, ret, err) < 0)
		return -1;
	ret->n_in = mark_range(h);
	if (first_parent && line.ends_left) {
		last = &all;
		if (paint_relation(&all, ret, err) < 0)
			return -1;
	}
	ret->ends_left = last->ends_left;
	if (ret->ends_left)
		keep_bases(last, ret);
	return 0;
}
