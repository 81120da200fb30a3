// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follow-ups that nobody names and that only rewrite what a change wrote: see audit.h.
 *
 * All lines that changes add or leave beside what they change go into one sorted list, by path, function
 * and line. A line that a follow-up takes away is the work of the last change before it that added it,
 * as blame would say; if the tree has not that one, the line says nothing about the tree.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/audit/pairs.h"

#define DAY_S	86400
#define SLACK_S (2 * DAY_S) /* a follow-up may have been written before its change was sent again */

/* A line of a function of a change. */
struct written {
	uint64_t key;
	uint32_t by;
	bool added; /* else beside */
};

struct writing {
	const struct audit *a;
	struct written *items;
	size_t n, cap;
};

static uint64_t place_hash(const struct audit_touch *t)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *s = t->path; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	h = (h ^ '\n') * UINT64_C(0x100000001b3);
	for (const char *s = t->function; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t line_key(uint64_t place, uint64_t line)
{
	uint64_t h = (place ^ line) * UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 29;
}

static void write_down(struct writing *w, uint32_t by, uint64_t place, const struct audit_lines *l,
		       bool added)
{
	for (size_t i = 0; i < l->n; i++) {
		if (w->n == w->cap) {
			w->cap = w->cap ? 2 * w->cap : 4096;
			w->items = xrealloc(w->items, w->cap, sizeof(*w->items));
		}
		w->items[w->n++] = (struct written){ line_key(place, l->items[i]), by, added };
	}
}

static int compare(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by);
}

static void write_all(struct writing *w)
{
	for (uint32_t i = 0; i < w->a->upstream.n; i++) {
		const struct audit_commit *c = w->a->upstream.commits[i];

		for (size_t t = 0; t < c->n_touches; t++) {
			uint64_t place = place_hash(&c->touches[t]);

			write_down(w, i, place, &c->touches[t].added, true);
			write_down(w, i, place, &c->touches[t].near, false);
		}
	}
	if (w->n)
		qsort(w->items, w->n, sizeof(*w->items), compare);
}

/* Who wrote a line last, or changed beside it last, before a commit. */
static uint32_t last_writer(const struct writing *w, uint64_t key, uint32_t before, bool added)
{
	size_t low = 0, high = w->n;
	uint32_t found = PAIR_NONE;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (w->items[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < w->n && w->items[low].key == key && w->items[low].by < before; low++)
		if (w->items[low].added == added)
			found = w->items[low].by;
	return found;
}

static bool is_soon(const struct audit *a, uint32_t carried, uint32_t follow)
{
	int64_t s =
		a->upstream.commits[follow]->authored_s - a->upstream.commits[carried]->authored_s;

	return s >= -SLACK_S && s <= (int64_t)a->rules.distance_days * DAY_S;
}

static void meet(struct audit *a, uint32_t carried, uint32_t follow, enum pair_reason reason)
{
	if (carried == PAIR_NONE || !pairs_is_carried(a, carried) || !is_soon(a, carried, follow))
		return;
	pairs_add(a, &(struct pair){ .carried = carried, .follow = follow, .reason = reason });
}

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

static void follow_up(struct audit *a, const struct writing *w, uint32_t i)
{
	const struct audit_commit *c = a->upstream.commits[i];

	for (size_t t = 0; t < c->n_touches; t++) {
		const struct audit_touch *touch = &c->touches[t];
		uint64_t place = place_hash(touch);

		for (size_t k = 0; k < touch->removed.n; k++) {
			uint64_t key = line_key(place, touch->removed.items[k]);

			if (has_line(&touch->added, touch->removed.items[k]))
				continue; /* it only moves */
			meet(a, last_writer(w, key, i, true), i, PAIR_REWRITES);
			meet(a, last_writer(w, key, i, false), i, PAIR_BESIDE);
		}
		for (size_t k = 0; k < touch->near.n; k++)
			meet(a, last_writer(w, line_key(place, touch->near.items[k]), i, true), i,
			     PAIR_BESIDE);
	}
}

static int by_follow(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->follow != y->follow)
		return x->follow < y->follow ? -1 : 1;
	return (x->carried > y->carried) - (x->carried < y->carried);
}

