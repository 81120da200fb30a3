// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The graph as lines of text. Each lane waits for a commit; a lane keeps its column for as long as it
 * lives, so that the eye can follow it, and what joins or forks does so in a row of its own:
 *
 *	*  a merge
 *	├─╮
 *	│ *  of this
 *	├─╯
 *	*  and that
 */
#include "controller/graph/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LANES_MAX 32 /* wider graphs are drawn as far as this */
#define FREE	  UINT32_MAX

enum { UP = 1, DOWN = 2, SIDE_LEFT = 4, SIDE_RIGHT = 8, MEETS = 16 };
#define ALL_WAYS (UP | DOWN | SIDE_LEFT | SIDE_RIGHT)

struct drawing {
	const struct graph *g;
	const bool *shown;
	uint32_t lanes[LANES_MAX]; /* the commit a column waits for, or FREE */
	size_t width;		   /* columns in use, up to the last */
	size_t ended;		   /* the column that the last commit left without a successor */
	bool clipped;		   /* there are more */
	struct buf out;
	int digits; /* of the largest number */
};

/* A character of a row by the ways that lead out of its middle; what only crosses does not meet. */
static const char *line_char(const struct drawing *d, unsigned int ways)
{
	static const char *const box[16] = {
		" ", "│", "│", "│", "─", "╯", "╮", "┤", "─", "╰", "╭", "├", "─", "┴", "┬", "┼",
	};
	static const char ascii[16][2] = {
		" ", "|", "|", "|", "-", "'", ".", "+", "-", "'", ".", "+", "-", "+", "+", "+",
	};

	if (ways == ALL_WAYS)
		ways = UP | DOWN;
	ways &= ALL_WAYS;
	return d->g->utf8 ? box[ways] : ascii[ways];
}

static void trim(struct drawing *d)
{
	while (d->width && d->lanes[d->width - 1] == FREE)
		d->width--;
}

/* The first free column at or right of @from, or LANES_MAX: there is no room. */
static size_t new_lane(struct drawing *d, size_t from)
{
	size_t i = from;

	while (i < d->width && d->lanes[i] != FREE)
		i++;
	if (i == LANES_MAX)
		d->clipped = true;
	else if (i == d->width)
		d->lanes[d->width++] = FREE;
	return i;
}

static size_t lane_of(const struct drawing *d, uint32_t node)
{
	for (size_t i = 0; i < d->width; i++)
		if (d->lanes[i] == node)
			return i;
	return LANES_MAX;
}

/* One row of lines: @ways[i] in each column, and what runs between columns from @from to @to. */
static void put_lines(struct drawing *d, const unsigned int *ways, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_puts(&d->out, line_char(d, ways[i]));
		if (i + 1 < n)
			buf_puts(&d->out,
				 line_char(d, (ways[i] & SIDE_RIGHT) && (ways[i + 1] & SIDE_LEFT)
						      ? SIDE_LEFT | SIDE_RIGHT
						      : 0));
	}
	buf_puts(&d->out, "\n");
}

/* A line from column @a to @b, over whatever stands between. */
static void connect(unsigned int *ways, size_t a, size_t b)
{
	size_t low = a < b ? a : b;
	size_t high = a < b ? b : a;

	for (size_t i = low; i < high; i++) {
		ways[i] |= SIDE_RIGHT;
		ways[i + 1] |= SIDE_LEFT;
	}
	ways[a] |= MEETS;
	ways[b] |= MEETS;
}

static void lanes_as_ways(const struct drawing *d, unsigned int *ways)
{
	for (size_t i = 0; i < LANES_MAX; i++)
		ways[i] = i < d->width && d->lanes[i] != FREE ? UP | DOWN : 0;
}

/* All lanes that wait for a commit become one, the leftmost. */
static size_t join(struct drawing *d, uint32_t node)
{
	unsigned int ways[LANES_MAX];
	size_t lane = lane_of(d, node);
	size_t width = d->width;
	bool joined = false;

	if (lane == LANES_MAX) {
		lane = new_lane(d, 0);
		/* What begins under what ended would look like its parent. */
		lanes_as_ways(d, ways);
		if (lane < LANES_MAX && lane == d->ended)
			put_lines(d, ways, width);
		if (lane < LANES_MAX)
			d->lanes[lane] = node;
		return lane;
	}
	lanes_as_ways(d, ways);
	for (size_t i = lane + 1; i < width; i++) {
		if (d->lanes[i] != node)
			continue;
		connect(ways, lane, i);
		ways[i] &= ~(unsigned int)DOWN;
		d->lanes[i] = FREE;
		joined = true;
	}
	if (joined)
		put_lines(d, ways, width);
	trim(d);
	return lane;
}

