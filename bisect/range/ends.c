// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the walk: ends that cannot bound a bisection are found here, in words that mend it. */
#include "range/ends.h"

#include <string.h>

/* An end as people know it: as named, with the id if the name is not the id. */
static char *end_name(const char *rev, const git_oid *id)
{
	char hex[COMMIT_ID_SIZE];

	gitlib_hex(id, hex);
	return strcmp(rev, hex) == 0 ? str_printf("%.12s", hex)
				     : str_printf("%s (%.12s)", rev, hex);
}

static int not_an_ancestor(const char *good, const char *bad, git_repository *repo,
			   const git_oid *base_id, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *base = NULL;
	_cleanup_free_ char *subject = NULL;
	char hex[COMMIT_ID_SIZE];

	if (gitlib_commit(repo, base_id, &base, err) < 0)
		return -1;
	subject = subject_of(base);
	gitlib_hex(base_id, hex);
	return err_set(err, ERR_USAGE,
		       "good %s is no ancestor of bad %s; if their merge base %s (%s) is good, "
		       "name that as good",
		       good, bad, hex, subject);
}

static int check_pair(git_repository *repo, const struct range_spec *spec, const char *good_rev,
		      const git_oid *good_id, const git_oid *bad_id, struct err *err)
{
	_cleanup_free_ char *good = end_name(good_rev, good_id);
	_cleanup_free_ char *bad = end_name(spec->bad, bad_id);
	git_oid base;
	int rc = git_merge_base(&base, repo, bad_id, good_id);
	if (rc == GIT_ENOTFOUND && git_error_last() && git_error_last()->klass == GIT_ERROR_MERGE)
		return err_set(
			err, ERR_USAGE,
			"good %s and bad %s share no history; name two commits of one history",
			good, bad);
	if (rc < 0)
		return err_set(err, ERR_HOST,
			       "the history between good %s and bad %s cannot be read (%s); check "
			       "with git fsck, then fetch it again (git fetch --refetch)",
			       good, bad, gitlib_words());
	if (git_oid_equal(&base, good_id))
		return 0;
	if (git_oid_equal(&base, bad_id))
		return err_set(err, ERR_USAGE, "good %s is a descendant of bad %s: swap the two",
			       good, bad);
	return not_an_ancestor(good, bad, repo, &base, err);
}

int ends_check(git_repository *repo, const struct range_spec *spec, const struct ends *ends,
	       struct err *err)
{
	for (size_t i = 0; i < ends->n_good; i++)
		if (check_pair(repo, spec, spec->good[ends->given[i]], &ends->good[i], &ends->bad,
			       err) < 0)
			return -1;
	return 0;
}

static int check_differ(const struct range_spec *spec, const char *good_rev, const git_oid *good_id,
			const git_oid *bad_id, struct err *err)
{
	_cleanup_free_ char *good = end_name(good_rev, good_id);
	_cleanup_free_ char *bad = end_name(spec->bad, bad_id);

	if (!git_oid_equal(good_id, bad_id))
		return 0;
	return err_set(err, ERR_USAGE,
		       "good %s and bad %s are the same commit; name a good one before the "
		       "change and a bad one after it",
		       good, bad);
}

static bool is_known(const struct ends *e, const git_oid *id)
{
	for (size_t i = 0; i < e->n_good; i++)
		if (git_oid_equal(&e->good[i], id))
			return true;
	return false;
}

static int resolve_id(git_repository *repo, const char *rev, git_oid *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_resolve(repo, rev, &commit, err) < 0)
		return -1;
	git_oid_cpy(ret, git_commit_id(commit));
	return 0;
}

int ends_resolve(git_repository *repo, const struct range_spec *spec, struct ends *ret,
		 struct err *err)
{
	__attribute__((cleanup(ends_deinit))) struct ends e = { 0 };

	if (git_repository_is_shallow(repo) == 1)
		return err_set(err, ERR_USAGE,
			       "%s is a shallow clone, its history is cut off; git -C '%s' fetch "
			       "--unshallow",
			       gitlib_place(repo), gitlib_place(repo));
	if (!spec->n_good)
		return err_set(err, ERR_USAGE, "no good revision is given; name one with --good");
	if (resolve_id(repo, spec->bad, &e.bad, err) < 0)
		return -1;
	e.good = xcalloc(spec->n_good, sizeof(*e.good));
	e.given = xcalloc(spec->n_good, sizeof(*e.given));
	for (size_t i = 0; i < spec->n_good; i++) {
		git_oid id;

		if (resolve_id(repo, spec->good[i], &id, err) < 0)
			return -1;
		if (is_known(&e, &id))
			continue;
		if (check_differ(spec, spec->good[i], &id, &e.bad, err) < 0)
			return -1;
		e.given[e.n_good] = i;
		git_oid_cpy(&e.good[e.n_good++], &id);
	}
	*ret = e;
	e = (struct ends){ 0 };
	return 0;
}

void ends_deinit(struct ends *e)
{
	free(e->good);
	free(e->given);
	*e = (struct ends){ 0 };
}
