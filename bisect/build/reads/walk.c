// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See walk.h. fts(3) sorts, or asks for the state of files; a driver's directory has 12 000 of them and a
 * kernel 80 000, and it is walked twice for each candidate.
 */
#include "build/reads/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

struct walk {
	bool (*each)(const char *path, const char *name, void *arg);
	void *arg;
	struct buf path;
	bool ended;
};

static bool is_dir(int dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* @fd is taken over; w->path names it. */
static int walk_dir(struct walk *w, int fd, struct err *err)
{
	_cleanup_closedir_ DIR *dir = fdopendir(fd);
	size_t len = w->path.len;
	struct dirent *e;

	if (!dir) {
		close(fd);
		return err_errno(err, ERR_HOST, "cannot read %s", w->path.data);
	}
	while (!w->ended && (e = readdir(dir))) {
		int sub;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    strcmp(e->d_name, ".git") == 0)
			continue;
		buf_puts(&w->path, "/");
		buf_puts(&w->path, e->d_name);
		if (!is_dir(fd, e)) {
			w->ended = !w->each(w->path.data, e->d_name, w->arg);
		} else {
			sub = openat(fd, e->d_name,
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (sub < 0)
				return err_errno(err, ERR_HOST, "cannot read %s", w->path.data);
			if (walk_dir(w, sub, err) < 0)
				return -1;
		}
		w->path.len = len;
		w->path.data[len] = '\0';
	}
	return 0;
}

int walk_files(const char *root, bool (*each)(const char *path, const char *name, void *arg),
	       void *arg, struct err *err)
{
	struct walk w = { .each = each, .arg = arg };
	const char *slash = strrchr(root, '/');
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
		each(root, slash ? slash + 1 : root, arg);
		return 0;
	}
	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, ERR_HOST, "cannot read %s", root);
	buf_puts(&w.path, root);
	rc = walk_dir(&w, fd, err);
	buf_deinit(&w.path);
	return rc;
}
