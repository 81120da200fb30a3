// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a patch is read: what the file is called.
 *
 * Source: find_name(), git_header_name() and unquote_c_style() of git; git-diff(1).
 */
#include "range/patch/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "range/checkout/names.h"

void patch_names_deinit(struct patch_names *n)
{
	free(n->header);
	free(n->from);
	free(n->to);
	free(n->moved_from);
	free(n->moved_to);
	*n = (struct patch_names){ 0 };
}

/* The character behind a backslash at *@s, moved on; -1 if it is none. */
static int unescape(const char **s, const char *end)
{
	static const char names[] = "abtnvfr\"\\", values[] = "\a\b\t\n\v\f\r\"\\";
	const char *found = *s < end && **s ? strchr(names, **s) : NULL;
	int value = 0;

	if (found) {
		++*s;
		return (unsigned char)values[found - names];
	}
	for (int i = 0; i < 3; i++) {
		if (*s >= end || **s < '0' || **s > '7')
			return -1;
		value = value * 8 + (*(*s)++ - '0');
	}
	return value > 0 && value < 256 ? value : -1;
}

/* A name in quotes at *@s, moved behind it; NULL if it is none. */
static char *take_quoted(const char **s, const char *end)
{
	_cleanup_buf_ struct buf b = { 0 };
	const char *p = *s;

	if (p >= end || *p++ != '"')
		return NULL;
	while (p < end && *p != '"') {
		int c = (unsigned char)*p++;
		char byte;

		if (c == '\\')
			c = unescape(&p, end);
		if (c <= 0)
			return NULL;
		byte = (char)c;
		buf_add(&b, &byte, 1);
	}
	if (p >= end)
		return NULL;
	*s = p + 1;
	return buf_take(&b);
}

/* The years in which diff -N has a file that is not there last changed, whatever the time zone. */
static bool is_epoch(const char *date, size_t len)
{
	return len >= 10 &&
	       (memcmp(date, "1970-01-01", 10) == 0 || memcmp(date, "1969-12-31", 10) == 0);
}

char *patch_name_read(const char *text, size_t len, bool *absent)
{
	const char *end = text + len;
	const char *tab = memchr(text, '\t', len);
	char *name;

	*absent = false;
	if (memchr(text, '\0', len))
		return NULL;
	if (len && *text == '"')
		name = take_quoted(&text, end);
	else
		name = xstrndup(text, tab ? (size_t)(tab - text) : len);
	if (name && strcmp(name, "/dev/null") == 0)
		*name = '\0';
	*absent = name && (!*name || (tab && is_epoch(tab + 1, (size_t)(end - tab - 1))));
	return name;
}

static const char *without_first(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? slash + 1 : NULL;
}

static bool same_first(const char *a, const char *b)
{
	size_t n = strcspn(a, "/");

	return n == strcspn(b, "/") && memcmp(a, b, n) == 0;
}

/* Both sides of the header name one file: then it is known where the one ends and the other begins. */
static char *name_of_header(const char *header)
{
	size_t len = strlen(header);

	for (size_t i = 0; i < len; i++) {
		_cleanup_free_ char *left = NULL, *right = NULL;
		const char *l, *r;
		bool ignored;

		if (header[i] != ' ')
			continue;
		left = patch_name_read(header, i, &ignored);
		right = patch_name_read(header + i + 1, len - i - 1, &ignored);
		if (!left || !right || !*left)
			continue;
		if (strcmp(left, right) == 0)
			return take_ptr(left);
		l = without_first(left);
		r = without_first(right);
		if (l && r && strcmp(l, r) == 0)
			return xstrdup(l);
	}
	return NULL;
}

/* The prefixes that git gives: diff.mnemonicPrefix in git-config(1). */
static bool has_letter(const char *name)
{
	return strchr("abciow", *name) && name[1] == '/';
}

static const char *settle_sides(const struct patch_names *n, char **ret_old, char **ret_new)
{
	const char *from = n->from, *to = n->to;

	if (*from && *to && !same_first(from, to) && without_first(from) && without_first(to)) {
		from = without_first(from);
		to = without_first(to);
	}
	if (!*from && !*to)
		return "has no name on either side";
	/* a/ or b/ beside /dev/null; the header of git's form would have told it */
	if ((!*from || !*to) && has_letter(*from ? from : to)) {
		from = *from ? from + 2 : from;
		to = *to ? to + 2 : to;
	}
	if (n->header && *from && *to && strcmp(from, to) != 0)
		return "has two names, and does not say that it was renamed";
	to = *to ? to : from;
	*ret_old = n->no_from ? NULL : xstrdup(to);
	*ret_new = n->no_to ? NULL : xstrdup(to);
	return NULL;
}

static bool is_inside(const char *name)
{
	if (!name)
		return true;
	for (;;) {
		size_t len = strcspn(name, "/");
		_cleanup_free_ char *part = xstrndup(name, len);

		if (!name_is_safe(part))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

const char *patch_names_settle(const struct patch_names *n, char **ret_old, char **ret_new)
{
	_cleanup_free_ char *old = NULL, *new = NULL;
	_cleanup_free_ char *same = n->header ? name_of_header(n->header) : NULL;
	const char *why = NULL;

	if (n->moved_from && n->moved_to) {
		old = xstrdup(n->moved_from);
		new = xstrdup(n->moved_to);
	} else if (same) {
		old = n->no_from ? NULL : xstrdup(same);
		new = n->no_to ? NULL : xstrdup(same);
	} else if (n->from && n->to) {
		why = settle_sides(n, &old, &new);
	} else {
		why = "has no name";
	}
	if (!why && !old && !new)
		why = "is on neither side";
	if (!why && (!is_inside(old) || !is_inside(new)))
		why = "has a name that leaves the tree";
	if (why)
		return why;
	*ret_old = take_ptr(old);
	*ret_new = take_ptr(new);
	return NULL;
}
