// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * good..bad, simplified as `git rev-list good..bad -- paths` does it by default.
 *
 * Each commit is compared with its parents in the limited paths. A parent is relevant if it lies in
 * good..bad or is a good end. A commit that is TREESAME to a relevant parent is no candidate and follows
 * the first such parent alone; any other commit follows all its parents. Excluded parents that are no
 * ends count only for a commit without relevant parents: an old side that was merged in cannot make a
 * commit uninteresting. Only what is followed is ever looked at, so whole side branches that never touch
 * the paths cost nothing.
 *
 * A commit that is no candidate therefore has one followed parent at most, and "the nearest candidate
 * below" is always one commit: rewriting the parents needs one pass.
 *
 * git decides what is excluded while it walks by date and may take an excluded parent for a relevant one
 * when the good end is older than the merge. Here good..bad is complete before the first comparison that
 * counts, so the answer does not hang on dates; where the two differ, this one keeps more.
 *
 * Source: git-rev-list(1), "History Simplification".
 */
#include "range/walk/simplify.h"

int view_key(const struct view *v, uint32_t i, uint32_t *ret, struct err *err)
{
	struct node *node = node_at(v->h, i);
	uint32_t key = node_key(node);

	if (key == NODE_NONE) {
		if (pathkey_of(v->pk, v->reader, &node->tree, &key, err) < 0)
			return -1;
		node_set_key(node, key);
	}
	*ret = key;
	return 0;
}

/* A commit without relevant parents is a candidate if it differs from one of them, or holds anything. */
static int differs_from_excluded(const struct view *v, const struct node *node, uint32_t ours,
				 bool *ret, struct err *err)
{
	uint32_t n = view_parents(v, node);
	uint32_t theirs;

	*ret = false;
	if (!n && pathkey_of(v->pk, v->reader, NULL, &theirs, err) < 0)
		return -1;
	if (!n)
		*ret = theirs != ours;
	for (uint32_t p = 0; p < n && !*ret; p++) {
		if (view_key(v, parent_at(v->h, node, p), &theirs, err) < 0)
			return -1;
		*ret = theirs != ours;
	}
	return 0;
}

int view_place(const struct view *v, uint32_t i, struct place *ret, struct err *err)
{
	const struct node *node = node_at(v->h, i);
	uint32_t n = view_parents(v, node);
	bool has_relevant = false;
	uint32_t ours, theirs;

	*ret = (struct place){ .changes = true, .n = n };
	if (!v->pk)
		return 0;
	if (view_key(v, i, &ours, err) < 0)
		return -1;
	for (uint32_t p = 0; p < n; p++) {
		uint32_t parent = parent_at(v->h, node, p);
		const struct node *other = node_at(v->h, parent);

		if (!view_in(v, other) && !(node_paint(other) & PAINT_END))
			continue;
		has_relevant = true;
		if (view_key(v, parent, &theirs, err) < 0)
			return -1;
		if (theirs != ours)
			continue;
		*ret = (struct place){ .first = p, .n = 1 };
		return 0;
	}
	return has_relevant ? 0 : differs_from_excluded(v, node, ours, &ret->changes, err);
}
