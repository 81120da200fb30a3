// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What commits hold in the paths, found out by several threads at once.
 *
 * Which commits will be asked about is known only step by step: a merge that is TREESAME to a parent
 * follows that one alone. So the crew goes down from the new end as the simplification will, the youngest
 * first. Of a commit with one parent it is clear without a look that this parent is followed, so such
 * commits are shared out in runs; a merge has to be decided first. The order matters more than anything
 * else: trees of neighbours are stored as differences of each other, and taken in another order each costs
 * the unpacking of several.
 *
 * Two rounds: while the walk is under way a commit that is NEW alone is taken for one of the range, which
 * later proves wrong for some; then again from the new end with the final paint, where most is known
 * already.
 */
#include "range/walk/crew.h"

#include <pthread.h>
#include <string.h>

#include "base/stop.h"
#include "range/walk/heap.h"

#define TELL_AT_ONCE 32	 /* commits: a lock and a wake-up for each would cost as much as the walk */
#define RUN_MAX	     256 /* nodes: several chains of deltas */

/* In node->crew. */
enum {
	CREW_TOLD = 1 << 0,
	CREW_EARLY = 1 << 1, /* reached in the first round */
	CREW_LATE = 1 << 2,  /* in the second */
};

struct helper {
	struct crew *crew;
	struct reader *reader;
	pthread_t thread;
};

struct crew {
	struct view view;
	uint32_t from;
	struct helper *helpers; /* [n_helpers], those that run */
	unsigned int n_helpers;
	uint32_t told[TELL_AT_ONCE]; /* [n_told], of the calling thread */
	unsigned int n_told;
	pthread_mutex_t lock; /* over all below, and node->crew */
	pthread_cond_t change;
	struct heap reached; /* to be looked at */
	unsigned int busy;
	bool late; /* in the second round */
	bool stop;
};

struct task {
	uint32_t nodes[RUN_MAX];
	size_t n;
	bool merge;
	bool late;
};

static void add_reached(struct crew *c, uint32_t i)
{
	const struct node *node = node_at(c->view.h, i);

	heap_push(&c->reached, (struct heap_item){ .generation = node->generation,
						   .date_s = node->date_s,
						   .node = i });
}

static void reach(struct crew *c, uint32_t i)
{
	struct node *node = node_at(c->view.h, i);
	uint8_t round = c->late ? CREW_LATE : CREW_EARLY;

	if (node->crew & round)
		return;
	node->crew |= round;
	if (c->late || node->crew & CREW_TOLD)
		add_reached(c, i);
}

/* A commit that follows its parent whatever it holds. */
static void take_plain(struct crew *c, uint32_t i, struct task *task)
{
	const struct node *node = node_at(c->view.h, i);

	if (node_key(node) == NODE_NONE)
		task->nodes[task->n++] = i;
	if (!node->n_parents)
		return;
	i = parent_at(c->view.h, node, 0);
	node = node_at(c->view.h, i);
	if (view_in(&c->view, node))
		reach(c, i);
	else if (node_key(node) == NODE_NONE)
		task->nodes[task->n++] = i;
}

static bool is_merge(const struct crew *c, uint32_t i)
{
	return view_parents(&c->view, node_at(c->view.h, i)) > 1;
}

/* Under the lock. Return: false when there is nothing to do for now. */
static bool take(struct crew *c, struct task *task)
{
	task->n = 0;
	task->late = c->late;
	task->merge = false;
	while (c->reached.n && task->n + 2 <= RUN_MAX) {
		if (!is_merge(c, c->reached.items[0].node)) {
			take_plain(c, heap_pop(&c->reached).node, task);
			continue;
		}
		if (!task->n) {
			task->merge = true;
			task->nodes[task->n++] = heap_pop(&c->reached).node;
		}
		break;
	}
	if (!task->n)
		return false;
	c->busy++;
	if (c->reached.n)
		pthread_cond_signal(&c->change);
	return true;
}

/* Under the lock: what a decided merge follows, unless the round it was decided in is over. */
static void follow(struct crew *c, const struct task *task, const struct place *place)
{
	const struct node *node = node_at(c->view.h, task->nodes[0]);

	if (task->late != c->late)
		return;
	for (uint32_t p = place->first; p < place->first + place->n; p++) {
		uint32_t parent = parent_at(c->view.h, node, p);

		if (view_in(&c->view, node_at(c->view.h, parent)))
			reach(c, parent);
	}
}

