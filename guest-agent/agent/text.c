// SPDX-License-Identifier: GPL-2.0-or-later
/* Text: see text.h. */
#include "guest-agent/agent/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

bool text_read(const char *path, char *ret, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return n >= 0;
}

bool text_write(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) >= 0;
}

void text_printable(char *ret, size_t size, const char *text, size_t len)
{
	size_t n = len < size - 1 ? len : size - 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		ret[i] = c == '\t' ? ' ' : (char)(c < ' ' || c > '~' ? '?' : c);
	}
	ret[n] = '\0';
}

void text_log(const char *fmt, ...)
{
	char line[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "amdgpu-bisect-agent: %s\n", line);
}
