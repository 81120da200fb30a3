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
#include "build/archive/reader.h"
#include "build/package/deb.h"
#include "build/package/package.h"
#include "build/package/rpm.h"

#define READ_BYTES   (256u << 10)
#define FILE_MAX     (INT64_C(1) << 30) /* a source has 140 MB */
#define TAKEN_MAX    (INT64_C(4) << 30) /* of one package: 6.1's image has 420 MB */
#define READ_MAX     (INT64_C(16) << 30)
#define FILES_MAX    200000 /* headers have some 20000, SUSE's source 90000 */
#define NAME_MAX_LEN 512
#define PART_MAX_LEN 200

/* A source package's patches are not applied, so none may be of what is built. */
#define DRIVER_PATCH "+++ b/drivers/gpu/drm/amd/"

DEFINE_CLEANUP(struct archive *, archive_read_free)

struct unpacking {
	const char *package;
	const char *root;
	bool is_rpm;	     /* else a Debian package */
	struct rpm_name rpm; /* what its header says */
	struct archive *outer, *inner;
	int64_t taken; /* [bytes] */
	unsigned int n;
};

/* A stop in the middle of what is read looks like damage to who reads. */
static int damaged(const struct unpacking *u, struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	if (stop_check(err) < 0)
		return -1;
	return err_set(err, ERR_USAGE, "%s cannot be read as %s package: %s", u->package,
		       u->is_rpm ? "an RPM" : "a Debian", why ? why : "it is damaged");
}

/* No more than a kernel needs is ever read, and not for longer than the user wants. */
static la_ssize_t read_member(struct archive *inner, void *arg, const void **ret)
{
	struct unpacking *u = arg;
	bool much = archive_filter_bytes(inner, 0) > READ_MAX;

	if (much || stop_requested()) {
		archive_set_error(inner, EFBIG, "%s",
				  much ? "it is larger than any of a kernel" : "stopped");
		return -1;
	}
	return deb_read_member(inner, u->outer, ret);
}

/* From the root on, without "./" and without the /usr that newer ones put modules in. */
static const char *inner_path(const char *path)
{
	while (str_starts(path, "./") || *path == '/')
		path += *path == '/' ? 1 : 2;
	return str_starts(path, "usr/lib/modules/") ? path + strlen("usr/") : path;
}

/* Where below the root it goes, owned by the caller; NULL: it is not needed. */
static char *wanted(const struct unpacking *u, const char *path)
{
	bool needed;

	if (u->is_rpm)
		return rpm_wanted(&u->rpm, path);
	needed = str_starts(path, "boot/vmlinuz-") || str_starts(path, "boot/config-") ||
		 str_starts(path, "lib/modules/") ||
		 (str_starts(path, "usr/src/") &&
		  (str_ends(path, "/Module.symvers") ||
		   (str_starts(path, "usr/src/linux-source-") && strstr(path, ".tar."))));
	return needed ? xstrdup(path) : NULL;
}

/* Parts that lead down only, of printable characters. */
static bool is_plain(const char *path)
{
	size_t len;

	if (strlen(path) > NAME_MAX_LEN)
		return false;
	for (const char *p = path; *p; p++)
		if (*p <= ' ' || *p > '~')
			return false;
	for (const char *p = path;; p += len + 1) {
		len = strcspn(p, "/");
		if (!len || len > PART_MAX_LEN || (len == 1 && *p == '.') ||
		    (len == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (!p[len])
			return true;
	}
}

static int write_at(int fd, const char *data, size_t len, int64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, offset);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
			offset += n;
		}
	}
	return 0;
}

/* As long as its header says, whatever holes it has. */
static int copy_data(const struct unpacking *u, int fd, int64_t size, const char *to,
		     struct err *err)
{
	const void *data;
	la_int64_t offset;
	size_t len;
	int rc;

	while ((rc = archive_read_data_block(u->inner, &data, &len, &offset)) == ARCHIVE_OK ||
	       rc == ARCHIVE_WARN) {
		if (stop_check(err) < 0)
			return -1;
		if (offset < 0 || offset > size || (int64_t)len > size - offset)
			return err_set(err, ERR_USAGE, "%s: a file in it goes beyond its end",
				       u->package);
		if (write_at(fd, data, len, offset) < 0)
			return err_errno(err, ERR_HOST, "write %s", to);
	}
	if (rc != ARCHIVE_EOF)
		return damaged(u, u->inner, err);
	return ftruncate(fd, size) < 0 ? err_errno(err, ERR_HOST, "write %s", to) : 0;
}

/* What is in the way came out of a package as well. */
static int cannot_make(const struct unpacking *u, const char *path, const char *to, struct err *err)
{
	if (errno == EEXIST)
		return err_set(err, ERR_USAGE,
			       "%s has %s, which was unpacked already: it is there twice, or "
			       "another package of this kernel has it too",
			       u->package, path);
	if (errno == ENOTDIR || errno == EISDIR)
		return err_set(err, ERR_USAGE, "%s has %s both as a file and as a directory",
			       u->package, path);
	return err_errno(err, ERR_HOST, "create %s", to);
}

