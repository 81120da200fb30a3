/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text: small files of the kernel, and bytes of children made fit for a line. */
#ifndef AGENT_TEXT_H
#define AGENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * text_read() - a small file without the line break at its end
 * @ret: [size], cut; empty on failure
 * Return: true if it could be read.
 */
bool text_read(const char *path, char *ret, size_t size);

/** text_write() - write to a file of the kernel; false if it is not there or refuses */
bool text_write(const char *path, const char *text);

/** text_printable() - copy, cut to @size; bytes outside printable ASCII become '?', tabs a blank */
void text_printable(char *ret, size_t size, const char *text, size_t len);

/** text_log() - one line on stderr: the console of a small guest, the journal of a large one */
__attribute__((format(printf, 1, 2))) void text_log(const char *fmt, ...);

#endif
