// SPDX-License-Identifier: GPL-2.0-or-later
/* Module.symvers: see symvers.h. */
#include "build/kernel/symvers.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void symvers_deinit(struct symvers *s)
{
	free(s->names);
	free(s->text);
	*s = (struct symvers){ 0 };
}

/* The symbol's name, terminated in place; NULL if the line is of another kind. */
static char *symbol_of(char *line)
{
	char *name, *end;

	if (!str_starts(line, "0x") || !(name = strchr(line, '\t')))
		return NULL;
	end = strchr(++name, '\t');
	if (!end || end == name || !strchr(end + 1, '\t'))
		return NULL;
	*end = '\0';
	return name;
}

int symvers_parse(struct symvers *ret, char *text, const char *path, struct err *err)
{
	struct symvers s = { .text = text };
	size_t cap = 0;
	unsigned int number = 0;

	for (char *line = text, *next; line && *line; line = next) {
		char *name;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		name = symbol_of(line);
		if (!name) {
			symvers_deinit(&s);
			return err_set(
				err, ERR_USAGE,
				"%s, line %u, is not of Module.symvers; name the file that came "
				"with the kernel's headers with --symvers",
				path, number);
		}
		if (s.n == cap) {
			cap = cap ? 2 * cap : 4096;
			s.names = xrealloc(s.names, cap, sizeof(*s.names));
		}
		s.names[s.n++] = name;
	}
	if (!s.n) {
		symvers_deinit(&s);
		return err_set(err, ERR_USAGE, "%s is empty; reinstall the kernel's headers", path);
	}
	qsort(s.names, s.n, sizeof(*s.names), by_name);
	*ret = s;
	return 0;
}

bool symvers_has(const struct symvers *s, const char *name)
{
	return s->n && bsearch(&name, s->names, s->n, sizeof(*s->names), by_name);
}
