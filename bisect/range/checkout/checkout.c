// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between range and build: a candidate's files onto disk.
 *
 * make decides by timestamps, so a file whose content does not change must not be touched, and one that
 * does change gets the present time, a tick of the disk's clock after all that the last build made.
 * Knowing what the directory holds (@from), two trees are compared and only what differs is written or
 * removed. Not knowing it, every file is compared by its content, and what the commit lacks is removed
 * only if it looks like a source: a name that a person writes (.c, .h, Makefile...). Object files, .cmd
 * files, *.mod.c, and whatever lies in a directory called "generated" are build outputs and stay. What is
 * no source by its name and yet was one (a picture, a firmware image) stays too; the kernel's build takes
 * such a file only where another file names it.
 *
 * The content is whatever the commit says: names that would leave the directory or reach into .git, and
 * links that point out of it, end the checkout.
 */
#include "range/checkout/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/stop.h"
#include "range/checkout/disk.h"
#include "range/gitlib.h"
#include "range/checkout/names.h"
#include "range/patch/patched.h"

DEFINE_CLEANUP(git_tree_entry *, git_tree_entry_free)

struct sync {
	git_repository *repo;
	const char *dest;
	const char *to; /* commit, for messages */
	bool known;	/* dest holds @from */
	bool later;	/* what is written now is newer than all that the last build made */
	struct checkout_stats stats;
};

static int sync_dir(struct sync *s, int dir, const char *path, git_tree *from, git_tree *to,
		    struct err *err);
static int drop_entry(struct sync *s, int dir, const char *name, const char *path,
		      const git_tree_entry *from, struct err *err);
static int sweep_entry(struct sync *s, int dir, const char *name, const char *path,
		       struct err *err);

static int check_name(struct sync *s, const char *path, const char *name, struct err *err)
{
	if (name_is_safe(name))
		return 0;
	return err_set(err, ERR_BUILD,
		       "commit %s holds the name '%s' in %s, which no honest commit does; it is "
		       "not checked out",
		       s->to, name, path);
}

static int get_tree(struct sync *s, const git_tree_entry *e, git_tree **ret, struct err *err)
{
	const git_oid *id;
	int rc;

	if (!e || git_tree_entry_filemode(e) != GIT_FILEMODE_TREE)
		return 0;
	id = git_tree_entry_id(e);
	rc = git_tree_lookup(ret, s->repo, id);
	return rc < 0 ? gitlib_object_fail(s->repo, "tree", id, rc, err) : 0;
}

static bool is_on_disk(int dir, const char *name, const char *path, const git_tree_entry *e)
{
	git_filemode_t mode = git_tree_entry_filemode(e);
	struct stat st;
	git_oid id;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (!(st.st_mode & S_IXUSR) != (mode != GIT_FILEMODE_BLOB_EXECUTABLE))
		return false;
	return git_odb_hashfile(&id, path, GIT_OBJECT_BLOB) == 0 &&
	       git_oid_equal(&id, git_tree_entry_id(e));
}

static bool is_link_on_disk(int dir, const char *name, const char *target)
{
	char now[4096];
	ssize_t n = readlinkat(dir, name, now, sizeof(now));

	return n >= 0 && (size_t)n == strlen(target) && memcmp(now, target, (size_t)n) == 0;
}

/* Before the first write. */
static int wait_for_tick(struct sync *s, struct err *err)
{
	_cleanup_close_ int dir = -1;

	if (s->later)
		return 0;
	dir = open(s->dest, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_errno(err, ERR_HOST, "cannot open directory %s", s->dest);
	s->later = disk_next_tick(dir, s->dest, err) == 0;
	return s->later ? 0 : -1;
}

static int write_link(struct sync *s, int dir, const char *name, const char *path, git_blob *blob,
		      struct err *err)
{
	_cleanup_free_ char *target =
		xstrndup(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));

	if (!name_link_stays(path + strlen(s->dest), target))
		return err_set(err, ERR_BUILD,
			       "commit %s makes %s a link to '%s', outside the tree; it is not "
			       "checked out",
			       s->to, path, target);
	if (!s->known && is_link_on_disk(dir, name, target))
		return 0;
	if (wait_for_tick(s, err) < 0 || disk_write_link(dir, name, path, target, err) < 0)
		return -1;
	s->stats.written++;
	return 0;
}

static int sync_file(struct sync *s, int dir, const char *name, const char *path,
		     const git_tree_entry *to, struct err *err)
{
	_cleanup_(git_blob_free_p) git_blob *blob = NULL;
	git_filemode_t mode = git_tree_entry_filemode(to);
	const git_oid *id = git_tree_entry_id(to);
	size_t len;
	int rc;

	if (!s->known && mode != GIT_FILEMODE_LINK && is_on_disk(dir, name, path, to))
		return 0;
	rc = git_blob_lookup(&blob, s->repo, id);
	if (rc < 0)
		return gitlib_object_fail(s->repo, "file", id, rc, err);
	if (mode == GIT_FILEMODE_LINK)
		return write_link(s, dir, name, path, blob, err);
	len = (size_t)git_blob_rawsize(blob);
	if (wait_for_tick(s, err) < 0 ||
	    disk_write_file(dir, name, path, git_blob_rawcontent(blob), len,
			    mode == GIT_FILEMODE_BLOB_EXECUTABLE, err) < 0)
		return -1;
	s->stats.written++;
	s->stats.bytes += len;
	return 0;
}

