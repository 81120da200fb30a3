// SPDX-License-Identifier: GPL-2.0-or-later
/* What of a search is shown, and how it is marked; for Graphviz and for programs. See graph.h. */
#include "controller/graph/graph.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const mark_names[] = {
	[MARK_LEFT] = "left",
	[MARK_NEXT] = "next",
	[MARK_NEW] = "new",
	[MARK_OLD] = "old",
	[MARK_SKIP] = "skip",
	[MARK_BLOCKED] = "blocked",
	[MARK_INHERITED] = "inherited",
};
static_assert(ARRAY_SIZE(mark_names) == GRAPH_MARKS, "a mark has no name");

const char *graph_mark_name(enum graph_mark m)
{
	return mark_names[m];
}

const char *graph_same_as(const struct graph *g, uint32_t node)
{
	for (size_t i = g->n_trials; i-- > 0;)
		if (g->trials[i].ended &&
		    strcmp(g->trials[i].commit, g->range->commits[node].id) == 0)
			return g->trials[i].same_as[0] ? g->trials[i].same_as : NULL;
	return NULL;
}

enum graph_mark graph_mark(const struct graph *g, uint32_t node)
{
	const struct search_view *v = &g->views[node];

	for (size_t i = 0; i < g->n_next; i++)
		if (g->next[i] == node)
			return MARK_NEXT;
	if (v->inherited)
		return MARK_INHERITED;
	if (v->verdict == VERDICT_GOOD || v->verdict == VERDICT_BAD)
		return v->verdict == g->new ? MARK_NEW : MARK_OLD;
	if (v->verdict == VERDICT_SKIP)
		return MARK_SKIP;
	return v->blocker ? MARK_BLOCKED : MARK_LEFT;
}

size_t graph_shown(const struct graph *g, bool *ret)
{
	const struct range *r = g->range;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		ret[i] = false;
	for (size_t i = r->n; i-- > 0;) {
		const struct range_commit *c = &r->commits[i];

		ret[i] = (g->views[i].left || ret[i]) && (!g->limit || n < g->limit);
		if (!ret[i])
			continue;
		n++;
		/* What was found old is of interest where something left stands on it. */
		for (uint32_t p = 0; g->views[i].left && p < c->n_parents; p++) {
			uint32_t parent = r->parents[c->parents + p];

			if (g->views[parent].verdict != VERDICT_NONE)
				ret[parent] = true;
		}
	}
	return n;
}

/* In a string of Graphviz; a subject may hold anything but control characters. */
static void put_label(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_puts(b, "\\");
		buf_add(b, s, 1);
	}
}

static void put_dot_node(struct buf *b, const struct graph *g, uint32_t node)
{
	static const char *const styles[] = {
		[MARK_LEFT] = "",
		[MARK_NEXT] = ", penwidth=3",
		[MARK_NEW] = ", style=filled, fillcolor=lightpink",
		[MARK_OLD] = ", style=filled, fillcolor=palegreen",
		[MARK_SKIP] = ", style=filled, fillcolor=lightgrey",
		[MARK_BLOCKED] = ", style=dashed",
		[MARK_INHERITED] = ", style=\"filled,dashed\", fillcolor=lightpink",
	};
	const struct range_commit *c = &g->range->commits[node];
	const struct search_view *v = &g->views[node];
	const char *same = graph_same_as(g, node);

	static_assert(ARRAY_SIZE(styles) == GRAPH_MARKS, "a mark has no style");
	buf_printf(b, "\tc%.12s [label=\"%.12s", c->id, c->id);
	if (v->left && g->mass)
		buf_printf(b, "  %.3g %%", v->mass * 100);
	else if (v->left)
		buf_printf(b, "  %u", v->weight);
	buf_puts(b, "\\n");
	put_label(b, c->subject);
	if (same)
		buf_printf(b, "\\nsame as %.12s", same);
	buf_printf(b, "\", tooltip=\"%s\"%s];\n", mark_names[graph_mark(g, node)],
		   styles[graph_mark(g, node)]);
}

char *graph_dot(const struct graph *g)
{
	_cleanup_free_ bool *shown = xcalloc(g->range->n, sizeof(*shown));
	const struct range *r = g->range;
	struct buf b = { 0 };

	graph_shown(g, shown);
	buf_puts(&b, "digraph left {\n\tnode [shape=box, fontname=monospace];\n");
	for (size_t i = r->n; i-- > 0;)
		if (shown[i])
			put_dot_node(&b, g, (uint32_t)i);
	for (size_t i = r->n; i-- > 0;)
		for (uint32_t p = 0; shown[i] && p < r->commits[i].n_parents; p++) {
			uint32_t parent = r->parents[r->commits[i].parents + p];

			if (shown[parent])
				buf_printf(&b, "\tc%.12s -> c%.12s;\n", r->commits[i].id,
					   r->commits[parent].id);
		}
	buf_puts(&b, "}\n");
	return buf_take(&b);
}

static void put_json_node(struct json_out *j, const struct graph *g, uint32_t node)
{
	const struct range_commit *c = &g->range->commits[node];
	const struct search_view *v = &g->views[node];

	json_out_object(j, NULL);
	json_out_str(j, "commit", c->id);
	json_out_str(j, "subject", c->subject);
	json_out_bool(j, "merge", c->merge);
	json_out_str(j, "mark", mark_names[graph_mark(g, node)]);
	json_out_str(j, "verdict", verdict_name(v->verdict));
	json_out_bool(j, "left", v->left);
	json_out_int(j, "weight", v->weight);
	json_out_num(j, "mass", v->mass);
	if (v->blocker)
		json_out_int(j, "blocker", v->blocker);
	if (graph_same_as(g, node))
		json_out_str(j, "same_as", graph_same_as(g, node));
	json_out_list(j, "parents");
	for (uint32_t p = 0; p < c->n_parents; p++)
		json_out_str(j, NULL, g->range->commits[g->range->parents[c->parents + p]].id);
	json_out_end(j);
	json_out_end(j);
}

void graph_json(const struct graph *g, struct json_out *j)
{
	_cleanup_free_ bool *shown = xcalloc(g->range->n, sizeof(*shown));
	size_t left = 0;

	json_out_int(j, "shown", (int64_t)graph_shown(g, shown));
	for (size_t i = 0; i < g->range->n; i++)
		left += g->views[i].left && !shown[i];
	json_out_int(j, "hidden", (int64_t)left);
	json_out_list(j, "nodes");
	for (size_t i = g->range->n; i-- > 0;)
		if (shown[i])
			put_json_node(j, g, (uint32_t)i);
	json_out_end(j);
}
