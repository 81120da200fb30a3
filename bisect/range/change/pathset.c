// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths to be found by name: see pathset.h. */
#include "range/change/pathset.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool pathset_has(const struct strv *paths, const char *path)
{
	return paths->n && bsearch(&path, paths->items, paths->n, sizeof(*paths->items), compare);
}

/* The first path that does not sort before "dir/" begins so, or none does. */
bool pathset_leads(const struct strv *paths, const char *dir)
{
	size_t low = 0, high = paths->n;
	size_t len = strlen(dir);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *path = paths->items[middle];
		int order = strncmp(path, dir, len);

		if (order < 0 || (order == 0 && (unsigned char)path[len] < '/'))
			low = middle + 1;
		else
			high = middle;
	}
	return low < paths->n && str_starts(paths->items[low], dir) &&
	       paths->items[low][len] == '/';
}
