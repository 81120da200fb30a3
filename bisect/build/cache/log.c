// SPDX-License-Identifier: GPL-2.0-or-later
/* A build's log beside what was built: see log.h. */
#include "build/cache/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define LOG_NAME "log"

/* Whole lines only, unless it is all one line. */
static const char *whole_lines(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end && end + 1 < text + len ? end + 1 : text;
}

int cache_log_keep(const struct cache_draft *d, const char *dir, struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/" LOG_NAME, dir);
	_cleanup_free_ char *text = xmalloc(CACHE_LOG_MAX_BYTES);
	_cleanup_close_ int fd = d->log ? open(d->log, O_RDONLY | O_CLOEXEC) : -1;
	const char *begin = text;
	uint64_t size, from;
	struct stat st;
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) < 0)
		return 0;
	size = (uint64_t)st.st_size;
	from = d->log_from < size ? d->log_from : size;
	if (size - from > CACHE_LOG_MAX_BYTES)
		from = size - CACHE_LOG_MAX_BYTES;
	while (n > 0 && len < CACHE_LOG_MAX_BYTES) {
		n = pread(fd, text + len, CACHE_LOG_MAX_BYTES - len, (off_t)(from + len));
		len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", d->log);
	if (from > d->log_from)
		begin = whole_lines(text, len);
	len -= (size_t)(begin - text);
	return len ? fs_write(to, begin, len, err) : 0;
}

static int append(const char *log, const struct buf *text, struct err *err)
{
	_cleanup_close_ int fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	size_t done = 0;

	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", log);
	while (done < text->len) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_HOST, "cannot write %s", log);
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int cache_log_give(const char *dir, const char *log, struct err *err)
{
	_cleanup_free_ char *from = str_printf("%s/" LOG_NAME, dir);
	_cleanup_free_ char *text = NULL;
	_cleanup_buf_ struct buf all = { 0 };
	size_t len;

	if (!log || !fs_exists(from))
		return 0;
	if (fs_read(from, CACHE_LOG_MAX_BYTES, &text, &len, err) < 0)
		return -1;
	buf_printf(&all, "From the cache, %s: the log of that build\n", strrchr(dir, '/') + 1);
	buf_add(&all, text, len);
	return append(log, &all, err);
}
