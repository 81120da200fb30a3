// SPDX-License-Identifier: GPL-2.0-or-later
/* A program in D state: one that waits for its vfork()ed child sleeps uninterruptibly. */
#include <unistd.h>

int main(void)
{
	pid_t pid = vfork(); /* NOLINT: that is what is asked for */

	if (!pid) {
		sleep(1000);
		_exit(0);
	}
	return pid < 0;
}
