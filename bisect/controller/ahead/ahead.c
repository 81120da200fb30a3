// SPDX-License-Identifier: GPL-2.0-or-later
/* Building ahead: see ahead.h. What one build is stands in build.c. */
#include "controller/ahead/ahead.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/spawn/priority.h"
#include "base/stop.h"
#include "base/str.h"
#include "controller/ahead/build.h"

/* A machine that fails these has other trouble, and will say so when it builds what is needed. */
#define BROKEN_MAX 3
#define TICK_MS	   200

/* What a run had of it, over all of its parts. */
struct totals {
	uint64_t built, used, saved_ms, stopped;
};

static const struct {
	const char *key;
	size_t at;
} facts[] = {
	{ "build.ahead.built", offsetof(struct totals, built) },
	{ "build.ahead.used", offsetof(struct totals, used) },
	{ "build.ahead.saved_ms", offsetof(struct totals, saved_ms) },
	{ "build.ahead.stopped", offsetof(struct totals, stopped) },
};

struct ahead {
	struct ahead_job job;
	struct totals sum, stored;
	struct store *store;
	struct strv plan;	 /* of the trial that goes on */
	struct strv have;	 /* built, or known not to build */
	struct strv broken;	 /* not worth another try ahead, but still to be built */
	struct ahead_done *mine; /* [n_mine] built ahead and not used so far */
	size_t n_mine;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct strv queue;
	char now[COMMIT_ID_SIZE]; /* being built, or empty */
	int64_t since_ns;	  /* that it is */
	struct ahead_done *done;  /* [n_done] ended, and not taken note of so far */
	size_t n_done;
	bool end;
};

static void *work(void *arg)
{
	struct ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->end) {
		struct ahead_done done = { 0 };
		eventfd_t old;

		if (!a->queue.n) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		str_copy(a->now, sizeof(a->now), a->queue.items[0]);
		str_copy(done.id, sizeof(done.id), a->now);
		free(a->queue.items[0]);
		memmove(a->queue.items, a->queue.items + 1, --a->queue.n * sizeof(*a->queue.items));
		a->since_ns = clock_now_ns();
		/* a cancel that came when nothing was being built */
		eventfd_read(a->job.cancel, &old);
		pthread_mutex_unlock(&a->lock);
		ahead_build(&a->job, &done);
		pthread_mutex_lock(&a->lock);
		a->done = xrealloc(a->done, a->n_done + 1, sizeof(*a->done));
		a->done[a->n_done++] = done;
		a->now[0] = '\0';
		pthread_cond_broadcast(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int start(struct ahead *a, struct err *err)
{
	sigset_t all, old;

	/* Signals are for the thread that works: its waits are to be cut short. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = pthread_create(&a->thread, NULL, work, a);
	a->started = errno == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return a->started ? 0 : err_errno(err, ERR_HOST, "cannot start a thread");
}

static uint64_t *total(struct totals *t, size_t i)
{
	return (uint64_t *)((char *)t + facts[i].at);
}

/* What earlier parts of the run had. */
static int recall(struct ahead *a, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		_cleanup_free_ char *value = NULL;

		if (store_get(a->store, facts[i].key, &value, err) < 0)
			return -1;
		if (value && str_to_u64(value, INT64_MAX, total(&a->stored, i)))
			*total(&a->sum, i) = *total(&a->stored, i);
	}
	return 0;
}

/* Only for the report; a disk that is full stops the run elsewhere. */
static void keep(struct ahead *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		char value[24];
		struct err ignored;

		if (*total(&a->sum, i) == *total(&a->stored, i))
			continue;
		snprintf(value, sizeof(value), "%" PRIu64, *total(&a->sum, i));
		store_set(a->store, facts[i].key, value, &ignored);
	}
	a->stored = a->sum;
}

DEFINE_CLEANUP(struct ahead *, ahead_close)

int ahead_open(const struct ahead_spec *spec, struct ahead **ret, struct err *err)
{
	_cleanup_(ahead_close_p) struct ahead *a = xcalloc(1, sizeof(*a));

	a->store = spec->store;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (recall(a, err) < 0 || ahead_job_init(&a->job, spec, err) < 0 || start(a, err) < 0)
		return -1;
	*ret = take_ptr(a);
	return 0;
}

static void event(struct ahead *a, const char *what, const char *id, int64_t ns)
{
	struct err ignored;

	store_event(a->store, "ahead", &ignored, "%s %.12s %" PRId64 " ms", what, id,
		    ns / NS_PER_MS);
}

static void note(struct ahead *a, const struct ahead_done *d)
{
	switch (d->end) {
	case AHEAD_STOPPED:
		event(a, "stopped", d->id, d->elapsed_ns);
		a->sum.stopped++;
		return;
	case AHEAD_BROKEN:
		event(a, "failed", d->id, d->elapsed_ns);
		strv_add(&a->broken, d->id);
		return;
	case AHEAD_BUILT:
		event(a, "built", d->id, d->elapsed_ns);
		a->sum.built++;
		a->mine = xrealloc(a->mine, a->n_mine + 1, sizeof(*a->mine));
		a->mine[a->n_mine++] = *d;
		break;
	case AHEAD_CACHED:
		break;
	}
	ahead_have(a, d->id);
}

/* Takes note of what has ended. The store is written without the lock: its disk may be slow. */
static void note_done(struct ahead *a)
{
	_cleanup_free_ struct ahead_done *done = NULL;
	size_t n;

	pthread_mutex_lock(&a->lock);
	done = take_ptr(a->done);
	n = a->n_done;
	a->n_done = 0;
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < n; i++)
		note(a, &done[i]);
}

