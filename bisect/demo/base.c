// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo's first commit: the untouched driver, imported once, then linked. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/stop.h"
#include "demo/base.h"
#include "demo/import.h"

#define KEY_MAGIC "amdgpu-bisect demo base 1"
/* First line of the list beside the objects; another version is imported again. */
#define LIST_MAGIC "amdgpu-bisect demo base 2"
#define CORE_MAX   (1u << 20)
#define LIST_MAX   (64u << 20)
/* 410 MB of 6.1's driver become 51 MB of objects. */
#define IMPORT_SPACE (256u << 20)
#define BASES_MAX    (UINT64_C(1) << 30)

static int key_file(void *arg, const char *path, const struct stat *st, const char *data,
		    size_t len, struct err *err)
{
	(void)data;
	(void)len;
	(void)err;
	buf_printf(arg, "%s %o %jd %jd.%09ld\n", path, st->st_mode & 0111, (intmax_t)st->st_size,
		   (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	return 0;
}

/* The driver's directory and the core files: what is read of a source, all or the first of them. */
struct paths {
	const char *items[1 + DEMO_CORE_FILES];
};

static struct paths all_paths(const char *driver)
{
	struct paths p = { .items = { driver } };

	for (size_t i = 0; i < DEMO_CORE_FILES; i++)
		p.items[1 + i] = demo_core_files[i];
	return p;
}

int base_key(const struct demo_spec *spec, char ret[65], struct err *err)
{
	const struct paths paths = all_paths(spec->driver);
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_free_ char *real = realpath(spec->source, NULL);
	struct import_sink sink = { .file = key_file, .arg = &text };
	struct stat st;

	if (!real || stat(real, &st))
		return err_errno(err, ERR_USAGE, "kernel source %s", spec->source);
	buf_printf(&text, KEY_MAGIC "\n%s\n%s\n", real, spec->driver);
	if (S_ISDIR(st.st_mode)) {
		if (import_list(real, paths.items, spec->touch_core ? ARRAY_SIZE(paths.items) : 1,
				&sink, err))
			return -1;
	} else {
		key_file(&text, "", &st, NULL, 0, err);
	}
	fs_sha256_text(text.data, text.len, ret);
	return 0;
}

struct importer {
	struct base *base;
	const char *dir;
	struct author *author;
	size_t cap;
	struct progress *progress;
};

static void add_file(struct base *b, size_t *cap, const char *path, uint32_t mode, const char *id)
{
	struct author_file *f;

	if (b->n == *cap) {
		*cap = *cap ? 2 * *cap : 4096;
		b->files = xrealloc(b->files, *cap, sizeof(*b->files));
	}
	f = &b->files[b->n++];
	*f = (struct author_file){ .path = xstrdup(path), .mode = mode };
	str_copy(f->id, sizeof(f->id), id);
}

static char *core_path(const char *dir, size_t i)
{
	return str_printf("%s/core-%zu", dir, i);
}

static int store_core(const char *dir, size_t i, const char *data, size_t len, struct err *err)
{
	_cleanup_free_ char *to = core_path(dir, i);

	return fs_write(to, data, len, err);
}

static int store_file(void *arg, const char *path, const struct stat *st, const char *data,
		      size_t len, struct err *err)
{
	struct importer *im = arg;
	uint32_t mode = S_ISLNK(st->st_mode) ? 0120000 : st->st_mode & 0100 ? 0100755 : 0100644;
	char id[COMMIT_ID_SIZE];

	for (size_t i = 0; i < DEMO_CORE_FILES; i++)
		if (!strcmp(path, demo_core_files[i]))
			return store_core(im->dir, i, data, len, err);
	if (author_blob(im->author, data, len, id, err))
		return -1;
	add_file(im->base, &im->cap, path, mode, id);
	im->base->bytes += len;
	if (im->progress)
		progress_detail(im->progress, "%zu files, %" PRIu64 " MB", im->base->n,
				im->base->bytes / 1000000);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct author_file *)a)->path, ((const struct author_file *)b)->path);
}

static int write_list(const struct base *b, const char *path, struct err *err)
{
	_cleanup_buf_ struct buf list = { 0 };

	buf_printf(&list, LIST_MAGIC "\n%s %" PRIu64 "\n", b->tree, b->bytes);
	for (size_t i = 0; i < b->n; i++)
		buf_printf(&list, "%06o %s %s\n", b->files[i].mode, b->files[i].id,
			   b->files[i].path);
	return fs_write(path, list.data, list.len, err);
}

