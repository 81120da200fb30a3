/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives that anyone may have made: sources, kernel configs, packages. libarchive(3), archive_read_filter(3). */
#ifndef BUILD_ARCHIVE_READER_H
#define BUILD_ARCHIVE_READER_H

struct archive;

/**
 * foreign_archive_new() - a libarchive reader for the compressions that it has within itself
 *
 * For others (lrzip, grzip) it would run a program on a file that bears their magic. The caller adds the formats.
 *
 * Return: owned, to be ended with archive_read_free(); NULL: out of memory.
 */
struct archive *foreign_archive_new(void);

#endif
