// SPDX-License-Identifier: GPL-2.0-or-later
/* Ctrl-C: see stop.h. */
#include "base/stop.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler must not wait for a lock");
static atomic_int requested; /* written by a handler, read by any thread */
static atomic_int due;	     /* the time was up before anything else asked */
static int wake[2] = { -1, -1 };

static void on_signal(int sig)
{
	int saved = errno;
	ssize_t n;

	if (requested && sig == SIGINT) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	if (!requested)
		due = sig == SIGALRM;
	requested = 1;
	n = write(wake[1], "", 1);
	(void)n;
	errno = saved;
}

void stop_install(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct sigaction hangup;

	if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0)
		wake[0] = wake[1] = -1;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* nohup(1) ignores it for us: the run is to outlive its terminal. */
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Whoever started us may have ignored it, and then no child could be waited for. */
	signal(SIGCHLD, SIG_DFL);
}

void stop_after(int64_t ms)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct itimerval timer = { .it_value = { .tv_sec = ms / 1000,
						 .tv_usec = ms % 1000 * 1000 } };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

bool stop_was_due(void)
{
	return due;
}

bool stop_requested(void)
{
	return requested;
}

int stop_check(struct err *err)
{
	return requested ? err_set(err, ERR_STOPPED, "stopped before its end; what is done is kept")
			 : 0;
}

int stop_fd(void)
{
	return wake[0];
}
