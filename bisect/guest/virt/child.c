// SPDX-License-Identifier: GPL-2.0-or-later
/* While a guest starts: its QEMU becomes our child. See child.h. */
#include "guest/virt/child.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/str.h"
#include "guest/virt/slot.h"

#define STACK (64 * 1024)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int adopting;

void child_adopt(void)
{
	pthread_mutex_lock(&lock);
	if (adopting++ == 0)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	pthread_mutex_unlock(&lock);
}

/* Others start programs as well; whose orphans are not waited for must not be ours. */
void child_adopt_end(void)
{
	pthread_mutex_lock(&lock);
	if (--adopting == 0)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	pthread_mutex_unlock(&lock);
}

static void *wait_for(void *arg)
{
	waitpid((pid_t)(intptr_t)arg, NULL, 0);
	return NULL;
}

void child_watch(const char *root, const char *name)
{
	pid_t pid = slot_pid(root, name);
	pthread_attr_t attr;
	pthread_t thread;

	if (pid <= 0)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_create(&thread, &attr, wait_for, (void *)(intptr_t)pid);
	pthread_attr_destroy(&attr);
}
