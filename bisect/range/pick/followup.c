// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages that name a culprit: see followup.h. */
#include "range/pick/followup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/stop.h"
#include "range/change/trailers.h"
#include "range/gitlib.h"
#include "range/walk/revision.h"

#define HEX_MIN 8 /* shorter words of hex digits are found in any text */

static bool is_name(const char *hex, size_t len, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = strlen(names[i]);

		if (k >= HEX_MIN && strncasecmp(hex, names[i], len < k ? len : k) == 0)
			return true;
	}
	return false;
}

/* What stands before an id in its line, or at the end of the line above. */
static bool comes_after(const char *message, const char *at, const char *words)
{
	size_t len = strlen(words);

	while (at > message && (isspace((unsigned char)at[-1]) || at[-1] == '"'))
		at--;
	return (size_t)(at - message) >= len && strncasecmp(at - len, words, len) == 0;
}

static enum followup_how how_of(const char *message, const char *at)
{
	if (comes_after(message, at, "Fixes:") || comes_after(message, at, "Fixes: commit"))
		return FOLLOWUP_FIXES;
	if (comes_after(message, at, "reverts commit"))
		return FOLLOWUP_REVERTS;
	return FOLLOWUP_NAMES;
}

enum followup_how followup_in(const char *message, const char *const *names, size_t n)
{
	enum followup_how best = FOLLOWUP_NOT;
	char same[COMMIT_ID_SIZE];

	if (trailers_parse(message, strlen(message), same) != SAME_NOT &&
	    is_name(same, strlen(same), names, n))
		return FOLLOWUP_NOT;
	for (const char *at = message; *at;) {
		size_t len = 0;
		enum followup_how how;

		if (!isalnum((unsigned char)*at)) {
			at++;
			continue;
		}
		while (isxdigit((unsigned char)at[len]))
			len++;
		how = len >= HEX_MIN && len < COMMIT_ID_SIZE && !isalnum((unsigned char)at[len]) &&
				      is_name(at, len, names, n)
			      ? how_of(message, at)
			      : FOLLOWUP_NOT;
		best = how < best ? how : best;
		for (at += len; isalnum((unsigned char)*at); at++)
			;
	}
	return best;
}

static int by_how_and_date(const void *a, const void *b)
{
	const struct followup *x = a, *y = b;

	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	if (x->date_s != y->date_s)
		return x->date_s < y->date_s ? -1 : 1;
	return strcmp(x->id, y->id);
}

static int failed(git_repository *git, struct err *err)
{
	return err_set(err, ERR_HOST,
		       "the history of %s cannot be walked (%s); check with git fsck",
		       gitlib_place(git), gitlib_words());
}

static int begin(git_repository *git, const char *tip, const char *branch, git_revwalk **ret,
		 struct err *err)
{
	git_oid id;

	if (git_revwalk_new(ret, git) < 0 || git_oid_fromstr(&id, tip) < 0 ||
	    git_revwalk_hide(*ret, &id) < 0)
		return failed(git, err);
	if (branch) {
		if (revision_resolve(git, branch, &id, err) < 0)
			return -1;
		return git_revwalk_push(*ret, &id) < 0 ? failed(git, err) : 0;
	}
	return git_revwalk_push_glob(*ret, "*") < 0 ? failed(git, err) : 0;
}

int followup_find(const char *repo, const char *const *names, size_t n, const char *tip,
		  const char *branch, struct followup **ret, size_t *ret_n, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_revwalk_free_p) git_revwalk *walk = NULL;
	_cleanup_free_ struct followup *all = NULL;
	size_t n_all = 0;
	git_oid id;
	int rc;

	if (gitlib_open(repo, &git, err) < 0 || begin(git, tip, branch, &walk, err) < 0)
		return -1;
	while ((rc = git_revwalk_next(&id, walk)) == 0) {
		_cleanup_(git_commit_free_p) git_commit *commit = NULL;
		enum followup_how how;

		if (stop_check(err) < 0 || gitlib_commit(git, &id, &commit, err) < 0)
			return -1;
		how = git_commit_parentcount(commit) > 1
			      ? FOLLOWUP_NOT
			      : followup_in(git_commit_message(commit), names, n);
		if (how == FOLLOWUP_NOT)
			continue;
		all = xrealloc(all, n_all + 1, sizeof(*all));
		all[n_all] = (struct followup){ .how = how, .date_s = git_commit_time(commit) };
		gitlib_hex(&id, all[n_all++].id);
	}
	if (rc != GIT_ITEROVER)
		return failed(git, err);
	if (n_all)
		qsort(all, n_all, sizeof(*all), by_how_and_date);
	*ret = take_ptr(all);
	*ret_n = n_all;
	return 0;
}
