// SPDX-License-Identifier: GPL-2.0-or-later
/* Beside the flow: histories are written here, for the demo. */
#include <errno.h>
#include <string.h>

#include <git2/sys/commit.h>

#include "range/author/author.h"
#include "range/gitlib.h"

DEFINE_CLEANUP(git_index *, git_index_free)
DEFINE_CLEANUP(git_signature *, git_signature_free)

struct author {
	git_repository *repo;
	char *path;
};

/* libgit2 keeps no errno, but its words end with what strerror() says. */
static int git_failed(const struct author *a, struct err *err, const char *what)
{
	static const int full[] = { ENOSPC, EDQUOT };

	for (size_t i = 0; i < ARRAY_SIZE(full); i++) {
		if (strstr(gitlib_words(), strerror(full[i]))) {
			errno = full[i];
			return err_errno(err, ERR_HOST, "%s: %s", a->path, what);
		}
	}
	return err_set(err, ERR_HOST, "%s: %s: %s", a->path, what, gitlib_words());
}

static int parse(const struct author *a, const char *id, git_oid *ret, struct err *err)
{
	if (!str_is_commit_id(id) || git_oid_fromstr(ret, id))
		return err_set(err, ERR_HOST, "%s: \"%s\" is no object id", a->path, id);
	return 0;
}

static struct author *author_new(const char *path)
{
	struct author *a = xcalloc(1, sizeof(*a));

	gitlib_init();
	a->path = xstrdup(path);
	return a;
}

int author_create(const char *path, struct author **ret, struct err *err)
{
	_cleanup_(author_destroy_p) struct author *a = author_new(path);
	git_repository_init_options options;

	git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	/* No template: the user's hooks are none of the demo's business. */
	options.flags = GIT_REPOSITORY_INIT_MKPATH | GIT_REPOSITORY_INIT_NO_REINIT;
	options.initial_head = "main";
	if (git_repository_init_ext(&a->repo, path, &options))
		return git_failed(a, err, "cannot make a repository");
	*ret = take_ptr(a);
	return 0;
}

int author_open(const char *path, struct author **ret, struct err *err)
{
	_cleanup_(author_destroy_p) struct author *a = author_new(path);

	if (gitlib_open(path, &a->repo, err))
		return -1;
	*ret = take_ptr(a);
	return 0;
}

void author_destroy(struct author *a)
{
	if (!a)
		return;
	git_repository_free(a->repo);
	free(a->path);
	free(a);
}

int author_blob(struct author *a, const void *data, size_t len, char ret[COMMIT_ID_SIZE],
		struct err *err)
{
	git_oid oid;

	if (git_blob_create_from_buffer(&oid, a->repo, data, len))
		return git_failed(a, err, "cannot store a file");
	gitlib_hex(&oid, ret);
	return 0;
}

int author_read(struct author *a, const char *id, char **ret, size_t *ret_len, struct err *err)
{
	_cleanup_(git_blob_free_p) git_blob *blob = NULL;
	git_oid oid;

	if (parse(a, id, &oid, err))
		return -1;
	if (git_blob_lookup(&blob, a->repo, &oid))
		return git_failed(a, err, id);
	*ret_len = (size_t)git_blob_rawsize(blob);
	*ret = xmalloc(*ret_len + 1);
	memcpy(*ret, git_blob_rawcontent(blob), *ret_len);
	(*ret)[*ret_len] = '\0';
	return 0;
}

int author_tree(struct author *a, const struct author_file *files, size_t n,
		char ret[COMMIT_ID_SIZE], struct err *err)
{
	_cleanup_(git_index_free_p) git_index *index = NULL;
	git_oid oid;

	if (git_index_new(&index))
		return git_failed(a, err, "cannot make an index");
	for (size_t i = 0; i < n; i++) {
		git_index_entry entry = { .mode = files[i].mode, .path = files[i].path };

		if (parse(a, files[i].id, &entry.id, err))
			return -1;
		if (git_index_add(index, &entry))
			return git_failed(a, err, files[i].path);
	}
	if (git_index_write_tree_to(&oid, index, a->repo))
		return git_failed(a, err, "cannot store a directory");
	gitlib_hex(&oid, ret);
	return 0;
}

int author_tree_update(struct author *a, const char *tree, const struct author_file *files,
		       size_t n, char ret[COMMIT_ID_SIZE], struct err *err)
{
	_cleanup_free_ git_tree_update *updates = xcalloc(n ? n : 1, sizeof(*updates));
	_cleanup_(git_tree_free_p) git_tree *base = NULL;
	git_oid oid;

	if (parse(a, tree, &oid, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		updates[i].action = GIT_TREE_UPDATE_UPSERT;
		updates[i].filemode = (git_filemode_t)files[i].mode;
		updates[i].path = files[i].path;
		if (parse(a, files[i].id, &updates[i].id, err))
			return -1;
	}
	if (git_tree_lookup(&base, a->repo, &oid) ||
	    git_tree_create_updated(&oid, a->repo, base, n, updates))
		return git_failed(a, err, "cannot store a directory");
	gitlib_hex(&oid, ret);
	return 0;
}

int author_commit(struct author *a, const struct author_commit *commit, char ret[COMMIT_ID_SIZE],
		  struct err *err)
{
	_cleanup_(git_signature_free_p) git_signature *by = NULL;
	_cleanup_free_ git_oid *parents = xcalloc(commit->n_parents + 1, sizeof(*parents));
	_cleanup_free_ const git_oid **list = xcalloc(commit->n_parents + 1, sizeof(*list));
	git_oid tree, oid;

	if (parse(a, commit->tree, &tree, err))
		return -1;
	for (size_t i = 0; i < commit->n_parents; i++) {
		if (parse(a, commit->parents[i], &parents[i], err))
			return -1;
		list[i] = &parents[i];
	}
	if (git_signature_new(&by, commit->name, commit->email, commit->date_s, 0) ||
	    git_commit_create_from_ids(&oid, a->repo, NULL, by, by, NULL, commit->message, &tree,
				       commit->n_parents, list))
		return git_failed(a, err, "cannot store a commit");
	gitlib_hex(&oid, ret);
	return 0;
}

int author_point(struct author *a, const char *branch, const char *commit, struct err *err)
{
	_cleanup_free_ char *name = str_printf("refs/heads/%s", branch);
	_cleanup_(git_reference_free_p) git_reference *ref = NULL;
	git_oid oid;

	if (parse(a, commit, &oid, err))
		return -1;
	if (git_reference_create(&ref, a->repo, name, &oid, 1, NULL) ||
	    git_repository_set_head(a->repo, name))
		return git_failed(a, err, name);
	return 0;
}

int author_finish(struct author *a, const char *branch, const char *commit, struct err *err)
{
	_cleanup_(git_object_free_p) git_object *object = NULL;
	git_checkout_options options;
	git_oid oid;
	int r;

	if (author_point(a, branch, commit, err) || parse(a, commit, &oid, err))
		return -1;
	git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
	options.checkout_strategy = GIT_CHECKOUT_FORCE;
	options.disable_filters = 1;
	if (git_object_lookup(&object, a->repo, &oid, GIT_OBJECT_COMMIT))
		return git_failed(a, err, commit);
	/* The objects were hashed when they were stored: to hash them again is half the time. */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	r = git_checkout_tree(a->repo, object, &options);
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
	return r ? git_failed(a, err, "cannot write the work tree") : 0;
}
