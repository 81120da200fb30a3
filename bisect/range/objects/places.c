// SPDX-License-Identifier: GPL-2.0-or-later
/* Object directories and their packs. What is damaged is passed over: what is in it is missing. */
#include "range/objects/places.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

#define ALTERNATES_DEPTH_MAX 5 /* of git's link_alt_odb_entries() */
#define ALTERNATES_MAX_BYTES (1 << 20)

/* What stands for one character behind a backslash, as git quotes a path. Return: its length, or 0. */
static size_t unescape(const char *s, char *ret)
{
	static const char letters[] = "abtnvfr\"\\";
	static const char meant[] = "\a\b\t\n\v\f\r\"\\";
	const char *letter = *s ? strchr(letters, *s) : NULL;

	if (letter) {
		*ret = meant[letter - letters];
		return 1;
	}
	if (*s < '0' || *s > '3' || s[1] < '0' || s[1] > '7' || s[2] < '0' || s[2] > '7')
		return 0;
	*ret = (char)((*s - '0') << 6 | (s[1] - '0') << 3 | (s[2] - '0'));
	return 3;
}

/* A line that begins with a quote: what is between that and the next. NULL: it is not quoted after all. */
static char *unquote(const char *line, size_t len)
{
	_cleanup_free_ char *text = xstrndup(line, len);
	_cleanup_buf_ struct buf b = { 0 };

	for (const char *s = text + 1; *s;) {
		char c = *s++;

		if (c == '"')
			return buf_take(&b);
		if (c == '\\') {
			size_t n = unescape(s, &c);

			if (!n)
				return NULL;
			s += n;
		}
		buf_add(&b, &c, 1);
	}
	return NULL;
}

/* A line of info/alternates, relative to the directory above info/. */
static void add_place(const char *base, const char *line, size_t len, struct strv *ret)
{
	_cleanup_free_ char *quoted = *line == '"' ? unquote(line, len) : NULL;
	_cleanup_free_ char *plain = quoted ? xstrdup(quoted) : xstrndup(line, len);
	_cleanup_free_ char *path =
		*plain == '/' ? xstrdup(plain) : str_printf("%s/%s", base, plain);
	_cleanup_free_ char *real = realpath(path, NULL);

	if (real && !strv_has(ret, real))
		strv_take(ret, take_ptr(real));
}

static void add_alternates(const char *dir, struct strv *ret)
{
	_cleanup_free_ char *path = str_printf("%s/info/alternates", dir);
	_cleanup_free_ char *text = NULL;
	struct err unread;

	if (!fs_exists(path) || fs_is_special(path) ||
	    fs_read(path, ALTERNATES_MAX_BYTES, &text, NULL, &unread) < 0)
		return;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (len && *line != '#')
			add_place(dir, line, len, ret);
		line += len + (line[len] == '\n');
	}
}

static pthread_mutex_t lent_lock = PTHREAD_MUTEX_INITIALIZER;
static char *lent; /* under the lock; NULL: nothing */

void places_lend(const char *dir)
{
	pthread_mutex_lock(&lent_lock);
	free(lent);
	lent = xstrdup(dir);
	pthread_mutex_unlock(&lent_lock);
}

/* Last, so that it never hides what the repository has itself. */
static void add_lent(struct strv *ret)
{
	pthread_mutex_lock(&lent_lock);
	if (lent)
		add_place("/", lent, strlen(lent), ret);
	pthread_mutex_unlock(&lent_lock);
}

void places_find(const char *dir, struct strv *ret)
{
	size_t from = 0;

	add_place("/", dir, strlen(dir), ret);
	for (int depth = 0; depth <= ALTERNATES_DEPTH_MAX; depth++) {
		size_t to = ret->n;

		while (from < to)
			add_alternates(ret->items[from++], ret);
	}
	add_lent(ret);
}

/* An index of version 1 has no magic, and no room to spare. */
static bool is_version_1(const char *idx)
{
	struct mapped file;
	bool is = false;
	uint32_t n;

	if (mapped_open(idx, &file) < 0)
		return false;
	if (file.len > FAN_BYTES && fan_count(file.data, &n))
		is = file.len == FAN_BYTES + (uint64_t)n * (4 + GIT_ID_LEN) + 2 * GIT_ID_LEN;
	mapped_close(&file);
	return is;
}

static void add_packs(const char *dir, struct places *p)
{
	_cleanup_free_ char *path = str_printf("%s/pack", dir);
	_cleanup_closedir_ DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *idx = NULL;

		if (!str_ends(e->d_name, ".idx"))
			continue;
		idx = str_printf("%s/%s", path, e->d_name);
		if (p->n_packs == PACKS_MAX) {
			strv_add(&p->odd, idx);
			continue;
		}
		p->packs = xrealloc(p->packs, p->n_packs + 1, sizeof(*p->packs));
		if (pack_open(idx, p->packs + p->n_packs))
			p->n_packs++;
		else if (is_version_1(idx))
			strv_add(&p->odd, idx);
	}
}

void places_open(const char *dir, struct places *ret)
{
	*ret = (struct places){ 0 };
	places_find(dir, &ret->dirs);
	for (size_t i = 0; i < ret->dirs.n; i++)
		add_packs(ret->dirs.items[i], ret);
}

void places_close(struct places *p)
{
	for (unsigned int i = 0; i < p->n_packs; i++)
		pack_close(&p->packs[i]);
	free(p->packs);
	strv_deinit(&p->dirs);
	strv_deinit(&p->odd);
	*p = (struct places){ 0 };
}
