// SPDX-License-Identifier: GPL-2.0-or-later
/* The untimed pass: see path.h. */
#include "guest-agent/probes/evidence/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/probes/evidence/pathlog.h"
#include "guest-agent/probes/mapping.h"

/* A copy of 256 MiB in 32 MiB pieces is a few dozen lines; what begins a log is about start-up. */
#define LOG_MAX (4 << 20)

/* In the child. The log's name gets the process id, so it is named by what this process has. */
static int copy_once(const struct runtime_ops *ops, const struct runtime_setup *setup, int source,
		     size_t bytes)
{
	const struct touch all = { .all = true };
	const struct mapping_spec spec = { .fd = source, .bytes = bytes };
	struct runtime rt = { .ops = ops, .fd = -1 };
	struct runtime_copy copy = { 0 };
	enum runtime_found found;
	struct mapping m;
	char why[256];
	struct err err;

	if (ops->open(&rt, setup, &found, why, sizeof(why), &err) < 0 || found != RUNTIME_READY)
		return 1;
	if (mapping_create(&spec, &m, &err) < 0)
		return 1;
	mapping_touch(&m, &all);
	if ((ops->prepare && ops->prepare(&rt, bytes, &err) < 0) ||
	    ops->copy(&rt, m.start, bytes, false, &copy, &err) < 0)
		return 1;
	return copy.result != 0;
}

static char *read_log(const char *path, size_t *len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char *text = xmalloc(LOG_MAX);
	ssize_t n = 0;

	*len = 0;
	while (fd >= 0 && *len < LOG_MAX && (n = read(fd, text + *len, LOG_MAX - *len)) > 0)
		*len += (size_t)n;
	return text;
}

static void remove_logs(const char *dir, const char *log)
{
	unlink(log);
	rmdir(dir);
}

int path_prove(const struct runtime_ops *ops, const struct runtime_setup *setup, int source,
	       size_t bytes, enum wire_path *ret, char *why, size_t size, struct err *err)
{
	char dir[] = "/tmp/copy-regimes-log.XXXXXX";
	_cleanup_free_ char *base = NULL, *log = NULL, *text = NULL;
	struct runtime_setup logged = *setup;
	struct pathlog seen;
	int status = 0;
	size_t len;
	pid_t pid;

	*ret = PATH_UNKNOWN;
	if (!mkdtemp(dir)) {
		snprintf(why, size, "no place for the runtime's log: %m");
		return 0;
	}
	base = str_printf("%s/log", dir);
	logged.log = base;
	pid = fork();
	if (pid < 0) {
		rmdir(dir);
		return err_errno(err, ERR_HOST, "cannot start the pass with the runtime's log");
	}
	if (!pid)
		_exit(copy_once(ops, &logged, source, bytes));
	while (waitpid(pid, &status, 0) < 0)
		;
	log = str_printf("%s_%d", base, (int)pid);
	text = read_log(log, &len);
	remove_logs(dir, log);
	pathlog_read(text, len, &seen);
	*ret = pathlog_path(&seen, bytes);
	if (*ret != PATH_UNKNOWN)
		return 0;
	snprintf(why, size, "%s",
		 status ? "the pass with the runtime's log failed"
		 : len	? "the runtime's log tells of no copy of that size"
			: "the runtime wrote no log");
	return 0;
}
