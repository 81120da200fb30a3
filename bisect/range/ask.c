// SPDX-License-Identifier: GPL-2.0-or-later
/* Single questions to the repository, asked beside the walk: by test, audit and the report. */
#include "range/range.h"

#include <string.h>

#include "range/content.h"
#include "range/door/plain.h"
#include "range/objects/objects.h"
#include "range/walk/paint.h"
#include "range/walk/revision.h"

#define FILE_MAX_BYTES (16 << 20)

int range_resolve_all(const char *repo, const char *const *revs, size_t n,
		      char (*ret)[COMMIT_ID_SIZE], size_t *at, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;

	*at = 0;
	if (gitlib_open(repo, &git, err) < 0)
		return -1;
	for (; *at < n; ++*at) {
		git_oid id;

		if (revision_resolve(git, revs[*at], &id, err) < 0)
			return -1;
		gitlib_hex(&id, ret[*at]);
	}
	return 0;
}

int range_resolve(const char *repo, const char *rev, char ret[COMMIT_ID_SIZE], struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	git_oid id;

	if (gitlib_open(repo, &git, err) < 0 || revision_resolve(git, rev, &id, err) < 0)
		return -1;
	gitlib_hex(&id, ret);
	return 0;
}

int range_subject(const char *repo, const char *id, char **ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_open(repo, &git, err) < 0 || gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	*ret = subject_of(commit);
	return 0;
}

/* The history as the walk sees it, with all that is laid over it. */
struct sight {
	git_repository *repo;
	struct objects *objects;
	struct reader *reader;
};

static void sight_deinit(struct sight *s)
{
	reader_destroy(s->reader);
	objects_destroy(s->objects);
	git_repository_free(s->repo);
}

static int sight_open(const char *repo, struct sight *ret, struct err *err)
{
	if (gitlib_open(repo, &ret->repo, err) < 0 ||
	    objects_open(ret->repo, &ret->objects, err) < 0)
		return -1;
	return reader_create(ret->objects, &ret->reader, err);
}

/* A commit that is there, by its full id. */
static int find_commit(const struct sight *s, const char *hex, git_oid *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_commit_hex(s->repo, hex, &commit, err) < 0)
		return -1;
	git_oid_cpy(ret, git_commit_id(commit));
	return 0;
}

int range_real_parents(const char *repo, const char *id, struct strv *ret, struct err *err)
{
	_cleanup_(sight_deinit) struct sight s = { 0 };
	struct commit_head head;
	git_oid oid;

	if (sight_open(repo, &s, err) < 0 || find_commit(&s, id, &oid, err) < 0 ||
	    reader_commit(s.reader, &oid, &head, err) < 0)
		return -1;
	for (size_t p = 0; p < head.n_parents; p++) {
		char hex[COMMIT_ID_SIZE];

		gitlib_hex(&head.parents[p], hex);
		strv_add(ret, hex);
	}
	return 0;
}

int range_is_ancestor(const char *repo, const char *id, const char *of, struct err *err)
{
	_cleanup_(painting_deinit) struct painting painting = { 0 };
	_cleanup_(history_deinit) struct history h = { 0 };
	_cleanup_(sight_deinit) struct sight s = { 0 };
	git_oid below;
	struct ends ends = { .good = &below, .n_good = 1 };

	if (strcmp(id, of) == 0)
		return 1;
	if (sight_open(repo, &s, err) < 0 || find_commit(&s, id, &below, err) < 0 ||
	    find_commit(&s, of, &ends.bad, err) < 0)
		return -1;
	history_init(&h, s.reader, !objects_overlaid(s.objects));
	if (paint(&h, &ends, false, NULL, &painting, err) < 0)
		return -1;
	return painting.ends_left == 0;
}