/* The commit's lane goes on to its first parent; the others get lanes, or join those they have. */
static void fork_lanes(struct drawing *d, uint32_t node, size_t lane)
{
	const struct range_commit *c = &d->g->range->commits[node];
	unsigned int ways[LANES_MAX];
	bool goes_on = false, forked = false;

	d->lanes[lane] = FREE;
	lanes_as_ways(d, ways);
	ways[lane] |= UP;
	for (uint32_t p = 0; p < c->n_parents; p++) {
		uint32_t parent = d->g->range->parents[c->parents + p];
		size_t to;

		if (!d->shown[parent])
			continue;
		if (!goes_on) {
			goes_on = true;
			d->lanes[lane] = parent;
			ways[lane] |= DOWN;
			continue;
		}
		to = lane_of(d, parent);
		if (to == LANES_MAX) {
			to = new_lane(d, lane + 1);
			if (to == LANES_MAX)
				continue;
			d->lanes[to] = parent;
			ways[to] |= DOWN;
		}
		connect(ways, lane, to);
		forked = true;
	}
	if (forked)
		put_lines(d, ways, d->width);
	d->ended = goes_on ? LANES_MAX : lane;
	trim(d);
}

static void put_number(struct drawing *d, uint32_t node)
{
	const struct search_view *v = &d->g->views[node];

	if (!v->left)
		buf_printf(&d->out, "%*s", d->digits + (d->g->mass ? 2 : 0), "");
	else if (d->g->mass)
		buf_printf(&d->out, "%*.1f %%", d->digits, v->mass * 100);
	else
		buf_printf(&d->out, "%*" PRIu32, d->digits, v->weight);
}

static void put_commit(struct drawing *d, uint32_t node, size_t lane)
{
	static const char marks[] = {
		[MARK_LEFT] = '*', [MARK_NEXT] = '>',	 [MARK_NEW] = '+',	 [MARK_OLD] = '-',
		[MARK_SKIP] = 's', [MARK_BLOCKED] = 'x', [MARK_INHERITED] = 'i',
	};
	const struct range_commit *c = &d->g->range->commits[node];
	const char *same = graph_same_as(d->g, node);
	char mark = marks[graph_mark(d->g, node)];

	for (size_t i = 0; i < d->width; i++) {
		if (i == lane)
			buf_add(&d->out, &mark, 1);
		else
			buf_puts(&d->out, line_char(d, d->lanes[i] == FREE ? 0 : UP | DOWN));
		buf_puts(&d->out, " ");
	}
	if (lane == LANES_MAX)
		buf_add(&d->out, &mark, 1);
	buf_puts(&d->out, d->clipped ? "~ " : " ");
	buf_printf(&d->out, "%.12s  ", c->id);
	put_number(d, node);
	buf_printf(&d->out, "  %s%s", c->subject, c->merge ? " (merge)" : "");
	if (same)
		buf_printf(&d->out, " (same as %.12s)", same);
	buf_puts(&d->out, "\n");
}

static void put_legend(struct drawing *d, size_t left, size_t hidden)
{
	buf_printf(&d->out,
		   "%zu left%s\n"
		   "> next  + %s  - %s  s skipped  x has the error of skipped ones  * not tried\n",
		   left,
		   d->g->mass ? "; the number says how likely each is"
			      : "; the number says how many of them lie behind each, itself "
				"included",
		   d->g->words.new, d->g->words.old);
	if (hidden)
		buf_printf(&d->out, "%zu older ones are not shown; --limit 0 shows all\n", hidden);
	buf_puts(&d->out, "\n");
}

static int digits_of(const struct graph *g, const bool *shown)
{
	uint32_t most = 0;
	char text[16];

	if (g->mass)
		return 5; /* "100.0" */
	for (size_t i = 0; i < g->range->n; i++)
		if (shown[i] && g->views[i].weight > most)
			most = g->views[i].weight;
	return snprintf(text, sizeof(text), "%" PRIu32, most);
}

char *graph_text(const struct graph *g)
{
	_cleanup_free_ bool *shown = xcalloc(g->range->n, sizeof(*shown));
	struct drawing d = { .g = g, .shown = shown, .ended = LANES_MAX };
	size_t left = 0, hidden = 0;

	graph_shown(g, shown);
	for (size_t i = 0; i < g->range->n; i++) {
		left += g->views[i].left;
		hidden += g->views[i].left && !shown[i];
	}
	d.digits = digits_of(g, shown);
	put_legend(&d, left, hidden);
	for (size_t i = g->range->n; i-- > 0;) {
		size_t lane;

		if (!shown[i])
			continue;
		lane = join(&d, (uint32_t)i);
		put_commit(&d, (uint32_t)i, lane);
		if (lane < LANES_MAX)
			fork_lanes(&d, (uint32_t)i, lane);
	}
	return buf_take(&d.out);
}
