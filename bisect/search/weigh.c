// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting ancestors.
 *
 * On a single strand a node has one ancestor more than its parent. A merge has as many as the union of its
 * parents' ancestors, and unions need sets: a bit for every pair of nodes. Most of those bits are alike.
 *
 * - A node with one child is an ancestor of what that child is an ancestor of, and of the child. So nodes
 *   flow down into the next one that has several children, a fork, or none. What flows into one fork
 *   is a tree; seen from outside the tree it is all there or not at all, so it needs one column, as
 *   heavy as the tree. Inside, a node has below it the part that flows through it.
 * - A node with one parent has its parent's forks below it, and the parent if that is one. So only merges
 *   and forks need a row.
 *
 * A history with m merges has about m columns and 2 m rows, whatever n is. A row is begun as a copy of its
 * heaviest parent's; what the other parents add to it is summed up bit by bit, which is what the merge
 * brought in, mostly little. The place of a row is used again after its last child, and a row ends with the
 * forks met so far. Walked in topological order few places are needed; should they be many all the
 * same, the columns are taken in blocks, to keep the rows within ROOM_BYTES a node.
 */
#include "search/weigh.h"

#include <string.h>

#include "base/str.h"

#define NONE	   UINT32_MAX
#define ROOM_BYTES 64

/* How the nodes left hang together, whatever is counted. */
struct plan {
	uint32_t *flow; /* [n] the child a node flows into; NONE in a fork and at the end */
	uint32_t *fork; /* [n] column of a fork, in the order of nodes; NONE elsewhere */
	uint32_t *row;	/* [n] place of the row of forks up to this node; 0: there are none */
	uint32_t n_forks;
	uint32_t n_rows; /* places, that of no forks included */
};

static bool is_merge(const struct left *l, size_t i)
{
	return l->first[i + 1] - l->first[i] > 1;
}

static void find_forks(struct plan *p, const struct left *l)
{
	p->flow = xcalloc(l->n, sizeof(*p->flow));
	p->fork = xcalloc(l->n, sizeof(*p->fork));
	memset(p->flow, 0xff, l->n * sizeof(*p->flow));
	memset(p->fork, 0xff, l->n * sizeof(*p->fork));
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t parent = l->parents[e];

			if (p->flow[parent] != NONE)
				p->fork[parent] = 0;
			p->flow[parent] = i;
		}
	for (size_t i = 0; i < l->n; i++) {
		if (p->fork[i] == NONE)
			continue;
		p->fork[i] = p->n_forks++;
		p->flow[i] = NONE;
	}
}

/* Which node made the row that holds for a node: itself, or an ancestor. NONE: no forks up to here. */
static void find_makers(const struct plan *p, const struct left *l, uint32_t *maker, uint32_t *uses)
{
	for (uint32_t i = 0; i < l->n; i++) {
		bool is_root = l->first[i] == l->first[i + 1];

		if (!is_merge(l, i) && p->fork[i] == NONE) {
			maker[i] = is_root ? NONE : maker[l->parents[l->first[i]]];
			continue;
		}
		maker[i] = i;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			if (maker[l->parents[e]] != NONE)
				uses[maker[l->parents[e]]]++;
	}
}

static void find_places(struct plan *p, const struct left *l)
{
	_cleanup_free_ uint32_t *maker = xcalloc(l->n, sizeof(*maker));
	_cleanup_free_ uint32_t *uses = xcalloc(l->n, sizeof(*uses));
	_cleanup_free_ uint32_t *unused = xcalloc(l->n, sizeof(*unused));
	size_t n_unused = 0;

	p->row = xcalloc(l->n, sizeof(*p->row));
	p->n_rows = 1;
	find_makers(p, l, maker, uses);
	for (uint32_t i = 0; i < l->n; i++) {
		if (maker[i] != i) {
			p->row[i] = maker[i] == NONE ? 0 : p->row[maker[i]];
			continue;
		}
		p->row[i] = n_unused ? unused[--n_unused] : p->n_rows++;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t m = maker[l->parents[e]];

			if (m != NONE && !--uses[m])
				unused[n_unused++] = p->row[m];
		}
		if (!uses[i])
			unused[n_unused++] = p->row[i];
	}
}

static void plan_init(struct plan *p, const struct left *l)
{
	*p = (struct plan){ 0 };
	find_forks(p, l);
	if (p->n_forks)
		find_places(p, l);
}

static void plan_deinit(struct plan *p)
{
	free(p->flow);
	free(p->fork);
	free(p->row);
}

/* One walk over all nodes for a block of columns; k sums side by side in each of the arrays. */
struct walk {
	const struct plan *plan;
	size_t k;
	const double *heavy; /* [n_forks * k] what flows into each fork */
	size_t start;	     /* first column */
	size_t words;	     /* of a row */
	uint64_t *rows;	     /* [n_rows * words] */
	size_t *used;	     /* [n_rows] words with anything in them */
	double *sums;	     /* [n * k] of the forks of this block up to each node */
};

static void add(double *to, const double *what, size_t k)
{
	for (size_t c = 0; c < k; c++)
		to[c] += what[c];
}

