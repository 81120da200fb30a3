// SPDX-License-Identifier: GPL-2.0-or-later
/* Between taking a card and giving it back: what must be known should this process be killed. */
#include "guest/gpu/journal.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "guest/gpu/sysfs.h"

void journal_write(const struct journal *j, struct buf *ret)
{
	buf_printf(ret, "boot %s\n", j->boot);
	for (size_t i = 0; i < j->n; i++) {
		const struct binding *b = &j->items[i];

		buf_printf(ret, "%s %s %s\n", b->address, b->driver[0] ? b->driver : "-",
			   b->override[0] ? b->override : "-");
	}
}

/* The next word up to @end, or false; names of drivers and ids hold these alone. */
static bool word(const char **at, char end, char *ret, size_t size)
{
	size_t n = 0;

	for (; (*at)[n] && (*at)[n] != end; n++)
		if (!isalnum((unsigned char)(*at)[n]) && !strchr("-_.:", (*at)[n]))
			return false;
	if ((*at)[n] != end || !n || n >= size)
		return false;
	memcpy(ret, *at, n);
	ret[n] = '\0';
	*at += n + 1;
	return true;
}

/* It becomes part of a path below sysfs. */
static bool name(const char **at, char end, char *ret, size_t size)
{
	if (!word(at, end, ret, size) || strcmp(ret, "..") == 0 || strcmp(ret, ".") == 0)
		return false;
	if (strcmp(ret, "-") == 0)
		*ret = '\0';
	return true;
}

bool journal_parse(const char *text, size_t len, struct journal *ret)
{
	_cleanup_free_ char *copy = NULL;
	struct journal j = { 0 };
	const char *at;

	if (len > JOURNAL_BYTES_MAX || memchr(text, '\0', len))
		return false;
	copy = xstrndup(text, len);
	at = copy;
	if (!str_starts(at, "boot "))
		return false;
	at += strlen("boot ");
	if (!word(&at, '\n', j.boot, sizeof(j.boot)))
		return false;
	for (; *at; j.n++) {
		struct binding *b = &j.items[j.n];

		if (j.n == JOURNAL_FUNCTIONS_MAX ||
		    !word(&at, ' ', b->address, sizeof(b->address)) || !sysfs_address(b->address) ||
		    !name(&at, ' ', b->driver, sizeof(b->driver)) ||
		    !name(&at, '\n', b->override, sizeof(b->override)))
			return false;
	}
	*ret = j;
	return true;
}
