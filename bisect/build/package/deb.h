/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debian packages, as libarchive reads them: deb(5), an ar archive with data.tar.* in it. Inner to the room. */
#ifndef BUILD_DEB_H
#define BUILD_DEB_H

#include <archive.h>

/** deb_read_member() - for archive_read_open(): what an inner archive is read from, the outer one's present entry */
la_ssize_t deb_read_member(struct archive *inner, void *outer, const void **ret);

#endif