/* Pairs that were there before may meet again: the surer reason stays. */
static void join(struct audit *a)
{
	size_t n = 0;

	if (!a->n_pairs)
		return;
	qsort(a->pairs, a->n_pairs, sizeof(*a->pairs), by_follow);
	for (size_t i = 0; i < a->n_pairs; i++) {
		struct pair *p = &a->pairs[i];

		if (!n || by_follow(&a->pairs[n - 1], p) != 0) {
			a->pairs[n++] = *p;
		} else {
			if (p->reason < a->pairs[n - 1].reason)
				a->pairs[n - 1].reason = p->reason;
			strv_deinit(&p->functions);
		}
	}
	a->n_pairs = n;
}

static int by_date(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Whether one of some dates, ascending, lies in a span. */
static bool any_between(const int64_t *dates, size_t n, int64_t from, int64_t to)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (dates[mid] < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && dates[low] <= to;
}

size_t audit_needs_lines(const struct audit *a, bool *ret)
{
	int64_t far = (int64_t)a->rules.distance_days * DAY_S;
	_cleanup_free_ int64_t *dates = xcalloc(a->upstream.n, sizeof(*dates));
	size_t n = 0, total = 0;

	for (size_t i = 0; i < a->upstream.n; i++)
		if (a->carrier[i] == PAIR_NONE)
			dates[n++] = a->upstream.commits[i]->authored_s;
	qsort(dates, n, sizeof(*dates), by_date);
	for (size_t i = 0; i < a->upstream.n; i++) {
		const struct audit_commit *c = a->upstream.commits[i];

		ret[i] = !c->merge &&
			 (a->carrier[i] == PAIR_NONE ||
			  any_between(dates, n, c->authored_s - SLACK_S, c->authored_s + far));
		total += ret[i];
	}
	return total;
}

void audit_rewritten(struct audit *a)
{
	struct writing w = { .a = a };

	write_all(&w);
	for (uint32_t i = 0; i < a->upstream.n; i++)
		if (pairs_is_follow_up(a, i))
			follow_up(a, &w, i);
	free(w.items);
	join(a);
}

/* Lines that are in both, and not in @but. */
static uint32_t common(const struct audit_lines *a, const struct audit_lines *b,
		       const struct audit_lines *but)
{
	uint32_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += has_line(b, a->items[i]) && !(but && has_line(but, a->items[i]));
	return n;
}

static void meet_in_function(const struct audit_touch *s, const struct audit_touch *t,
			     struct pair *p)
{
	strv_addf(&p->functions, "%s: %s", t->path, t->function);
	p->lines.undone += common(&s->added, &t->removed, &t->added);
	p->lines.beside +=
		common(&s->near, &t->removed, &t->added) + common(&s->added, &t->near, NULL);
	p->lines.added += (uint32_t)s->added.n;
}

void audit_pair_lines(const struct audit *a, struct pair *p)
{
	const struct audit_commit *x = a->upstream.commits[p->carried];
	const struct audit_commit *y = a->upstream.commits[p->follow];

	p->lines = (struct pair_lines){ 0 };
	strv_deinit(&p->functions);
	p->functions = (struct strv){ 0 };
	p->days = (int32_t)((y->authored_s - x->authored_s) / DAY_S);
	for (size_t i = 0; i < y->n_touches; i++) {
		const struct audit_touch *t = &y->touches[i];

		p->lines.removed += (uint32_t)t->removed.n - common(&t->removed, &t->added, NULL);
		for (size_t k = 0; k < x->n_touches; k++) {
			const struct audit_touch *s = &x->touches[k];

			if (strcmp(s->path, t->path) != 0 || strcmp(s->function, t->function) != 0)
				continue;
			meet_in_function(s, t, p);
			p->names_function |= strstr(y->subject, t->function) != NULL;
			p->both_name_it |=
				strstr(y->subject, t->function) && strstr(x->subject, t->function);
		}
	}
}