/* A submodule holds nothing of this repository; an older commit's files must not stand in for it. */
static int empty_entry(struct sync *s, int dir, const char *name, const char *path,
		       const git_tree_entry *from, struct err *err)
{
	if (!s->known)
		return sweep_entry(s, dir, name, path, err);
	return from ? drop_entry(s, dir, name, path, from, err) : 0;
}

/* @from: what is known to be there, or NULL */
static int sync_entry(struct sync *s, int dir, const char *name, const char *path,
		      const git_tree_entry *from, const git_tree_entry *to, struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *from_tree = NULL;
	_cleanup_(git_tree_free_p) git_tree *to_tree = NULL;
	_cleanup_close_ int sub = -1;

	if (from && git_tree_entry_filemode(from) == git_tree_entry_filemode(to) &&
	    git_oid_equal(git_tree_entry_id(from), git_tree_entry_id(to)))
		return 0;
	if (git_tree_entry_filemode(to) == GIT_FILEMODE_COMMIT)
		return empty_entry(s, dir, name, path, from, err);
	if (git_tree_entry_filemode(to) != GIT_FILEMODE_TREE)
		return sync_file(s, dir, name, path, to, err);
	if (get_tree(s, from, &from_tree, err) < 0 || get_tree(s, to, &to_tree, err) < 0)
		return -1;
	sub = disk_open_dir(dir, name, path, true, err);
	return sub < 0 ? -1 : sync_dir(s, sub, path, from_tree, to_tree, err);
}

/* What @from had there and @to has not; a directory goes only if nothing else is left in it. */
static int drop_entry(struct sync *s, int dir, const char *name, const char *path,
		      const git_tree_entry *from, struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	_cleanup_close_ int sub = -1;
	int rc;

	if (get_tree(s, from, &tree, err) < 0)
		return -1;
	if (!tree) {
		rc = disk_remove(dir, name, path, err);
		s->stats.removed += rc > 0;
		return rc < 0 ? -1 : 0;
	}
	sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		return 0;
	rc = sync_dir(s, sub, path, tree, NULL, err);
	disk_remove_if_empty(dir, name);
	return rc;
}

static int sweep(struct sync *s, int dir, const char *path, git_tree *to, struct err *err);

static int sweep_entry(struct sync *s, int dir, const char *name, const char *path, struct err *err)
{
	struct stat st;
	int rc = 0;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_errno(err, ERR_HOST, "cannot look at %s", path);
	if (S_ISDIR(st.st_mode)) {
		_cleanup_close_ int sub = disk_open_dir(dir, name, path, false, err);

		if (sub < 0 || sweep(s, sub, path, NULL, err) < 0)
			return -1;
		disk_remove_if_empty(dir, name);
	} else if (name_is_source(name)) {
		rc = disk_remove(dir, name, path, err);
		s->stats.removed += rc > 0;
	}
	return rc < 0 ? -1 : 0;
}

