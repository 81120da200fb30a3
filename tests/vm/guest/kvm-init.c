// SPDX-License-Identifier: GPL-2.0-or-later
/* PID 1 of a machine whose KVM works: asks the question and prints the answer on the console. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "agent/modules.h"
#include "base/clock.h"
#include "guest/guest.h"

int main(void)
{
	struct modules modules = { 0 };
	char why[256];
	int64_t begun;
	struct err err;
	bool yes;
	int fd;

	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	fd = open("/dev/console", O_RDWR);
	dup2(fd, STDOUT_FILENO);
	if (modules_read("/etc/amdgpu-bisect/modules", &modules, &err) < 0 ||
	    modules_load(&modules, "kvm_amd", "", &err) < 0)
		printf("\nno kvm_amd: %s\n", err.msg);
	begun = clock_now_ns();
	yes = guest_probe_kvm(1500, why, sizeof(why));
	printf("\nanswer: %s: %s (%" PRId64 " ms)\n", yes ? "yes" : "no", why,
	       (clock_now_ns() - begun) / NS_PER_MS);
	fflush(stdout);
	reboot(RB_POWER_OFF);
	return 0;
}
