// SPDX-License-Identifier: GPL-2.0-or-later
/* A probe that makes trouble: `trouble eat|kill-agent|clock|spin`. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define STEP (1 << 20)

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

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "clock") == 0)
		return leap();
	if (strcmp(what, "kill-agent") == 0)
		kill(getppid(), SIGKILL);
	if (strcmp(what, "kill-agent") == 0 || strcmp(what, "spin") == 0)
		for (;;)
			;
	return 2;
}
