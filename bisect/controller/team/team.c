// SPDX-License-Identifier: GPL-2.0-or-later
/* Several trials at once, the controller's side: see team.h. */
#include "controller/team/team.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "controller/options/conf.h"
#include "controller/team/member.h"

#define SILENT_MS    600000 /* all that waits but a build has limits of its own, and ticks */
#define TICK_MS	     500
#define DEATHS_MAX   3 /* of a worker in a row, or of workers in one task */
#define FAILURES_MAX 2 /* of this machine, likewise; each was tried again where it happened */
#define END_MS	     10000
#define STOP_MS	     2200 /* a user waits */

struct wish {
	struct team_task task;
	unsigned int deaths, failures;
	size_t not_by; /* the worker that failed, if there is another; SIZE_MAX: none */
};

struct team {
	struct team_spec spec;
	char *conf;
	struct member *members; /* [spec.n] */
	struct wish *wishes;	/* [n_wishes] not begun, in order */
	size_t n_wishes;
	struct wish *begun;	/* [spec.n] of members that have a task */
	struct team_done *done; /* [n_done] over, and not told so far */
	size_t n_done;
};

static bool is_in(const struct member *m)
{
	return !m->out_of_it;
}

static size_t n_in(const struct team *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->spec.n; i++)
		n += is_in(&t->members[i]);
	return n;
}

static size_t n_busy(const struct team *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->spec.n; i++)
		n += t->members[i].has_task;
	return n;
}

size_t team_free(const struct team *t)
{
	size_t free = n_in(t) - n_busy(t);

	return free > t->n_wishes ? free - t->n_wishes : 0;
}

static bool is_same(const struct team_task *t, const char *id, enum store_role role)
{
	return t->role == role && strcmp(t->id, id) == 0;
}

bool team_has(const struct team *t, const char *id, enum store_role role)
{
	for (size_t i = 0; i < t->n_wishes; i++)
		if (is_same(&t->wishes[i].task, id, role))
			return true;
	for (size_t i = 0; i < t->spec.n; i++)
		if (t->members[i].has_task && is_same(&t->members[i].task, id, role))
			return true;
	for (size_t i = 0; i < t->n_done; i++)
		if (is_same(&t->done[i].task, id, role))
			return true;
	return false;
}

static void add_wish(struct team *t, const struct wish *w, bool first)
{
	size_t at = first ? 0 : t->n_wishes;

	t->wishes = xrealloc(t->wishes, t->n_wishes + 1, sizeof(*t->wishes));
	memmove(t->wishes + at + 1, t->wishes + at, (t->n_wishes - at) * sizeof(*t->wishes));
	t->wishes[at] = *w;
	t->n_wishes++;
}

void team_want(struct team *t, const struct team_task *task)
{
	if (!team_has(t, task->id, task->role))
		add_wish(t, &(struct wish){ .task = *task, .not_by = SIZE_MAX }, false);
}

void team_drop(struct team *t)
{
	t->n_wishes = 0;
}

static void say(struct team *t, const char *kind, const char *text)
{
	struct err ignored;

	progress_warn(t->spec.progress, "%s", text);
	store_event(t->spec.store, kind, &ignored, "%s", text);
}

static void over(struct team *t, const struct team_task *task, const struct err *why)
{
	struct team_done *d;

	t->done = xrealloc(t->done, t->n_done + 1, sizeof(*t->done));
	d = &t->done[t->n_done++];
	*d = (struct team_done){ .task = *task, .failed = why };
	if (why)
		d->err = *why;
}

static void give_up(struct team *t, struct member *m, const char *why)
{
	_cleanup_free_ char *text = str_printf("worker %zu%s%s is given up: %s", m->n + 1,
					       m->card ? ", " : "", m->card ? m->card : "", why);

	if (m->out_of_it)
		return;
	m->out_of_it = true;
	say(t, "worker", text);
	member_end(m, false);
}

