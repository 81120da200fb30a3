// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe that makes trouble: `trouble eat|die|kill-agent|clock|spin|unplug`, and `trouble proc|thp|tmp PROGRAM
 * ARGUMENT...`, which runs another probe where something is missing.
 */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/time.h>
#include <unistd.h>

#define STEP   (1 << 20)
#define DRIVER "/sys/bus/virtio/drivers/virtio_console"

/* More than there is; what ends it is the kernel. */
static void eat(void)
{
	for (;;) {
		char *p = malloc(STEP);

		if (p)
			memset(p, 1, STEP);
	}
}

/* A leap of ten years, as a broken host clock or a restored guest may make. */
static int leap(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	now.tv_sec += 10L * 365 * 86400;
	return settimeofday(&now, NULL) < 0;
}

/* The channel's driver lets its device go, as one does that comes to grief. */
static int unplug(void)
{
	int fd = open(DRIVER "/unbind", O_WRONLY);
	DIR *dir = opendir(DRIVER);
	struct dirent *e;

	while (fd >= 0 && dir && (e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, "virtio", 6) == 0)
			return write(fd, e->d_name, strlen(e->d_name)) < 0;
	return 2;
}

/* What is hidden under an empty file system, or can no longer be written to. */
static int hide(const char *what)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	if (strcmp(what, "proc") == 0)
		return mount("none", "/proc", "tmpfs", 0, NULL);
	if (strcmp(what, "thp") == 0)
		return mount("none", "/sys/kernel/mm", "tmpfs", 0, NULL);
	if (strcmp(what, "tmp") == 0)
		return mount("none", "/tmp", "tmpfs", MS_RDONLY, NULL);
	return 1;
}

/* Another probe, which lies beside this one. */
static int run_without(const char *what, char **argv)
{
	char self[PATH_MAX] = "", path[2 * PATH_MAX];
	int ret;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	snprintf(path, sizeof(path), "%s/%s", dirname(self), argv[0]);
	ret = hide(what);
	if (ret < 0)
		perror(what);
	if (ret == 0) {
		execv(path, argv);
		perror(path);
	}
	return 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc > 2)
		return run_without(what, argv + 2);
	if (strcmp(what, "die") == 0)
		raise(SIGKILL);

	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "clock") == 0)
		return leap();
	if (strcmp(what, "unplug") == 0)
		return unplug();
	if (strcmp(what, "kill-agent") == 0)
		kill(getppid(), SIGKILL);
	if (strcmp(what, "kill-agent") == 0 || strcmp(what, "spin") == 0)
		for (;;)
			;
	return 2;
}
