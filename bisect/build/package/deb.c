// SPDX-License-Identifier: GPL-2.0-or-later
/* Debian packages: see deb.h. */
#include "build/package/deb.h"

la_ssize_t deb_read_member(struct archive *inner, void *outer, const void **ret)
{
	la_int64_t offset;
	size_t len = 0;
	int rc;

	do
		rc = archive_read_data_block(outer, ret, &len, &offset);
	while (rc == ARCHIVE_OK && !len);
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK)
		return (la_ssize_t)len;
	archive_set_error(inner, archive_errno(outer), "%s",
			  archive_error_string(outer) ? archive_error_string(outer) : "damaged");
	return -1;
}