/* Makes the row at place @from part of the one at @to, and adds what is new in it to @sum. */
static void unite(const struct walk *w, uint32_t to, uint32_t from, double *sum)
{
	const uint64_t *theirs = w->rows + from * w->words;
	uint64_t *ours = w->rows + to * w->words;

	for (size_t i = 0; i < w->used[from]; i++) {
		uint64_t fresh = theirs[i] & ~ours[i];

		ours[i] |= fresh;
		for (; fresh; fresh &= fresh - 1)
			add(sum,
			    w->heavy + (w->start + 64 * i + (size_t)__builtin_ctzll(fresh)) * w->k,
			    w->k);
	}
}

static uint32_t heaviest_parent(const struct walk *w, const struct left *l, uint32_t i)
{
	uint32_t best = l->parents[l->first[i]];

	for (uint32_t e = l->first[i] + 1; e < l->first[i + 1]; e++) {
		uint32_t p = l->parents[e];

		if (l->weight ? l->weight[p] > l->weight[best]
			      : w->sums[p * w->k] > w->sums[best * w->k])
			best = p;
	}
	return best;
}

/* The row of a merge or fork, its own column not set yet; @met: columns of this block up to here. */
static void make_row(const struct walk *w, const struct left *l, uint32_t i, size_t met)
{
	uint32_t place = w->plan->row[i];
	uint64_t *row = w->rows + place * w->words;
	size_t filled = 0;
	uint32_t base = NONE;

	w->used[place] = (met + 63) / 64 < w->words ? (met + 63) / 64 : w->words;
	if (l->first[i] < l->first[i + 1]) {
		base = heaviest_parent(w, l, i);
		filled = w->used[w->plan->row[base]];
		memcpy(row, w->rows + w->plan->row[base] * w->words, filled * sizeof(*row));
		add(w->sums + i * w->k, w->sums + base * w->k, w->k);
	}
	memset(row + filled, 0, (w->used[place] - filled) * sizeof(*row));
	for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
		if (l->parents[e] != base)
			unite(w, place, w->plan->row[l->parents[e]], w->sums + i * w->k);
}

/* Adds to each node's sums what the forks of this block below it are worth. */
static void walk_block(const struct walk *w, const struct left *l, double *ret)
{
	size_t met = 0;

	memset(w->sums, 0, l->n * w->k * sizeof(*w->sums));
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t fork = w->plan->fork[i];
		size_t column = fork - w->start;
		double *sum = w->sums + i * w->k;

		if (fork != NONE && fork >= w->start)
			met = column + 1;
		if (fork != NONE || is_merge(l, i))
			make_row(w, l, i, met);
		else if (l->first[i] < l->first[i + 1])
			add(sum, w->sums + l->parents[l->first[i]] * w->k, w->k);
		add(ret + i * w->k, sum, w->k);
		if (fork == NONE || fork < w->start || column >= 64 * w->words)
			continue;
		w->rows[w->plan->row[i] * w->words + column / 64] |= UINT64_C(1) << column % 64;
		add(sum, w->heavy + fork * w->k, w->k);
	}
}

/* What the forks below each node are worth, with all that flows into them. */
static void add_forks(const struct plan *p, const struct left *l, size_t k, double *ret)
{
	size_t all = ((size_t)p->n_forks + 63) / 64;
	size_t room = l->n * ROOM_BYTES / sizeof(uint64_t) / p->n_rows;
	_cleanup_free_ double *heavy = xcalloc(p->n_forks * k, sizeof(*heavy));
	_cleanup_free_ double *sums = xcalloc(l->n * k, sizeof(*sums));
	_cleanup_free_ size_t *used = xcalloc(p->n_rows, sizeof(*used));
	_cleanup_free_ uint64_t *rows = NULL;
	struct walk w = { .plan = p, .k = k, .heavy = heavy, .used = used, .sums = sums };

	for (size_t i = 0; i < l->n; i++)
		if (p->fork[i] != NONE)
			memcpy(heavy + p->fork[i] * k, ret + i * k, k * sizeof(*heavy));
	w.words = all < room ? all : room;
	rows = xcalloc(p->n_rows * w.words, sizeof(*rows));
	w.rows = rows;
	for (; w.start < p->n_forks; w.start += 64 * w.words)
		walk_block(&w, l, ret);
}

void weigh_many(const struct left *l, const double *own, size_t k, double *ret)
{
	__attribute__((cleanup(plan_deinit))) struct plan p;

	plan_init(&p, l);
	memcpy(ret, own, l->n * k * sizeof(*ret));
	for (size_t i = 0; i < l->n; i++)
		if (p.flow[i] != NONE)
			add(ret + p.flow[i] * k, ret + i * k, k);
	if (p.n_forks)
		add_forks(&p, l, k, ret);
}

void weigh_sums(const struct left *l, const double *own, double *ret)
{
	weigh_many(l, own, 1, ret);
}

void weigh(struct left *l)
{
	_cleanup_free_ double *own = xcalloc(l->n, sizeof(*own));
	_cleanup_free_ double *sums = xcalloc(l->n, sizeof(*sums));
	uint32_t *weight = xcalloc(l->n, sizeof(*weight));

	for (size_t i = 0; i < l->n; i++)
		own[i] = 1;
	weigh_sums(l, own, sums);
	for (size_t i = 0; i < l->n; i++)
		weight[i] = (uint32_t)sums[i];
	free(l->weight);
	l->weight = weight;
}
