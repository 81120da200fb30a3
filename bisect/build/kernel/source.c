// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel's source: see source.h. */
#include "build/kernel/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/str.h"
#include "build/kernel/source_tree.h"
#include "build/archive/reader.h"

#define READ_BYTES	   (256u << 10)
#define MAKEFILE_MAX_BYTES (1u << 20)

DEFINE_CLEANUP(struct archive *, archive_read_free)
DEFINE_CLEANUP(struct archive *, archive_write_free)
DEFINE_CLEANUP(struct archive_entry *, archive_entry_free)

/* "linux-source-6.1/scripts/Makefile" without its first part; NULL for that part alone. */
static const char *inner_path(const char *path)
{
	const char *slash;

	while (str_starts(path, "./"))
		path += 2;
	slash = strchr(path, '/');
	return slash && slash[1] ? slash + 1 : NULL;
}

static int open_archive(const char *path, struct archive **ret, struct err *err)
{
	struct archive *a = foreign_archive_new();

	archive_read_support_format_tar(a);
	if (archive_read_open_filename(a, path, READ_BYTES) != ARCHIVE_OK) {
		err_set(err, ERR_USAGE, "%s is no tarball of kernel source: %s", path,
			archive_error_string(a));
		archive_read_free(a);
		return -1;
	}
	*ret = a;
	return 0;
}

static int read_makefile(struct archive *a, const char *source, struct kversion *ret,
			 struct err *err)
{
	_cleanup_free_ char *text = xcalloc(MAKEFILE_MAX_BYTES + 1, 1);

	if (archive_read_data(a, text, MAKEFILE_MAX_BYTES) < 0)
		return err_set(err, ERR_HOST, "%s is damaged: %s; reinstall it", source,
			       archive_error_string(a));
	if (!kversion_of_makefile(text, ret))
		return err_set(err, ERR_USAGE,
			       "%s is no kernel source: its Makefile has no VERSION", source);
	return 0;
}

static int tarball_version(const char *source, struct kversion *ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = NULL;
	struct archive_entry *e;
	int rc;

	if (open_archive(source, &a, err) < 0)
		return -1;
	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *path = archive_entry_pathname(e);
		const char *inner = path ? inner_path(path) : NULL;

		if (stop_check(err) < 0)
			return -1;
		if (inner && strcmp(inner, "Makefile") == 0)
			return read_makefile(a, source, ret, err);
	}
	return err_set(err, ERR_USAGE, "%s is no kernel source: %s", source,
		       rc == ARCHIVE_EOF ? "it has no top Makefile" : archive_error_string(a));
}

static int tree_version(const char *source, struct kversion *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/Makefile", source);
	_cleanup_free_ char *text = NULL;

	if (!fs_exists(path))
		return err_set(err, ERR_USAGE, "%s is no kernel source: it has no Makefile",
			       source);
	if (fs_read(path, MAKEFILE_MAX_BYTES, &text, NULL, err) < 0)
		return -1;
	if (!kversion_of_makefile(text, ret))
		return err_set(err, ERR_USAGE,
			       "%s is no kernel source: its Makefile has no VERSION", source);
	return 0;
}

int source_version(const char *source, struct kversion *ret, struct err *err)
{
	if (fs_is_dir(source))
		return tree_version(source, ret, err);
	if (!fs_exists(source))
		return err_set(err, ERR_USAGE,
			       "%s is not there; name a kernel source with --source", source);
	if (kversion_of_name(source, ret))
		return 0;
	return tarball_version(source, ret, err);
}

