// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel versions: see version.h. */
#include "build/kernel/version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static bool number(const char **p, unsigned int *ret)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)**p))
		return false;
	v = strtoul(*p, &end, 10);
	if (v > 65535)
		return false;
	*ret = (unsigned int)v;
	*p = end;
	return true;
}

bool kversion_parse(const char *text, struct kversion *ret)
{
	struct kversion v = { 0 };

	if (!number(&text, &v.version) || *text++ != '.' || !number(&text, &v.patchlevel))
		return false;
	if (*text == '.' && isdigit((unsigned char)text[1])) {
		text++;
		v.has_sublevel = number(&text, &v.sublevel);
	}
	*ret = v;
	return true;
}

bool kversion_of_name(const char *path, struct kversion *ret)
{
	size_t len = strlen(path);
	const char *name;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (name = path + len; name > path && name[-1] != '/'; name--)
		;
	for (const char *p = name; p < path + len; p++)
		if (*p == '-' && kversion_parse(p + 1, ret))
			return true;
	return false;
}

/* "NAME = 6" at the beginning of a line. */
static bool assigned(const char *text, const char *name, unsigned int *ret)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0) {
			const char *p = line + len;

			p += strspn(p, " \t");
			if (*p++ != '=')
				continue;
			p += strspn(p, " \t");
			return number(&p, ret);
		}
	}
	return false;
}

bool kversion_of_makefile(const char *text, struct kversion *ret)
{
	struct kversion v = { 0 };

	if (!assigned(text, "VERSION", &v.version) || !assigned(text, "PATCHLEVEL", &v.patchlevel))
		return false;
	v.has_sublevel = assigned(text, "SUBLEVEL", &v.sublevel);
	*ret = v;
	return true;
}

bool kversion_of_config(const char *text, struct kversion *ret)
{
	const char *p = strstr(text, "# Linux/");
	const char *end = p ? strchr(p, '\n') : NULL;
	const char *words = p ? strstr(p, " Kernel Configuration") : NULL;

	if (!words || (end && words > end))
		return false;
	p += strcspn(p + 2, " ") + 2;
	return *p == ' ' && kversion_parse(p + 1, ret);
}

bool kversion_same_series(const struct kversion *a, const struct kversion *b)
{
	return a->version == b->version && a->patchlevel == b->patchlevel;
}