/* Removes from a directory of unknown content the sources that @to (NULL: an empty tree) lacks. */
static int sweep(struct sync *s, int dir, const char *path, git_tree *to, struct err *err)
{
	_cleanup_closedir_ DIR *d = NULL;
	struct dirent *e;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		err_errno(err, ERR_HOST, "cannot read directory %s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((e = readdir(d))) {
		_cleanup_free_ char *sub = str_printf("%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    name_is_output_dir(e->d_name))
			continue;
		if (disk_is_leftover(e->d_name) && disk_remove(dir, e->d_name, sub, err) < 0)
			return -1;
		if (to && git_tree_entry_byname(to, e->d_name))
			continue;
		if (sweep_entry(s, dir, e->d_name, sub, err) < 0)
			return -1;
	}
	return 0;
}

/* @from, @to: NULL stands for an empty tree */
static int sync_dir(struct sync *s, int dir, const char *path, git_tree *from, git_tree *to,
		    struct err *err)
{
	size_t n_to = to ? git_tree_entrycount(to) : 0;
	size_t n_from = from ? git_tree_entrycount(from) : 0;

	if (stop_check(err) < 0)
		return -1;
	/* First what goes: a directory that became a file, or a name that changed its case. */
	for (size_t i = 0; i < n_from; i++) {
		const git_tree_entry *e = git_tree_entry_byindex(from, i);
		const char *name = git_tree_entry_name(e);
		_cleanup_free_ char *sub = str_printf("%s/%s", path, name);

		if (to && git_tree_entry_byname(to, name))
			continue;
		if (check_name(s, path, name, err) < 0 || drop_entry(s, dir, name, sub, e, err) < 0)
			return -1;
	}
	if (!s->known && sweep(s, dir, path, to, err) < 0)
		return -1;
	for (size_t i = 0; i < n_to; i++) {
		const git_tree_entry *e = git_tree_entry_byindex(to, i);
		const char *name = git_tree_entry_name(e);
		_cleanup_free_ char *sub = str_printf("%s/%s", path, name);

		if (check_name(s, path, name, err) < 0 ||
		    sync_entry(s, dir, name, sub, from ? git_tree_entry_byname(from, name) : NULL,
			       e, err) < 0)
			return -1;
	}
	return 0;
}

/* A limited path in a commit's tree; *ret stays NULL if the commit lacks it. */
static int find_entry(struct sync *s, git_tree *root, const char *path, git_tree_entry **ret,
		      struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *owned = NULL;
	git_tree *at = root;

	while (at) {
		size_t len = strcspn(path, "/");
		_cleanup_free_ char *name = xstrndup(path, len);
		const git_tree_entry *e = git_tree_entry_byname(at, name);
		git_tree *next = NULL;

		if (!e)
			return 0;
		if (!path[len])
			return git_tree_entry_dup(ret, e) < 0
				       ? err_set(err, ERR_HOST, "out of memory; try again")
				       : 0;
		if (get_tree(s, e, &next, err) < 0)
			return -1;
		git_tree_free(owned);
		at = owned = next;
		path += len + 1;
	}
	return 0;
}

/* The directory that a limited path lies in; made only if something has to be put there. */
static int open_parent(const char *dest, const char *path, const char **ret_name, struct err *err)
{
	_cleanup_close_ int dir = open(dest, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *rest = path;

	if (dir < 0)
		return err_errno(err, ERR_HOST, "cannot open directory %s", dest);
	for (const char *slash; (slash = strchr(rest, '/')); rest = slash + 1) {
		_cleanup_free_ char *name = xstrndup(rest, (size_t)(slash - rest));
		_cleanup_free_ char *whole = str_printf("%s/%.*s", dest, (int)(slash - path), path);
		int sub = disk_open_dir(dir, name, whole, false, err);

		if (sub < 0)
			return -1;
		close(dir);
		dir = sub;
	}
	*ret_name = rest;
	return take_fd(dir);
}

static int sync_path(struct sync *s, git_tree *from_root, git_tree *to_root, const char *path,
		     struct err *err)
{
	_cleanup_(git_tree_entry_free_p) git_tree_entry *from = NULL;
	_cleanup_(git_tree_entry_free_p) git_tree_entry *to = NULL;
	_cleanup_free_ char *whole = str_printf("%s%s%s", s->dest, *path ? "/" : "", path);
	_cleanup_close_ int dir = -1;
	const char *name = path;

	if (!*path) {
		dir = open(s->dest, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			return err_errno(err, ERR_HOST, "cannot open directory %s", s->dest);
		return sync_dir(s, dir, whole, from_root, to_root, err);
	}
	if (find_entry(s, from_root, path, &from, err) < 0 ||
	    find_entry(s, to_root, path, &to, err) < 0)
		return -1;
	if (!to && (s->known ? !from : !fs_exists(whole)))
		return 0;
	dir = open_parent(s->dest, path, &name, err);
	if (dir < 0)
		return -1;
	if (to)
		return sync_entry(s, dir, name, whole, from, to, err);
	return s->known ? drop_entry(s, dir, name, whole, from, err)
			: sweep_entry(s, dir, name, whole, err);
}

/*
 * A @from that its patches do not fit any more was never checked out with them: what is there is not known.
 */
static int find_roots(struct sync *s, const struct patches *patches, const char *from,
		      git_tree **ret_from, git_tree **ret_to, struct err *err)
{
	struct err why = { 0 };

	if (patched_tree(s->repo, patches, s->to, ret_to, err) < 0)
		return -1;
	s->known = from != NULL;
	if (!from || patched_tree(s->repo, patches, from, ret_from, &why) == 0)
		return 0;
	s->known = false;
	if (why.kind == ERR_BUILD)
		return 0;
	*err = why;
	return -1;
}

int checkout_sync(const char *repo, const struct patches *patches, const char *from, const char *to,
		  const char *const *paths, size_t n_paths, const char *dest,
		  struct checkout_stats *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_tree_free_p) git_tree *from_root = NULL;
	_cleanup_(git_tree_free_p) git_tree *to_root = NULL;
	_cleanup_strv_ struct strv limits = { 0 };
	struct sync s = { .dest = dest, .to = to };

	if (patched_open(repo, &git, err) < 0 || gitlib_paths(paths, n_paths, &limits, err) < 0)
		return -1;
	s.repo = git;
	if (find_roots(&s, patches, from, &from_root, &to_root, err) < 0)
		return -1;
	if (fs_mkdirs(dest, err) < 0)
		return -1;
	for (size_t i = 0; i < limits.n; i++)
		if (sync_path(&s, from_root, to_root, limits.items[i], err) < 0)
			return -1;
	if (ret)
		*ret = s.stats;
	return 0;
}
