// SPDX-License-Identifier: GPL-2.0-or-later
/* One entry of the cache: see entry.h. */
#include "build/cache/entry.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"

/* The first line names the format. */
#define LIST_NAME  "artifact"
#define LIST_FIRST "amdgpu-bisect artifact 2\n"
#define LIST_MAX   (1u << 20)
#define SUM_LINE   (sizeof("sum \n") - 1 + 64)

void entry_line(struct buf *about, const char *word, const char *value)
{
	buf_printf(about, "%s ", word);
	for (; *value; value++) {
		if (*value == '\n' || *value == '%')
			buf_printf(about, "%%%02X", (unsigned char)*value);
		else
			buf_add(about, value, 1);
	}
	buf_puts(about, "\n");
}

static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		unsigned char *in = (unsigned char *)text;
		unsigned int byte = 0;

		if (*in == '%' && isxdigit(in[1]) && isxdigit(in[2]))
			sscanf(text + 1, "%2x", &byte);
		*to++ = byte ? (char)byte : *text;
		text += byte ? 3 : 1;
	}
	*to = '\0';
}

bool entry_next(char **at, const char **word, char **value)
{
	char *line = *at;
	char *end = strchr(line, '\n');
	char *blank = end ? memchr(line, ' ', (size_t)(end - line)) : NULL;

	if (!blank)
		return false;
	*at = end + 1;
	*end = '\0';
	*blank = '\0';
	*word = line;
	*value = blank + 1;
	unescape(*value);
	return true;
}

static int list_files(const char *dir, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return err_errno(err, ERR_HOST, "cannot read %s", dir);
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    strcmp(e->d_name, LIST_NAME) != 0)
			strv_add(ret, e->d_name);
	strv_sort_once(ret);
	return 0;
}

int entry_seal(const char *dir, const struct buf *about, struct err *err)
{
	_cleanup_free_ char *list = str_printf("%s/" LIST_NAME, dir);
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	char sum[65];

	if (list_files(dir, &files, err) < 0)
		return -1;
	buf_puts(&text, LIST_FIRST);
	buf_add(&text, about->data, about->len);
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, files.items[i]);
		_cleanup_free_ char *value = NULL;

		if (fs_sha256_file(path, sum, err) < 0)
			return -1;
		value = str_printf("%s %s", sum, files.items[i]);
		entry_line(&text, "file", value);
	}
	fs_sha256_text(text.data, text.len, sum);
	entry_line(&text, "sum", sum);
	return fs_write(list, text.data, text.len, err);
}

/* What an error while reading means: that of a damaged entry or disk, or nothing about the entry. */
static int unreadable(const struct err *why, struct err *err)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case EIO:
	case EUCLEAN:
		return 0;
	}
	*err = *why;
	return -1;
}

/* 1 it is what was stored, 0 it is not. */
static int check_file(const char *dir, const char *value, struct err *err)
{
	_cleanup_free_ char *path = NULL;
	struct err why = { 0 };
	char is[65];

	if (strlen(value) < 64 + 2 || value[64] != ' ' || strchr(value + 65, '/'))
		return 0;
	path = str_printf("%s/%s", dir, value + 65);
	if (fs_is_special(path) || fs_is_dir(path))
		return 0;
	if (fs_sha256_file(path, is, &why) < 0)
		return unreadable(&why, err);
	return memcmp(is, value, 64) == 0;
}

/* The list's own digest and first line; what is left of @text are its lines. */
static bool check_list(char *text, size_t len)
{
	char is[65];

	if (strlen(text) != len || len < strlen(LIST_FIRST) + SUM_LINE ||
	    !str_starts(text, LIST_FIRST))
		return false;
	fs_sha256_text(text, len - SUM_LINE, is);
	if (!str_starts(text + len - SUM_LINE, "sum ") ||
	    memcmp(text + len - SUM_LINE + 4, is, 64) != 0 || text[len - 1] != '\n')
		return false;
	text[len - SUM_LINE] = '\0';
	return true;
}

/* 1 all is as it was, 0 it is not; @about gets the lines that are no digests. */
static int check_all(const char *dir, char **about, struct err *err)
{
	_cleanup_free_ char *list = str_printf("%s/" LIST_NAME, dir);
	_cleanup_free_ char *text = NULL;
	_cleanup_buf_ struct buf lines = { 0 };
	struct err why = { 0 };
	const char *word;
	char *at, *value;
	size_t len;

	errno = 0;
	if (fs_is_special(list) || fs_read(list, LIST_MAX, &text, &len, &why) < 0)
		return errno ? unreadable(&why, err) : 0;
	if (!check_list(text, len))
		return 0;
	at = text + strlen(LIST_FIRST);
	while (entry_next(&at, &word, &value)) {
		int same = 1;

		if (strcmp(word, "file") == 0)
			same = check_file(dir, value, err);
		else
			entry_line(&lines, word, value);
		if (same != 1)
			return same;
	}
	if (*at)
		return 0;
	*about = buf_take(&lines);
	return 1;
}

int entry_open(const char *dir, enum entry_state *ret, struct cap_hold **hold, char **about,
	       struct err *err)
{
	int rc = cap_hold(dir, hold, err);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		*ret = ENTRY_NONE;
		return 0;
	}
	rc = check_all(dir, about, err);
	if (rc < 0) {
		cap_release(take_ptr(*hold));
		return -1;
	}
	*ret = rc ? ENTRY_WHOLE : ENTRY_DAMAGED;
	return 0;
}

/* 1 @dir is free now, or its name has gone to the draft; 0 it is whole. */
static int make_way(const char *draft, const char *dir, bool *placed, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *about = NULL;
	enum entry_state state;
	int gone;

	if (entry_open(dir, &state, &hold, &about, err) < 0)
		return -1;
	if (state != ENTRY_DAMAGED)
		return state == ENTRY_WHOLE ? 0 : 1;
	gone = cap_discard(dir, take_ptr(hold), err);
	if (gone)
		return gone;
	/* Held, and damaged all the same: its holders read on from what takes its place. */
	if (renameat2(AT_FDCWD, draft, AT_FDCWD, dir, RENAME_EXCHANGE) < 0)
		return errno == ENOENT
			       ? 1
			       : err_errno(err, ERR_HOST,
					   "cannot replace %s, which is damaged: remove it", dir);
	*placed = true;
	return fs_remove_tree(draft, err) < 0 ? -1 : 1;
}

int entry_place(const char *draft, const char *dir, struct err *err)
{
	bool placed = false;

	while (rename(draft, dir) < 0) {
		int rc;

		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return err_errno(err, ERR_HOST, "cannot make %s", dir);
		rc = make_way(draft, dir, &placed, err);
		if (rc <= 0)
			return rc;
		if (placed)
			break;
	}
	return 1;
}