/* Failures are left to the thread that decides: it meets them again, always in the same order. */
static void work(struct crew *c, struct reader *reader, const struct task *task)
{
	struct view view = { .h = c->view.h,
			     .pk = c->view.pk,
			     .reader = reader,
			     .first_parent = c->view.first_parent,
			     .painted = task->late };
	struct place place = { 0 };
	struct err ignored;
	uint32_t key;

	if (task->merge)
		(void)view_place(&view, task->nodes[0], &place, &ignored);
	for (size_t i = 0; !task->merge && i < task->n && !stop_requested(); i++)
		(void)view_key(&view, task->nodes[i], &key, &ignored);
	pthread_mutex_lock(&c->lock);
	follow(c, task, &place);
	c->busy--;
	if (!c->busy)
		pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
}

/* Until nothing is left and nobody can bring more; helpers know that only in the second round. */
static void serve(struct crew *c, struct reader *reader, bool helps)
{
	struct task task;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && !stop_requested()) {
		if (take(c, &task)) {
			pthread_mutex_unlock(&c->lock);
			work(c, reader, &task);
			pthread_mutex_lock(&c->lock);
		} else if (!c->busy && (c->late || !helps)) {
			break;
		} else {
			pthread_cond_wait(&c->change, &c->lock);
		}
	}
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
}

static void *run_helper(void *arg)
{
	struct helper *h = arg;

	serve(h->crew, h->reader, true);
	return NULL;
}

static int start_helpers(struct crew *c, struct objects *o, unsigned int n, struct err *err)
{
	c->helpers = xcalloc(n, sizeof(*c->helpers));
	for (unsigned int i = 0; i < n; i++) {
		struct helper *h = &c->helpers[i];

		h->crew = c;
		if (reader_create(o, &h->reader, err) < 0)
			return -1;
		if (pthread_create(&h->thread, NULL, run_helper, h) != 0) {
			reader_destroy(h->reader);
			return 0; /* slower, not wrong */
		}
		c->n_helpers++;
	}
	return 0;
}

int crew_start(const struct view *v, struct objects *o, uint32_t from, unsigned int helpers,
	       struct crew **ret, struct err *err)
{
	_cleanup_(crew_destroy_p) struct crew *c = xcalloc(1, sizeof(*c));

	c->view = *v;
	c->from = from;
	node_at(v->h, from)->crew = CREW_EARLY;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->change, NULL);
	if (start_helpers(c, o, helpers, err) < 0)
		return -1;
	*ret = take_ptr(c);
	return 0;
}

static void join_helpers(struct crew *c)
{
	for (unsigned int i = 0; i < c->n_helpers; i++) {
		pthread_join(c->helpers[i].thread, NULL);
		reader_destroy(c->helpers[i].reader);
	}
	c->n_helpers = 0;
}

void crew_destroy(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
	join_helpers(c);
	pthread_cond_destroy(&c->change);
	pthread_mutex_destroy(&c->lock);
	heap_deinit(&c->reached);
	free(c->helpers);
	free(c);
}

/* Under the lock. */
static void hand_over(struct crew *c)
{
	for (unsigned int i = 0; i < c->n_told; i++) {
		struct node *node = node_at(c->view.h, c->told[i]);

		if (node->crew & CREW_EARLY && !(node->crew & CREW_TOLD))
			add_reached(c, c->told[i]);
		node->crew |= CREW_TOLD;
	}
	c->n_told = 0;
}

void crew_tell(struct crew *c, uint32_t node)
{
	c->told[c->n_told++] = node;
	if (c->n_told < TELL_AT_ONCE)
		return;
	pthread_mutex_lock(&c->lock);
	hand_over(c);
	if (c->reached.n)
		pthread_cond_signal(&c->change);
	pthread_mutex_unlock(&c->lock);
	if (!c->n_helpers)
		serve(c, c->view.reader, false);
}

int crew_finish(struct crew *c, struct err *err)
{
	pthread_mutex_lock(&c->lock);
	c->late = c->view.painted = true;
	c->reached.n = 0;
	reach(c, c->from);
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
	serve(c, c->view.reader, false);
	join_helpers(c);
	return stop_check(err);
}