int source_identity(const char *source, char **ret, struct err *err)
{
	struct stat st;

	if (fs_is_dir(source))
		return source_tree_identity(source, ret, err);
	if (stat(source, &st) < 0)
		return err_errno(err, ERR_USAGE, "cannot read the kernel source %s", source);
	*ret = str_printf("%s %" PRIdMAX " %" PRIdMAX ".%09ld", source, (intmax_t)st.st_size,
			  (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return 0;
}

/* What one copy needs to know. */
struct copy {
	const char *source, *dest;
	struct archive *from, *to;
	uint64_t total; /* size of the tarball [bytes], or 0 */
	struct progress *progress;
	unsigned int entries;
};

static int copy_failed(const struct copy *c, struct archive *a, struct err *err)
{
	errno = archive_errno(a);
	if (a == c->to && errno > 0)
		return err_errno(err, ERR_HOST, "cannot write the kernel tree %s", c->dest);
	return err_set(err, ERR_HOST, "cannot read the kernel source %s: %s", c->source,
		       archive_error_string(a));
}

static int copy_data(const struct copy *c, struct err *err)
{
	const void *data;
	size_t len;
	la_int64_t offset;
	int rc;

	while ((rc = archive_read_data_block(c->from, &data, &len, &offset)) == ARCHIVE_OK)
		if (archive_write_data_block(c->to, data, len, offset) < 0)
			return copy_failed(c, c->to, err);
	return rc == ARCHIVE_EOF ? 0 : copy_failed(c, c->from, err);
}

static void show(struct copy *c)
{
	if (!c->progress || c->entries++ % 256)
		return;
	if (c->total)
		progress_detail(c->progress, "unpacking, %u %%",
				(unsigned int)((uint64_t)archive_filter_bytes(c->from, -1) * 100 /
					       c->total));
	else
		progress_detail(c->progress, "copying, %u files", c->entries);
	progress_tick(c->progress);
}

/* Writes one entry; @inner is its path below the destination. */
static int copy_entry(struct copy *c, struct archive_entry *e, const char *inner, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", c->dest, inner);
	const char *link = archive_entry_hardlink(e);

	if (link && inner_path(link)) {
		_cleanup_free_ char *target = str_printf("%s/%s", c->dest, inner_path(link));

		archive_entry_set_hardlink(e, target);
	}
	archive_entry_set_pathname(e, path);
	show(c);
	if (stop_check(err) < 0)
		return -1;
	if (archive_write_header(c->to, e) < ARCHIVE_WARN)
		return copy_failed(c, c->to, err);
	if (archive_entry_size(e) > 0 && copy_data(c, err) < 0)
		return -1;
	return archive_write_finish_entry(c->to) < ARCHIVE_WARN ? copy_failed(c, c->to, err) : 0;
}

static int copy_all(struct copy *c, bool tarball, struct err *err)
{
	_cleanup_(archive_entry_free_p) struct archive_entry *e = archive_entry_new();
	size_t skip = strlen(c->source);
	int rc;

	while ((rc = archive_read_next_header2(c->from, e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		_cleanup_free_ char *path = xstrdup(archive_entry_pathname(e));
		const char *inner = !path		  ? NULL
				    : tarball		  ? inner_path(path)
				    : strlen(path) > skip ? path + skip + 1
							  : NULL;

		if (!inner) {
			if (!tarball)
				archive_read_disk_descend(c->from);
			continue;
		}
		if (!tarball && source_tree_skips(inner))
			continue;
		if (copy_entry(c, e, inner, err) < 0)
			return -1;
		if (!tarball && archive_read_disk_can_descend(c->from))
			archive_read_disk_descend(c->from);
	}
	return rc == ARCHIVE_EOF ? 0 : copy_failed(c, c->from, err);
}

int source_unpack(const char *source, const char *dest, struct progress *progress, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *from = NULL;
	_cleanup_(archive_write_free_p) struct archive *to = NULL;
	_cleanup_free_ char *plain = xstrdup(source);
	struct copy c = { .source = plain, .dest = dest, .progress = progress };
	bool tarball = !fs_is_dir(source);
	struct stat st;

	for (size_t len = strlen(plain); len > 1 && plain[len - 1] == '/'; len--)
		plain[len - 1] = '\0';
	if (fs_mkdirs(dest, err) < 0)
		return -1;
	if (tarball) {
		if (open_archive(plain, &from, err) < 0)
			return -1;
		c.total = stat(plain, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	} else {
		from = archive_read_disk_new();
		archive_read_disk_set_symlink_physical(from);
		if (archive_read_disk_open(from, plain) != ARCHIVE_OK)
			return copy_failed(&c, from, err);
	}
	to = archive_write_disk_new();
	archive_write_disk_set_options(to, ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_NODOTDOT);
	c.from = from;
	c.to = to;
	if (copy_all(&c, tarball, err) < 0)
		return -1;
	return archive_write_close(to) < ARCHIVE_WARN ? copy_failed(&c, to, err) : 0;
}
