/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stored run with its candidates and its search, for the commands that only look at it. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "options.h"
#include "range/range.h"
#include "search/search.h"
#include "store/store.h"

struct session {
	char *dir;
	char *repo;
	struct store *store;
	struct options o; /* those of the run */
	struct range *range;
	struct search *search;	    /* knows what the trials say */
	struct search_view *views;  /* [range->n] */
	struct search_step step;    /* what the search would do now */
	struct store_trial *trials; /* [n_trials] in order */
	size_t n_trials;
};

/**
 * session_open() - read a run and walk its range again
 * @o:   options of this call; only --quiet counts
 * @run: as path_run_find()
 * @err: ERR_USAGE: no such run, or its repository has gone; ERR_HOST
 */
int session_open(const struct options *o, const char *run, struct session *ret, struct err *err);
void session_deinit(struct session *s);

#endif
