// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several trials at once. What a worker made is in the store, and is taken from there as if an earlier part of
 * the run had made it; so a run with workers goes no other way than one that was resumed.
 *
 * A search gets all the verdicts of one round before it says what the next one is: k candidates are chosen to
 * cut what is left together, and the answer of one of them alone is worth less than that of the best single
 * one. Verdicts that the others of the round have made needless are not waited for; they are told when they
 * come.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "controller/loop/facts.h"
#include "controller/loop/loop.h"
#include "controller/rates.h"
#include "run_facts.h"

#define ROUND_MAX TEAM_MAX

/* Cards are for the workers: this process's rig has none then. */
int loop_size_team(struct run *r, struct err *err)
{
	if (team_size(r->o, r->lab.quarantine, r->range->n, &r->size, err) < 0)
		return -1;
	r->lab.card_elsewhere = r->size.cards.n > 0;
	return 0;
}

int loop_open_team(struct run *r, struct err *err)
{
	const struct team_spec spec = {
		.o = r->o,
		.kernel = &r->lab.kernel,
		.repo = r->lab.repo,
		.dir = r->dir,
		.store = r->store,
		.rig = r->lab.rig,
		.progress = r->progress,
		.n = r->size.n,
		.cards = &r->size.cards,
	};

	if (r->size.n < 2 && !r->size.cards.n)
		return 0;
	progress_event(r->progress, "%zu at once: %s", r->size.n, r->size.why);
	if (facts_team(r->store, &r->size, err) < 0)
		return -1;
	return team_open(&spec, &r->team, err);
}

void loop_want(struct run *r, const char *id, enum store_role role)
{
	struct team_task task = { .role = role, .base = r->has_base ? r->base_trial : 0 };

	if (!r->team || past_has(&r->past, id, role))
		return;
	str_copy(task.id, sizeof(task.id), id);
	str_copy(task.sound, sizeof(task.sound), r->lab.known_good);
	str_copy(task.name, sizeof(task.name), loop_name(r, id).text);
	team_want(r->team, &task);
}

void loop_want_with_parents(struct run *r, const char *id, enum store_role role,
			    enum store_role parents)
{
	_cleanup_strv_ struct strv all = { 0 };
	struct err ignored; /* who asks for them will say it */

	if (!r->team || range_real_parents(r->lab.repo, id, &all, &ignored) < 0)
		return;
	team_drop(r->team);
	loop_want(r, id, role);
	for (size_t i = 0; i < all.n; i++)
		loop_want(r, all.items[i], parents);
}

/* The last one of a commit in a role that is over. */
static const struct store_trial *last_of(const struct past *p, const char *id, enum store_role role)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->trials[i].role == role && halving_counts(&p->trials[i]) &&
		    strcmp(p->trials[i].commit, id) == 0)
			return &p->trials[i];
	return NULL;
}

static struct attempt attempt_of(const struct store_trial *t)
{
	struct attempt a = { .trial = t->trial, .v = t->v };

	for (size_t i = 0; i < t->n_stages; i++)
		a.elapsed_ns = clock_add_ns(a.elapsed_ns, t->stages[i].elapsed_ns);
	str_copy(a.patches, sizeof(a.patches), t->patches);
	return a;
}

static void show_step(struct run *r, unsigned int more, const char *what)
{
	const char *scope = options_str(r->o, OPT_SCOPE);
	int64_t each = rates_get(scope, "build") + rates_get(scope, "guest");

	progress_step(r->progress, r->step + 1, r->step + 1 + more, what,
		      each * (more + 1) / (int64_t)r->size.n);
}

int loop_await(struct run *r, unsigned int more, struct err *err)
{
	const struct store_trial *t;
	struct team_done done;
	struct attempt a;
	int got = team_wait(r->team, &done, err);

	if (got <= 0)
		return got;
	if (past_refresh(&r->past, r->store, err) < 0)
		return -1;
	if (done.failed) {
		r->broken = done;
		return 1;
	}
	t = last_of(&r->past, done.task.id, done.task.role);
	if (!t)
		return 1;
	a = attempt_of(t);
	r->step++;
	if (t->v.verdict == VERDICT_GOOD)
		str_copy(r->lab.known_good, sizeof(r->lab.known_good), t->commit);
	loop_show(r, t->commit, t->role, &a);
	show_step(r, more, "");
	return 1;
}