/* A trial that nobody will end any more has its end on record. */
static void end_rows(struct team *t, const struct member *m, const char *how)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	_cleanup_free_ char *who = str_printf("worker %zu", m->n + 1);
	struct store_verdict v = { .verdict = VERDICT_HOST, .rule = "worker" };
	struct err ignored;
	size_t n;

	snprintf(v.reason, sizeof(v.reason), "%s %s", who, how);
	if (store_trials(t->spec.store, &trials, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (!trials[i].ended && str_starts(trials[i].where, who) &&
		    strchr(",", trials[i].where[strlen(who)]))
			store_end(t->spec.store, trials[i].trial, &v, &ignored);
}

/* Once more by another one, if there is one and it was not tried too often. */
static void again(struct team *t, const struct member *m, struct wish *w, const struct err *why)
{
	bool too_often = w->deaths >= DEATHS_MAX || w->failures >= FAILURES_MAX;
	size_t others = n_in(t) - (is_in(m) ? 1 : 0);

	if (too_often || (w->failures && !others)) {
		over(t, &w->task, why);
		return;
	}
	w->not_by = m->n;
	add_wish(t, w, true);
}

static void died(struct team *t, struct member *m)
{
	bool was_ready = m->ready, orderly;
	struct err why;
	char how[64];

	orderly = member_reap(m, how, sizeof(how));
	m->ready = false;
	m->deaths++;
	end_rows(t, m, how);
	if (!orderly && t->spec.rig)
		rig_tidy(t->spec.rig);
	if (!m->out_of_it) {
		_cleanup_free_ char *text = str_printf("worker %zu %s%s%s", m->n + 1, how,
						       m->why.kind ? ": " : "", m->why.msg);

		if (!was_ready || m->deaths >= DEATHS_MAX)
			give_up(t, m, m->why.kind ? m->why.msg : how);
		else
			say(t, "worker", text);
		if (!m->why.kind)
			err_set(&m->why, ERR_HOST,
				"worker %zu %s; its words are in %s/worker-%zu.log", m->n + 1, how,
				t->spec.dir, m->n + 1);
	}
	progress_worker(t->spec.progress, m->n, NULL);
	if (m->has_task) {
		struct wish w = t->begun[m->n];

		m->has_task = false;
		w.deaths++;
		why = m->why;
		again(t, m, &w, &why);
	}
	if (!m->out_of_it && member_start(m, &t->spec, t->conf, &why) < 0)
		give_up(t, m, why.msg);
}

static void failed(struct team *t, struct member *m, const char *text)
{
	char *words;
	enum err_kind kind = (enum err_kind)strtoul(text, &words, 10);
	struct wish w;

	err_set(&m->why, kind, "%s", words + (*words == ' '));
	if (!m->has_task)
		return;
	m->has_task = false;
	progress_worker(t->spec.progress, m->n, NULL);
	w = t->begun[m->n];
	if (kind == ERR_STOPPED) { /* somebody ended it */
		w.deaths++;
	} else if (kind != ERR_HOST) {
		over(t, &w.task, &m->why);
		return;
	} else {
		w.failures++;
		if (++m->failures >= FAILURES_MAX && n_in(t) > 1)
			give_up(t, m, m->why.msg);
	}
	again(t, m, &w, &m->why);
}

static void hear(struct member *m, const char *line, void *arg)
{
	struct team *t = arg;

	if (strcmp(line, "ready") == 0) {
		m->ready = true;
		m->building = false;
		m->why = (struct err){ 0 };
		progress_worker(t->spec.progress, m->n, NULL);
	} else if (strcmp(line, "done") == 0 && m->has_task) {
		m->has_task = false;
		m->deaths = m->failures = 0;
		progress_worker(t->spec.progress, m->n, NULL);
		over(t, &m->task, NULL);
	} else if (str_starts(line, "failed ")) {
		failed(t, m, line + strlen("failed "));
	} else if (str_starts(line, "lost ")) {
		err_set(&m->why, ERR_HOST, "%s", line + strlen("lost "));
		give_up(t, m, m->why.msg);
	} else {
		if (str_starts(line, "stage "))
			m->building = str_ends(line, " build");
		progress_relayed(t->spec.progress, m->n, line);
	}
}

static void look_after(struct team *t, struct member *m)
{
	int64_t silent_ms = t->spec.silent_ms ? t->spec.silent_ms : SILENT_MS;

	if (m->pid <= 0 || m->building || (m->ready && !m->has_task) ||
	    clock_now_ns() - m->heard_ns < silent_ms * NS_PER_MS)
		return;
	err_set(&m->why, ERR_HOST, "worker %zu hangs: not a word for %lld s", m->n + 1,
		(long long)(silent_ms / 1000));
	m->heard_ns = clock_now_ns();
	member_end(m, true);
}

static void begin(struct team *t, struct member *m)
{
	size_t at = 0;

	if (!m->ready || m->has_task || m->out_of_it)
		return;
	while (at < t->n_wishes && t->wishes[at].not_by == m->n && n_in(t) > 1)
		at++;
	if (at == t->n_wishes)
		return;
	t->begun[m->n] = t->wishes[at];
	t->n_wishes--;
	memmove(t->wishes + at, t->wishes + at + 1, (t->n_wishes - at) * sizeof(*t->wishes));
	progress_worker(t->spec.progress, m->n, t->begun[m->n].task.name);
	member_give(m, &t->begun[m->n].task);
}

/* What the workers say within @ms. */
static void listen(struct team *t, int ms)
{
	struct pollfd p[TEAM_MAX + 1];
	size_t n = t->spec.n;

	for (size_t i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = t->members[i].pid > 0 ? t->members[i].out : -1,
					.events = POLLIN };
	p[n] = (struct pollfd){ .fd = stop_requested() ? -1 : stop_fd(), .events = POLLIN };
	if (poll(p, (nfds_t)n + 1, ms) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (p[i].revents && !member_read(&t->members[i], hear, t))
			died(t, &t->members[i]);
}

static int nobody_left(const struct team *t, struct err *err)
{
	const struct member *last = &t->members[0];

	for (size_t i = 0; i < t->spec.n; i++)
		if (t->members[i].heard_ns > last->heard_ns && t->members[i].why.kind)
			last = &t->members[i];
	*err = last->why;
	if (!err->kind)
		err_set(err, ERR_HOST, "no worker is left");
	return t->spec.n > 1 ? err_prefix(err, "no worker is left, the last one said") : -1;
}

static bool take_done(struct team *t, struct team_done *ret)
{
	if (!t->n_done)
		return false;
	*ret = t->done[0];
	memmove(t->done, t->done + 1, --t->n_done * sizeof(*t->done));
	return true;
}

int team_wait(struct team *t, struct team_done *ret, struct err *err)
{
	while (!take_done(t, ret)) {
		if (stop_check(err) < 0)
			return -1;
		if (!n_in(t))
			return nobody_left(t, err);
		for (size_t i = 0; i < t->spec.n; i++)
			begin(t, &t->members[i]);
		if (!t->n_wishes && !n_busy(t))
			return 0;
		listen(t, TICK_MS);
		for (size_t i = 0; i < t->spec.n; i++)
			look_after(t, &t->members[i]);
	}
	return 1;
}

int team_open(const struct team_spec *spec, struct team **ret, struct err *err)
{
	_cleanup_(team_close_p) struct team *t = xcalloc(1, sizeof(*t));

	t->spec = *spec;
	t->conf = str_printf("%s/worker.conf", spec->dir);
	t->members = xcalloc(spec->n, sizeof(*t->members));
	t->begun = xcalloc(spec->n, sizeof(*t->begun));
	for (size_t i = 0; i < spec->n; i++)
		t->members[i] = (struct member){
			.n = i,
			.card = spec->cards && spec->cards->n ? spec->cards->items[i] : NULL,
			.in = -1,
			.out = -1,
		};
	if (conf_write(spec->o, CMD_RUN, spec->kernel, t->conf, err) < 0)
		return -1;
	progress_workers(spec->progress, spec->n);
	for (size_t i = 0; i < spec->n; i++)
		if (member_start(&t->members[i], spec, t->conf, err) < 0)
			return -1;
	*ret = take_ptr(t);
	return 0;
}

static void ignore(struct member *m, const char *line, void *arg)
{
	(void)m;
	(void)line;
	(void)arg;
}

static bool any_lives(const struct team *t)
{
	for (size_t i = 0; i < t->spec.n; i++)
		if (t->members[i].pid > 0)
			return true;
	return false;
}

/* Waits for the ends of those that were told to; @orderly is false if one could not clean up. */
static void await_ends(struct team *t, int64_t end_ns, bool *orderly)
{
	while (any_lives(t) && clock_now_ns() < end_ns) {
		struct pollfd p[TEAM_MAX];
		char how[64];

		for (size_t i = 0; i < t->spec.n; i++)
			p[i] = (struct pollfd){ .fd = t->members[i].pid > 0 ? t->members[i].out
									    : -1,
						.events = POLLIN };
		if (poll(p, (nfds_t)t->spec.n, 100) < 0 && errno != EINTR)
			return;
		for (size_t i = 0; i < t->spec.n; i++)
			if (p[i].revents && !member_read(&t->members[i], ignore, NULL))
				*orderly &= member_reap(&t->members[i], how, sizeof(how));
	}
}

void team_close(struct team *t)
{
	int64_t limit_ms = stop_requested() ? STOP_MS : END_MS;
	bool orderly = true;

	if (!t)
		return;
	for (size_t i = 0; i < t->spec.n; i++)
		member_end(&t->members[i], false);
	await_ends(t, clock_now_ns() + limit_ms * NS_PER_MS, &orderly);
	for (size_t i = 0; i < t->spec.n; i++)
		member_end(&t->members[i], true);
	await_ends(t, clock_now_ns() + END_MS * NS_PER_MS, &orderly);
	if (!orderly && t->spec.rig)
		rig_tidy(t->spec.rig);
	progress_workers(t->spec.progress, 0);
	free(t->members);
	free(t->wishes);
	free(t->begun);
	free(t->done);
	free(t->conf);
	free(t);
}
