// SPDX-License-Identifier: GPL-2.0-or-later
/* What a kernel's pieces are, out of one package: see package.h. Nothing is run, and nothing lands elsewhere. */
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "build/package/deb.h"
#include "build/package/package.h"

#define READ_BYTES (256u << 10)
#define FILE_MAX   (INT64_C(1) << 30) /* a source has 140 MB */

DEFINE_CLEANUP(struct archive *, archive_read_free)

static int damaged(const char *deb, struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	return err_set(err, ERR_USAGE, "%s cannot be read as a Debian package: %s", deb,
		       why ? why : "it is damaged");
}

/* From the root on, without "./" and without the /usr that newer ones put modules in. */
static const char *inner_path(const char *path)
{
	while (str_starts(path, "./") || *path == '/')
		path += *path == '/' ? 1 : 2;
	return str_starts(path, "usr/lib/modules/") ? path + strlen("usr/") : path;
}

static bool is_needed(const char *path)
{
	if (strstr(path, "/../") || strstr(path, "//"))
		return false;
	if (str_starts(path, "boot/vmlinuz-") || str_starts(path, "boot/config-") ||
	    str_starts(path, "lib/modules/"))
		return true;
	return str_starts(path, "usr/src/") &&
	       (str_ends(path, "/Module.symvers") ||
		(str_starts(path, "usr/src/linux-source-") && strstr(path, ".tar.")));
}

static int take_file(struct archive *a, const char *deb, const char *root, const char *path,
		     struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/%s", root, path);
	_cleanup_free_ char *dir = xstrndup(to, (size_t)(strrchr(to, '/') - to));
	_cleanup_close_ int fd = -1;

	if (fs_mkdirs(dir, err) < 0)
		return -1;
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(err, ERR_HOST, "create %s", to);
	if (archive_read_data_into_fd(a, fd) == ARCHIVE_OK)
		return 0;
	if (archive_errno(a) == ENOSPC || archive_errno(a) == EDQUOT)
		return err_set(err, ERR_HOST, "%s: no space left", to);
	return damaged(deb, a, err);
}

static int unpack_data(struct archive *outer, const char *deb, const char *root, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = deb_reader();
	struct archive_entry *e;
	int rc;

	archive_read_support_format_tar(a);
	if (archive_read_open(a, outer, NULL, deb_read_member, NULL) != ARCHIVE_OK)
		return damaged(deb, a, err);
	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(e);
		const char *path = name ? inner_path(name) : "";

		if (stop_check(err) < 0)
			return -1;
		if (archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e) ||
		    !is_needed(path))
			continue;
		if (archive_entry_size(e) > FILE_MAX)
			return err_set(err, ERR_USAGE, "%s: its %s is larger than any of a kernel",
				       deb, path);
		if (take_file(a, deb, root, path, err) < 0)
			return -1;
	}
	return rc == ARCHIVE_EOF ? 0 : damaged(deb, a, err);
}

int package_unpack(const char *deb, const char *root, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = deb_reader();
	struct archive_entry *e;
	int rc;

	archive_read_support_format_ar(a);
	if (fs_is_special(deb) || archive_read_open_filename(a, deb, READ_BYTES) != ARCHIVE_OK)
		return damaged(deb, a, err);
	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *member = archive_entry_pathname(e);

		if (member && str_starts(member, "data.tar"))
			return unpack_data(a, deb, root, err);
	}
	return damaged(deb, a, err);
}