static int import(const struct demo_spec *spec, struct base *b, const char *dir, struct err *err)
{
	_cleanup_(author_destroy_p) struct author *author = NULL;
	_cleanup_free_ char *list = str_printf("%s/list", dir);
	const struct paths paths = all_paths(spec->driver);
	struct importer im = { .base = b, .dir = dir, .progress = spec->progress };
	struct import_sink sink = { store_file, &im, spec->progress };

	if (author_create(dir, &author, err))
		return -1;
	im.author = author;
	if (import_files(spec->source, paths.items, ARRAY_SIZE(paths.items), &sink, err))
		return -1;
	if (!b->n)
		return err_set(err, ERR_USAGE, "%s: has no %s; choose another with --source",
			       spec->source, spec->driver);
	qsort(b->files, b->n, sizeof(*b->files), by_path);
	if (author_tree(author, b->files, b->n, b->tree, err))
		return -1;
	return write_list(b, list, err);
}

static bool parse_list(struct base *b, char *text)
{
	char *rest = text;
	char *line = strsep(&rest, "\n");
	size_t cap = 0;
	int n = 0;

	if (strcmp(line, LIST_MAGIC) != 0 || !rest ||
	    sscanf(strsep(&rest, "\n"), "%40[0-9a-f] %" SCNu64, b->tree, &b->bytes) != 2)
		return false;
	while (rest && *rest) {
		char id[COMMIT_ID_SIZE];
		unsigned int mode;

		line = strsep(&rest, "\n");
		if (sscanf(line, "%o %40[0-9a-f] %n", &mode, id, &n) != 2 || !line[n])
			return false;
		add_file(b, &cap, line + n, mode, id);
	}
	return b->n > 0;
}

static bool read_cached(struct base *b)
{
	_cleanup_free_ char *list = str_printf("%s/list", b->dir);
	_cleanup_free_ char *text = NULL;
	struct err ignored;

	return !fs_read(list, LIST_MAX, &text, NULL, &ignored) && parse_list(b, text);
}

static void forget_files(struct base *b)
{
	for (size_t i = 0; i < b->n; i++)
		free((char *)b->files[i].path);
	free(b->files);
	b->files = NULL;
	b->n = 0;
	b->bytes = 0;
}

static int check_space(const struct demo_spec *spec, struct err *err)
{
	uint64_t space;

	if (fs_free_bytes(spec->cache_dir, &space, err))
		return -1;
	return space < IMPORT_SPACE
		       ? err_set(err, ERR_HOST, "%s: %u MB are needed and %" PRIu64 " MB free",
				 spec->cache_dir, IMPORT_SPACE / 1000000, space / 1000000)
		       : 0;
}

/* Return: 1 it has its name, 0 another process was faster, -1. */
static int place(struct base *b, const char *draft, struct err *err)
{
	if (rename(draft, b->dir) == 0)
		return 1;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(err, ERR_HOST, "cannot make %s", b->dir);
	return fs_remove_tree(draft, err);
}

/* Return: as place(); on 1 it is held, and the base read. */
static int import_cached(const struct demo_spec *spec, const char *bases, struct base *b,
			 struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *draft = NULL;
	int placed = -1;

	if (spec->progress)
		progress_event(spec->progress,
			       "importing the driver, once for this source; half a minute");
	progress_stage(spec->progress, "import", -1);
	if (check_space(spec, err) || cap_draft(bases, &draft, &hold, err))
		return -1;
	if (!import(spec, b, draft, err))
		placed = place(b, draft, err);
	if (placed < 0) {
		struct err ignored;

		fs_remove_tree(draft, &ignored);
	}
	if (placed == 1)
		b->hold = take_ptr(hold);
	return placed;
}

/* It is of an older version, or damaged. */
static int give_up(struct base *b, struct err *err)
{
	int gone = cap_discard(b->dir, take_ptr(b->hold), err);

	return gone ? (gone < 0 ? -1 : 0)
		    : err_set(err, ERR_HOST,
			      "%s is damaged and in use by another process; wait for it, then try "
			      "again",
			      b->dir);
}

