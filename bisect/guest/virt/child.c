// SPDX-License-Identifier: GPL-2.0-or-later
/* While a guest starts: its QEMU becomes our child. See child.h. */
#include "guest/virt/child.h"

#include <pthread.h>
#include <stdlib.h>
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
	pid_t *pid = arg;

	waitpid(*pid, NULL, 0);
	free(pid);
	return NULL;
}

void child_watch(const char *root, const char *name)
{
	pid_t pid = slot_pid(root, name);
	pthread_attr_t attr;
	pthread_t thread;
	pid_t *own;

	if (pid <= 0)
		return;
	own = xcalloc(1, sizeof(*own));
	*own = pid;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&thread, &attr, wait_for, own) != 0)
		free(own);
	pthread_attr_destroy(&attr);
}
