// SPDX-License-Identifier: GPL-2.0-or-later
/* Before libgit2 opens a repository: see plain.h. */
#include "range/door/plain.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fs.h"
#include "range/door/includes.h"

#define CONFIG_MAX_BYTES (16 << 20)
#define INCLUDE_DEPTH	 10   /* MAX_INCLUDE_DEPTH of libgit2's config_file.c */
#define INCLUDES_MAX	 1000 /* far beyond any real one; each may include as many again */
#define LINKS_MAX	 1000 /* to folders, in refs/: they may lead in circles */

static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* What opening may wait for; a socket is never waited for, and git itself has one in .git. */
static bool waits(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISBLK(st->st_mode) ||
	       (S_ISCHR(st->st_mode) && !is_null(st));
}

static int no_file(const char *path, mode_t mode, struct err *err)
{
	return err_set(err, ERR_HOST, "%s is no file but a %s; remove it", path,
		       S_ISFIFO(mode)	? "pipe"
		       : S_ISSOCK(mode) ? "socket"
		       : S_ISDIR(mode)	? "directory"
					: "device");
}

/* What is not there is as good as a file. */
static int check_file(const char *path, bool may_be_dir, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || is_null(&st) ||
	    (may_be_dir && S_ISDIR(st.st_mode)))
		return 0;
	return no_file(path, st.st_mode, err);
}

static int check_files(const char *dir, const char *const *names, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *path = str_printf("%s%s", dir, names[i]);

		if (check_file(path, false, err) < 0)
			return -1;
	}
	return 0;
}

/* What of a folder is looked at. */
struct sweep {
	bool below;	  /* the folders in it as well */
	bool follow;	  /* and those that links lead to */
	bool only_guides; /* what says how to compare other files */
};

static bool is_guide(const char *name)
{
	return strcmp(name, ".gitignore") == 0 || strcmp(name, ".gitattributes") == 0 ||
	       strcmp(name, ".gitmodules") == 0;
}

static int sweep_entry(const struct sweep *s, const char *dir, const struct dirent *d,
		       struct strv *dirs, size_t *links, struct err *err)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (d->d_type == DT_REG || strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
	    (s->only_guides &&
	     ((d->d_type != DT_DIR && d->d_type != DT_UNKNOWN && !is_guide(d->d_name)) ||
	      strcmp(d->d_name, ".git") == 0)))
		return 0;
	path = str_printf("%s%s", dir, d->d_name);
	if (d->d_type != DT_DIR && stat(path, &st) == 0 && waits(&st) &&
	    (!s->only_guides || is_guide(d->d_name)))
		return no_file(path, st.st_mode, err);
	if (!s->below || (d->d_type != DT_DIR && !fs_is_dir(path)))
		return 0;
	if (d->d_type != DT_DIR && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		if (!s->follow)
			return 0;
		++*links;
	}
	strv_addf(dirs, "%s/", path);
	return 0;
}

/* @top: ends in '/'. Folders that may not be read are left to libgit2. */
static int sweep(const struct sweep *s, const char *top, struct err *err)
{
	_cleanup_strv_ struct strv dirs = { 0 };
	size_t links = 0;

	strv_add(&dirs, top);
	for (size_t i = 0; i < dirs.n; i++) {
		_cleanup_closedir_ DIR *dir = opendir(dirs.items[i]);
		struct dirent *d;

		while (dir && (d = readdir(dir)))
			if (sweep_entry(s, dirs.items[i], d, &dirs, &links, err) < 0)
				return -1;
		if (links > LINKS_MAX)
			return err_set(err, ERR_HOST,
				       "%s has links to folders that lead in circles; remove them",
				       top);
	}
	return 0;
}

static char *read_text(const char *path, size_t max)
{
	_cleanup_free_ char *text = NULL;
	struct err unread;
	size_t len;

	if (!fs_exists(path) || fs_is_special(path) || fs_is_dir(path) ||
	    fs_read(path, max, &text, &len, &unread) < 0)
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = '\n';
	return take_ptr(text);
}

char *plain_place(const char *dir, const char *name)
{
	_cleanup_free_ char *file = str_printf("%s%s", dir, name);
	_cleanup_free_ char *text = read_text(file, PATH_MAX);

	if (!text)
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	return *text == '/' ? take_ptr(text) : str_printf("%s%s", dir, text);
}

/* An included file is named from the one that includes it, or from home. */
static char *included_path(const char *from, const char *named)
{
	const char *home = getenv("HOME");
	const char *end = strrchr(from, '/');

	if (str_starts(named, "~/"))
		return str_printf("%s%s", home ? home : "", named + 1);
	if (*named == '/' || !end)
		return xstrdup(named);
	return str_printf("%.*s/%s", (int)(end - from), from, named);
}

static int check_config(const char *top, struct err *err)
{
	_cleanup_strv_ struct strv files = { 0 };
	size_t at = 0;

	strv_add(&files, top);
	for (int depth = 0; depth <= INCLUDE_DEPTH; depth++) {
		for (size_t end = files.n; at < end; at++) {
			_cleanup_strv_ struct strv named = { 0 };
			_cleanup_free_ char *text = NULL;

			if (check_file(files.items[at], false, err) < 0)
				return -1;
			text = read_text(files.items[at], CONFIG_MAX_BYTES);
			if (text)
				includes_find(text, &named);
			for (size_t i = 0; i < named.n; i++)
				strv_take(&files, included_path(files.items[at], named.items[i]));
			if (files.n > INCLUDES_MAX)
				return err_set(err, ERR_HOST,
					       "%s includes more than %d files; take some out", top,
					       INCLUDES_MAX);
		}
	}
	return 0;
}

