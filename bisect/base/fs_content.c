// SPDX-License-Identifier: GPL-2.0-or-later
/* Files, content: read, written and copied whole or not at all; SHA-256. See fs.h. */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <nettle/sha2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"

#define CHUNK 65536

bool fs_stamp(const char *path, const char *name, struct buf *ret)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	buf_printf(ret, "%s %" PRIdMAX " %" PRIdMAX ".%09ld\n", name, (intmax_t)st.st_size,
		   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

static ssize_t read_some(int fd, void *data, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, data, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int fs_read(const char *path, size_t max, char **ret, size_t *ret_len, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf b = { 0 };
	_cleanup_free_ char *chunk = xmalloc(CHUNK);

	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	/* Not by st_size: it is 0 in /proc and /sys. */
	for (;;) {
		ssize_t n = read_some(fd, chunk, CHUNK);

		if (n < 0)
			return err_errno(err, ERR_HOST, "cannot read %s", path);
		if (n == 0)
			break;
		if ((size_t)n > max - b.len)
			return err_set(err, ERR_HOST, "%s is larger than the %zu bytes allowed",
				       path, max);
		buf_add(&b, chunk, (size_t)n);
	}
	if (ret_len)
		*ret_len = b.len;
	*ret = buf_take(&b);
	return 0;
}

/* A file being made under another name beside its place, so that no one ever sees half of it. */
struct draft {
	int fd;
	char *name; /* NULL once it is in place */
};

static void draft_deinit(struct draft *d)
{
	if (d->fd >= 0)
		close(d->fd);
	if (d->name)
		unlink(d->name);
	free(d->name);
}

static int draft_open(struct draft *d, const char *path, mode_t mode, struct err *err)
{
	static atomic_uint counter;

	do {
		free(d->name);
		d->name = str_printf("%s.%d-%u.tmp", path, (int)getpid(),
				     atomic_fetch_add(&counter, 1));
		d->fd = open(d->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	} while (d->fd < 0 && errno == EEXIST);
	if (d->fd >= 0)
		return 0;
	free(take_ptr(d->name));
	return err_errno(err, ERR_HOST, "cannot write %s", path);
}

/* The directory is synced as well: the rename itself must outlive a power cut. */
static int draft_place(struct draft *d, const char *path, struct err *err)
{
	_cleanup_free_ char *dir = xstrdup(path);
	_cleanup_close_ int dir_fd = -1;
	char *slash = strrchr(dir, '/');

	if (fsync(d->fd) < 0 || rename(d->name, path) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	free(take_ptr(d->name));
	if (slash)
		slash[slash == dir] = '\0';
	dir_fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd >= 0)
		fsync(dir_fd);
	return 0;
}

/* A device or a pipe is written, never put aside for a file: 1 done, 0 a file is to be made, -1. */
static int write_special(const char *path, const void *data, size_t len, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || write_all(fd, data, len) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	return 1;
}

int fs_write(const char *path, const void *data, size_t len, struct err *err)
{
	_cleanup_(draft_deinit) struct draft d = { .fd = -1 };
	_cleanup_free_ char *real = NULL;
	int done = write_special(path, data, len, err);

	if (done)
		return done < 0 ? -1 : 0;
	/* A link stays one: what it names is replaced, beside itself. */
	real = realpath(path, NULL);
	if (real)
		path = real;
	if (draft_open(&d, path, 0666, err) < 0)
		return -1;
	if (write_all(d.fd, data, len) < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	return draft_place(&d, path, err);
}

static int copy_bytes(int from, int to)
{
	_cleanup_free_ char *chunk = NULL;
	ssize_t n;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	while ((n = copy_file_range(from, NULL, to, NULL, CHUNK * (size_t)1024, 0)) > 0)
		;
	if (n == 0)
		return 0;
	/* Not across these file systems: what is missing goes by hand, from where it got to. */
	if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	chunk = xmalloc(CHUNK);
	while ((n = read_some(from, chunk, CHUNK)) > 0)
		if (write_all(to, chunk, (size_t)n) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

int fs_copy(const char *from, const char *to, struct err *err)
{
	_cleanup_(draft_deinit) struct draft d = { .fd = -1 };
	/* Not blocking: a FIFO is refused below, not waited for. */
	_cleanup_close_ int fd = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", from);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_HOST, "cannot copy %s: not a regular file", from);
	if (draft_open(&d, to, st.st_mode & 0777, err) < 0)
		return -1;
	if (copy_bytes(fd, d.fd) < 0)
		return err_errno(err, ERR_HOST, "cannot copy %s to %s", from, to);
	return draft_place(&d, to, err);
}

static void sha256_hex(struct sha256_ctx *ctx, char ret[65])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(ctx, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

void fs_sha256_text(const void *data, size_t len, char ret[65])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, data);
	sha256_hex(&ctx, ret);
}

int fs_sha256_file(const char *path, char ret[65], struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ uint8_t *chunk = xmalloc(CHUNK);
	struct sha256_ctx ctx;
	ssize_t n;

	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	sha256_init(&ctx);
	while ((n = read_some(fd, chunk, CHUNK)) > 0)
		sha256_update(&ctx, (size_t)n, chunk);
	if (n < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	sha256_hex(&ctx, ret);
	return 0;
}
