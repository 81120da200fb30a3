// SPDX-License-Identifier: GPL-2.0-or-later
/* After images were made: what there is of them, and whether it still is what it was. See stock.h. */
#include "guest/stock/stock.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "guest/image/manifest.h"

#define KEY_LEN 16 /* hex digits of a name */

static const struct {
	const char *name, *prefix;
} kinds[] = {
	[STOCK_KERNEL] = { "kernel", "vmlinux-" },
	[STOCK_INITRAMFS] = { "initramfs", "initramfs-" },
	[STOCK_RUNTIME] = { "runtime", "runtime-" },
	[STOCK_DISK] = { "disk", "disk-" },
};
static_assert(ARRAY_SIZE(kinds) == STOCK_KINDS, "a kind has no name");

const char *stock_kind_name(enum stock_kind k)
{
	return (unsigned int)k < STOCK_KINDS ? kinds[k].name : "unknown";
}

static bool kind_of(const char *name, enum stock_kind *ret)
{
	for (unsigned int k = 0; k < STOCK_KINDS; k++) {
		const char *key = name + strlen(kinds[k].prefix);

		if (str_starts(name, kinds[k].prefix) && strlen(key) == KEY_LEN &&
		    strspn(key, "0123456789abcdef") == KEY_LEN) {
			*ret = k;
			return true;
		}
	}
	return false;
}

/* The rest of the first line that begins so, cut at @size; false: there is none. */
static bool line_after(const char *text, const char *word, char *ret, size_t size)
{
	const char *at = text;

	while (at && !str_starts(at, word)) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !*at)
		return false;
	at += strlen(word);
	str_copy(ret, size < strcspn(at, "\n") + 1 ? size : strcspn(at, "\n") + 1, at);
	return true;
}

static unsigned int count(const char *text, const char *word)
{
	unsigned int n = str_starts(text, word);

	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		n += str_starts(at + 1, word);
	return n;
}

static void summarise(struct stock_image *i)
{
	const char *text = i->manifest ? i->manifest : "";
	char word[100] = "";

	switch (i->kind) {
	case STOCK_DISK:
		if (line_after(text, "suite ", word, sizeof(word)))
			snprintf(i->summary, sizeof(i->summary), "%.32s, %u packages%s", word,
				 count(text, "package "),
				 strstr(text, "\npackage libamdhip64") ||
						 strstr(text, "\npackage hip-runtime")
					 ? ", HIP"
					 : "");
		break;
	case STOCK_INITRAMFS:
		snprintf(i->summary, sizeof(i->summary), "%u files", count(text, "file "));
		break;
	default: /* of the first file that went in: "PLACE PATH" */
		if (line_after(text, "from ", word, sizeof(word)) && strchr(word, ' '))
			snprintf(i->summary, sizeof(i->summary), "%s", strchr(word, ' ') + 1);
	}
}

static void read_manifest(struct stock_image *i)
{
	_cleanup_free_ char *path = str_printf("%s" MANIFEST_SUFFIX, i->path);
	struct err ignored;
	char line[128];

	if (fs_read(path, MANIFEST_MAX, &i->manifest, NULL, &ignored) < 0)
		i->manifest = NULL;
	if (i->manifest && line_after(i->manifest, MANIFEST_IMAGE, line, sizeof(line)) &&
	    strcspn(line, " ") == 64)
		str_copy(i->digest, sizeof(i->digest), line);
	summarise(i);
}

static int by_kind_then_newest(const void *a, const void *b)
{
	const struct stock_image *x = a, *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return (x->used_ns < y->used_ns) - (x->used_ns > y->used_ns);
}

int stock_list(const char *cache_dir, struct stock *ret, struct err *err)
{
	_cleanup_free_ char *dir = str_printf("%s/guest", cache_dir);
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct dirent *e;

	*ret = (struct stock){ 0 };
	if (!d && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot read %s", dir);
	while (d && (e = readdir(d)) != NULL) {
		struct stock_image i = { 0 };
		struct stat st;

		if (!kind_of(e->d_name, &i.kind) || fstatat(dirfd(d), e->d_name, &st, 0) < 0)
			continue;
		i.name = xstrdup(e->d_name);
		i.path = str_printf("%s/%s", dir, e->d_name);
		i.bytes = (uint64_t)st.st_size;
		i.on_disk = (uint64_t)st.st_blocks * 512; /* stat(2): units of 512 bytes */
		i.used_ns = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
		read_manifest(&i);
		ret->images = xrealloc(ret->images, ret->n + 1, sizeof(i));
		ret->images[ret->n++] = i;
	}
	if (ret->n)
		qsort(ret->images, ret->n, sizeof(*ret->images), by_kind_then_newest);
	return 0;
}

void stock_deinit(struct stock *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->images[i].name);
		free(s->images[i].path);
		free(s->images[i].manifest);
	}
	free(s->images);
	*s = (struct stock){ 0 };
}

int stock_find(const struct stock *s, const char *name, const struct stock_image **ret,
	       struct err *err)
{
	const struct stock_image *found = NULL;

	for (size_t i = 0; i < s->n; i++) {
		if (!str_starts(s->images[i].name, name))
			continue;
		if (found && strcmp(name, found->name) != 0)
			return err_set(err, ERR_USAGE,
				       "'%s' may be %s or %s; write more of its name", name,
				       found->name, s->images[i].name);
		found = &s->images[i];
	}
	if (!found)
		return err_set(err, ERR_USAGE,
			       "no image '%s' here; `amdgpu-bisect image` lists those there are",
			       name);
	*ret = found;
	return 0;
}

int stock_check(const struct stock_image *i, char *why, size_t size, struct err *err)
{
	const char *key = strrchr(i->name, '-') + 1;
	char sum[65];

	*why = '\0';
	if (!i->manifest || !*i->digest) {
		snprintf(why, size, "no digest of it was written down");
		return STOCK_UNKNOWN;
	}
	fs_sha256_text(i->manifest, manifest_inputs_len(i->manifest), sum);
	if (strncmp(sum, key, KEY_LEN) != 0) {
		snprintf(why, size, "its manifest is not the one that it was named by");
		return STOCK_DAMAGED;
	}
	if (fs_sha256_file(i->path, sum, err) < 0)
		return -1;
	if (strcmp(sum, i->digest) == 0)
		return STOCK_WHOLE;
	snprintf(why, size,
		 "its content is not what was made; `amdgpu-bisect image remove %s`, "
		 "and it is made again",
		 i->name);
	return STOCK_DAMAGED;
}

int stock_remove(const struct stock_image *i, struct err *err)
{
	_cleanup_free_ char *manifest = str_printf("%s" MANIFEST_SUFFIX, i->path);

	if (unlink(i->path) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot remove %s", i->path);
	if (unlink(manifest) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot remove %s", manifest);
	return 0;
}