/* The lock is held. */
static void cancel(struct ahead *a)
{
	strv_deinit(&a->queue);
	if (a->now[0])
		eventfd_write(a->job.cancel, 1);
}

void ahead_close(struct ahead *a)
{
	if (!a)
		return;
	if (a->started) {
		pthread_mutex_lock(&a->lock);
		a->end = true;
		cancel(a);
		pthread_cond_broadcast(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
		note_done(a);
		keep(a);
	}
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	ahead_job_deinit(&a->job);
	strv_deinit(&a->plan);
	strv_deinit(&a->have);
	strv_deinit(&a->broken);
	strv_deinit(&a->queue);
	free(a->mine);
	free(a->done);
	free(a);
}

void ahead_plan(struct ahead *a, const char *const *ids, size_t n)
{
	if (!a)
		return;
	strv_deinit(&a->plan);
	for (size_t i = 0; i < n; i++)
		if (!strv_has(&a->plan, ids[i]))
			strv_add(&a->plan, ids[i]);
}

bool ahead_foresees(const struct ahead *a, const char *id)
{
	return a && strv_has(&a->plan, id);
}

/* Waits, showing it, until @id is not being built any more, or @until_ns; the lock is held. */
static void wait_for(struct ahead *a, const char *id, int64_t until_ns, struct progress *progress)
{
	while (*id && strcmp(a->now, id) == 0 && !stop_requested() && clock_now_ns() < until_ns) {
		struct timespec at;

		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += TICK_MS * NS_PER_MS;
		at.tv_sec += at.tv_nsec / NS_PER_S;
		at.tv_nsec %= NS_PER_S;
		pthread_cond_timedwait(&a->changed, &a->lock, &at);
		progress_tick(progress);
	}
}

/*
 * Most users may not lift what is idle. On a machine with other work it would hardly get on, so it is given
 * as long as it had so far, and is then stopped: make goes on from what it has, at our own priority.
 */
static void wait_for_needed(struct ahead *a, const char *id, struct progress *progress)
{
	int64_t now = clock_now_ns();

	wait_for(a, id, priority_lift() ? INT64_MAX : now + (now - a->since_ns), progress);
	if (strcmp(a->now, id) != 0 || stop_requested())
		return;
	cancel(a);
	wait_for(a, id, INT64_MAX, progress);
}

/* What was built ahead serves now; it saved what did not have to be waited for. */
static void use(struct ahead *a, const char *id, int64_t waited_ns)
{
	for (size_t i = 0; i < a->n_mine; i++) {
		int64_t saved = a->mine[i].elapsed_ns - waited_ns;

		if (strcmp(a->mine[i].id, id) != 0)
			continue;
		saved = saved < 0 ? 0 : saved;
		event(a, "used", id, saved);
		a->sum.used++;
		a->sum.saved_ms += (uint64_t)(saved / NS_PER_MS);
		a->mine[i] = a->mine[--a->n_mine];
		return;
	}
}

void ahead_need(struct ahead *a, const char *id, struct progress *progress)
{
	int64_t start = clock_now_ns();
	char now[COMMIT_ID_SIZE];

	if (!a)
		return;
	note_done(a);
	pthread_mutex_lock(&a->lock);
	strv_deinit(&a->queue);
	str_copy(now, sizeof(now), a->now);
	if (strcmp(now, id) == 0) {
		wait_for_needed(a, id, progress);
	} else if (!strv_has(&a->have, id)) {
		cancel(a);
		priority_lift(); /* so that it ends soon even where the machine is busy */
		wait_for(a, now, INT64_MAX, progress);
	} else if (!strv_has(&a->plan, now)) {
		cancel(a);
	}
	pthread_mutex_unlock(&a->lock);
	note_done(a);
	use(a, id, clock_now_ns() - start);
	keep(a);
}

void ahead_have(struct ahead *a, const char *id)
{
	if (a && !strv_has(&a->have, id))
		strv_add(&a->have, id);
}

void ahead_go(struct ahead *a)
{
	if (!a)
		return;
	note_done(a);
	pthread_mutex_lock(&a->lock);
	strv_deinit(&a->queue);
	for (size_t i = 0; a->broken.n < BROKEN_MAX && i < a->plan.n; i++) {
		const char *id = a->plan.items[i];

		if (!strv_has(&a->have, id) && !strv_has(&a->broken, id) && strcmp(id, a->now) != 0)
			strv_add(&a->queue, id);
	}
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
}