static int check_configs(const char *git, const char *common, struct err *err)
{
	int (*const finds[])(git_buf *) = { git_config_find_system, git_config_find_xdg,
					    git_config_find_global };
	_cleanup_free_ char *own = str_printf("%sconfig.worktree", git);
	_cleanup_free_ char *of_all = str_printf("%sconfig", common);

	if (check_config(of_all, err) < 0 || check_config(own, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(finds); i++) {
		git_buf found = { 0 };
		int rc = finds[i](&found) == 0 ? check_config(found.ptr, err) : 0;

		git_buf_dispose(&found);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* A ref that is asked for by half its name may be any file right in it. */
static int check_refs(const char *dir, struct err *err)
{
	static const struct sweep flat = { 0 };
	static const struct sweep deep = { .below = true, .follow = true };
	_cleanup_free_ char *refs = str_printf("%srefs/", dir);
	_cleanup_free_ char *logs = str_printf("%slogs/", dir);

	if (sweep(&flat, dir, err) < 0 || sweep(&deep, refs, err) < 0)
		return -1;
	return sweep(&deep, logs, err);
}

/* @git: a .git directory, ends in '/' */
static int check_git(const char *git, struct err *err)
{
	static const char *const own[] = { "HEAD", "commondir", "gitdir", "index" };
	static const char *const shared[] = { "packed-refs", "shallow", "info/grafts" };
	static const struct sweep flat = { 0 };
	_cleanup_free_ char *linked = NULL;
	_cleanup_free_ char *common = NULL;
	_cleanup_free_ char *info = NULL;

	if (check_files(git, own, ARRAY_SIZE(own), err) < 0)
		return -1;
	linked = plain_place(git, "commondir");
	common = linked ? str_printf("%s/", linked) : xstrdup(git);
	info = str_printf("%sinfo/", common);
	if (check_files(common, shared, ARRAY_SIZE(shared), err) < 0 ||
	    check_configs(git, common, err) < 0 || check_refs(git, err) < 0 ||
	    sweep(&flat, info, err) < 0)
		return -1;
	return linked ? check_refs(common, err) : 0;
}

/* As libgit2 knows one, whatever kind of thing each is. */
static bool is_git_dir(const char *dir)
{
	_cleanup_free_ char *head = str_printf("%sHEAD", dir);
	_cleanup_free_ char *objects = str_printf("%sobjects", dir);
	_cleanup_free_ char *commondir = str_printf("%scommondir", dir);

	return fs_exists(head) && (fs_exists(objects) || fs_exists(commondir));
}

/* The .git directory of a repository at @path, and nowhere above it; ends in '/'. NULL: there is none */
static char *find_git(const char *path)
{
	static const char prefix[] = "gitdir:";
	_cleanup_free_ char *inside = str_printf("%s/.git/", path);
	_cleanup_free_ char *link = str_printf("%s/.git", path);
	_cleanup_free_ char *self = str_printf("%s/", path);
	_cleanup_free_ char *text = NULL;

	if (is_git_dir(inside))
		return take_ptr(inside);
	text = read_text(link, PATH_MAX);
	if (text && str_starts(text, prefix)) {
		const char *to = text + strlen(prefix) + strspn(text + strlen(prefix), " \t");

		text[strcspn(text, "\r\n")] = '\0';
		return *to == '/' ? str_printf("%s/", to) : str_printf("%s/%s/", path, to);
	}
	return is_git_dir(self) ? take_ptr(self) : NULL;
}

int plain_check(const char *path, struct err *err)
{
	_cleanup_free_ char *git = find_git(path);

	return git ? check_git(git, err) : 0;
}

int plain_check_above(const char *start, struct err *err)
{
	_cleanup_free_ char *dir = realpath(start, NULL);

	while (dir) {
		_cleanup_free_ char *git = find_git(dir);

		if (git)
			return check_git(git, err);
		if (!*dir)
			break;
		*strrchr(dir, '/') = '\0';
	}
	return 0;
}

/* The folders that lead to @limit have guides of their own. */
static int check_way(const char *top, const char *limit, struct err *err)
{
	static const struct sweep flat = { .only_guides = true };

	for (const char *end = limit; end; end = strchr(end + 1, '/')) {
		_cleanup_free_ char *dir = str_printf("%s%.*s%s", top, (int)(end - limit), limit,
						      end > limit ? "/" : "");

		if (sweep(&flat, dir, err) < 0)
			return -1;
	}
	return 0;
}

/* Files outside of the repository that its configuration names. */
static int check_named_guides(git_repository *repo, struct err *err)
{
	static const char *const keys[] = { "core.excludesfile", "core.attributesfile" };
	_cleanup_(git_config_free_p) git_config *config = NULL;

	if (git_repository_config_snapshot(&config, repo) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		git_buf path = { 0 };
		int rc = 0;

		if (git_config_get_path(&path, config, keys[i]) == 0)
			rc = check_file(path.ptr, true, err);
		git_buf_dispose(&path);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int plain_check_tree(git_repository *repo, const struct strv *limits, struct err *err)
{
	static const struct sweep guides = { .below = true, .only_guides = true };
	const char *top = git_repository_workdir(repo);

	if (check_named_guides(repo, err) < 0)
		return -1;
	if (!limits->n || !*limits->items[0])
		return sweep(&guides, top, err);
	for (size_t i = 0; i < limits->n; i++) {
		_cleanup_free_ char *dir = str_printf("%s%s/", top, limits->items[i]);

		if (check_way(top, limits->items[i], err) < 0 || sweep(&guides, dir, err) < 0)
			return -1;
	}
	return 0;
}
