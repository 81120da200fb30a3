// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a guest is restored: the file it is restored from, which is large and may be damaged. */
#include "guest/warm/save.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "guest/image/keep.h"

#define KEEP_SAVES 3 /* some 100 to 200 MiB each: what guests of 512 MiB have touched */
#define SUM	   16
#define FREE_MIN   (UINT64_C(64) << 20)

void save_deinit(struct save *s)
{
	free(s->path);
	free(s->stamp);
	*s = (struct save){ 0 };
}

static char *stamp_of(const char *path)
{
	_cleanup_buf_ struct buf text = { 0 };

	return fs_stamp(path, path, &text) ? xstrdup(text.data) : NULL;
}

static bool is_whole(const char *path)
{
	const char *sum = strrchr(path, '-') + 1;
	struct err ignored;
	char digest[65];

	return fs_sha256_file(path, digest, &ignored) == 0 && strlen(sum) == SUM &&
	       strncmp(digest, sum, SUM) == 0;
}

/* What is in @dir under @key, or NULL. */
static char *look(const char *dir, const char *key)
{
	_cleanup_free_ char *prefix = str_printf("save-%s-", key);
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (str_starts(e->d_name, prefix))
			return str_printf("%s/%s", dir, e->d_name);
	return NULL;
}

int save_find(struct save *s, const char *dir, const char *key)
{
	_cleanup_free_ char *path = look(dir, key);
	_cleanup_free_ char *stamp = path ? stamp_of(path) : NULL;

	if (stamp && s->stamp && strcmp(stamp, s->stamp) == 0)
		return 1;
	save_deinit(s);
	if (!stamp)
		return 0;
	if (!is_whole(path)) {
		unlink(path);
		return -1;
	}
	keep_used(path);
	s->stamp = stamp_of(path);
	s->path = take_ptr(path);
	return 1;
}

void save_drop(struct save *s)
{
	if (s->path)
		unlink(s->path);
	save_deinit(s);
}

/* Under the lock nobody else makes one, so these are of makers that were killed. */
static void remove_leftovers(const char *dir)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (str_starts(e->d_name, "making-"))
			unlinkat(dirfd(d), e->d_name, 0);
}

int making_begin(const char *dir, struct making *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/lock", dir);
	_cleanup_close_ int lock = -1;
	uint64_t room;

	if (fs_mkdirs(dir, err) < 0 || fs_lock(path, false, &lock, err) < 0)
		return -1;
	remove_leftovers(dir);
	if (fs_free_bytes(dir, &room, err) < 0)
		return -1;
	if (room < FREE_MIN)
		return err_set(err, ERR_HOST, "only %ju MiB free in %s", (uintmax_t)(room >> 20),
			       dir);
	ret->path = str_printf("%s/making-%d", dir, (int)getpid());
	ret->lock = take_fd(lock);
	return 0;
}

void making_deinit(struct making *m)
{
	if (m->path)
		unlink(m->path);
	free(m->path);
	if (m->lock >= 0)
		close(m->lock);
	*m = (struct making){ .lock = -1 };
}

static int flush(const char *path, int flags, struct err *err)
{
	_cleanup_close_ int fd = open(path, flags | O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	return 0;
}

int making_keep(struct making *m, const char *dir, const char *key, struct err *err)
{
	_cleanup_free_ char *to = NULL;
	char digest[65];

	if (flush(m->path, 0, err) < 0 || fs_sha256_file(m->path, digest, err) < 0)
		return -1;
	to = str_printf("%s/save-%s-%.*s", dir, key, SUM, digest);
	if (rename(m->path, to) < 0)
		return err_errno(err, ERR_HOST, "cannot rename %s", m->path);
	keep_newest(dir, "save-", KEEP_SAVES);
	return flush(dir, O_DIRECTORY, err);
}
