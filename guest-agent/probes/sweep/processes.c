// SPDX-License-Identifier: GPL-2.0-or-later
/* Several processes at once: see processes.h. */
#include "guest-agent/probes/sweep/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Held by whoever writes; a lock of the process, not of the descriptor that all inherit. */
static int lock_fd = -1;

static void lock(short type)
{
	struct flock whole = { .l_type = type, .l_whence = SEEK_SET };

	while (lock_fd >= 0 && fcntl(lock_fd, F_SETLKW, &whole) < 0 && errno == EINTR)
		;
}

int processes_write(const char *text, size_t len, struct err *err)
{
	int failed = 0;

	lock(F_WRLCK);
	while (len && !failed) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			failed = err_errno(err, ERR_HOST, "cannot write to stdout");
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	lock(F_UNLCK);
	return failed;
}

/* In the child: it starts when the last one was made, and ends with its parent. */
static int wait_for_start(int gate, uint32_t process, int (*run)(uint32_t process, void *arg),
			  void *arg)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(gate, &byte, 1) < 0 && errno == EINTR)
		;
	close(gate);
	return run(process, arg);
}

static int wait_for_all(uint32_t n)
{
	int worst = 0, status;

	while (n) {
		int code;

		if (wait(&status) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		n--;
		code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
		worst = code > worst ? code : worst;
	}
	return worst;
}

int processes_run(uint32_t n, int (*run)(uint32_t process, void *arg), void *arg, struct err *err)
{
	uint32_t made = 0;
	int gate[2];

	if (n == 1)
		return run(0, arg);
	lock_fd = memfd_create("copy-regimes-lines", MFD_CLOEXEC);
	if (lock_fd < 0 || pipe2(gate, O_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "cannot make a lock and a gate for %u processes",
				 n);
	for (; made < n; made++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (!pid) {
			close(gate[1]);
			_exit(wait_for_start(gate[0], made, run, arg));
		}
	}
	if (made < n)
		err_errno(err, ERR_HOST, "cannot start %u processes", n);
	close(gate[1]);
	close(gate[0]);
	n = made < n ? (wait_for_all(made), 0) : n;
	return n ? wait_for_all(n) : -1;
}
