// SPDX-License-Identifier: GPL-2.0-or-later
/* A stored run, looked at: see session.h. */
#include "cmd_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "halving.h"
#include "paths.h"
#include "run_facts.h"

DEFINE_CLEANUP(struct progress *, progress_destroy)

void session_deinit(struct session *s)
{
	free(s->views);
	free(s->trials);
	search_destroy(s->search);
	range_destroy(s->range);
	options_deinit(&s->o);
	store_close(s->store);
	free(s->repo);
	free(s->dir);
	*s = (struct session){ 0 };
}

/* "inherit.N.commit": new only since a parent of it is that is older than the ends. */
static int recall_inherited(const char *key, const char *value, void *arg)
{
	struct session *s = arg;
	long node;

	if (!str_starts(key, "inherit.") || !str_ends(key, ".commit"))
		return 0;
	node = range_find(s->range, value);
	if (node >= 0)
		search_inherit(s->search, (uint32_t)node);
	return 0;
}

static int recall(struct session *s, struct err *err)
{
	if (halving_search(&s->o, s->repo, s->range, &s->search, err) < 0 ||
	    store_trials(s->store, &s->trials, &s->n_trials, err) < 0)
		return -1;
	search_set(s->search, s->range->bad_node, halving_new(&s->o));
	halving_recall(&s->o, s->range, s->trials, s->n_trials, s->search);
	if (store_each_fact(s->store, recall_inherited, s, err) < 0)
		return -1;
	search_next(s->search, &s->step);
	if (s->step.action == SEARCH_CONTRADICTION)
		search_accept(s->search);
	s->views = xcalloc(s->range->n, sizeof(*s->views));
	search_views(s->search, s->views);
	search_next(s->search, &s->step); /* last, since its set lives until the next call */
	return 0;
}

int session_open(const struct options *o, const char *run, struct session *ret, struct err *err)
{
	_cleanup_(session_deinit) struct session s = { 0 };
	_cleanup_(progress_destroy_p) struct progress *progress =
		progress_create(stderr, options_bool(o, OPT_QUIET));

	options_default(CMD_RUN, &s.o);
	if (path_run_find(run, &s.dir, err) < 0 || store_open(s.dir, false, &s.store, err) < 0 ||
	    facts_question(s.store, &s.o, &s.repo, err) < 0 ||
	    halving_range_shown(&s.o, s.repo, progress, &s.range, err) < 0 || recall(&s, err) < 0)
		return -1;
	*ret = s;
	s = (struct session){ 0 };
	return 0;
}
