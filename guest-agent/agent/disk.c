// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks: see disk.h. */
#include "guest-agent/agent/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-agent/agent/text.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define BLOCKS	      "/sys/block"
#define ROOT_ARGUMENT "amdgpu_bisect.root"
#define NEW_ROOT      "/newroot"
#define SERIAL_SIZE   32
#define WAIT_MS	      5000 /* a driver that is in has its disks; a slow host gets some time even so */
#define LOOK_MS	      5

bool disk_argument(const char *cmdline, const char *name, char *ret, size_t size)
{
	size_t len = strlen(name);

	while (*cmdline) {
		size_t word = strcspn(cmdline, " \t\n");

		if (word > len && !strncmp(cmdline, name, len) && cmdline[len] == '=') {
			const char *value = cmdline + len + 1;

			if (word - len - 1 >= size)
				return false;
			memcpy(ret, value, word - len - 1);
			ret[word - len - 1] = '\0';
			return true;
		}
		cmdline += word;
		cmdline += strspn(cmdline, " \t\n");
	}
	return false;
}

static bool wanted(const char *name, char *ret, size_t size)
{
	char cmdline[4096];

	return text_read("/proc/cmdline", cmdline, sizeof(cmdline)) &&
	       disk_argument(cmdline, name, ret, size);
}

static bool look(const char *serial, char *ret, size_t size)
{
	_cleanup_closedir_ DIR *dir = opendir(BLOCKS);
	char path[512], text[SERIAL_SIZE];
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), BLOCKS "/%s/serial", e->d_name);
		if (!text_read(path, text, sizeof(text)) || strcmp(text, serial) != 0)
			continue;
		snprintf(ret, size, "/dev/%s", e->d_name);
		return true;
	}
	return false;
}

/* The disk that an argument names; what there is to complain of goes to the console. */
static bool find(const char *argument, char *ret, size_t size)
{
	char serial[SERIAL_SIZE];

	if (!wanted(argument, serial, sizeof(serial)))
		return false;
	for (int64_t waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
		if (look(serial, ret, size))
			return true;
		clock_sleep_ms(LOOK_MS);
	}
	text_log("there is no disk %s; does this kernel have virtio_blk?", serial);
	return false;
}

void disk_mount_runtime(void)
{
	char device[300];
	struct stat st;

	if (!find("amdgpu_bisect.runtime", device, sizeof(device)))
		return;
	mkdir("/opt", 0755);
	mkdir(DISK_RUNTIME, 0755);
	/* EBUSY: a session that ended had mounted it */
	if (mount(device, DISK_RUNTIME, "squashfs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0 &&
	    errno != EBUSY)
		text_log("cannot mount %s: %s; does this kernel have squashfs?", device,
			 strerror(errno));
	if (stat(DISK_RUNTIME "/firmware", &st) == 0)
		text_write("/sys/module/firmware_class/parameters/path", DISK_RUNTIME "/firmware");
}

/* What lies in the initramfs stays there; the new root shows it at the same place, or at @to. */
static void show(const char *from, const char *to, bool directory)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), NEW_ROOT "%s", to);
	if (directory) {
		mkdir(path, 0755);
	} else {
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
		if (fd >= 0)
			close(fd);
	}
	if (mount(from, path, NULL, MS_BIND, NULL) < 0)
		text_log("cannot show %s in the root disk: %s", from, strerror(errno));
}

static void move(const char *at)
{
	char path[64];

	snprintf(path, sizeof(path), NEW_ROOT "%s", at);
	mkdir(path, 0755);
	if (mount(at, path, NULL, MS_MOVE, NULL) < 0)
		text_log("cannot move %s into the root disk: %s", at, strerror(errno));
}

bool disk_is_root(void)
{
	char serial[SERIAL_SIZE];

	return wanted(ROOT_ARGUMENT, serial, sizeof(serial));
}

void disk_switch_root(void)
{
	static char init[] = "/sbin/init";
	char *const argv[] = { init, NULL };
	char device[300];

	if (!find(ROOT_ARGUMENT, device, sizeof(device)))
		return;
	mkdir(NEW_ROOT, 0755);
	if (mount(device, NEW_ROOT, "ext4", MS_NOATIME, NULL) < 0) {
		text_log("cannot mount %s: %s; does this kernel have ext4?", device,
			 strerror(errno));
		return;
	}
	mkdir(NEW_ROOT "/usr/libexec", 0755);
	show("/usr/libexec/amdgpu-bisect", "/usr/libexec/amdgpu-bisect", true);
	show("/etc/amdgpu-bisect", "/etc/amdgpu-bisect", true);
	show("/lib/modules", "/usr/lib/modules", true);
	show("/init", "/usr/libexec/amdgpu-bisect-agent", false);
	move("/dev");
	move("/proc");
	move("/sys");
	move("/run");
	move("/tmp");
	if (chdir(NEW_ROOT) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 ||
	    chdir("/") < 0)
		text_log("cannot change to the root disk: %s", strerror(errno));
	execv(argv[0], argv);
	text_log("the root disk has no %s: %s", argv[0], strerror(errno));
}
