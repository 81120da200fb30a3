// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Repositories are opened here.
 *
 * From 1.7 on libgit2 reads grafts and shallow ends by itself when it opens one: it waits on a pipe that lies
 * in their place, refuses lines that git passes over, and keeps the last of two lines for a commit where git
 * keeps the first. objects/overlay.c reads them as git does. So a repository that has them is opened
 * by the one call that leaves them alone, which finds no work tree and asks for no owner: that is done here.
 *
 * Source: load_grafts() in repository.c of libgit2; gitrepository-layout(5), git-config(1) "safe.directory".
 */
#include "range/gitlib.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fs.h"
#include "range/door/owner.h"
#include "range/door/plain.h"
#include "range/objects/backend.h"

/* The value of one key of the repository's own configuration, without opening the repository. */
static char *peek_config(const char *path, const char *key)
{
	_cleanup_(git_config_free_p) git_config *config = NULL;
	_cleanup_free_ char *file = NULL;
	git_buf dir = { 0 };
	git_buf value = { 0 };
	char *ret = NULL;

	if (git_repository_discover(&dir, path, 0, NULL) == 0) {
		file = str_printf("%s/config", dir.ptr);
		if (git_config_open_ondisk(&config, file) == 0 &&
		    git_config_get_string_buf(&value, config, key) == 0)
			ret = xstrdup(value.ptr);
	}
	git_buf_dispose(&value);
	git_buf_dispose(&dir);
	return ret;
}

/* 1.5 answers "not found" where no safe.directory is configured at all; 1.9 always answers GIT_EOWNER. */
static bool is_owner_fail(int code)
{
	const git_error *e = git_error_last();

	return code == GIT_EOWNER || (code == GIT_ENOTFOUND && e && e->klass == GIT_ERROR_CONFIG &&
				      strstr(e->message, "safe.directory"));
}

static int open_fail(const char *path, int code, struct err *err)
{
	_cleanup_free_ char *words = xstrdup(gitlib_words());
	_cleanup_free_ char *format = NULL;
	_cleanup_free_ char *refs = NULL;

	if (is_owner_fail(code))
		return err_set(err, ERR_USAGE,
			       "%s belongs to another user; if you trust it: git config --global "
			       "--add safe.directory '%s'",
			       path, path);
	if (faccessat(AT_FDCWD, path, R_OK | X_OK, AT_EACCESS) < 0 && errno == EACCES)
		return err_set(err, ERR_USAGE,
			       "%s may not be read by you; run as its owner, or chmod -R o+rX it",
			       path);
	if (code == GIT_ENOTFOUND)
		return err_set(err, ERR_USAGE,
			       "%s is not a git repository; name the work tree or bare directory "
			       "that holds the kernel's history",
			       path);
	format = peek_config(path, "extensions.objectformat");
	if (format && strcmp(format, "sha1") != 0)
		return err_set(err, ERR_USAGE,
			       "%s names its objects by %s, which is not supported; use a clone "
			       "with SHA-1 ids, as kernel.org serves them",
			       path, format);
	refs = peek_config(path, "extensions.refstorage");
	if (refs && strcmp(refs, "files") != 0)
		return err_set(err, ERR_USAGE,
			       "%s keeps its refs as %s, which is not supported; git -C '%s' refs "
			       "migrate --ref-format=files",
			       path, refs, path);
	return err_set(
		err, ERR_USAGE,
		"%s cannot be opened as a git repository (%s); see what git -C '%s' status says",
		path, words, path);
}

static bool libgit2_reads_grafts(void)
{
	int major = 0, minor = 0, rev = 0;

	git_libgit2_version(&major, &minor, &rev);
	return major > 1 || (major == 1 && minor >= 7);
}

/* @git: ends in '/' */
static bool has_grafts(const char *git)
{
	_cleanup_free_ char *common = plain_place(git, "commondir");
	_cleanup_free_ char *grafts = str_printf("%s/info/grafts", common ? common : git);
	_cleanup_free_ char *shallow = str_printf("%sshallow", git);

	return fs_exists(grafts) || fs_exists(shallow);
}

/* The .git directory of a repository at @path and nowhere above it; ends in '/'. NULL: there is none */
static char *git_dir(const char *path)
{
	git_buf dir = { 0 };
	char *ret = NULL;

	if (git_repository_open_ext(NULL, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) == 0 &&
	    git_repository_discover(&dir, path, 0, NULL) == 0)
		ret = xstrdup(dir.ptr);
	git_buf_dispose(&dir);
	return ret;
}

/* Without its last component */
static char *parent(char *path)
{
	char *end = path ? strrchr(path, '/') : NULL;

	if (end)
		end[1] = '\0';
	return path;
}

/* Where libgit2 takes the work tree to be; NULL: the repository is bare */
static char *work_tree(git_repository *repo, const char *path)
{
	_cleanup_(git_config_free_p) git_config *config = NULL;
	_cleanup_free_ char *inside = str_printf("%s/.git", path);
	const char *git = git_repository_path(repo);
	const char *set = NULL;
	int bare = 0;

	/* A linked one has its own, whatever the configuration says, which is of all of them. */
	if (strcmp(git, git_repository_commondir(repo)) != 0) {
		char *linked = parent(plain_place(git, "gitdir"));

		if (linked)
			return linked;
	}
	if (git_repository_config_snapshot(&config, repo) == 0) {
		git_config_get_bool(&bare, config, "core.bare");
		git_config_get_string(&set, config, "core.worktree");
	}
	if (bare)
		return NULL;
	if (set)
		return *set == '/' ? xstrdup(set) : str_printf("%s%s", git, set);
	return fs_exists(inside) ? xstrdup(path) : str_printf("%s..", git);
}

static int open_leaving_grafts(const char *git, const char *path, git_repository **ret)
{
	_cleanup_(git_repository_free_p) git_repository *repo = NULL;
	_cleanup_free_ char *link = str_printf("%s/.git", path);
	_cleanup_free_ char *tree = NULL;
	int rc = git_repository_open_bare(&repo, git);

	if (rc < 0)
		return rc;
	tree = work_tree(repo, path);
	if (tree && (rc = git_repository_set_workdir(repo, tree, 0)) < 0)
		return rc;
	if (!owner_is_trusted(git_repository_workdir(repo), link, git_repository_path(repo)))
		return GIT_EOWNER;
	*ret = take_ptr(repo);
	return 0;
}

static int open_any(const char *path, git_repository **ret)
{
	_cleanup_free_ char *git = libgit2_reads_grafts() ? git_dir(path) : NULL;

	if (git && has_grafts(git))
		return open_leaving_grafts(git, path, ret);
	return git_repository_open_ext(ret, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
}

int gitlib_open(const char *path, git_repository **ret, struct err *err)
{
	git_repository *repo = NULL;
	int rc;

	gitlib_init();
	if (plain_check(path, err) < 0)
		return -1;
	rc = open_any(path, &repo);
	if (rc == 0)
		rc = backend_add(repo, false);
	if (rc < 0) {
		git_repository_free(repo);
		return open_fail(path, rc, err);
	}
	/* It has looked for files that need not be there, and keeps the words for that. */
	git_error_clear();
	*ret = repo;
	return 0;
}
