// SPDX-License-Identifier: GPL-2.0-or-later
/* Children: see child.h. */
#include "guest-agent/agent/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest-agent/agent/text.h"
#include "base/cleanup.h"
#include "base/clock.h"

static int into_child(int out, int errors)
{
	const struct rlimit none = { 0 };
	int empty = open("/dev/null", O_RDONLY);
	sigset_t mask;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	/* What fills the memory is ended before the agent that is to tell of it. */
	text_write("/proc/self/oom_score_adj", "1000");
	sigemptyset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (empty < 0 || dup2(empty, 0) < 0 || dup2(out, 1) < 0 || dup2(errors, 2) < 0)
		return -1;
	if (empty > 2)
		close(empty);
	return 0;
}

int child_start(int (*run)(void *arg), void *arg, struct child *ret, struct err *err)
{
	_cleanup_close_ int out_w = -1;
	_cleanup_close_ int err_w = -1;
	struct child c = { .pidfd = -1, .out = -1, .errors = -1 };
	int out[2], errors[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "cannot make a pipe");
	c.out = out[0];
	out_w = out[1];
	if (pipe2(errors, O_CLOEXEC) < 0) {
		err_errno(err, ERR_HOST, "cannot make a pipe");
		child_deinit(&c);
		return -1;
	}
	c.errors = errors[0];
	err_w = errors[1];
	c.pid = fork();
	if (c.pid == 0)
		_exit(into_child(out_w, err_w) < 0 ? 127 : run(arg));
	if (c.pid > 0)
		c.pidfd = pidfd_open(c.pid, 0);
	if (c.pid < 0 || c.pidfd < 0) {
		err_errno(err, ERR_HOST, "cannot start a child");
		child_deinit(&c);
		return -1;
	}
	setpgid(c.pid, c.pid);
	fcntl(c.out, F_SETFL, O_NONBLOCK);
	fcntl(c.errors, F_SETFL, O_NONBLOCK);
	*ret = c;
	return 0;
}

bool child_ended(struct child *c, int64_t wait_ms)
{
	int64_t deadline = clock_now_ns() + wait_ms * NS_PER_MS;

	while (!c->ended) {
		struct pollfd wait = { .fd = c->pidfd, .events = POLLIN };
		int64_t left = deadline - clock_now_ns();
		pid_t pid = waitpid(c->pid, &c->status, WNOHANG);

		if (pid == c->pid || (pid < 0 && errno == ECHILD))
			c->ended = true;
		else if (left <= 0)
			return false;
		else
			poll(&wait, 1, (int)(left / NS_PER_MS) + 1);
	}
	return true;
}

void child_kill(struct child *c)
{
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		if (!c->ended)
			kill(c->pid, SIGKILL);
	}
}

void child_where(const struct child *c, char *ret, size_t size)
{
	char path[64], stat[256], where[128];
	const char *state = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)c->pid);
	if (text_read(path, stat, sizeof(stat)))
		state = strrchr(stat, ')');
	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)c->pid);
	if (!text_read(path, where, sizeof(where)) || !strcmp(where, "0"))
		where[0] = '\0';
	snprintf(ret, size, "state %c%s%s", state && strlen(state) > 2 ? state[2] : '?',
		 where[0] ? " in " : "", where);
}

void child_deinit(struct child *c)
{
	child_kill(c);
	close_p(&c->pidfd);
	close_p(&c->out);
	close_p(&c->errors);
	c->pidfd = c->out = c->errors = -1;
	c->pid = 0;
}
