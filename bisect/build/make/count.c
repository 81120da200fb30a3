// SPDX-License-Identifier: GPL-2.0-or-later
/* How far a build is: see count.h. */
#include "build/make/count.h"

#include <fts.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"

#define FILE_MAX_BYTES 65536
#define RATE_NS	       (2 * NS_PER_S) /* shorter than that, a rate is chance */
#define RATE_OBJECTS   4

DEFINE_CLEANUP(FTS *, fts_close)

void count_deinit(struct count *c)
{
	free_p(&c->key);
	*c = (struct count){ 0 };
}

/*
 * The driver's directory without its last part: amdgpu.ko takes objects from those beside it. "" is the
 * whole tree; NULL for what is outside of it (the mirror: five objects) and for a single object.
 */
static char *place(const char *const *args)
{
	const char *m = "";

	for (; *args; args++) {
		if (str_ends(*args, ".o") || str_starts(*args, "M=/") ||
		    str_ends(*args, "config") || strcmp(*args, "modules_prepare") == 0)
			return NULL;
		if (str_starts(*args, "M="))
			m = *args + 2;
	}
	return *m && strchr(m, '/') ? xstrndup(m, (size_t)(strrchr(m, '/') - m)) : xstrdup(m);
}

static char *kind(const char *const *args)
{
	struct buf text = { 0 };

	for (; *args; args++)
		if (str_starts(*args, "M=") || !strchr(*args, '='))
			buf_printf(&text, "%s%s", text.len ? "+" : "", *args);
	return buf_take(&text);
}

static unsigned int count_objects(const char *dir)
{
	char *const roots[] = { (char *)dir, NULL };
	_cleanup_(fts_close_p) FTS *fts =
		fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	unsigned int n = 0;
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		n += (e->fts_info == FTS_F || e->fts_info == FTS_NSOK) &&
		     str_ends(e->fts_name, ".o");
	return n;
}

/* "first KIND 527" and "again KIND 3", a line each; others are copied to @rest unless it is NULL. */
static unsigned int look_up(const char *file, const char *word, const char *key, struct buf *rest)
{
	_cleanup_free_ char *begin = str_printf("%s %s ", word, key);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	char *save = NULL;
	uint64_t n = 0;

	if (!fs_exists(file) || fs_read(file, FILE_MAX_BYTES, &text, NULL, &ignored) < 0)
		return 0;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (!str_starts(l, begin)) {
			if (rest)
				buf_printf(rest, "%s\n", l);
		} else if (!str_to_u64(l + strlen(begin), 1000000, &n)) {
			n = 0;
		}
	return (unsigned int)n;
}

void count_begin(struct count *ret, const char *file, const char *tree, const char *const *args)
{
	_cleanup_free_ char *inner = place(args);
	_cleanup_free_ char *dir = NULL, *whole = NULL;
	unsigned int first, again;

	*ret = (struct count){ .begun_ns = clock_now_ns() };
	if (!file || !inner)
		return;
	dir = str_printf("%s/%s", tree, inner);
	whole = str_printf("%s/vmlinux.o", tree);
	ret->key = kind(args);
	first = look_up(file, "first", ret->key, NULL);
	again = look_up(file, "again", ret->key, NULL);
	/* A walk through the whole tree takes a second: of little weight beside a kernel from clean. */
	if (*inner || !fs_exists(whole))
		ret->before = count_objects(dir);
	else
		ret->before = first;
	ret->first = !ret->before || (first && ret->before + again < first);
	ret->expected = !ret->first ? again : first > ret->before ? first - ret->before : 0;
}

void count_end(const struct count *c, const char *file, unsigned int objects)
{
	const char *word = c->first ? "first" : "again";
	_cleanup_buf_ struct buf text = { 0 };
	struct err ignored = { 0 };
	unsigned int total = c->first ? c->before + objects : objects;

	if (!c->key || !total || look_up(file, word, c->key, &text) == total)
		return;
	buf_printf(&text, "%s %s %u\n", word, c->key, total);
	fs_write(file, text.data, text.len, &ignored);
}

void count_show(const struct count *c, unsigned int objects, bool linking, struct progress *p)
{
	int64_t ns = clock_now_ns() - c->begun_ns;
	const char *noun = objects == 1 && c->expected < 2 ? "object" : "objects";
	char left[32] = "";

	if (linking || (objects && objects == c->expected)) {
		progress_detail(p, "%u %s, linking", objects, noun);
	} else if (objects >= c->expected) {
		progress_detail(p, "%u %s", objects, noun);
	} else if (ns < RATE_NS || objects < RATE_OBJECTS) {
		progress_detail(p, "%u of %u %s", objects, c->expected, noun);
	} else {
		clock_duration_text(ns / objects * (c->expected - objects), left, sizeof(left));
		progress_detail(p, "%u of %u %s, %s left", objects, c->expected, noun, left);
	}
}
