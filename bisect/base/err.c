// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors: see err.h. */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
	[ERR_NONE] = "none",	   [ERR_USAGE] = "usage", [ERR_HOST] = "host",
	[ERR_BUILD] = "build",	   [ERR_BOOT] = "boot",	  [ERR_PROTOCOL] = "protocol",
	[ERR_STOPPED] = "stopped",
};
static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == ERR_KINDS, "a kind has no name");

const char *err_kind_name(enum err_kind kind)
{
	return (unsigned int)kind < ERR_KINDS ? kind_names[kind] : "unknown";
}

/* An error is printed on one line; text from a compiler or a guest may hold anything. */
static void make_one_line(char *s)
{
	size_t len = strlen(s);

	while (len && (s[len - 1] == '\n' || s[len - 1] == ' '))
		s[--len] = '\0';
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = ' ';
}

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	err->kind = kind;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	make_one_line(err->msg);
	return -1;
}

int err_errno(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	int saved = errno;
	size_t len;
	va_list ap;

	err->kind = kind;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s%s", strerror(saved),
		 saved == ENOSPC || saved == EDQUOT
			 ? "; free some space there, then try again"
			 : "");
	make_one_line(err->msg);
	errno = saved;
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	size_t len;
	va_list ap;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", old);
	make_one_line(err->msg);
	return -1;
}
