// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees are scanned as they are: parsing all entries of a kernel's root would cost more than the walk. */
#include "range/walk/tree.h"

#include <string.h>
#include <sys/stat.h>

#define GITLINK 0160000

/* Only what git tells apart counts: old trees hold modes like 100664. */
static uint32_t canon_mode(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return mode & S_IXUSR ? 0100755 : 0100644;
	case S_IFLNK:
		return S_IFLNK;
	case S_IFDIR:
		return S_IFDIR;
	default:
		return GITLINK;
	}
}

static long find_name(const struct tree_name *names, size_t n, const unsigned char *text,
		      size_t len)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tree_name *name = &names[middle];
		size_t shorter = len < name->len ? len : name->len;
		int order = memcmp(text, name->text, shorter);

		if (order == 0 && len == name->len)
			return (long)middle;
		if (order > 0 || (order == 0 && len > name->len))
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* Mode and blank of the entry at @p. Return: where its name begins, or NULL if it is malformed. */
static const unsigned char *read_mode(const unsigned char *p, uint32_t *ret)
{
	uint32_t mode = 0;

	for (; *p >= '0' && *p <= '7'; p++) {
		mode = mode << 3 | (uint32_t)(*p - '0');
		if (mode > 0177777) /* more than any file has: 16 bits */
			return NULL;
	}
	*ret = mode;
	return *p == ' ' && mode ? p + 1 : NULL;
}

int tree_find(const unsigned char *data, size_t len, const struct tree_name *names, size_t n,
	      struct tree_entry *ret)
{
	const unsigned char *p = data;
	const unsigned char *end = data + len;
	size_t left = n;

	memset(ret, 0, n * sizeof(*ret));
	while (p < end && left) {
		const unsigned char *nul = memchr(p, '\0', (size_t)(end - p));
		uint32_t mode;
		long i;

		if (!nul || end - nul <= TREE_ID_LEN)
			return -1;
		p = read_mode(p, &mode); /* stops at the NUL, if not before */
		if (!p || p == nul)
			return -1;
		i = find_name(names, n, p, (size_t)(nul - p));
		if (i >= 0 && !ret[i].mode) {
			ret[i].mode = canon_mode(mode);
			memcpy(ret[i].id, nul + 1, TREE_ID_LEN);
			left--;
		}
		p = nul + 1 + TREE_ID_LEN;
	}
	return 0;
}
