// SPDX-License-Identifier: GPL-2.0-or-later
/* A program brings its libraries, a script its interpreter: see own.h. */
#include "guest/image/own.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* As much as the kernel looks at: BINPRM_BUF_SIZE, include/uapi/linux/binfmts.h. */
#define HEAD_BYTES 256

static int read_head(const char *path, char ret[HEAD_BYTES + 1], struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_USAGE, "cannot read %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%s is no regular file", path);
	n = read(fd, ret, HEAD_BYTES);
	if (n < 0)
		return err_errno(err, ERR_USAGE, "cannot read %s", path);
	ret[n] = '\0';
	return 0;
}

/* The "/bin/sh" of "#! /bin/sh -e"; in place, NULL if it is no script. */
static const char *interpreter(char *head)
{
	char *name = head + 2;

	if (head[0] != '#' || head[1] != '!')
		return NULL;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name ? name : NULL;
}

int own_needs(const char *path, bool bare, struct closure *libs, char program[256], struct err *err)
{
	char head[HEAD_BYTES + 1] = "";
	const char *name;

	program[0] = '\0';
	if (read_head(path, head, err) < 0)
		return -1;
	if (memcmp(head, ELFMAG, SELFMAG) == 0)
		return closure_add(libs, path, err);
	name = interpreter(head);
	if (!name || !bare)
		return 0;
	if (access(name, X_OK) < 0)
		return err_set(err, ERR_USAGE,
			       "%s wants the interpreter %s, which this machine does not have; "
			       "install it, "
			       "or take --guest disk if that system has it",
			       path, name);
	str_copy(program, 256, name);
	return closure_add(libs, name, err);
}
