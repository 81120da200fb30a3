// SPDX-License-Identifier: GPL-2.0-or-later
/* Under the walk: each commit once, its parents as numbers, in as little memory as that takes. */
#include "range/walk/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

#define TELL_EVERY 1024 /* commits: a few milliseconds */

void history_init(struct history *h, struct reader *reader, bool generations)
{
	*h = (struct history){ .reader = reader, .generations = generations };
	pool_init(&h->nodes, sizeof(struct node));
	pool_init(&h->edges, sizeof(uint32_t));
	h->n_slots = 1024;
	h->slots = xcalloc(h->n_slots, sizeof(*h->slots));
}

void history_deinit(struct history *h)
{
	pool_deinit(&h->nodes);
	pool_deinit(&h->edges);
	subjects_deinit(&h->subjects);
	free(h->slots);
	*h = (struct history){ 0 };
}

/* An id is a hash already: its first bytes choose the slot, the next tell most strangers apart. */
static size_t slot_of(const struct history *h, const git_oid *id)
{
	uint32_t at;

	memcpy(&at, id->id, sizeof(at));
	return at & (h->n_slots - 1);
}

static uint32_t tag_of(const git_oid *id)
{
	uint32_t tag;

	memcpy(&tag, id->id + sizeof(tag), sizeof(tag));
	return tag;
}

/* At most two thirds full. */
static void grow(struct history *h)
{
	size_t mask;

	free(h->slots);
	h->n_slots *= 2;
	mask = h->n_slots - 1;
	h->slots = xcalloc(h->n_slots, sizeof(*h->slots));
	for (size_t i = 0; i < h->nodes.n; i++) {
		const git_oid *id = &node_at(h, (uint32_t)i)->id;
		size_t at = slot_of(h, id);

		while (h->slots[at].node)
			at = (at + 1) & mask;
		h->slots[at] = (struct slot){ .tag = tag_of(id), .node = (uint32_t)i + 1 };
	}
}

uint32_t history_node(struct history *h, const git_oid *id)
{
	uint32_t tag = tag_of(id);
	struct node *node;
	uint32_t i;
	size_t at;

	if (h->nodes.n * 3 >= h->n_slots * 2)
		grow(h);
	at = slot_of(h, id);
	while (h->slots[at].node) {
		i = h->slots[at].node - 1;
		if (h->slots[at].tag == tag && git_oid_equal(&node_at(h, i)->id, id))
			return i;
		at = (at + 1) & (h->n_slots - 1);
	}
	i = (uint32_t)pool_add(&h->nodes);
	node = node_at(h, i);
	git_oid_cpy(&node->id, id);
	atomic_init(&node->key, NODE_NONE);
	node->candidate = NODE_NONE;
	node->subject = SUBJECT_NONE;
	h->slots[at] = (struct slot){ .tag = tag, .node = i + 1 };
	return i;
}

int history_read(struct history *h, uint32_t i, struct err *err)
{
	struct node *node = node_at(h, i);
	struct commit_head head;

	if (node->read)
		return 0;
	if (h->n_read % TELL_EVERY == 0) {
		if (stop_check(err) < 0)
			return -1;
		if (h->on_walk)
			h->on_walk(h->n_read, h->on_walk_arg);
	}
	if (reader_commit(h->reader, &node->id, &head, err) < 0)
		return -1;
	git_oid_cpy(&node->tree, &head.tree);
	node->date_s = head.date_s;
	node->generation = h->generations && head.generation ? head.generation : UINT32_MAX;
	if (head.text)
		node->subject = subjects_keep(&h->subjects, head.text, head.len);
	node->edges = (uint32_t)h->edges.n;
	node->n_parents = (uint32_t)head.n_parents;
	for (size_t p = 0; p < head.n_parents; p++) {
		uint32_t parent = history_node(h, &head.parents[p]);
		size_t edge = pool_add(&h->edges);

		*(uint32_t *)pool_at(&h->edges, edge) = parent;
	}
	node->read = true;
	h->n_read++;
	return 0;
}
