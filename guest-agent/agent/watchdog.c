// SPDX-License-Identifier: GPL-2.0-or-later
/* A sign of life to the virtual hardware: see watchdog.h. */
#include "guest-agent/agent/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest-agent/agent/text.h"
#include "base/clock.h"

#define DEVICE	"/dev/watchdog"
#define FEED_MS (WATCHDOG_BITES_S * 1000 / 6)

/*
 * The kernel is watched, not how busy it is: neither a probe that spins nor one that eats all memory
 * may starve this process.
 */
static void stand_out(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &first);
	mlockall(MCL_CURRENT);
	text_write("/proc/self/oom_score_adj", "-1000");
}

static _Noreturn void feed(int fd)
{
	stand_out();
	for (;;) {
		ioctl(fd, WDIOC_KEEPALIVE, 0);
		clock_sleep_ms(FEED_MS);
	}
}

void watchdog_start(void)
{
	int seconds = WATCHDOG_BITES_S;
	int fd = open(DEVICE, O_WRONLY | O_CLOEXEC);

	if (fd < 0) {
		if (errno != ENOENT && errno != EBUSY)
			text_log("cannot open " DEVICE ": %s", strerror(errno));
		return;
	}
	if (ioctl(fd, WDIOC_SETTIMEOUT, &seconds) < 0)
		text_log("cannot set " DEVICE ": %s", strerror(errno));
	if (fork() == 0)
		feed(fd);
	close(fd); /* with a copy in the other process that does not disarm it */
}