int range_content_key(const char *repo, const char *id, const char *const *paths, size_t n_paths,
		      char ret[65], struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	int rc;

	if (gitlib_open(repo, &git, err) < 0 || gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	rc = git_commit_tree(&tree, commit);
	if (rc < 0)
		return gitlib_object_fail(git, "tree", git_commit_tree_id(commit), rc, err);
	return content_key(git, tree, paths, n_paths, ret, err);
}

int range_file(const char *repo, const char *id, const char *path, char **ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	git_object *found = NULL;
	int rc;

	if (gitlib_open(repo, &git, err) < 0 || gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	rc = git_object_lookup_bypath(&found, (git_object *)commit, path, GIT_OBJECT_BLOB);
	if (rc == GIT_ENOTFOUND || rc == GIT_EINVALIDSPEC) {
		*ret = NULL;
		return 0;
	}
	if (rc < 0)
		return err_set(err, ERR_HOST,
			       "%s of commit %.12s cannot be read (%s); check with git fsck", path,
			       id, gitlib_words());
	if (git_blob_rawsize((git_blob *)found) > FILE_MAX_BYTES)
		rc = err_set(err, ERR_HOST, "%s of commit %.12s is larger than a source file", path,
			     id);
	else
		*ret = xstrndup(git_blob_rawcontent((git_blob *)found),
				(size_t)git_blob_rawsize((git_blob *)found));
	git_object_free(found);
	return rc;
}

/* A ref may point to a tag, and a tag to a file; only commits are of use here. */
static int add_ref(git_reference *ref, struct strv *ret, struct err *err)
{
	git_object *commit = NULL;
	char hex[COMMIT_ID_SIZE];
	int rc = git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT);

	if (rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC || rc == GIT_EAMBIGUOUS)
		return 0;
	if (rc < 0)
		return err_set(err, ERR_HOST, "ref %s cannot be read (%s); check with git fsck",
			       git_reference_name(ref), gitlib_words());
	gitlib_hex(git_object_id(commit), hex);
	git_object_free(commit);
	strv_add(ret, hex);
	return 0;
}

int range_refs(const char *repo, const char *glob, struct strv *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_reference_iterator_free_p) git_reference_iterator *it = NULL;
	int rc;

	if (gitlib_open(repo, &git, err) < 0)
		return -1;
	rc = git_reference_iterator_glob_new(&it, git, glob);
	while (rc == 0) {
		_cleanup_(git_reference_free_p) git_reference *ref = NULL;

		rc = git_reference_next(&ref, it);
		if (rc == 0 && add_ref(ref, ret, err) < 0)
			return -1;
	}
	if (rc != GIT_ITEROVER)
		return err_set(err, ERR_HOST,
			       "the refs of %s cannot be listed (%s); check with git fsck",
			       gitlib_place(git), gitlib_words());
	return 0;
}

int range_discover(const char *start, char **ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_free_ char *found = NULL;
	git_buf dir = { 0 };

	gitlib_init();
	if (plain_check_above(start, err) < 0)
		return -1;
	if (git_repository_discover(&dir, start, 0, NULL) < 0)
		return err_set(err, ERR_USAGE,
			       "neither %s nor a directory above it is a git repository; name one "
			       "with --repo",
			       start);
	found = xstrdup(dir.ptr);
	git_buf_dispose(&dir);
	if (str_ends(found, "/.git/")) /* its work tree is the better name, in errors as well */
		found[strlen(found) - strlen(".git/")] = '\0';
	if (gitlib_open(found, &git, err) < 0)
		return -1;
	*ret = xstrdup(gitlib_place(git));
	return 0;
}

int range_is_dirty(const char *repo, const char *const *paths, size_t n_paths, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_status_list_free_p) git_status_list *list = NULL;
	_cleanup_strv_ struct strv limits = { 0 };
	git_status_options opts;

	if (gitlib_open(repo, &git, err) < 0 || gitlib_paths(paths, n_paths, &limits, err) < 0)
		return -1;
	if (git_repository_is_bare(git))
		return 0;
	if (plain_check_tree(git, &limits, err) < 0)
		return -1;
	git_status_options_init(&opts, GIT_STATUS_OPTIONS_VERSION);
	opts.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
	opts.flags = GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH | GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
	if (limits.n && *limits.items[0])
		opts.pathspec = (git_strarray){ .strings = limits.items, .count = limits.n };
	if (git_status_list_new(&list, git, &opts) < 0)
		return err_set(err, ERR_HOST,
			       "the work tree of %s cannot be compared (%s); see git status",
			       gitlib_place(git), gitlib_words());
	return git_status_list_entrycount(list) > 0;
}