static int take_file(struct unpacking *u, const char *path, int64_t size, mode_t mode,
		     struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/%s", u->root, path);
	_cleanup_free_ char *dir = xstrndup(to, (size_t)(strrchr(to, '/') - to));
	_cleanup_close_ int fd = -1;

	if (size < 0 || size > FILE_MAX || size > TAKEN_MAX - u->taken)
		return err_set(err, ERR_USAGE, "%s: its %s is larger than any of a kernel",
			       u->package, path);
	u->taken += size;
	if (fs_mkdirs(dir, err) < 0)
		return errno == ENOTDIR ? cannot_make(u, path, to, err) : -1;
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	return fd < 0 ? cannot_make(u, path, to, err) : copy_data(u, fd, size, to, err);
}

/* Looks for the words in all of a patch, also across what is read at once. */
static int refuse_driver_patch(const struct unpacking *u, const char *path, struct err *err)
{
	const size_t keep = strlen(DRIVER_PATCH) - 1;
	_cleanup_buf_ struct buf text = { 0 };
	const void *data;
	la_int64_t offset;
	size_t len;
	int rc;

	while ((rc = archive_read_data_block(u->inner, &data, &len, &offset)) == ARCHIVE_OK ||
	       rc == ARCHIVE_WARN) {
		if (stop_check(err) < 0)
			return -1;
		buf_add(&text, data, len);
		if (memmem(text.data, text.len, DRIVER_PATCH, strlen(DRIVER_PATCH)))
			return err_set(err, ERR_USAGE,
				       "%s: its %s changes drivers/gpu/drm/amd, and patches of a "
				       "source package are not applied; gate the two as revisions "
				       "of a repository",
				       u->package, path);
		if (text.len > keep) {
			memmove(text.data, text.data + text.len - keep, keep);
			text.len = keep;
		}
	}
	return rc == ARCHIVE_EOF ? 0 : damaged(u, u->inner, err);
}

static int take_entry(struct unpacking *u, struct archive_entry *e, struct err *err)
{
	const char *name = archive_entry_pathname(e);
	const char *path = name ? inner_path(name) : "";
	_cleanup_free_ char *to = NULL;
	bool patch;

	if (stop_check(err) < 0)
		return -1;
	if (++u->n > FILES_MAX)
		return err_set(err, ERR_USAGE, "%s has more than %u files: it is of no kernel",
			       u->package, FILES_MAX);
	if (archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e))
		return 0;
	to = wanted(u, path);
	patch = u->is_rpm && rpm_is_patch(&u->rpm, path);
	if (!to && !patch)
		return 0;
	if (!is_plain(path))
		return err_set(err, ERR_USAGE,
			       "%s: file %u in it has a name that leads elsewhere, or that no file "
			       "of a kernel has",
			       u->package, u->n);
	/* a source's scripts are run by its own Makefiles */
	return patch ? refuse_driver_patch(u, path, err)
		     : take_file(u, to, archive_entry_size(e),
				 archive_entry_perm(e) & 0111 ? 0755 : 0644, err);
}

static int unpack_all(struct unpacking *u, struct archive *a, struct err *err)
{
	struct archive_entry *e;
	int rc;

	u->inner = a;
	if (archive_read_open(a, u, NULL, read_member, NULL) != ARCHIVE_OK)
		return damaged(u, a, err);
	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN)
		if (take_entry(u, e, err) < 0)
			return -1;
	return rc == ARCHIVE_EOF ? 0 : damaged(u, a, err);
}

static int unpack_deb(struct unpacking *u, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *outer = foreign_archive_new();
	_cleanup_(archive_read_free_p) struct archive *inner = foreign_archive_new();
	struct archive_entry *e;
	int rc;

	u->outer = outer;
	archive_read_support_format_ar(outer);
	archive_read_support_format_tar(inner);
	if (fs_is_special(u->package) ||
	    archive_read_open_filename(outer, u->package, READ_BYTES) != ARCHIVE_OK)
		return damaged(u, outer, err);
	while ((rc = archive_read_next_header(outer, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *member = archive_entry_pathname(e);

		if (member && str_starts(member, "data.tar"))
			return unpack_all(u, inner, err);
	}
	return damaged(u, outer, err);
}

/* The payload is one stream for libarchive, of which its cpio archive is read like a Debian package's member. */
static int unpack_rpm(struct unpacking *u, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *outer = foreign_archive_new();
	_cleanup_(archive_read_free_p) struct archive *inner = archive_read_new();
	struct archive_entry *e;

	if (rpm_read_header(u->package, &u->rpm, err) < 0)
		return -1;
	u->outer = outer;
	archive_read_support_filter_rpm(outer);
	archive_read_support_format_raw(outer);
	archive_read_support_format_empty(outer);
	archive_read_support_format_cpio(inner);
	if (archive_read_open_filename(outer, u->package, READ_BYTES) != ARCHIVE_OK ||
	    archive_read_next_header(outer, &e) != ARCHIVE_OK)
		return damaged(u, outer, err);
	return unpack_all(u, inner, err);
}

int package_unpack(const char *path, const char *root, struct err *err)
{
	struct unpacking u = { .package = path, .root = root, .is_rpm = rpm_is(path) };

	return u.is_rpm ? unpack_rpm(&u, err) : unpack_deb(&u, err);
}
