// SPDX-License-Identifier: GPL-2.0-or-later
/* What builds read: see depends.h. */
#include "controller/depends.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "paths.h"

/* The whole kernel has fewer than 100 000 files, of 50 bytes each. */
#define LIST_BYTES_MAX (16 << 20)

static char *list_path(const char *repo, const char *scope)
{
	_cleanup_free_ char *cache = path_cache();
	char hash[65];

	fs_sha256_text(repo, strlen(repo), hash);
	return str_printf("%s/depends/%.16s-%s.txt", cache, hash, scope);
}

void depends_recall(const char *repo, const char *scope, struct strv *ret)
{
	_cleanup_free_ char *path = list_path(repo, scope);
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	char *save = NULL;

	if (fs_read(path, LIST_BYTES_MAX, &text, NULL, &ignored) < 0)
		return;
	for (char *s = strtok_r(text, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		strv_add(ret, s);
	strv_sort_once(ret);
}

void depends_keep(const char *repo, const char *scope, const struct strv *files)
{
	_cleanup_free_ char *path = list_path(repo, scope);
	_cleanup_free_ char *dir = xstrdup(path);
	_cleanup_strv_ struct strv all = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct err ignored;
	size_t before;

	depends_recall(repo, scope, &all);
	before = all.n;
	for (size_t i = 0; i < files->n; i++)
		strv_add(&all, files->items[i]);
	strv_sort_once(&all);
	if (all.n == before)
		return;
	for (size_t i = 0; i < all.n; i++)
		buf_printf(&text, "%s\n", all.items[i]);
	*strrchr(dir, '/') = '\0';
	if (fs_mkdirs(dir, &ignored) == 0)
		fs_write(path, text.data, text.len, &ignored);
}
