// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An agent whose card hangs: what candidates named on the kernel's command line did to it outlives their
 * guest, and then no module works on it, whichever that is.
 *
 *	amdgpu_bisect.wedge=LABEL[,LABEL...]
 *
 * It is made to hang twice at most, so that a run comes to its end.
 *
 * State lies in the card's configuration space, in a byte each that neither QEMU nor the kernel has a
 * meaning for: VFIO hands it on, no reset that it does clears it, and the outer machine sees it.
 *
 *	0xf0	not 0: the card hangs
 *	0xf1	how often it was made to
 *
 * Source: Linux, drivers/vfio/pci/vfio_pci_config.c, unassigned_perms; QEMU, hw/pci/pci.c, pci_init_wmask().
 *
 * Whatever it leaves alone is the real agent's, which is started in its place and finds as its probe this
 * program again, if the card hangs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES	  "/sys/bus/pci/devices"
#define PARTS	  "/usr/libexec/amdgpu-bisect/"
#define WEDGED	  0xf0
#define TIMES_MAX 2

static bool read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A value of the kernel's command line, empty if it is not there. */
static void argument(const char *key, char *ret, size_t size)
{
	char line[4096], *save = NULL;
	size_t n = strlen(key);

	*ret = '\0';
	if (!read_text("/proc/cmdline", line, sizeof(line)))
		return;
	for (char *w = strtok_r(line, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (strncmp(w, key, n) == 0 && w[n] == '=')
			snprintf(ret, size, "%s", w + n + 1);
}

/* Labels are abbreviated ids, all of one length here. */
static bool is_wedger(void)
{
	char list[512], label[64], *save = NULL;

	argument("amdgpu_bisect.wedge", list, sizeof(list));
	argument("amdgpu_bisect.candidate", label, sizeof(label));
	for (char *one = strtok_r(list, ",", &save); one; one = strtok_r(NULL, ",", &save))
		if (strcmp(one, label) == 0)
			return true;
	return false;
}

/* The configuration space of the guest's only AMD function of class display, or -1. */
static int open_card(void)
{
	char path[512], vendor[16], class[16];
	DIR *dir = opendir(DEVICES);
	int fd = -1;

	for (struct dirent *e; dir && fd < 0 && (e = readdir(dir));) {
		snprintf(path, sizeof(path), DEVICES "/%s/vendor", e->d_name);
		if (!read_text(path, vendor, sizeof(vendor)) || strncmp(vendor, "0x1002", 6) != 0)
			continue;
		snprintf(path, sizeof(path), DEVICES "/%s/class", e->d_name);
		if (!read_text(path, class, sizeof(class)) || strncmp(class, "0x03", 4) != 0)
			continue;
		snprintf(path, sizeof(path), DEVICES "/%s/config", e->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* True if it hangs, or does from now on. */
static bool wedge(void)
{
	unsigned char state[2] = { 0 };
	int fd = open_card();

	if (fd < 0 || pread(fd, state, sizeof(state), WEDGED) != sizeof(state))
		return false;
	if (!state[0] && state[1] < TIMES_MAX && is_wedger()) {
		state[0] = 1;
		state[1]++;
		if (pwrite(fd, state, sizeof(state), WEDGED) != sizeof(state))
			dprintf(2, "wedge-agent: the card does not take it: %m\n");
	}
	close(fd);
	return state[0];
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

	if (strcmp(name, "copy-regimes") == 0) {
		fputs("the card does not answer\n", stderr);
		return 1;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("wedge-agent");
		return 0;
	}
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	if (wedge() &&
	    (unlink(PARTS "copy-regimes") < 0 || symlink("/init", PARTS "copy-regimes") < 0))
		return 1;
	argv[0] = (char[]){ PARTS "amdgpu-bisect-agent" };
	execv(argv[0], argv);
	return 1;
}
