// SPDX-License-Identifier: GPL-2.0-or-later
/* Where follow-ups come from: see known_followups.h. */
#include "controller/prove/known_followups.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "range/pick/followup.h"

static const char *const hows[] = {
	[FOLLOWUP_FIXES] = "its Fixes: names the culprit",
	[FOLLOWUP_REVERTS] = "it reverts the culprit",
	[FOLLOWUP_NAMES] = "its message names the culprit",
};
static_assert(ARRAY_SIZE(hows) == FOLLOWUP_NOT, "a way has no words");

struct list {
	struct known_followup *items; /* [n] */
	size_t n;
};

static void list_deinit(struct list *l)
{
	free(l->items);
}

static void add(struct list *l, const char *id, const char *how)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].id, id) == 0)
			return;
	l->items = xrealloc(l->items, l->n + 1, sizeof(*l->items));
	l->items[l->n] = (struct known_followup){ .how = how };
	str_copy(l->items[l->n++].id, COMMIT_ID_SIZE, id);
}

static int add_named(struct run *r, const char *culprit, const char *tip, struct list *l,
		     struct err *err)
{
	_cleanup_free_ char *upstream = NULL;
	_cleanup_free_ struct followup *found = NULL;
	const char *names[2] = { culprit };
	size_t n;

	if (store_get(r->store, "culprit.upstream", &upstream, err) < 0)
		return -1;
	names[1] = upstream;
	if (followup_find(r->lab.repo, names, upstream ? 2 : 1, tip,
			  options_str(r->o, OPT_UPSTREAM), &found, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		add(l, found[i].id, hows[found[i].how]);
	return 0;
}

static int add_repairers(struct run *r, struct list *l, struct err *err)
{
	for (size_t i = 0; i < r->n_turns; i++) {
		_cleanup_free_ char *key = str_printf("turn.%zu.repairer", i);
		_cleanup_free_ char *id = NULL;

		if (store_get(r->store, key, &id, err) < 0)
			return -1;
		if (id && str_is_commit_id(id))
			add(l, id, "it took the same change back before");
	}
	return 0;
}

int known_followups(struct run *r, const char *culprit, const char *tip,
		    struct known_followup **ret, size_t *n, struct err *err)
{
	const char *given = options_str(r->o, OPT_FOLLOW_UP);
	_cleanup_(list_deinit) struct list l = { 0 };
	char id[COMMIT_ID_SIZE];

	if (given) {
		if (range_resolve(r->lab.repo, given, id, err) < 0)
			return err_prefix(err, "--follow-up");
		add(&l, id, "named by --follow-up");
	} else if (add_named(r, culprit, tip, &l, err) < 0 || add_repairers(r, &l, err) < 0) {
		return -1;
	}
	*ret = take_ptr(l.items);
	*n = l.n;
	return 0;
}
