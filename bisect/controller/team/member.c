// SPDX-License-Identifier: GPL-2.0-or-later
/* One worker's process: see member.h. */
#include "controller/team/member.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define HIGH_FD 16 /* clear of the places that are filled */

/* What the child needs; all of it is made before the fork. */
struct start {
	char *const *argv;
	int fds[4]; /* standard input, output and error; the run's lock */
	pid_t controller;
};

/* The controller may have threads: only what is async-signal-safe until the program is another. */
static _Noreturn void child_main(const struct start *s)
{
	int high[ARRAY_SIZE(s->fds)];
	sigset_t none;

	setpgid(0,
		0); /* Ctrl-C is the controller's to hear; what follows from it, it says itself */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != s->controller)
		_exit(127);
	for (size_t i = 0; i < ARRAY_SIZE(high); i++)
		high[i] = fcntl(s->fds[i], F_DUPFD, HIGH_FD);
	for (size_t i = 0; i < ARRAY_SIZE(high); i++)
		if (high[i] < 0 || dup2(high[i], (int)i) < 0)
			_exit(127);
	close_range(MEMBER_LOCK_FD + 1, ~0U, 0);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(s->argv[0], s->argv, environ);
	_exit(127);
}

static pid_t start(const struct start *s)
{
	sigset_t all, old;
	pid_t pid;

	/* Our handlers must not run in the child: they would wake the controller. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = _Fork();
	if (pid == 0)
		child_main(s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

static void make_argv(const struct member *m, const struct team_spec *spec, const char *conf,
		      struct strv *ret)
{
	strv_add(ret, spec->program ? spec->program : "/proc/self/exe");
	strv_add(ret, "worker");
	strv_add(ret, "--config");
	strv_add(ret, conf);
	strv_add(ret, "--repo");
	strv_add(ret, spec->repo);
	strv_add(ret, "--dir");
	strv_add(ret, spec->dir);
	if (m->card) {
		strv_add(ret, "--gpu");
		strv_add(ret, m->card);
	}
	strv_addf(ret, "%zu", m->n + 1);
}

static int pipes(int in[2], int out[2], struct err *err)
{
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "cannot make a pipe");
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	return 0;
}

int member_start(struct member *m, const struct team_spec *spec, const char *conf, struct err *err)
{
	_cleanup_free_ char *log = str_printf("%s/worker-%zu.log", spec->dir, m->n + 1);
	_cleanup_close_ int log_fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	_cleanup_strv_ struct strv argv = { 0 };
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	int ret;

	if (log_fd < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", log);
	make_argv(m, spec, conf, &argv);
	ret = pipes(in, out, err);
	if (ret == 0) {
		const struct start s = { .argv = argv.items,
					 .fds = { in[0], out[1], log_fd,
						  store_lock_fd(spec->store) },
					 .controller = getpid() };

		m->pid = start(&s);
		if (m->pid < 0)
			ret = err_errno(err, ERR_HOST, "cannot start a worker");
	}
	close_p(&in[0]);
	close_p(&out[1]);
	if (ret < 0) {
		close_p(&in[1]);
		close_p(&out[0]);
		m->pid = 0;
		return -1;
	}
	m->in = in[1];
	m->out = out[0];
	m->ready = m->building = m->was_told = false;
	m->heard_ns = clock_now_ns();
	return 0;
}

bool member_give(struct member *m, const struct team_task *task)
{
	_cleanup_free_ char *line =
		str_printf("try %s %s %" PRId64 " %s\n", store_role_name(task->role), task->id,
			   task->base, task->sound[0] ? task->sound : "-");
	size_t len = strlen(line);

	m->task = *task;
	m->has_task = true;
	m->heard_ns = clock_now_ns();
	/* shorter than a pipe, which is empty */
	return write(m->in, line, len) == (ssize_t)len;
}

bool member_read(struct member *m, void (*each)(struct member *m, const char *line, void *arg),
		 void *arg)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(m->out, chunk, sizeof(chunk))) > 0) {
		m->heard_ns = clock_now_ns();
		for (ssize_t i = 0; i < n; i++) {
			if (chunk[i] != '\n') {
				buf_add(&m->line, &chunk[i], 1);
				continue;
			}
			each(m, m->line.len ? m->line.data : "", arg);
			buf_deinit(&m->line);
		}
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void member_end(struct member *m, bool force)
{
	if (m->pid <= 0)
		return;
	m->was_told = true;
	kill(m->pid, force ? SIGKILL : SIGTERM);
	if (!force)
		kill(m->pid, SIGCONT);
}

bool member_reap(struct member *m, char *ret, size_t size)
{
	int status = 0;

	while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR)
		;
	m->pid = 0;
	close_p(&m->in);
	close_p(&m->out);
	m->in = m->out = -1;
	buf_deinit(&m->line);
	if (WIFSIGNALED(status))
		snprintf(ret, size, "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(ret, size, "ended with code %d", WEXITSTATUS(status));
	return WIFEXITED(status);
}
