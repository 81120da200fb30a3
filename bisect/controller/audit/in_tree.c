// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tree's own functions hold of a pair: see audit.h. */
#include <string.h>

#include "base/stop.h"
#include "controller/audit/audit.h"

#define THERE_MIN 3 /* lines: fewer may be in a function by chance */

struct found {
	uint32_t undone, removed, n_removed, added, n_added;
};

static bool has_line(const struct audit_lines *l, uint64_t hash)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->items[mid] < hash)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n && l->items[low] == hash;
}

static uint32_t count(const struct audit_lines *of, const struct audit_lines *in)
{
	uint32_t n = 0;

	for (size_t i = 0; i < of->n; i++)
		n += has_line(in, of->items[i]);
	return n;
}

/* Lines that the change wrote, the follow-up takes away, and the tree has. */
static uint32_t count_undone(const struct audit_touch *change, const struct audit_touch *follow,
			     const struct audit_lines *tree)
{
	uint32_t n = 0;

	for (size_t i = 0; i < follow->removed.n; i++) {
		uint64_t line = follow->removed.items[i];

		n += has_line(&change->added, line) && has_line(tree, line) &&
		     !has_line(&follow->added, line);
	}
	return n;
}

static const struct audit_touch *touch_of(const struct audit_commit *c, const struct audit_touch *t)
{
	for (size_t i = 0; i < c->n_touches; i++)
		if (strcmp(c->touches[i].function, t->function) == 0 &&
		    strcmp(c->touches[i].path, t->path) == 0)
			return &c->touches[i];
	return NULL;
}

static int look(const struct audit *a, const struct pair *p, struct audit_tree *tree,
		struct found *ret, struct err *err)
{
	const struct audit_commit *y = a->upstream.commits[p->follow];

	for (size_t i = 0; i < y->n_touches; i++) {
		const struct audit_touch *t = &y->touches[i];
		const struct audit_touch *s = touch_of(a->upstream.commits[p->carried], t);
		const struct audit_lines *lines;

		if (audit_tree_function(tree, t->path, t->function, &lines, err) < 0)
			return -1;
		ret->n_removed += (uint32_t)t->removed.n;
		ret->n_added += (uint32_t)t->added.n;
		if (!lines)
			continue;
		ret->removed += count(&t->removed, lines);
		ret->added += count(&t->added, lines);
		if (s)
			ret->undone += count_undone(s, t, lines);
	}
	return 0;
}

int audit_in_tree(struct audit *a, struct audit_tree *tree, size_t *dropped, struct err *err)
{
	size_t n = 0;

	*dropped = 0;
	for (size_t i = 0; i < a->n_pairs; i++) {
		struct pair *p = &a->pairs[i];
		struct found f = { 0 };

		if (stop_check(err) < 0 || look(a, p, tree, &f, err) < 0)
			return -1;
		p->lines.in_tree = f.undone;
		if (f.n_added >= THERE_MIN && f.added == f.n_added && !f.removed) {
			strv_deinit(&p->functions);
			++*dropped;
		} else {
			a->pairs[n++] = *p;
		}
	}
	a->n_pairs = n;
	return 0;
}
