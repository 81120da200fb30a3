// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What commits hold in the paths, found out by several threads at once.
 *
 * Which commits will be asked about is known only step by step: a merge that is TREESAME to a parent
 * follows that one alone. So the crew goes down from the new end as the simplification will. Of a commit
 * with one parent it is clear without a look that this parent is followed: whole lines become wanted at
 * once, and are shared out in runs of neighbours, as trees of neighbours are stored as differences of
 * each other. A merge has to be decided first.
 *
 * Two rounds: while the walk is under way a commit that is NEW alone is taken for one of the range, which
 * later proves wrong for some; then again from the new end with the final paint, where most is known
 * already.
 */
#include "range/walk/crew.h"

#include <pthread.h>
#include <string.h>

#include "base/stop.h"
#include "range/walk/list.h"

#define TELL_AT_ONCE  32 /* commits: a lock and a wake-up for each would cost as much as the walk */
#define WANTED_ENOUGH 8192
#define RUN_MAX	      256 /* nodes: several chains of deltas */
#define RUN_MIN	      16

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
	unsigned int hands; /* that there are to share among, the calling thread included */
	uint32_t told[TELL_AT_ONCE]; /* [n_told], of the calling thread */
	unsigned int n_told;
	pthread_mutex_t lock; /* over all below, and node->crew */
	pthread_cond_t change;
	struct list reached; /* to be looked at */
	struct list merges;  /* to be decided */
	struct list wanted;  /* whose content is asked for; from first_wanted on */
	size_t first_wanted;
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

static void reach(struct crew *c, uint32_t i)
{
	struct node *node = node_at(c->view.h, i);
	uint8_t round = c->late ? CREW_LATE : CREW_EARLY;

	if (node->crew & round)
		return;
	node->crew |= round;
	if (c->late || node->crew & CREW_TOLD)
		list_add(&c->reached, i);
}

static void want(struct crew *c, uint32_t i)
{
	if (node_key(node_at(c->view.h, i)) == NODE_NONE)
		list_add(&c->wanted, i);
}

/* From what is reached down to merges, as far as there is not work enough already. */
static void spread(struct crew *c)
{
	while (c->reached.n && c->wanted.n - c->first_wanted < WANTED_ENOUGH) {
		uint32_t i = c->reached.items[--c->reached.n];
		const struct node *node = node_at(c->view.h, i);
		uint32_t n = view_parents(&c->view, node);
		uint32_t parent;

		if (n > 1) {
			list_add(&c->merges, i);
			continue;
		}
		want(c, i);
		if (!n)
			continue;
		parent = parent_at(c->view.h, node, 0);
		if (view_in(&c->view, node_at(c->view.h, parent)))
			reach(c, parent);
		else
			want(c, parent);
	}
}

static void take_run(struct crew *c, struct task *task)
{
	size_t left = c->wanted.n - c->first_wanted;
	size_t n = left / (2 * (size_t)c->hands);

	n = n < RUN_MIN ? RUN_MIN : n > RUN_MAX ? RUN_MAX : n;
	task->n = n < left ? n : left;
	memcpy(task->nodes, c->wanted.items + c->first_wanted, task->n * sizeof(*task->nodes));
	c->first_wanted += task->n;
	if (c->first_wanted == c->wanted.n)
		c->first_wanted = c->wanted.n = 0;
}

/* Under the lock. Return: false when there is nothing to do for now. */
static bool take(struct crew *c, struct task *task)
{
	spread(c);
	task->late = c->late;
	task->merge = c->merges.n;
	if (task->merge) {
		task->nodes[0] = c->merges.items[--c->merges.n];
		task->n = 1;
	} else if (c->wanted.n) {
		take_run(c, task);
	} else {
		return false;
	}
	c->busy++;
	if (c->merges.n || c->wanted.n || c->reached.n)
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

/* Until nothing is left and nobody can bring more, which before the second round is never known. */
static void serve(struct crew *c, struct reader *reader)
{
	struct task task;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && !stop_requested()) {
		if (take(c, &task)) {
			pthread_mutex_unlock(&c->lock);
			work(c, reader, &task);
			pthread_mutex_lock(&c->lock);
		} else if (c->late && !c->busy) {
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

	serve(h->crew, h->reader);
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
	c->hands = helpers + 1;
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
	list_deinit(&c->reached);
	list_deinit(&c->merges);
	list_deinit(&c->wanted);
	free(c->helpers);
	free(c);
}

/* Under the lock. */
static void hand_over(struct crew *c)
{
	for (unsigned int i = 0; i < c->n_told; i++) {
		struct node *node = node_at(c->view.h, c->told[i]);

		if (node->crew & CREW_EARLY && !(node->crew & CREW_TOLD))
			list_add(&c->reached, c->told[i]);
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
}

int crew_finish(struct crew *c, struct err *err)
{
	pthread_mutex_lock(&c->lock);
	c->late = c->view.painted = true;
	c->reached.n = c->merges.n = c->wanted.n = c->first_wanted = 0;
	reach(c, c->from);
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
	serve(c, c->view.reader);
	join_helpers(c);
	return stop_check(err);
}
