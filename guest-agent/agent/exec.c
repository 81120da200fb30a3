// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that could not be run: see exec.h. */
#include "guest-agent/agent/exec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The kernel itself looks no further: BINPRM_BUF_SIZE, include/uapi/linux/binfmts.h. */
#define HEAD_BYTES 256

/* "#!  /bin/sh -e" names /bin/sh; in place, NULL if it is no script. */
static const char *interpreter(char *head)
{
	char *name = head + 2;

	if (head[0] != '#' || head[1] != '!')
		return NULL;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name ? name : NULL;
}

void exec_refused(const char *path, int error, char *ret, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[HEAD_BYTES + 1] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEAD_BYTES);
	const char *needs;

	head[n > 0 ? n : 0] = '\0';
	needs = interpreter(head);
	if (needs && access(needs, X_OK) < 0)
		snprintf(ret, size,
			 "its interpreter %s is not in this guest; --guest disk has a whole system",
			 needs);
	else if (error == ENOENT && memcmp(head, ELFMAG, SELFMAG) == 0)
		snprintf(ret, size, "the loader that it names is not in this guest");
	else if (error == ENOEXEC)
		snprintf(ret, size, "%s: neither a program of this machine nor a script with #!",
			 strerror(error));
	else
		snprintf(ret, size, "%s", strerror(error));
}
