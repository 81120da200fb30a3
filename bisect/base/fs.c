// SPDX-License-Identifier: GPL-2.0-or-later
/* Files, places: directories, what is there, room on the disk, locks. See fs.h. */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/stop.h"
#include "base/str.h"

#define LOCK_POLL_MS  100
#define REMAINS_LOOKS 100 /* times LOCK_POLL_MS: 10 s for what a killed holder left to end */

bool fs_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

bool fs_is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int cannot_make(const char *path, int why, struct err *err)
{
	errno = why;
	if (why == ENOSPC || why == EDQUOT)
		return err_errno(err, ERR_HOST, "cannot make directory %s", path);
	return err_set(
		err, ERR_HOST,
		"cannot make directory %s: %s; --dir, XDG_STATE_HOME and XDG_CACHE_HOME name "
		"other places",
		path, strerror(why));
}

int fs_mkdirs(const char *path, struct err *err)
{
	_cleanup_free_ char *part = xstrdup(path);
	char *p = part;

	if (!*path)
		return err_set(err, ERR_HOST, "cannot make a directory without a name");
	do {
		char end;

		p += strspn(p, "/");
		p += strcspn(p, "/");
		end = *p;
		*p = '\0';
		/* Looked for first: mkdir() of one that exists may say EROFS, or EACCES of automounts. */
		if (!fs_is_dir(part) && mkdir(part, 0777) < 0 && errno != EEXIST)
			return cannot_make(part, errno, err);
		if (!fs_is_dir(part))
			return cannot_make(part, ENOTDIR, err);
		*p = end;
	} while (*p);
	return 0;
}

struct removal {
	dev_t dev; /* what is mounted below stays */
	bool stoppable;
};

static int remove_at(int dir, const char *name, const char *path, const struct removal *r,
		     struct err *err);

static int empty_dir(int dir, const char *path, const struct removal *r, struct err *err)
{
	_cleanup_closedir_ DIR *d = fdopendir(dir);
	struct dirent *e;

	if (!d) {
		close(dir);
		return err_errno(err, ERR_HOST, "cannot list %s", path);
	}
	while ((errno = 0, e = readdir(d))) {
		_cleanup_free_ char *child = NULL;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		child = str_printf("%s/%s", path, e->d_name);
		if ((r->stoppable && stop_check(err) < 0) ||
		    remove_at(dirfd(d), e->d_name, child, r, err) < 0)
			return -1;
	}
	return errno ? err_errno(err, ERR_HOST, "cannot list %s", path) : 0;
}

/* Everything goes through descriptors, so that a link swapped in meanwhile leads nowhere else. */
static int remove_at(int dir, const char *name, const char *path, const struct removal *r,
		     struct err *err)
{
	struct stat st;
	int fd;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_errno(err, ERR_HOST, "cannot remove %s", path);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) /* another was faster */
		return 0;
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot remove %s", path);
	if (fstat(fd, &st) < 0 || st.st_dev != r->dev) {
		close(fd);
		return err_set(err, ERR_HOST, "cannot remove %s: it is mounted; unmount it", path);
	}
	if (empty_dir(fd, path, r, err) < 0)
		return -1;
	if (unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot remove %s", path);
	return 0;
}

static int remove_tree(const char *path, bool stoppable, struct err *err)
{
	struct removal r = { .stoppable = stoppable };
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return err_errno(err, ERR_HOST, "cannot remove %s", path);
	}
	r.dev = st.st_dev;
	return remove_at(AT_FDCWD, path, path, &r, err);
}

int fs_remove_tree(const char *path, struct err *err)
{
	return remove_tree(path, false, err);
}

int fs_remove_large_tree(const char *path, struct err *err)
{
	return remove_tree(path, true, err);
}

int fs_settle(const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s to the disk", path);
	return 0;
}

int fs_free_bytes(const char *path, uint64_t *ret, struct err *err)
{
	_cleanup_free_ char *at = xstrdup(path);
	struct statvfs st;

	/* What is asked for may be about to be made: its nearest existing parent is where it lies. */
	while (statvfs(at, &st) < 0) {
		char *slash = strrchr(at, '/');

		if (errno != ENOENT || strcmp(at, "/") == 0 || strcmp(at, ".") == 0)
			return err_errno(err, ERR_HOST, "cannot ask for free space at %s", at);
		if (!slash)
			strcpy(at, ".");
		else
			slash[slash == at] = '\0';
	}
	*ret = (uint64_t)st.f_bavail * st.f_frsize;
	return 0;
}

/* The holder writes its pid for people to see; the lock itself is the kernel's. */
static int locked_by_other(const char *path, struct err *err)
{
	_cleanup_free_ char *pid = NULL;
	struct err ignored;

	if (fs_read(path, 32, &pid, NULL, &ignored) < 0 || !*pid)
		return err_set(err, ERR_HOST, "%s is locked by another process; wait for it", path);
	pid[strcspn(pid, "\n")] = '\0';
	return err_set(err, ERR_HOST, "%s is locked by process %s; wait for it or end it", path,
		       pid);
}

/* A killed controller's children hold its lock until they are ended, which takes them a moment. */
static bool holder_is_dead(const char *path)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	uint64_t pid;

	if (fs_read(path, 32, &text, NULL, &ignored) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return str_to_u64(text, INT32_MAX, &pid) && pid && kill((pid_t)pid, 0) < 0 &&
	       errno == ESRCH;
}

static int wait_a_moment(struct err *err)
{
	struct pollfd p = { .fd = stop_fd(), .events = POLLIN };

	poll(&p, 1, LOCK_POLL_MS);
	return stop_check(err);
}

/* 1: locked; 0: another holds it, or the file was replaced under us: try again; -1: failed. */
static int try_lock(const char *path, int *ret, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	struct stat mine, there;

	if (fd < 0 || fstat(fd, &mine) < 0)
		return err_errno(err, ERR_HOST, "cannot lock %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK || errno == EINTR)
			return 0;
		return err_errno(err, ERR_HOST, "cannot lock %s", path);
	}
	if (stat(path, &there) < 0 || there.st_ino != mine.st_ino || there.st_dev != mine.st_dev)
		return 0;
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%d\n", (int)getpid()) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	*ret = take_fd(fd);
	return 1;
}

int fs_lock(const char *path, bool wait, int *ret, struct err *err)
{
	/* Without waiting, a second look tells a file that was just replaced from one that is held. */
	for (unsigned int looks = 0;; looks++) {
		int got = try_lock(path, ret, err);

		if (got)
			return got < 0 ? -1 : 0;
		if (!wait && looks && (!holder_is_dead(path) || looks > REMAINS_LOOKS))
			return locked_by_other(path, err);
		if ((wait || looks) && wait_a_moment(err) < 0)
			return -1;
	}
}
