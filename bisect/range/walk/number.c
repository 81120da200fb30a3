// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last pass, by one thread: down from the new end along what is followed, the first parent first;
 * on the way back up each commit gets its number after all its ancestors. What the crew found out makes
 * this a comparison of numbers.
 */
#include "range/walk/number.h"

#include "base/stop.h"

#define CHECK_EVERY 4096

/* In node->number. */
enum {
	NUMBER_BEGUN = 1 << 0,
	NUMBER_DONE = 1 << 1,
	NUMBER_CHANGES = 1 << 2, /* it is a candidate */
	LOOP_BEGUN = 1 << 3,
	LOOP_DONE = 1 << 4,
};

/* A commit whose parents are being followed; a line of commits needs as many of these as it is long. */
struct step {
	uint32_t node;
	uint32_t next; /* parent to go on with */
	uint32_t end;  /* behind the last parent to follow */
};

struct steps {
	struct step *items;
	size_t n, cap;
};

static void steps_deinit(struct steps *s)
{
	free(s->items);
}

static struct step *steps_add(struct steps *s, uint32_t node)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->items = xrealloc(s->items, s->cap, sizeof(*s->items));
	}
	s->items[s->n] = (struct step){ .node = node };
	return &s->items[s->n++];
}

void numbered_deinit(struct numbered *n)
{
	list_deinit(&n->nodes);
	list_deinit(&n->edges);
	list_deinit(&n->first);
	list_deinit(&n->named);
}

static bool is_to_follow(const struct node *node)
{
	return node_paint(node) & PAINT_IN && !(node->number & NUMBER_BEGUN);
}

/* A parent of the last candidate. Two may have the same candidate below them; the graph names it once. */
static void add_edge(struct numbered *n, uint32_t candidate)
{
	if (n->named.items[candidate] == n->nodes.n)
		return;
	n->named.items[candidate] = (uint32_t)n->nodes.n;
	list_add(&n->edges, candidate);
}

/*
 * All its parents are numbered: now the commit itself. One that is no candidate follows one parent, the
 * last before s->end, or none that is of the range.
 */
static void end_step(const struct view *v, const struct step *s, struct numbered *n)
{
	struct node *node = node_at(v->h, s->node);
	bool changes = node->number & NUMBER_CHANGES;

	if (changes) {
		list_add(&n->first, (uint32_t)n->edges.n);
		node->candidate = (uint32_t)n->nodes.n;
		list_add(&n->nodes, s->node);
		list_add(&n->named, 0);
	}
	for (uint32_t p = changes || !s->end ? 0 : s->end - 1; p < s->end; p++) {
		const struct node *parent = node_at(v->h, parent_at(v->h, node, p));

		if (!(node_paint(parent) & PAINT_IN) || parent->candidate == NODE_NONE)
			continue;
		if (changes)
			add_edge(n, parent->candidate);
		else
			node->candidate = parent->candidate;
	}
	node->number |= NUMBER_DONE;
}

static int begin_step(const struct view *v, struct steps *steps, uint32_t i, struct err *err)
{
	struct node *node = node_at(v->h, i);
	struct step *s = steps_add(steps, i);
	struct place place;

	node->number |= NUMBER_BEGUN;
	if (view_place(v, i, &place, err) < 0)
		return -1;
	if (place.changes)
		node->number |= NUMBER_CHANGES;
	s->next = place.first;
	s->end = place.first + place.n;
	return 0;
}

int number(const struct view *v, uint32_t from, struct numbered *ret, struct err *err)
{
	_cleanup_(steps_deinit) struct steps steps = { 0 };
	size_t turns = 0;

	if (is_to_follow(node_at(v->h, from)) && begin_step(v, &steps, from, err) < 0)
		return -1;
	while (steps.n) {
		struct step *s = &steps.items[steps.n - 1];
		uint32_t parent;

		if (turns++ % CHECK_EVERY == 0 && stop_check(err) < 0)
			return -1;
		if (s->next == s->end) {
			end_step(v, s, ret);
			steps.n--;
			continue;
		}
		parent = parent_at(v->h, node_at(v->h, s->node), s->next++);
		if (is_to_follow(node_at(v->h, parent)) && begin_step(v, &steps, parent, err) < 0)
			return -1;
	}
	list_add(&ret->first, (uint32_t)ret->edges.n);
	return 0;
}

bool number_loop(struct history *h, uint32_t from, uint32_t *ret)
{
	_cleanup_(steps_deinit) struct steps steps = { 0 };

	steps_add(&steps, from);
	node_at(h, from)->number |= LOOP_BEGUN;
	while (steps.n) {
		struct step *s = &steps.items[steps.n - 1];
		struct node *node = node_at(h, s->node);
		struct node *other;
		uint32_t parent;

		if (s->next == node->n_parents) {
			node->number |= LOOP_DONE;
			steps.n--;
			continue;
		}
		parent = parent_at(h, node, s->next++);
		other = node_at(h, parent);
		if (!(other->number & LOOP_BEGUN)) {
			other->number |= LOOP_BEGUN;
			steps_add(&steps, parent);
		} else if (!(other->number & LOOP_DONE)) {
			*ret = parent;
			return true;
		}
	}
	return false;
}
