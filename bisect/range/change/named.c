// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates that are one of several changes, by their messages alone: one read each, and no diff. */
#include <string.h>

#include "base/stop.h"
#include "range/change/change.h"
#include "range/change/trailers.h"
#include "range/gitlib.h"

static bool is_one_of(const struct identity *what, size_t n, const struct identity *candidate)
{
	for (size_t i = 0; i < n; i++) {
		struct identity other = what[i];

		*other.patch_id = '\0';
		if (identity_same(&other, candidate) != SAME_NOT)
			return true;
	}
	return false;
}

int change_named(const char *repo, const struct range *range, const struct identity *what, size_t n,
		 bool *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;

	if (gitlib_open(repo, &git, err) < 0)
		return -1;
	for (size_t i = 0; i < range->n; i++) {
		_cleanup_(git_commit_free_p) git_commit *commit = NULL;
		struct identity candidate = { 0 };
		const char *message;

		str_copy(candidate.id, sizeof(candidate.id), range->commits[i].id);
		if (stop_check(err) < 0 || gitlib_commit_hex(git, candidate.id, &commit, err) < 0)
			return -1;
		message = git_commit_message(commit);
		candidate.how = trailers_parse(message, strlen(message), candidate.upstream);
		ret[i] = is_one_of(what, n, &candidate);
	}
	return 0;
}
