// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle and back: see priority.h. */
#include "base/spawn/priority.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define NICE_MOST 19

/* linux/ioprio.h, which older headers lack: class and its 13 bits of data; a process, not a group. */
#define IOPRIO_OF_IDLE	   (3 << 13)
#define IOPRIO_OF_NICENESS 0
#define IOPRIO_PROCESS	   1

/* What a lifted process starts meanwhile is found by another look. */
#define LOOKS_MAX 8

void priority_idle(void)
{
	const struct sched_param none = { 0 };

	setpriority(PRIO_PROCESS, 0, NICE_MOST);
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0, IOPRIO_OF_IDLE);
}

/* "PID (NAME) STATE PARENT ..."; a name may hold anything. Source: proc(5). */
static bool read_parent(pid_t pid, pid_t *ret)
{
	char path[32], text[512];
	_cleanup_close_ int fd = -1;
	char *name_end;
	ssize_t n;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %*c %d", &parent) != 1)
		return false;
	*ret = parent;
	return true;
}

/* True if this process has started it, or one that this process has started has. */
static bool is_ours(pid_t pid)
{
	while (pid > 1 && read_parent(pid, &pid))
		if (pid == getpid())
			return true;
	return false;
}

/* One thread; false if the kernel refuses. One that is gone needs nothing. */
static bool lift_thread(pid_t tid)
{
	const struct sched_param none = { 0 };
	int policy = sched_getscheduler(0);

	if (sched_getscheduler(tid) != SCHED_IDLE)
		return true;
	if (sched_setscheduler(tid, policy, &none) < 0)
		return sched_getscheduler(tid) < 0;
	setpriority(PRIO_PROCESS, (id_t)tid, getpriority(PRIO_PROCESS, 0));
	syscall(SYS_ioprio_set, IOPRIO_PROCESS, tid, IOPRIO_OF_NICENESS);
	return true;
}

static bool lift_process(pid_t pid)
{
	char path[32];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *e;
	bool all = true;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		uint64_t tid;

		if (str_to_u64(e->d_name, INT32_MAX, &tid))
			all &= lift_thread((pid_t)tid);
	}
	return all;
}

/* Its whole session, which spawn.apart put last; whoever may not lift a process may lift that. */
static void lift_session(pid_t pid)
{
	char path[40], text[64] = "", nice[16];
	_cleanup_close_ int own = open("/proc/self/autogroup", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int its = -1;
	int is = 0;

	/* "/autogroup-74 nice 0"; nothing for a process that no session was ever started for. */
	if (own < 0 || read(own, text, sizeof(text) - 1) < 0 ||
	    (text[0] && sscanf(text, "%*s nice %d", &is) != 1))
		return;
	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)pid);
	its = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(nice, sizeof(nice), "%d", is);
	if (its >= 0 && write(its, nice, strlen(nice)) < 0)
		return; /* a moment ago, by another of its processes */
}

/* How many were idle; -1: the kernel refuses. */
static int lift_all(void)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc");
	struct dirent *e;
	int ret = 0;

	while (dir && (e = readdir(dir))) {
		uint64_t pid;

		if (!str_to_u64(e->d_name, INT32_MAX, &pid) ||
		    sched_getscheduler((pid_t)pid) != SCHED_IDLE || !is_ours((pid_t)pid))
			continue;
		lift_session((pid_t)pid);
		if (!lift_process((pid_t)pid))
			return -1;
		ret++;
	}
	return ret;
}

bool priority_lift(void)
{
	int lifted = 1;

	if (sched_getscheduler(0) == SCHED_IDLE)
		return true;
	for (unsigned int looks = 0; lifted > 0 && looks < LOOKS_MAX; looks++)
		lifted = lift_all();
	return lifted >= 0;
}
