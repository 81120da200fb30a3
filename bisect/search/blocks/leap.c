// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Leaping away from what cannot be tried.
 *
 * Nodes that cannot be tried come in stretches: a build breaks, and some commits later it is mended. Next to
 * a skipped node there is probably another one, so a search that always takes the best node not skipped
 * yet walks a stretch node by node. How far the stretch reaches is not known, so each node is given a
 * chance of being testable, and the bits that its trial tells count as often as that:
 *
 * - outside, at distance d from the nearest of k separate stretches: d / (d + LEAP * k). A leap of a
 *   tenth of what is left costs a thirtieth of a bit and may save a whole trial, so leaps are long where much
 *   is left, a little longer after each failure, and go to both sides in turn. Where both sides of a
 *   stretch have a verdict and the gap to it is short against LEAP * k, the chance is nearly d / (LEAP * k)
 *   and the best node lies about halfway into the gap: edges are found by halving, not by creeping.
 *   Neighbouring skips count as one stretch, and so does an interval of one blocker with all that is
 *   presumed of it: what is known of it already says nothing about what lies beyond.
 * - between two skips without a known blocker, a above the one and b below the other:
 *   a * b / (a * b + k * GAP). For it to be testable one stretch must have ended there and another begun,
 *   which two skips that are near each other make unlikely. So both edges of a stretch are settled before
 *   its inside is tried. Two blockers that differ are two stretches already, and what lies between is
 *   outside of both.
 * - inside an interval of one blocker the same law says which of the presumed to try first: the middle of
 *   the widest gap.
 *
 * git's bisect.c (skip_away) leaves it to a pseudo-random number instead; here it is the same leap on
 * every machine, and short where few nodes are left.
 */
#include "search/blocks/leap.h"

#include <string.h>

#include "base/str.h"

/* More separate skips than this are no stretch but the way this history is. */
#define MAX_SKIPS 16

/* Of 1 to 16 the fewest trials on strands with stretches of some ten nodes to some hundred. */
#define LEAP 6

/* Stretches of some ten nodes, some hundred nodes apart; far above LEAP, so that edges come first. */
#define GAP 16384

/* Undirected neighbours: parents are at hand, children are turned around. */
struct neighbours {
	uint32_t *first; /* [n+1] */
	uint32_t *items;
};

static void neighbours_init(struct neighbours *nb, const struct left *l)
{
	_cleanup_free_ uint32_t *fill = xcalloc(l->n + 1, sizeof(*fill));

	nb->first = xcalloc(l->n + 1, sizeof(*nb->first));
	nb->items = xcalloc(2 * (size_t)l->first[l->n], sizeof(*nb->items));
	for (size_t i = 0; i < l->n; i++) {
		nb->first[i + 1] += l->first[i + 1] - l->first[i];
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			nb->first[l->parents[e] + 1]++;
	}
	for (size_t i = 0; i < l->n; i++)
		nb->first[i + 1] += nb->first[i];
	for (size_t i = 0; i < l->n; i++)
		fill[i] = nb->first[i];
	for (uint32_t i = 0; i < l->n; i++) {
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			nb->items[fill[i]++] = l->parents[e];
			nb->items[fill[l->parents[e]]++] = i;
		}
	}
}

static void neighbours_deinit(struct neighbours *nb)
{
	free(nb->first);
	free(nb->items);
}

struct flood {
	uint32_t *distance; /* [n] to the nearest node hit; n if there is none in reach */
	uint32_t *queue;    /* [n] */
	uint32_t stretches;
};

/* All nodes of @start's stretch get distance 0 and into the queue. */
static size_t flood_stretch(struct flood *f, const struct neighbours *nb, const bool *hit,
			    uint32_t start, size_t end)
{
	size_t at = end;

	f->distance[start] = 0;
	f->queue[end++] = start;
	for (; at < end; at++) {
		uint32_t i = f->queue[at];

		for (uint32_t e = nb->first[i]; e < nb->first[i + 1]; e++) {
			uint32_t j = nb->items[e];

			if (f->distance[j] && hit[j]) {
				f->distance[j] = 0;
				f->queue[end++] = j;
			}
		}
	}
	return end;
}

