// SPDX-License-Identifier: GPL-2.0-or-later
/* A reader for foreign archives: see reader.h. */
#include "build/archive/reader.h"

#include <archive.h>

struct archive *foreign_archive_new(void)
{
	struct archive *a = archive_read_new();

	if (!a)
		return NULL;
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_lzma(a);
	archive_read_support_filter_zstd(a);
	return a;
}