static bool is_broken(struct run *r, const char *id, enum store_role role, struct err *err)
{
	if (!r->broken.failed || r->broken.task.role != role || strcmp(r->broken.task.id, id) != 0)
		return false;
	*err = r->broken.err;
	return true;
}

int loop_try_there(struct run *r, const char *id, enum store_role role, unsigned int more,
		   struct attempt *ret, struct err *err)
{
	const struct store_trial *t;

	/* Not before it is over: of what is tried again at once, the first word is stored already. */
	for (bool waited = false;; waited = true) {
		while (team_has(r->team, id, role))
			if (loop_await(r, more, err) < 0)
				return -1;
		if (is_broken(r, id, role, err))
			return -1;
		if (past_take(&r->past, id, role, &t)) {
			*ret = attempt_of(t);
			return 0;
		}
		if (waited)
			return err_set(err, ERR_HOST, "a worker's trial of %.12s left no verdict",
				       id);
		loop_want(r, id, role);
		show_step(r, more, loop_name(r, id).text);
	}
}

bool loop_tell_left(struct run *r, struct search *search, enum store_role role)
{
	const struct store_trial *t = past_take_any(&r->past, role);
	long node = t ? range_find(r->range, t->commit) : -1;

	if (node >= 0)
		halving_tell(search, (uint32_t)node, &t->v);
	return t;
}

/* Whether a verdict on one of the nodes could still say something. */
static bool matters(const struct run *r, struct search *search, const uint32_t *nodes, size_t n,
		    enum store_role role)
{
	_cleanup_free_ struct search_view *views = NULL;
	struct search_step s;

	search_next(search, &s);
	if (s.action != SEARCH_TEST)
		return false;
	views = xcalloc(r->range->n, sizeof(*views));
	search_views(search, views);
	for (size_t i = 0; i < n; i++) {
		const struct search_view *v = &views[nodes[i]];

		if (team_has(r->team, r->range->commits[nodes[i]].id, role) && v->weight &&
		    (!v->left || v->weight < s.left))
			return true;
	}
	return false;
}

static void begin(struct run *r, const uint32_t *nodes, size_t n, enum store_role role, size_t left,
		  unsigned int rounds)
{
	struct err ignored;
	char what[64];

	for (size_t i = 0; i < n; i++)
		loop_want(r, r->range->commits[nodes[i]].id, role);
	snprintf(what, sizeof(what), "%zu candidate%s at once", n, n == 1 ? "" : "s");
	store_event(r->store, "round", &ignored, "%s, %zu left", what, left);
	show_step(r, rounds * (unsigned int)n + 1, what);
}

/* What came of those that are over; -1: one could not be made. */
static int take(struct run *r, struct search *search, const uint32_t *nodes, size_t n,
		enum store_role role, bool *told, struct err *err)
{
	const struct store_trial *t;

	for (size_t i = 0; i < n; i++) {
		const char *id = r->range->commits[nodes[i]].id;

		if (told[i] || team_has(r->team, id, role))
			continue;
		told[i] = true;
		if (is_broken(r, id, role, err))
			return -1;
		if (past_take(&r->past, id, role, &t))
			halving_tell(search, nodes[i], &t->v);
	}
	return 0;
}

int loop_round(struct run *r, struct search *search, enum store_role role,
	       const struct search_step *s, struct err *err)
{
	uint32_t nodes[ROUND_MAX];
	bool told[ROUND_MAX] = { 0 };
	size_t k, n;

	team_drop(r->team);
	k = team_free(r->team);
	if (!k) /* all are at something that others made needless */
		return loop_await(r, s->steps, err) < 0 ? -1 : 0;
	n = search_next_k(search, k, nodes);
	begin(r, nodes, n, role, s->left, search_rounds(search, nodes, n));
	do {
		if (loop_await(r, s->steps, err) < 0 ||
		    take(r, search, nodes, n, role, told, err) < 0)
			return -1;
	} while (matters(r, search, nodes, n, role));
	return 0;
}
