/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --replay: a `git bisect log` becomes options, and verdicts that the user told. */
#ifndef CONTROLLER_REPLAY_H
#define CONTROLLER_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "range/range.h"
#include "search/search.h"
#include "store/store.h"

/**
 * replay_options() - read the log that --replay names; its ends, words, paths and --first-parent count
 *                    as flags, unless flags or the file said otherwise
 * @err: ERR_USAGE naming the file and line; ERR_HOST
 *
 * Without ends on its start line a log's ends are its first verdicts: the first new one, and all old
 * ones before it, or the first of them. Does nothing without --replay.
 */
int replay_options(struct options *o, struct err *err);

struct replay_verdict {
	uint32_t node;
	struct store_verdict v;
};

struct replay {
	struct replay_verdict *verdicts; /* [n] in order, owned */
	size_t n;
	size_t n_unused; /* verdicts on commits that say nothing about the candidates */
};

/**
 * replay_load() - the log's verdicts on candidates
 * @err: ERR_USAGE: a commit that @repo does not have, with its line
 *
 * A verdict on a commit that is no candidate is one on the candidate that its content comes from.
 */
int replay_load(const struct options *o, const char *repo, const struct range *range,
		struct replay *ret, struct err *err);
void replay_deinit(struct replay *r);

/** replay_tell() - the verdicts to a search */
void replay_tell(const struct replay *r, struct search *search);

/** replay_store() - the verdicts as trials of a run, in the role that the user has */
int replay_store(const struct replay *r, const struct range *range, struct store *store,
		 struct err *err);

#endif