static void flood_from(struct flood *f, const struct left *l, const bool *hit)
{
	__attribute__((cleanup(neighbours_deinit))) struct neighbours nb = { 0 };
	size_t end = 0;

	neighbours_init(&nb, l);
	for (uint32_t i = 0; i < l->n; i++)
		f->distance[i] = (uint32_t)l->n;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!hit[i] || !f->distance[i])
			continue;
		end = flood_stretch(f, &nb, hit, i, end);
		f->stretches++;
	}
	for (size_t at = 0; at < end; at++) {
		uint32_t i = f->queue[at];

		for (uint32_t e = nb.first[i]; e < nb.first[i + 1]; e++) {
			uint32_t j = nb.items[e];

			if (f->distance[j] != l->n)
				continue;
			f->distance[j] = f->distance[i] + 1;
			f->queue[end++] = j;
		}
	}
	if (f->stretches > MAX_SKIPS)
		f->stretches = MAX_SKIPS;
}

/*
 * Distances to the nearest ancestor and descendant that is marked; 0 where there is none.
 * @marked, @up, @down: [g->n]
 */
static void distances(const struct search_graph *g, const bool *marked, uint32_t *down,
		      uint32_t *up)
{
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
			uint32_t p = g->parents[e];
			uint32_t d = marked[p] ? 1 : down[p] ? down[p] + 1 : 0;

			if (d && (!down[i] || d < down[i]))
				down[i] = d;
		}
	for (size_t i = g->n; i-- > 0;)
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
			uint32_t p = g->parents[e];
			uint32_t d = marked[i] ? 1 : up[i] ? up[i] + 1 : 0;

			if (d && (!up[p] || d < up[p]))
				up[p] = d;
		}
}

/* How deep each node lies between two marked ones, [g->n]: the product of both distances, or 0. */
static double *depths(const struct search_graph *g, const bool *marked)
{
	_cleanup_free_ uint32_t *down = xcalloc(g->n, sizeof(*down));
	_cleanup_free_ uint32_t *up = xcalloc(g->n, sizeof(*up));
	double *ret = xcalloc(g->n, sizeof(*ret));

	distances(g, marked, down, up);
	for (size_t i = 0; i < g->n; i++)
		ret[i] = (double)down[i] * up[i];
	return ret;
}

/*
 * Between two skips: of the presumed, which may be so by nodes that are not left any more, the whole graph
 * tells the depth; of the others what is left does, as a verdict ends a stretch.
 */
static void chances_inside(const struct left *l, const struct told *told, const uint32_t *presumed,
			   uint32_t k, double *ret)
{
	const struct search_graph of_left = { .n = l->n, .first = l->first, .parents = l->parents };
	_cleanup_free_ bool *nameless = xcalloc(l->n, sizeof(*nameless));
	_cleanup_free_ bool *named = xcalloc(l->graph.n, sizeof(*named));
	_cleanup_free_ double *in_left = NULL;
	_cleanup_free_ double *in_all = NULL;

	for (size_t i = 0; i < l->graph.n; i++)
		named[i] = told[i].verdict == VERDICT_SKIP && told[i].blocker;
	for (size_t i = 0; i < l->n; i++)
		nameless[i] =
			told[l->nodes[i]].verdict == VERDICT_SKIP && !told[l->nodes[i]].blocker;
	in_left = depths(&of_left, nameless);
	in_all = depths(&l->graph, named);
	for (size_t i = 0; i < l->n; i++) {
		double depth = presumed[i] ? in_all[l->nodes[i]] : in_left[i];

		if (depth > 0)
			ret[i] = depth / (depth + (double)GAP * k);
	}
}

void leap_chances(const struct left *l, const struct told *told, const uint32_t *presumed,
		  double *ret)
{
	_cleanup_free_ uint32_t *distance = xcalloc(l->n, sizeof(*distance));
	_cleanup_free_ uint32_t *queue = xcalloc(l->n, sizeof(*queue));
	_cleanup_free_ bool *hit = xcalloc(l->n, sizeof(*hit));
	struct flood f = { .distance = distance, .queue = queue };

	for (size_t i = 0; i < l->n; i++) {
		const struct told *t = &told[l->nodes[i]];

		hit[i] = presumed[i] || (t->verdict == VERDICT_SKIP && !t->blocker);
	}
	if (!memchr(hit, 1, l->n * sizeof(*hit))) {
		for (size_t i = 0; i < l->n; i++)
			ret[i] = 1;
		return;
	}
	flood_from(&f, l, hit);
	for (size_t i = 0; i < l->n; i++)
		ret[i] = distance[i] / (distance[i] + (double)LEAP * f.stretches);
	chances_inside(l, told, presumed, f.stretches, ret);
}