static int open_cached(const struct demo_spec *spec, struct base *b, struct err *err)
{
	_cleanup_free_ char *bases = str_printf("%s/demo-base", spec->cache_dir);
	int held;

	if (cap_sweep(bases, err))
		return -1;
	do {
		held = cap_hold(b->dir, &b->hold, err);
		if (held < 0 || (held && read_cached(b)))
			break;
		forget_files(b);
		if (held && give_up(b, err))
			return -1;
		held = import_cached(spec, bases, b, err);
		if (!held)
			forget_files(b);
	} while (!held);
	if (held < 0)
		return -1;
	utimensat(AT_FDCWD, b->dir, NULL, 0);
	return cap_trim(bases, BASES_MAX, strrchr(b->dir, '/') + 1, err);
}

static int read_core(struct base *b, const char *source, struct err *err)
{
	for (size_t i = 0; i < DEMO_CORE_FILES; i++) {
		_cleanup_free_ char *from = core_path(b->dir, i);

		if (!fs_exists(from))
			return err_set(err, ERR_USAGE,
				       "%s: has no %s; leave --touch-core out, or choose another "
				       "with --source",
				       source, demo_core_files[i]);
		if (fs_read(from, CORE_MAX, &b->core[i].text, &b->core[i].len, err))
			return -1;
	}
	return 0;
}

int base_open(const struct demo_spec *spec, struct base **ret, struct err *err)
{
	_cleanup_(base_close_p) struct base *b = xcalloc(1, sizeof(*b));

	if (base_key(spec, b->key, err))
		return -1;
	b->dir = str_printf("%s/demo-base/%.16s", spec->cache_dir, b->key);
	if (open_cached(spec, b, err))
		return -1;
	if (spec->touch_core && read_core(b, spec->source, err))
		return -1;
	*ret = take_ptr(b);
	return 0;
}

void base_close(struct base *b)
{
	if (!b)
		return;
	forget_files(b);
	for (size_t i = 0; i < DEMO_CORE_FILES; i++)
		free(b->core[i].text);
	free(b->dir);
	cap_release(b->hold);
	free(b);
}

static int link_folder(const char *from, const char *to, struct err *err)
{
	_cleanup_closedir_ DIR *dir = opendir(from);
	struct dirent *e;

	if (!dir || (mkdir(to, 0777) && errno != EEXIST))
		return err_errno(err, ERR_HOST, "cannot take objects from %s to %s", from, to);
	while ((e = readdir(dir))) {
		_cleanup_free_ char *old = str_printf("%s/%s", from, e->d_name);
		_cleanup_free_ char *new = str_printf("%s/%s", to, e->d_name);

		if (e->d_name[0] == '.' || !link(old, new) || errno == EEXIST)
			continue;
		/* Another file system, or one that cannot link. */
		if (fs_copy(old, new, err))
			return -1;
	}
	return 0;
}

int base_link(const struct base *b, const char *repo, struct err *err)
{
	for (unsigned int i = 0; i < 256; i++) {
		_cleanup_free_ char *from = str_printf("%s/.git/objects/%02x", b->dir, i);
		_cleanup_free_ char *to = str_printf("%s/.git/objects/%02x", repo, i);

		if (fs_is_dir(from) && link_folder(from, to, err))
			return -1;
	}
	return 0;
}

const struct author_file *base_find(const struct base *b, const char *path)
{
	struct author_file key = { .path = path };

	return bsearch(&key, b->files, b->n, sizeof(*b->files), by_path);
}

uint32_t base_mode(const struct base *b, const char *path)
{
	const struct author_file *f = base_find(b, path);

	return f ? f->mode : 0100644;
}

int base_tree(const struct base *b, struct author *author, char ret[COMMIT_ID_SIZE],
	      struct err *err)
{
	struct author_file files[DEMO_CORE_FILES];
	size_t n = 0;

	for (; n < DEMO_CORE_FILES && b->core[n].text; n++) {
		files[n] = (struct author_file){ demo_core_files[n], 0100644, "" };
		if (author_blob(author, b->core[n].text, b->core[n].len, files[n].id, err))
			return -1;
	}
	if (n)
		return author_tree_update(author, b->tree, files, n, ret, err);
	str_copy(ret, COMMIT_ID_SIZE, b->tree);
	return 0;
}
