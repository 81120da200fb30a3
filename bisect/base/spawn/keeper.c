// SPDX-License-Identifier: GPL-2.0-or-later
/* The keeper of a running program: see spawn/keeper.h. */
#include "base/spawn/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

#define STATUS_FD 3
#define HOLD_FD	  4
#define HIGH_FD	  16 /* clear of the places that are filled */

/* A report is smaller than PIPE_BUF, so it arrives whole. */
static void tell(const struct keeper_report *r)
{
	ssize_t n = write(STATUS_FD, r, sizeof(*r));

	(void)n;
}

static _Noreturn void give_up(enum keeper_step step)
{
	struct keeper_report r = { .step = step, .error = errno };

	tell(&r);
	_exit(127);
}

/*
 * Puts the four descriptors in place, and a lock that is to outlive the controller; closes all others: locks,
 * pipes of other programs.
 */
static void place_fds(const struct keeper *k)
{
	int hold = k->hold > 0 ? fcntl(k->hold, F_DUPFD, HIGH_FD) : -1;
	int high[ARRAY_SIZE(k->fds)];

	for (size_t i = 0; i < ARRAY_SIZE(high); i++)
		high[i] = fcntl(k->fds[i], F_DUPFD, HIGH_FD);
	for (size_t i = 0; i < ARRAY_SIZE(high); i++)
		if (high[i] < 0 || dup2(high[i], (int)i) < 0)
			_exit(127);
	fcntl(STATUS_FD, F_SETFD, FD_CLOEXEC);
	if (hold >= 0 && dup2(hold, HOLD_FD) == HOLD_FD)
		fcntl(HOLD_FD, F_SETFD, FD_CLOEXEC);
	close_range(hold >= 0 ? HOLD_FD + 1 : HOLD_FD, ~0U, 0);
}

static _Noreturn void child_main(const struct keeper *k, pid_t keeper)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(127);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL);
	if (k->cwd && chdir(k->cwd) < 0)
		give_up(KEEPER_CHDIR);
	if (k->nice) {
		int ignored = nice(k->nice);

		(void)ignored;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(k->path, k->argv, k->envp);
	give_up(KEEPER_EXEC);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	/* Left as a zombie for now: its pid stays the group's name until the group is killed. */
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

static void wait_and_end_group(pid_t pid)
{
	const struct timespec moment = { .tv_nsec = 50 * NS_PER_MS };
	int64_t kill_at = INT64_MAX;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (!has_ended(pid)) {
		int sig = sigtimedwait(&set, NULL, kill_at < INT64_MAX ? &moment : NULL);

		if (sig == SIGTERM && kill_at == INT64_MAX) {
			kill(-pid, SIGTERM);
			kill(-pid, SIGCONT);
			kill_at = clock_now_ns() + KEEPER_GRACE_MS * NS_PER_MS;
		}
		if (clock_now_ns() >= kill_at)
			kill(-pid, SIGKILL);
	}
	kill(-pid, SIGKILL);
}

/*
 * Sessions share a processor evenly, whatever runs in them: idle work would take half of it from a guest,
 * which has a session of its own. So it gets one too, and that is put last. Source: sched(7), autogroup.
 */
static void leave_session(void)
{
	int fd;

	setsid();
	fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = write(fd, "19", 2);

		(void)n;
		close(fd);
	}
}

_Noreturn void keeper_main(const struct keeper *k)
{
	struct keeper_report r = { .step = KEEPER_ENDED };
	pid_t self = getpid(), pid;
	struct rusage usage;

	if (k->apart)
		leave_session();
	else
		setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	place_fds(k);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != k->controller)
		_exit(127);
	pid = _Fork();
	if (pid < 0)
		give_up(KEEPER_FORK);
	if (pid == 0)
		child_main(k, self);
	setpgid(pid, pid);
	wait_and_end_group(pid);
	while (waitpid(pid, &r.wait_status, 0) < 0 && errno == EINTR)
		;
	if (getrusage(RUSAGE_CHILDREN, &usage) == 0)
		r.max_rss_kib = usage.ru_maxrss;
	tell(&r);
	_exit(0);
}
