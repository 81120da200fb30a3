// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PID 1 of the outer guest: this machine's root over read-only 9p, what is shared at the same paths as
 * outside, and in that the script to run. Linked statically: it is the whole initramfs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_BYTES 512

static void off(const char *why)
{
	printf("NESTED-INIT %s: %m\n", why);
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void mount_at(const char *type, const char *source, const char *at, const char *options)
{
	mkdir(at, 0755);
	if (mount(source, at, type, 0, options) < 0)
		off(at);
}

/* /order has the modules' names, one a line, in the order to be inserted. */
static void insert_modules(void)
{
	FILE *f = fopen("/order", "re");
	char path[256];

	while (f && fgets(path, sizeof(path), f)) {
		int fd;

		path[strcspn(path, "\n")] = '\0';
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0)
			printf("NESTED-INIT %s: %m\n", path);
		if (fd >= 0)
			close(fd);
	}
	if (f)
		fclose(f);
}

static void make_dirs(const char *path)
{
	char part[PATH_BYTES];

	for (const char *s = strchr(path + 1, '/');; s = strchr(s + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", s ? (int)(s - path) : PATH_BYTES, path);
		mkdir(part, 0755);
		if (!s)
			return;
	}
}

static void mount_root(void)
{
	static const char *const writable[] = { "tmp", "run", "var", "root", "home", "mnt" };
	char at[64];

	mount_at("9p", "host", "/r", "trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000");
	for (size_t i = 0; i < sizeof(writable) / sizeof(*writable); i++) {
		snprintf(at, sizeof(at), "/r/%s", writable[i]);
		mount_at("tmpfs", "tmpfs", at, NULL);
	}
	mount_at("proc", "proc", "/r/proc", NULL);
	mount_at("sysfs", "sysfs", "/r/sys", NULL);
	mount_at("devtmpfs", "dev", "/r/dev", NULL);
	mkdir("/r/dev/shm", 01777);
	mount_at("tmpfs", "tmpfs", "/r/dev/shm", NULL);
	mount_at("devpts", "devpts", "/r/dev/pts", NULL);
}

/* /shares has "TAG PATH" a line; the script is in the first of them, whose path goes to @ret. */
static void mount_shares(char ret[PATH_BYTES])
{
	FILE *f = fopen("/shares", "re");
	char line[PATH_BYTES - 64], at[PATH_BYTES];

	while (f && fgets(line, sizeof(line), f)) {
		char *space = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		if (!space)
			continue;
		*space = '\0';
		snprintf(at, sizeof(at), "/r%s", space + 1);
		make_dirs(at);
		mount_at("9p", line, at, "trans=virtio,version=9p2000.L,cache=mmap,msize=512000");
		if (!*ret)
			snprintf(ret, PATH_BYTES, "%s", space + 1);
	}
	if (f)
		fclose(f);
	if (!*ret)
		off("/shares");
}

static void run_script(const char *share)
{
	char path[PATH_BYTES + 16];
	int status = -1;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/inside.sh", share);
	pid = fork();
	if (pid == 0) {
		if (chroot("/r") == 0 && chdir("/") == 0)
			execl("/bin/bash", "bash", path, share, (char *)NULL);
		_exit(127);
	}
	/* as PID 1 it also gets the children of others */
	while (pid > 0 && wait(&status) != pid)
		;
	printf("NESTED-INIT script ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(void)
{
	char share[PATH_BYTES] = "";
	int fd;

	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	fd = open("/dev/ttyS0", O_RDWR);
	if (fd >= 0) {
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
	}
	insert_modules();
	mount_root();
	mount_shares(share);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	run_script(share);
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
