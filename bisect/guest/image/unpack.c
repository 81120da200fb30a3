// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels and modules come compressed; libarchive's filters know every form they come in. No others are asked: for
 * some libarchive would run programs on a file that anyone may have made. (lzop may be one; kernels are made with it.)
 */
#include "guest/image/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include "base/cleanup.h"

#define UNPACK_CHUNK (256 * 1024)

DEFINE_CLEANUP(struct archive *, archive_read_free)

static struct archive *unpack_reader(void)
{
	struct archive *a = archive_read_new();

	if (a) {
		archive_read_support_filter_gzip(a);
		archive_read_support_filter_bzip2(a);
		archive_read_support_filter_xz(a);
		archive_read_support_filter_lzma(a);
		archive_read_support_filter_zstd(a);
		archive_read_support_filter_lz4(a);
		archive_read_support_filter_lzop(a);
		archive_read_support_format_raw(a);
		archive_read_support_format_empty(a);
	}
	return a;
}

static int unpack_all(struct archive *a, size_t exact, size_t max, const char *name,
		      struct buf *ret, struct err *err)
{
	_cleanup_free_ char *chunk = xmalloc(UNPACK_CHUNK);
	struct archive_entry *entry;
	size_t got = 0;

	if (archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return err_set(err, ERR_USAGE, "cannot unpack %s: %s", name,
			       archive_error_string(a) ? archive_error_string(a) : "it is empty");
	while (!exact || got < exact) {
		size_t want = exact && exact - got < UNPACK_CHUNK ? exact - got : UNPACK_CHUNK;
		la_ssize_t n = archive_read_data(a, chunk, want);

		if (n < 0)
			return err_set(err, ERR_USAGE, "cannot unpack %s: %s", name,
				       archive_error_string(a));
		if (n == 0)
			break;
		got += (size_t)n;
		if (got > max)
			return err_set(err, ERR_USAGE, "%s unpacks to more than %zu MiB", name,
				       max >> 20);
		buf_add(ret, chunk, (size_t)n);
	}
	if (exact && got < exact)
		return err_set(err, ERR_USAGE, "%s is cut short; install its package again", name);
	return 0;
}

int unpack_memory(const void *data, size_t len, size_t exact, size_t max, const char *name,
		  struct buf *ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = unpack_reader();

	if (!a || archive_read_open_memory(a, data, len) != ARCHIVE_OK)
		return err_set(err, ERR_USAGE, "cannot unpack %s: %s", name,
			       a ? archive_error_string(a) : "out of memory");
	return unpack_all(a, exact, max, name, ret, err);
}

int unpack_file(const char *path, size_t max, struct buf *ret, struct err *err)
{
	_cleanup_(archive_read_free_p) struct archive *a = unpack_reader();

	if (!a || archive_read_open_filename(a, path, UNPACK_CHUNK) != ARCHIVE_OK)
		return err_set(err, ERR_USAGE, "cannot read %s: %s", path,
			       a ? archive_error_string(a) : "out of memory");
	return unpack_all(a, 0, max, path, ret, err);
}
