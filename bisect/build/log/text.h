/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of a build's output, made the same whatever machine, directory and terminal they come from.
 * Inner to the reading of build logs.
 */
#ifndef BUILD_LOG_TEXT_H
#define BUILD_LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Last part of a path that need not end in a NUL. */
const char *buildtext_base(const char *path, size_t len);

/**
 * buildtext_plain() - a line without colours, links and other control characters, and with ' for
 * each quote that a locale would choose; tabs stay
 * @ret: [size], cut at its end
 */
void buildtext_plain(const char *line, char *ret, size_t size);

/**
 * buildtext_shorten() - what of a message does not depend on where and beside what it arose
 *
 * A path becomes its last part, wherever it stands; offsets into functions go, and what a compiler
 * counts ("__compiletime_assert_17"), and hints: "(first use in this function)" and "did you mean"
 * depend on what else is there.
 *
 * @ret: [size], size > 0
 */
void buildtext_shorten(const char *msg, char *ret, size_t size);

/**
 * buildtext_position() - parse "path:12[:34]: "
 * @path_len: written if it is one
 * @column:   whether it names a column, as compilers do, who then quote the line
 *
 * Return: where the rest begins, or NULL.
 */
const char *buildtext_position(const char *line, size_t *path_len, bool *column);

/**
 * buildtext_function() - "f" of "a.c: In function 'f':", which compilers and the linker say in front
 * of a message, and of "    inlined from 'f' at a.c:12:3"
 * @ret: [size]; empty for "a.c: At top level:"
 *
 * Return: true if the line is one of these.
 */
bool buildtext_function(const char *line, char *ret, size_t size);

#endif
