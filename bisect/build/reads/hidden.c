// SPDX-License-Identifier: GPL-2.0-or-later
/* See hidden.h. */
#include "build/reads/hidden.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reads/cmdfile.h"

#define LIST_MAX_BYTES (64u << 20)

static char *list_path(const struct steps *s)
{
	return str_printf("%s/sources", s->tree->dir);
}

static char *list_text(const struct strv *sources, size_t *len)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < sources->n; i++) {
		buf_puts(&text, sources->items[i]);
		buf_puts(&text, "\n");
	}
	*len = text.len;
	return buf_take(&text);
}

static const char *last_part(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len);

	return slash ? slash + 1 : name;
}

static void take_last_part(const char *name, struct strv *ret)
{
	strv_add(ret, last_part(name, strlen(name)));
}

/* Last parts of what is in only one of @now and @before, a sorted list of lines, which is cut up. */
static void differing(char *before, const struct strv *now, struct strv *ret)
{
	char *save = NULL;
	char *was = strtok_r(before, "\n", &save);
	size_t i = 0;

	while (was || i < now->n) {
		int order = !was ? 1 : i == now->n ? -1 : strcmp(was, now->items[i]);

		if (order < 0)
			take_last_part(was, ret);
		else if (order > 0)
			take_last_part(now->items[i], ret);
		if (order <= 0)
			was = strtok_r(NULL, "\n", &save);
		if (order >= 0)
			i++;
	}
	strv_sort_once(ret);
}

struct hunt {
	const struct strv *names; /* sorted */
	bool found;
};

struct word {
	const char *text;
	size_t len;
};

static int compare_word(const void *key, const void *item)
{
	const struct word *w = key;
	const char *name = *(const char *const *)item;
	int diff = strncmp(w->text, name, w->len);

	return diff ? diff : -(name[w->len] != '\0');
}

static bool is_hunted(const char *name, size_t len, void *arg)
{
	struct hunt *h = arg;
	const char *last = last_part(name, len);
	const struct word w = { .text = last, .len = len - (size_t)(last - name) };

	h->found = bsearch(&w, h->names->items, h->names->n, sizeof(*h->names->items),
			   compare_word) != NULL;
	return !h->found;
}

static int mend_below(const char *dir, const struct strv *names, unsigned int *removed,
		      struct err *err)
{
	_cleanup_strv_ struct strv cmds = { 0 };

	if (cmdfile_find(dir, &cmds, err) < 0)
		return -1;
	for (size_t i = 0; i < cmds.n; i++) {
		_cleanup_free_ char *object = cmdfile_object(cmds.items[i]);
		struct hunt hunt = { .names = names };
		_cleanup_free_ char *text = NULL;

		if (!object)
			continue;
		if (fs_read(cmds.items[i], CMDFILE_MAX_BYTES, &text, NULL, err) < 0)
			return -1;
		cmdfile_each(text, is_hunted, &hunt);
		if (!hunt.found)
			continue;
		if (unlink(object) < 0 && errno != ENOENT)
			return err_errno(err, ERR_HOST, "cannot remove %s", object);
		*removed += 1;
	}
	return 0;
}

/* Where objects lie that see the candidate's files. */
static int mend_all(const struct steps *s, const struct strv *names, unsigned int *removed,
		    struct err *err)
{
	_cleanup_free_ char *driver = str_printf("%s/%s", s->tree->linux_dir, s->spec->driver);
	bool all = s->spec->whole || s->spec->scope == BUILD_SCOPE_KERNEL;
	_cleanup_strv_ struct strv mirrors = { 0 };

	if (mend_below(all ? s->tree->linux_dir : driver, names, removed, err) < 0 ||
	    steps_mirror_dirs(s, &mirrors, err) < 0)
		return -1;
	for (size_t i = 0; i < mirrors.n; i++)
		if (mend_below(mirrors.items[i], names, removed, err) < 0)
			return -1;
	return 0;
}

int hidden_mend(const struct steps *s, const struct inventory *now, unsigned int *ret,
		struct err *err)
{
	_cleanup_free_ char *path = list_path(s);
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_free_ char *before = NULL;

	*ret = 0;
	/* Written before the first object was compiled: without it there is none. */
	if (fs_exists(path)) {
		if (fs_read(path, LIST_MAX_BYTES, &before, NULL, err) < 0)
			return -1;
		differing(before, &now->sources, &names);
		if (names.n && mend_all(s, &names, ret, err) < 0)
			return -1;
	}
	return hidden_note(s, now, err);
}

int hidden_note(const struct steps *s, const struct inventory *now, struct err *err)
{
	_cleanup_free_ char *path = list_path(s);
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *is = NULL;
	struct err ignored = { 0 };
	size_t len, is_len;

	text = list_text(&now->sources, &len);
	if (fs_exists(path) && fs_read(path, LIST_MAX_BYTES, &is, &is_len, &ignored) == 0 &&
	    is_len == len && memcmp(is, text, len) == 0)
		return 0;
	return fs_write(path, text, len, err);
}
