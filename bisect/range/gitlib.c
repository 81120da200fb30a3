// SPDX-License-Identifier: GPL-2.0-or-later
/* libgit2's failures get our words here; door/ opens repositories. */
#include "range/gitlib.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * Extensions that change nothing for a reader of commits, trees and blobs; without this libgit2 refuses
 * sparse checkouts and partial clones. Source: gitrepository-layout(5), git-config(1) "extensions".
 */
static const char *harmless[] = {
	"noop", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig",
};

static void start(void)
{
	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless, ARRAY_SIZE(harmless));
	/* Our backend does it: to libgit2 a replaced object is a damaged one. */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
}

void gitlib_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}

const char *gitlib_words(void)
{
	const git_error *e = git_error_last();

	/* Where there is no failure 1.8 and later do not answer NULL, but with one that says so. */
	return e && e->klass != GIT_ERROR_NONE && e->message ? e->message : "no reason given";
}

/* A bare directory without a config is taken for a .git by libgit2, and its parent for a work tree. */
static bool is_work_tree(const char *dir)
{
	_cleanup_free_ char *git = str_printf("%s/.git", dir);

	return faccessat(AT_FDCWD, git, F_OK, 0) == 0;
}

const char *gitlib_place(git_repository *repo)
{
	const char *dir = git_repository_workdir(repo);

	return dir && is_work_tree(dir) ? dir : git_repository_path(repo);
}

bool gitlib_is_on(git_repository *repo, const char *key)
{
	_cleanup_(git_config_free_p) git_config *config = NULL;
	int on = 1;

	if (git_repository_config_snapshot(&config, repo) == 0)
		git_config_get_bool(&on, config, key);
	return on != 0;
}

bool gitlib_replaces(git_repository *repo)
{
	return !getenv("GIT_NO_REPLACE_OBJECTS") && gitlib_is_on(repo, "core.usereplacerefs");
}

void gitlib_hex(const git_oid *id, char ret[COMMIT_ID_SIZE])
{
	git_oid_tostr(ret, COMMIT_ID_SIZE, id);
}

int gitlib_object_bad(git_repository *repo, const char *kind, const git_oid *id, const char *why,
		      struct err *err)
{
	char hex[COMMIT_ID_SIZE];

	gitlib_hex(id, hex);
	return err_set(err, ERR_HOST,
		       "%s %s in %s is damaged (%s); check with git fsck, then fetch it again (git "
		       "fetch --refetch --no-filter)",
		       kind, hex, gitlib_place(repo), why);
}

int gitlib_object_fail(git_repository *repo, const char *kind, const git_oid *id, int code,
		       struct err *err)
{
	char hex[COMMIT_ID_SIZE];

	if (code != GIT_ENOTFOUND)
		return gitlib_object_bad(repo, kind, id, gitlib_words(), err);
	gitlib_hex(id, hex);
	return err_set(err, ERR_HOST,
		       "%s %s is missing from %s; fetch it again (git fetch --refetch --no-filter) "
		       "and check with git fsck",
		       kind, hex, gitlib_place(repo));
}

int gitlib_commit(git_repository *repo, const git_oid *id, git_commit **ret, struct err *err)
{
	int rc = git_commit_lookup(ret, repo, id);

	return rc < 0 ? gitlib_object_fail(repo, "commit", id, rc, err) : 0;
}

int gitlib_commit_hex(git_repository *repo, const char *id, git_commit **ret, struct err *err)
{
	git_oid oid;

	if (!str_is_commit_id(id) || git_oid_fromstr(&oid, id) < 0)
		return err_set(err, ERR_USAGE, "'%s' is no full commit id; give 40 hex digits", id);
	return gitlib_commit(repo, &oid, ret, err);
}

static bool has_no_refs(git_repository *repo)
{
	git_strarray names = { 0 };
	bool none = git_repository_head_unborn(repo) == 1 &&
		    git_reference_list(&names, repo) == 0 && names.count == 0;

	git_strarray_dispose(&names);
	return none;
}

/* libgit2 has none for an object that it cannot parse; what is left are those for a config that is not there. */
static const char *words_on_object(void)
{
	const git_error *e = git_error_last();

	if (!e || e->klass == GIT_ERROR_NONE || e->klass == GIT_ERROR_CONFIG)
		return "it cannot be parsed";
	return gitlib_words();
}

/* A branch or a tag that is there, of an object that is not. */
static bool names_lost_object(git_repository *repo, const char *rev, git_oid *ret)
{
	_cleanup_(git_reference_free_p) git_reference *ref = NULL;
	_cleanup_(git_reference_free_p) git_reference *direct = NULL;

	if (git_reference_dwim(&ref, repo, rev) < 0 || git_reference_resolve(&direct, ref) < 0)
		return false;
	git_oid_cpy(ret, git_reference_target(direct));
	return true;
}

/* A full id is nothing else: after it libgit2 would look for a ref of that name, and give the words for that. */
static int find_object(git_repository *repo, const char *rev, git_object **ret)
{
	git_oid id;

	git_error_clear();
	if (strlen(rev) == COMMIT_ID_SIZE - 1 && git_oid_fromstr(&id, rev) == 0)
		return git_object_lookup(ret, repo, &id, GIT_OBJECT_ANY);
	return git_revparse_single(ret, repo, rev);
}

/* No name of a revision is as long; libgit2 and the error line have room for less than anybody can type. */
#define REV_LEN_MAX 400

int gitlib_resolve(git_repository *repo, const char *rev, git_commit **ret, struct err *err)
{
	_cleanup_(git_object_free_p) git_object *obj = NULL;
	git_object *peeled = NULL;
	git_oid lost;
	int rc;

	if (strlen(rev) > REV_LEN_MAX)
		return err_set(
			err, ERR_USAGE,
			"'%.40s...' is too long to name a commit; give its id, a tag or a branch",
			rev);
	rc = find_object(repo, rev, &obj);
	if (rc == GIT_EAMBIGUOUS)
		return err_set(err, ERR_USAGE,
			       "'%s' is the start of several ids in %s; give more of it", rev,
			       gitlib_place(repo));
	if (rc < 0 && has_no_refs(repo))
		return err_set(err, ERR_USAGE,
			       "%s has no commits yet; name the repository with the history",
			       gitlib_place(repo));
	if (rc == GIT_ENOTFOUND && names_lost_object(repo, rev, &lost))
		return gitlib_object_fail(repo, "commit", &lost, rc, err);
	if (rc == GIT_ENOTFOUND || rc == GIT_EINVALIDSPEC)
		return err_set(err, ERR_USAGE,
			       "'%s' names no commit in %s; check the spelling, or fetch it first",
			       rev, gitlib_place(repo));
	if (rc < 0)
		return err_set(err, ERR_HOST, "'%s' cannot be read in %s (%s); check with git fsck",
			       rev, gitlib_place(repo), words_on_object());
	rc = git_object_peel(&peeled, obj, GIT_OBJECT_COMMIT);
	if (rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC || rc == GIT_EAMBIGUOUS)
		return err_set(err, ERR_USAGE,
			       "'%s' names a %s, not a commit, in %s; name a commit", rev,
			       git_object_type2string(git_object_type(obj)), gitlib_place(repo));
	if (rc < 0)
		return err_set(err, ERR_HOST,
			       "the commit of '%s' cannot be read in %s (%s); check with git fsck",
			       rev, gitlib_place(repo), gitlib_words());
	*ret = (git_commit *)peeled;
	return 0;
}
