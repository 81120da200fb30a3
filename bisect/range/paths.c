// SPDX-License-Identifier: GPL-2.0-or-later
/* Text that comes from outside, brought into one form: limited paths and commit subjects. */
#include "range/gitlib.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* "./drivers//gpu/" → "drivers/gpu"; NULL if it leaves the repository. */
static char *normal_path(const char *path)
{
	_cleanup_buf_ struct buf b = { 0 };

	if (*path == '/')
		return NULL;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && memcmp(path, "..", 2) == 0)
			return NULL;
		if (len && !(len == 1 && *path == '.')) {
			if (b.len)
				buf_puts(&b, "/");
			buf_add(&b, path, len);
		}
		path += len;
		path += strspn(path, "/");
	}
	return buf_take(&b);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether one of the sorted paths is a directory that @path lies in. */
static bool is_inside(const struct strv *all, const char *path)
{
	_cleanup_free_ char *dir = xstrdup(path);

	if (*path && !*all->items[0])
		return true;
	for (char *slash = strrchr(dir, '/'); slash; slash = strrchr(dir, '/')) {
		*slash = '\0';
		if (bsearch(&dir, all->items, all->n, sizeof(*all->items), compare_paths))
			return true;
	}
	return false;
}

static int add_normal(const char *path, struct strv *ret, struct err *err)
{
	char *normal;

	if (strlen(path) >= PATH_MAX)
		return err_set(err, ERR_USAGE,
			       "path '%.40s...' is longer than the %d bytes that a path can have; "
			       "name a directory above it",
			       path, PATH_MAX - 1);
	normal = normal_path(path);
	if (!normal)
		return err_set(err, ERR_USAGE,
			       "path '%s' is not inside the repository; give it relative to the "
			       "repository's root, like drivers/gpu/drm/amd",
			       path);
	strv_take(ret, normal);
	return 0;
}

int gitlib_paths(const char *const *paths, size_t n, struct strv *ret, struct err *err)
{
	_cleanup_strv_ struct strv all = { 0 };
	struct strv kept = { 0 };

	for (size_t i = 0; i < n; i++)
		if (add_normal(paths[i], &all, err) < 0)
			return -1;
	strv_sort_once(&all);
	for (size_t i = 0; i < all.n; i++)
		if (!is_inside(&all, all.items[i]))
			strv_add(&kept, all.items[i]);
	*ret = kept;
	return 0;
}

/* Length of the valid UTF-8 sequence at @s, or 0. Source: RFC 3629, section 4. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (!len || len > left || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/*
 * Of a whole character: it moves a cursor, hides text or turns its direction. Controls, and Unicode's
 * zero-width, bidirectional and line-break characters (UAX #9, and U+061C, U+FEFF).
 */
static bool is_harmful(const unsigned char *c, size_t len)
{
	unsigned int point = len == 2 ? (c[0] & 0x1fU) << 6 | (c[1] & 0x3fU)
			     : len == 3
				     ? (c[0] & 0x0fU) << 12 | (c[1] & 0x3fU) << 6 | (c[2] & 0x3fU)
			     : len == 1 ? c[0]
					: 0x10000;

	return point < ' ' || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

/* A subject ends on a terminal and in reports, so it may not move a cursor either. */
char *subject_clean(const unsigned char *s, size_t len)
{
	_cleanup_buf_ struct buf b = { 0 };

	for (size_t i = 0; i < len;) {
		const unsigned char *c = s + i;
		size_t step = utf8_len(c, len - i);
		size_t plain = 0;

		while (i + plain < len && c[plain] >= ' ' && c[plain] < 0x7f)
			plain++;
		if (plain) {
			buf_add(&b, c, plain);
			i += plain;
			continue;
		}
		if (!step)
			buf_puts(&b, "\xef\xbf\xbd");
		else if (is_harmful(c, step))
			buf_puts(&b, " ");
		else
			buf_add(&b, c, step);
		i += step ? step : 1;
	}
	return buf_take(&b);
}

char *subject_of(const git_commit *commit)
{
	const char *message = git_commit_message(commit);

	return subject_clean((const unsigned char *)message, message ? strcspn(message, "\n") : 0);
}

const unsigned char *subject_find(const unsigned char *text, size_t len, size_t *n)
{
	const unsigned char *end = text + len;
	const unsigned char *s = memmem(text, len, "\n\n", 2); /* where the head ends */
	const unsigned char *stop;

	if (!s)
		s = end;
	while (s < end && *s == '\n')
		s++;
	for (stop = s; stop < end && *stop != '\n' && *stop;)
		stop++;
	*n = (size_t)(stop - s);
	return s;
}
