// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle work, and that it can be lifted with all that it has started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn/priority.h"
#include "base/str.h"

/* Nothing that a failed test leaves behind lives for longer. */
#define LIFE_S 60

/* What the test starts: idle, with a child of its own that inherits that. */
struct pair {
	pid_t parent, child;
};

/*
 * Niceness of a process's session, sched(7); 0 where the kernel has no such thing, and for what runs in
 * no session but the kernel's first: services of a small init.
 */
static int session_niceness(pid_t pid)
{
	_cleanup_free_ char *path = str_printf("/proc/%d/autogroup", (int)pid);
	_cleanup_free_ char *text = NULL;
	struct err err;
	int ret = 0;

	if (fs_exists(path) && fs_read(path, 4096, &text, NULL, &err) == 0 && text[0])
		assert_int_equal(sscanf(text, "%*s nice %d", &ret), 1);
	return ret;
}

static void put_session_last(void)
{
	int fd;

	setsid();
	fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "19", 2) != 2)
		_exit(1);
}

static void pair_start(struct pair *p)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p->parent = fork();
	assert_true(p->parent >= 0);
	if (p->parent == 0) {
		pid_t child;

		alarm(LIFE_S);
		put_session_last();
		priority_idle();
		child = fork();
		if (child == 0) {
			alarm(LIFE_S);
			pause();
			_exit(0);
		}
		if (write(fds[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(fds[0], &p->child, sizeof(p->child)), sizeof(p->child));
	close(fds[0]);
	close(fds[1]);
}

static void pair_end(struct pair *p)
{
	kill(p->child, SIGKILL);
	kill(p->parent, SIGKILL);
	waitpid(p->parent, NULL, 0);
}

/* Source: ioprio_get(2); linux/ioprio.h. */
static int io_class(pid_t pid)
{
	return (int)syscall(SYS_ioprio_get, 1, pid) >> 13;
}

static void expect(pid_t pid, int policy, int niceness, int io)
{
	assert_int_equal(sched_getscheduler(pid), policy);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pid), niceness);
	assert_int_equal(io_class(pid), io);
}

static void idle_is_inherited_and_lifted_with_the_children(void **state)
{
	int policy = sched_getscheduler(0), niceness = getpriority(PRIO_PROCESS, 0);
	struct pair p, other;

	(void)state;
	pair_start(&p);
	expect(p.parent, SCHED_IDLE, 19, 3);
	expect(p.child, SCHED_IDLE, 19, 3);
	if (fs_exists("/proc/self/autogroup"))
		assert_int_equal(session_niceness(p.child), 19);

	/* Idle too, but started by somebody else: its parent ends, and it belongs to init. */
	pair_start(&other);
	kill(other.parent, SIGKILL);
	waitpid(other.parent, NULL, 0);
	if (priority_lift()) {
		expect(p.parent, policy, niceness, 0);
		expect(p.child, policy, niceness, 0);
	} else {
		assert_int_not_equal(geteuid(), 0);
		expect(p.parent, SCHED_IDLE, 19, 3);
	}
	assert_int_equal(session_niceness(p.child), session_niceness(getpid()));
	expect(other.child, SCHED_IDLE, 19, 3);
	kill(other.child, SIGKILL);
	pair_end(&p);
}

/* An idle controller has nothing to lift to. */
static void nothing_is_lifted_above_the_caller(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct pair p;
		bool ok;

		priority_idle();
		pair_start(&p);
		ok = priority_lift() && sched_getscheduler(p.child) == SCHED_IDLE;
		pair_end(&p);
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_is_inherited_and_lifted_with_the_children),
		cmocka_unit_test(nothing_is_lifted_above_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
