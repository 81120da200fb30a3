// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hand of the checkout. Names come from commits, so nothing here walks a path: each step opens one
 * component without following links, and a link planted by one commit cannot lead another outside.
 */
#include "range/checkout/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A name no kernel source has; left behind by a crash it is overwritten by the next checkout. */
#define TEMP_NAME ".amdgpu-bisect.tmp"

int disk_open_dir(int dir, const char *name, const char *path, bool replace, struct err *err)
{
	int fd = openat(dir, name, DIR_FLAGS);

	if (fd >= 0)
		return fd;
	if (errno == ENOTDIR || errno == ELOOP) {
		if (!replace)
			return err_set(err, ERR_USAGE,
				       "%s is a link or a file where the sources need a directory; "
				       "remove it or name another tree",
				       path);
		if (unlinkat(dir, name, 0) < 0)
			return err_errno(err, ERR_HOST, "cannot replace %s", path);
	}
	if (mkdirat(dir, name, 0777) < 0 && errno != EEXIST)
		return err_errno(err, ERR_HOST, "cannot make directory %s", path);
	fd = openat(dir, name, DIR_FLAGS);
	return fd >= 0 ? fd : err_errno(err, ERR_HOST, "cannot open directory %s", path);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* A directory in the way cannot be renamed over. */
static int rename_over(int dir, const char *name, const char *path, struct err *err)
{
	if (renameat(dir, TEMP_NAME, dir, name) == 0)
		return 0;
	if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(err, ERR_HOST, "cannot replace %s", path);
	if (disk_remove(dir, name, path, err) < 0)
		return -1;
	return renameat(dir, TEMP_NAME, dir, name) == 0
		       ? 0
		       : err_errno(err, ERR_HOST, "cannot replace %s", path);
}

int disk_write_file(int dir, const char *name, const char *path, const void *data, size_t len,
		    bool executable, struct err *err)
{
	_cleanup_close_ int fd = -1;

	unlinkat(dir, TEMP_NAME, 0);
	fd = openat(dir, TEMP_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    executable ? 0777 : 0666);
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot make a file beside %s", path);
	if (write_all(fd, data, len) < 0) {
		err_errno(err, ERR_HOST, "cannot write %s", path);
		unlinkat(dir, TEMP_NAME, 0);
		return -1;
	}
	return rename_over(dir, name, path, err);
}

int disk_write_link(int dir, const char *name, const char *path, const char *target,
		    struct err *err)
{
	unlinkat(dir, TEMP_NAME, 0);
	if (symlinkat(target, dir, TEMP_NAME) < 0)
		return err_errno(err, ERR_HOST, "cannot make a link beside %s", path);
	return rename_over(dir, name, path, err);
}

static int remove_dir(int dir, const char *name, const char *path, struct err *err)
{
	_cleanup_closedir_ DIR *d = NULL;
	struct dirent *e;
	int fd = openat(dir, name, DIR_FLAGS);

	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot open directory %s", path);
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return err_errno(err, ERR_HOST, "cannot read directory %s", path);
	}
	while ((e = readdir(d))) {
		_cleanup_free_ char *sub = str_printf("%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (disk_remove(fd, e->d_name, sub, err) < 0)
			return -1;
	}
	if (unlinkat(dir, name, AT_REMOVEDIR) < 0)
		return err_errno(err, ERR_HOST, "cannot remove directory %s", path);
	return 1;
}

int disk_remove(int dir, const char *name, const char *path, struct err *err)
{
	if (unlinkat(dir, name, 0) == 0)
		return 1;
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	if (errno != EISDIR)
		return err_errno(err, ERR_HOST, "cannot remove %s", path);
	return remove_dir(dir, name, path, err);
}

void disk_remove_if_empty(int dir, const char *name)
{
	unlinkat(dir, name, AT_REMOVEDIR);
}

bool disk_is_leftover(const char *name)
{
	return strcmp(name, TEMP_NAME) == 0;
}

static int touch(int fd, struct timespec *ret)
{
	struct stat st;

	if (futimens(fd, (const struct timespec[]){ { .tv_nsec = UTIME_NOW },
						    { .tv_nsec = UTIME_NOW } }) < 0 ||
	    fstat(fd, &st) < 0)
		return -1;
	*ret = st.st_mtim;
	return 0;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

#define TICK_NS	     500000
#define TICKS_MAX_NS INT64_C(3000000000) /* FAT's clock goes in steps of 2 s */

int disk_next_tick(int dir, const char *path, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct timespec first, now;
	int rc;

	unlinkat(dir, TEMP_NAME, 0);
	fd = openat(dir, TEMP_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot make a file in %s", path);
	rc = touch(fd, &first);
	now = first;
	for (int64_t waited = 0; rc == 0 && !is_later(&now, &first) && waited < TICKS_MAX_NS;
	     waited += TICK_NS) {
		nanosleep(&(struct timespec){ .tv_nsec = TICK_NS }, NULL);
		rc = touch(fd, &now);
	}
	if (rc < 0)
		err_errno(err, ERR_HOST, "cannot set the time of a file in %s", path);
	unlinkat(dir, TEMP_NAME, 0);
	return rc;
}
