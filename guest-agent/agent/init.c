// SPDX-License-Identifier: GPL-2.0-or-later
/* PID 1: see init.h. */
#include "guest-agent/agent/init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest-agent/agent/disk.h"
#include "guest-agent/agent/modules.h"
#include "guest-agent/agent/text.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

/* A child that ends is started again after this, so that a crash at once does not spin. */
#define RESTART_MS 200

static void mount_all(void)
{
	static const struct {
		const char *type, *at, *data;
	} mounts[] = {
		{ "devtmpfs", "/dev", NULL },
		{ "proc", "/proc", NULL },
		{ "sysfs", "/sys", NULL },
		{ "tmpfs", "/run", "mode=0755" },
		{ "tmpfs", "/tmp", "mode=1777" },
		{ "debugfs", "/sys/kernel/debug", NULL },
		{ "tracefs", "/sys/kernel/tracing", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i].at, 0755);
		if (mount(mounts[i].type, mounts[i].at, mounts[i].type, MS_NOSUID, mounts[i].data) <
			    0 &&
		    errno != EBUSY && errno != ENODEV && errno != ENOENT)
			text_log("cannot mount %s: %s", mounts[i].at, strerror(errno));
	}
}

/* An initramfs without /dev/console starts PID 1 with no descriptors at all. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		if (fd != i)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
}

/*
 * An oops in the candidate's code must leave the agent alive to tell of it; a task that hangs should
 * leave its stack on the console within a probe's limit. Console level 5 shows warnings: the lines
 * of a hung task and of a WARN() are among them.
 */
static void set_kernel(void)
{
	static const struct {
		const char *name, *value;
	} sysctls[] = {
		{ "kernel/panic_on_oops", "0" },    { "kernel/panic_on_warn", "0" },
		{ "kernel/hung_task_panic", "0" },  { "kernel/hung_task_timeout_secs", "20" },
		{ "kernel/softlockup_panic", "0" }, { "kernel/printk", "5 4 1 5" },
		{ "vm/panic_on_oom", "0" },
	};
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(sysctls); i++) {
		snprintf(path, sizeof(path), "/proc/sys/%s", sysctls[i].name);
		text_write(path, sysctls[i].value);
	}
}

void init_boot_modules(const char *list, const char *names)
{
	_cleanup_modules_ struct modules modules = { 0 };
	_cleanup_fclose_ FILE *f = fopen(names, "re");
	char name[WIRE_NAME_MAX + 2];
	struct err err;

	if (!f)
		return;
	if (modules_read(list, &modules, &err) < 0)
		text_log("%s", err.msg);
	while (fgets(name, sizeof(name), f)) {
		name[strcspn(name, " \t\n")] = '\0';
		if (name[0] && modules_load(&modules, name, "", &err) < 0)
			text_log("%s", err.msg);
	}
}

_Noreturn void init_run(void (*serve)(void *arg, bool again), void *arg)
{
	mount_all();
	open_console();
	set_kernel();
	if (disk_is_root()) {
		init_boot_modules(INIT_CONFIG "/modules", INIT_CONFIG "/boot");
		disk_switch_root();
		/* The small guest is not what was asked for: better none. */
		reboot(RB_POWER_OFF);
	}
	signal(SIGPIPE, SIG_IGN);
	for (bool again = false;; again = true) {
		pid_t child = fork();
		pid_t ended;

		if (child == 0) {
			setsid();
			serve(arg, again);
			_exit(0);
		}
		if (child < 0)
			text_log("cannot start the session: %s", strerror(errno));
		do
			ended = waitpid(-1, NULL, 0);
		while (child > 0 && (ended > 0 ? ended != child : errno == EINTR));
		text_log("the session ended; it is started again");
		clock_sleep_ms(RESTART_MS);
	}
}
