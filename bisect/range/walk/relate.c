// SPDX-License-Identifier: GPL-2.0-or-later
/* How the ends lie to each other, read off the paint. An old end beside the new one's line is allowed. */
#include "range/walk/relate.h"

#include "range/walk/number.h"

/* Whether the way down from a node meets another that has all of some colours. */
static bool leads_to(const struct history *h, uint32_t from, uint32_t to, unsigned int colour)
{
	_cleanup_free_ unsigned char *seen = xcalloc(h->nodes.n / 8 + 1, 1);
	_cleanup_list_ struct list left = { 0 };

	list_add(&left, from);
	while (left.n) {
		uint32_t i = left.items[--left.n];
		const struct node *node = node_at(h, i);

		if (i == to || node_paint(node) & colour)
			return true;
		for (uint32_t p = 0; p < node->n_parents; p++) {
			uint32_t parent = parent_at(h, node, p);

			if (seen[parent / 8] & 1u << parent % 8)
				continue;
			seen[parent / 8] |= (unsigned char)(1u << parent % 8);
			list_add(&left, parent);
		}
	}
	return false;
}

static int check_loops(struct history *h, const struct painting *p, struct err *err)
{
	char hex[COMMIT_ID_SIZE];
	uint32_t at;
	bool found = number_loop(h, p->bad, &at);

	for (size_t i = 0; i < p->good.n && !found; i++)
		found = number_loop(h, p->good.items[i], &at);
	if (!found)
		return 0;
	gitlib_hex(&node_at(h, at)->id, hex);
	return err_set(err, ERR_USAGE,
		       "the history has a loop at %s, which is made its own ancestor; mend "
		       "info/grafts, or refs/replace (git replace -l)",
		       hex);
}

static int check_end(struct history *h, const struct range_spec *spec, const struct ends *ends,
		     const struct painting *p, size_t i, struct err *err)
{
	_cleanup_free_ char *good = ends_name(spec->good[ends->given[i]], &ends->good[i]);
	_cleanup_free_ char *bad = ends_name(spec->bad, &ends->bad);
	uint32_t node = p->good.items[i];

	if (node_paint(node_at(h, p->bad)) & PAINT_OLD && leads_to(h, node, p->bad, 0))
		return err_set(err, ERR_USAGE, "%s %s is a descendant of %s %s: swap the two",
			       ends_old_word(spec), good, ends_new_word(spec), bad);
	if (p->ends_left && !leads_to(h, node, NODE_NONE, PAINT_NEW))
		return err_set(err, ERR_USAGE,
			       "%s %s and %s %s share no history; name two commits of one history",
			       ends_old_word(spec), good, ends_new_word(spec), bad);
	return 0;
}

int relate(struct history *h, const struct range_spec *spec, const struct ends *ends,
	   const struct painting *p, bool laid, struct err *err)
{
	if (laid && check_loops(h, p, err) < 0)
		return -1;
	if (!p->ends_left && !(node_paint(node_at(h, p->bad)) & PAINT_OLD))
		return 0;
	for (size_t i = 0; i < p->good.n; i++)
		if (check_end(h, spec, ends, p, i, err) < 0)
			return -1;
	return 0;
}
