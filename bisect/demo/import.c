// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo's raw material: files out of the user's own kernel source. */
#include <errno.h>
#include <fts.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/str.h"
#include "build/archive/reader.h"
#include "demo/import.h"

/* The largest file of the driver is a header of 22 MiB (6.12). */
#define FILE_MAX   (256u << 20)
#define BLOCK_SIZE (256u << 10)

static void archive_close(struct archive *a)
{
	archive_read_free(a);
}

DEFINE_CLEANUP(struct archive *, archive_close)
DEFINE_CLEANUP(FTS *, fts_close)

static bool is_below(const char *name, const char *path)
{
	size_t len = strlen(path);

	return str_starts(name, path) && (name[len] == '/' || !name[len]);
}

/* The name from the source's root on, or NULL if it is below none of the paths. */
static const char *below(const char *name, const char *const *paths, size_t n)
{
	const char *slash;

	while (str_starts(name, "./"))
		name += 2;
	slash = strchr(name, '/');
	for (size_t i = 0; i < n; i++) {
		if (is_below(name, paths[i]))
			return name;
		if (slash && is_below(slash + 1, paths[i]))
			return slash + 1;
	}
	return NULL;
}

static int tell(const struct import_sink *sink, const char *path, const struct stat *st,
		const char *data, size_t len, struct err *err)
{
	if (sink->progress)
		progress_tick(sink->progress);
	return stop_check(err) ? -1 : sink->file(sink->arg, path, st, data, len, err);
}

static int read_entry(const char *source, struct archive *a, struct archive_entry *entry,
		      const char *path, const struct import_sink *sink, struct err *err)
{
	const struct stat *st = archive_entry_stat(entry);
	const char *link = archive_entry_symlink(entry);
	size_t size = (size_t)archive_entry_size(entry);
	_cleanup_free_ char *data = NULL;

	if (S_ISLNK(st->st_mode) && link)
		return tell(sink, path, st, link, strlen(link), err);
	if (!S_ISREG(st->st_mode))
		return 0;
	if (size > FILE_MAX)
		return err_set(err, ERR_USAGE, "%s: %s is too large", source, path);
	data = xmalloc(size + 1);
	if (archive_read_data(a, data, size) != (la_ssize_t)size)
		return err_set(err, ERR_HOST, "%s: cannot read %s: %s; fetch the source again",
			       source, path, archive_error_string(a));
	return tell(sink, path, st, data, size, err);
}

static int import_archive(const char *source, const char *const *paths, size_t n,
			  const struct import_sink *sink, struct err *err)
{
	_cleanup_(archive_close_p) struct archive *a = foreign_archive_new();
	struct archive_entry *entry;
	int r;

	archive_read_support_format_tar(a);
	if (archive_read_open_filename(a, source, BLOCK_SIZE) != ARCHIVE_OK)
		return err_set(err, ERR_USAGE, "%s: cannot be read as a tarball: %s", source,
			       archive_error_string(a));
	while ((r = archive_read_next_header(a, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);
		const char *path = name ? below(name, paths, n) : NULL;

		if (path ? read_entry(source, a, entry, path, sink, err) : stop_check(err))
			return -1;
	}
	if (r != ARCHIVE_EOF)
		return err_set(err, ERR_USAGE, "%s: cannot be read as a tarball: %s", source,
			       archive_error_string(a));
	return 0;
}

/* What kbuild writes beside the sources; see the kernel's own .gitignore. */
static bool is_build_output(const char *name)
{
	static const char *const suffixes[] = { ".o",	  ".ko",    ".a",	".mod",
						".mod.c", ".order", ".symvers", ".orig",
						".rej",	  ".su",    ".gcno",	".ll" };
	size_t n = strlen(name);

	if (name[0] == '.')
		return str_ends(name, ".cmd") || str_ends(name, ".d") ||
		       str_starts(name, ".tmp_") || str_ends(name, ".swp");
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (n > strlen(suffixes[i]) && str_ends(name, suffixes[i]))
			return true;
	}
	return false;
}

static int read_file(const FTSENT *e, const char *path, const struct import_sink *sink,
		     struct err *err)
{
	_cleanup_free_ char *data = NULL;
	size_t len;

	if (S_ISLNK(e->fts_statp->st_mode)) {
		char link[4096];
		ssize_t n = readlink(e->fts_accpath, link, sizeof(link));

		if (n < 0)
			return err_errno(err, ERR_HOST, "cannot read %s", e->fts_path);
		return tell(sink, path, e->fts_statp, link, (size_t)n, err);
	}
	if (fs_read(e->fts_path, FILE_MAX, &data, &len, err))
		return -1;
	return tell(sink, path, e->fts_statp, data, len, err);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int import_path(const char *source, const char *below, bool contents,
		       const struct import_sink *sink, struct err *err)
{
	_cleanup_free_ char *root = str_printf("%s/%s", source, below);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	size_t skip = strlen(source) + 1;
	FTSENT *e;

	if (!fts)
		return err_errno(err, ERR_HOST, "cannot read %s", root);
	while ((e = fts_read(fts))) {
		const char *path = e->fts_path + skip;
		int r = 0;

		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS) {
			errno = e->fts_errno;
			return errno == ENOENT
				       ? 0
				       : err_errno(err, ERR_HOST, "cannot read %s", e->fts_path);
		}
		if (is_build_output(e->fts_name))
			continue;
		if (e->fts_info == FTS_F || e->fts_info == FTS_SL || e->fts_info == FTS_SLNONE)
			r = contents ? read_file(e, path, sink, err)
				     : tell(sink, path, e->fts_statp, NULL, 0, err);
		if (r)
			return -1;
	}
	return 0;
}

int import_list(const char *source, const char *const *paths, size_t n,
		const struct import_sink *sink, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (import_path(source, paths[i], false, sink, err))
			return -1;
	return 0;
}

int import_files(const char *source, const char *const *paths, size_t n,
		 const struct import_sink *sink, struct err *err)
{
	if (!fs_is_dir(source))
		return import_archive(source, paths, n, sink, err);
	for (size_t i = 0; i < n; i++)
		if (import_path(source, paths[i], true, sink, err))
			return -1;
	return 0;
}
