// SPDX-License-Identifier: GPL-2.0-or-later
/* WIRE_PUT: see put.h. */
#include "guest-agent/agent/put.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define CHUNK_BYTES 32768

/* Bytes in the directory, the file to be replaced left out. */
static uint64_t held_bytes(const char *dir, const char *replaced)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	uint64_t sum = 0;
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, replaced) != 0 &&
		    !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
	return sum;
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

/* All bytes from the port, into @fd for as long as that takes them (-1: nowhere). */
static int stream(struct port *p, int fd, uint64_t bytes, struct err *err)
{
	bool failed = false;
	char chunk[CHUNK_BYTES];

	while (bytes) {
		long n = port_raw(p, chunk, bytes < sizeof(chunk) ? bytes : sizeof(chunk),
				  PUT_QUIET_MS);

		if (n < 0)
			return err_set(err, ERR_PROTOCOL, "the file ended %llu bytes early",
				       (unsigned long long)bytes);
		bytes -= (uint64_t)n;
		if (fd >= 0 && !failed && write_all(fd, chunk, (size_t)n) < 0) {
			failed = true;
			err_errno(err, ERR_HOST, "cannot write the file");
		}
	}
	return failed ? -1 : 0;
}

int put_receive(struct port *p, const char *dir, const char *name, uint64_t bytes, struct err *err)
{
	_cleanup_close_ int fd = -1;
	char part[PATH_MAX], path[PATH_MAX];
	struct err ignored;

	snprintf(part, sizeof(part), "%s/.part", dir);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(part);
	if (bytes > (uint64_t)WIRE_FILE_MAX - held_bytes(dir, name)) {
		err_set(err, ERR_HOST, "%s: streamed files may hold %lld bytes together", name,
			(long long)WIRE_FILE_MAX);
		stream(p, -1, bytes, &ignored);
		return -1;
	}
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		err_errno(err, ERR_HOST, "cannot make a file in %s", dir);
		stream(p, -1, bytes, &ignored);
		return -1;
	}
	if (stream(p, fd, bytes, err) < 0) {
		unlink(part);
		return -1;
	}
	if (rename(part, path) < 0)
		return err_errno(err, ERR_HOST, "cannot name the file %s", path);
	return 0;
}

bool put_find(const char *dir, const char *name, char *ret, size_t size)
{
	struct stat st;

	snprintf(ret, size, "%s/%s", dir, name);
	if (!lstat(ret, &st) && S_ISREG(st.st_mode))
		return true;
	snprintf(ret, size, "%s/%s.ko", dir, name);
	return !lstat(ret, &st) && S_ISREG(st.st_mode);
}
