// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of an evidence folder: see evidence.h. What it names comes from anywhere, so it must stay inside. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "controller/evidence/evidence.h"

#define MANIFEST       "MANIFEST.sha256"
#define LIST_BYTES_MAX (16 << 20)
#define FILE_BYTES_MAX (64 << 20)
#define ALL_BYTES_MAX  (INT64_C(8) << 30) /* a trial has some 200 KiB */
#define FILES_MAX      100000

int evidence_list_write(const char *dir, const struct strv *names, struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/" MANIFEST, dir);
	_cleanup_buf_ struct buf list = { 0 };

	for (size_t i = 0; i < names->n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, names->items[i]);
		char digest[65];

		if (fs_sha256_file(path, digest, err) < 0)
			return -1;
		buf_printf(&list, "%s  %s\n", digest, names->items[i]);
	}
	return fs_write(to, list.data ? list.data : "", list.len, err);
}

void evidence_list_deinit(struct evidence_list *m)
{
	free(m->dir);
	strv_deinit(&m->names);
}

/* Letters, digits and what file names of ours have; no way up or out. */
static bool is_inside(const char *name)
{
	static const char fit[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

	return *name && *name != '/' && *name != '.' && !strstr(name, "/.") &&
	       !strstr(name, "//") && strlen(name) < 256 && name[strspn(name, fit)] == '\0';
}

/* Every directory on the way is one: a link may lead anywhere. */
static bool is_below(const char *dir, const char *name)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		_cleanup_free_ char *path = str_printf("%s/%.*s", dir, (int)(slash - name), name);
		struct stat st;

		if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
			return false;
	}
	return true;
}

static int check_file(const char *dir, const char *name, const char *want, int64_t *all,
		      struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	char digest[65];
	struct stat st;

	if (!is_below(dir, name) || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_HOST, "%s is missing from the evidence, or is no file",
			       path);
	/* In this order: the first keeps the sum small. */
	if (st.st_size > FILE_BYTES_MAX || (*all += st.st_size) > ALL_BYTES_MAX)
		return err_set(err, ERR_HOST, "%s is larger than any evidence is", path);
	if (fs_sha256_file(path, digest, err) < 0)
		return -1;
	if (strcmp(digest, want) != 0)
		return err_set(
			err, ERR_HOST,
			"%s is not the file that the evidence was made with: its SHA-256 is not "
			"that of " MANIFEST,
			path);
	return 0;
}

/* A line of the manifest; both point into its text. */
struct listed {
	const char *name;
	const char *digest;
};

struct listing {
	struct listed *items;
	size_t n;
};

static void listing_deinit(struct listing *l)
{
	free(l->items);
}

/* "DIGEST  NAME" */
static bool take_line(char *line, struct listed *ret)
{
	if (strlen(line) <= 66 || line[64] != ' ' || line[65] != ' ' ||
	    strspn(line, "0123456789abcdef") != 64 || !is_inside(line + 66))
		return false;
	line[64] = '\0';
	*ret = (struct listed){ .digest = line, .name = line + 66 };
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

static int parse(const char *path, char *text, struct listing *ret, struct err *err)
{
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		if ((ret->n & (ret->n + 1)) == 0) /* room for twice as many */
			ret->items = xrealloc(ret->items, 2 * ret->n + 2, sizeof(*ret->items));
		if (ret->n == FILES_MAX || !take_line(l, &ret->items[ret->n]))
			return err_set(err, ERR_HOST, "%s: line %zu is no digest and name", path,
				       ret->n + 1);
		ret->n++;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	for (size_t i = 1; i < ret->n; i++)
		if (by_name(&ret->items[i - 1], &ret->items[i]) == 0)
			return err_set(err, ERR_HOST, "%s: %s is there twice", path,
				       ret->items[i].name);
	return 0;
}

/* A NUL would end a text for whoever reads it, and what follows would be vouched for and never read. */
static int read_text(const char *path, size_t max, char **ret, size_t *ret_len, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (fs_read(path, max, &text, &len, err) < 0)
		return -1;
	if (strlen(text) != len)
		return err_set(err, ERR_HOST, "%s is no text: there is a NUL in it", path);
	*ret = take_ptr(text);
	if (ret_len)
		*ret_len = len;
	return 0;
}

int evidence_list_check(const char *dir, struct evidence_list *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/" MANIFEST, dir);
	_cleanup_(evidence_list_deinit) struct evidence_list m = { .dir = xstrdup(dir) };
	_cleanup_(listing_deinit) struct listing l = { 0 };
	_cleanup_free_ char *text = NULL;
	int64_t all = 0;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE,
			       "%s is no evidence folder: there is no " MANIFEST
			       "; amdgpu-bisect report --evidence makes one",
			       dir);
	if (read_text(path, LIST_BYTES_MAX, &text, NULL, err) < 0 || parse(path, text, &l, err) < 0)
		return -1;
	for (size_t i = 0; i < l.n; i++) {
		if (stop_check(err) < 0 ||
		    check_file(dir, l.items[i].name, l.items[i].digest, &all, err) < 0)
			return -1;
		strv_add(&m.names, l.items[i].name);
	}
	*ret = m;
	m = (struct evidence_list){ 0 };
	return 0;
}

static int name_order(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

bool evidence_list_has(const struct evidence_list *m, const char *name)
{
	return m->names.n &&
	       bsearch(name, m->names.items, m->names.n, sizeof(*m->names.items), name_order);
}

int evidence_list_read(const struct evidence_list *m, const char *name, char **ret, size_t *len,
		       struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", m->dir, name);

	if (!evidence_list_has(m, name))
		return err_set(err, ERR_HOST, "%s is not in the evidence's " MANIFEST, path);
	return read_text(path, FILE_BYTES_MAX, ret, len, err);
}
