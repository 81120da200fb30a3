/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that others wrote, made fit to print. Inner to wire/. */
#ifndef WIRE_TEXT_H
#define WIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * utf8_take() - one character
 * @s:   [len] bytes, len > 0
 * @ret: code point, written on success
 *
 * Return: its bytes (1..4), or 0 if @s does not begin with well-formed UTF-8.
 * Source: RFC 3629: no overlong forms, no surrogates, at most U+10FFFF.
 */
size_t utf8_take(const char *s, size_t len, uint32_t *ret);

/**
 * text_clean() - keep what may go to a terminal or a log, in place
 *
 * Every byte of ill-formed UTF-8 and every character that moves a cursor, hides text or turns its
 * direction (C0, DEL, C1, zero-width, bidirectional and line controls) becomes '?', a tab or line
 * break a blank. Never longer than before.
 */
void text_clean(char *s);

/** text_valid_utf8() - @s with ill-formed bytes replaced by U+FFFD; owned by the caller */
char *text_valid_utf8(const char *s);

#endif
