// SPDX-License-Identifier: GPL-2.0-or-later
/* The checkout's doorkeeper: commits may come from anywhere, and so may the names in them. */
#include "range/checkout/names.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

bool name_is_safe(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strcasecmp(name, ".git") != 0;
}

/*
 * A link may lead anywhere inside the directory. Its target may climb only at its start, where what is
 * above is a real directory: behind a name, which may be another link, ".." would lead anywhere.
 */
bool name_link_stays(const char *path, const char *target)
{
	long depth = -1; /* directories between the root and the link */
	bool named = false;

	if (*target == '/')
		return false;
	for (const char *c = path; *c; c++)
		depth += *c == '/';
	while (*target) {
		size_t len = strcspn(target, "/");

		if (len == 2 && memcmp(target, "..", 2) == 0) {
			if (named || --depth < 0)
				return false;
		} else if (len && !(len == 1 && *target == '.')) {
			named = true;
		}
		target += len;
		target += *target == '/';
	}
	return true;
}

bool name_is_source(const char *name)
{
	static const char *const suffixes[] = {
		".c",	".h",	".S",	 ".rs",	  ".lds", ".lds.S", ".dts", ".dtsi", ".asm",
		".txt", ".rst", ".yaml", ".json", ".py",  ".sh",    ".pl",  ".awk",
	};
	static const char *const names[] = { "Makefile", "Kconfig", "Kbuild", "README" };

	if (str_ends(name, ".mod.c")) /* modpost's */
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (*name != '.' && str_ends(name, suffixes[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(name, names[i]) && strchr(".", name[strlen(names[i])]))
			return true;
	return false;
}
