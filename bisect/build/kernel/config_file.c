// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel's config as a file or within a package: see config_file.h. */
#include "build/kernel/config_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/str.h"
#include "build/kernel/kernel.h"
#include "build/archive/reader.h"
#include "build/package/deb.h"

#define READ_BYTES (256u << 10)

DEFINE_CLEANUP(struct archive *, archive_read_free)

static int damaged(const char *name, struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	return err_set(err, ERR_USAGE,
		       "%s cannot be read as a config: %s; name another with "
		       "--kconfig",
		       name, why ? why : "it is damaged");
}

/* The present entry as text. */
static int read_text(struct archive *a, const char *name, char **ret, struct err *err)
{
	_cleanup_buf_ struct buf text = { 0 };
	const void *data;
	size_t len;
	la_int64_t offset;
	int rc;

	while ((rc = archive_read_data_block(a, &data, &len, &offset)) == ARCHIVE_OK) {
		if (text.len + len > CONFIG_MAX_BYTES)
			return err_set(err, ERR_USAGE,
				       "%s is no kernel config: it is larger than %u MiB; name "
				       "another with --kconfig",
				       name, CONFIG_MAX_BYTES >> 20);
		buf_add(&text, data, len);
	}
	if (rc != ARCHIVE_EOF)
		return damaged(name, a, err);
	if (!text.len || memchr(text.data, '\0', text.len) ||
	    (!str_starts(text.data, "CONFIG_") && !strstr(text.data, "\nCONFIG_")))
		return err_set(err, ERR_USAGE,
			       "%s is no kernel config: it sets no CONFIG_ option; name another "
			       "with --kconfig",
			       name);
	*ret = buf_take(&text);
	return 0;
}

/* Debian's images have boot/config-RELEASE, others keep it beside the modules. */
static bool is_config(const char *path)
{
	const char *last = strrchr(path, '/');

	while (str_starts(path, "./") || *path == '/')
		path += *path == '/' ? 1 : 2;
	return str_starts(path, "boot/config-") ||
	       ((str_starts(path, "lib/modules/") || str_starts(path, "usr/lib/modules/")) &&
		last && strcmp(last, "/config") == 0);
}

static int read_data_tar(struct archive *outer, const char *name, char **ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = foreign_archive_new();
	struct archive_entry *e;
	int rc;

	archive_read_support_format_tar(a);
	if (archive_read_open(a, outer, NULL, deb_read_member, NULL) != ARCHIVE_OK)
		return damaged(name, a, err);
	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *path = archive_entry_pathname(e);

		if (stop_check(err) < 0)
			return -1;
		if (path && archive_entry_filetype(e) == AE_IFREG && is_config(path))
			return read_text(a, name, ret, err);
	}
	if (rc != ARCHIVE_EOF)
		return damaged(name, a, err);
	return err_set(err, ERR_USAGE,
		       "package %s holds no /boot/config-*; name a linux-image package (of Ubuntu: "
		       "linux-modules) with --kconfig",
		       name);
}

static int read_opened(struct archive *a, const char *name, char **ret, struct err *err)
{
	struct archive_entry *e;
	int rc;

	while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		const char *member = archive_entry_pathname(e);

		if (archive_format(a) == ARCHIVE_FORMAT_RAW)
			return read_text(a, name, ret, err);
		if (member && str_starts(member, "data.tar"))
			return read_data_tar(a, name, ret, err);
	}
	if (rc != ARCHIVE_EOF)
		return damaged(name, a, err);
	return err_set(err, ERR_USAGE,
		       "%s is no kernel config and no Debian package with one; name another with "
		       "--kconfig",
		       name);
}

static struct archive *new_outer(void)
{
	struct archive *a = foreign_archive_new();

	archive_read_support_format_ar(a);
	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	return a;
}

int config_file_read(const char *path, char **ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = new_outer();

	if (fs_is_dir(path) || fs_is_special(path))
		return err_set(err, ERR_USAGE, "%s is no file; name a kernel config with --kconfig",
			       path);
	if (archive_read_open_filename(a, path, READ_BYTES) != ARCHIVE_OK)
		return damaged(path, a, err);
	return read_opened(a, path, ret, err);
}

int config_file_parse(const void *data, size_t len, const char *name, char **ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = new_outer();

	if (archive_read_open_memory(a, data, len) != ARCHIVE_OK)
		return damaged(name, a, err);
	return read_opened(a, name, ret, err);
}
