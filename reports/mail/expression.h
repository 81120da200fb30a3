/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expressions of MAINTAINERS, as Perl reads them with its modifier x. reports/mail/ only; pure. */
#ifndef REPORTS_MAIL_EXPRESSION_H
#define REPORTS_MAIL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#define EXPRESSION_MAX_BYTES 512 /* the kernel's longest has 180 */

/**
 * expression_create() - compile one
 * @text: [len], any bytes
 *
 * Return: owned, expression_destroy(); NULL: it is none, or larger than any of a kernel's.
 */
struct expression *expression_create(const char *text, size_t len);
void expression_destroy(struct expression *e);

/**
 * expression_matches() - does it match anywhere in a line?
 *
 * One that would take too long matches nothing from then on: a tree's file is no reason to wait.
 */
bool expression_matches(struct expression *e, const char *line, size_t len);

/** expression_matches_any() - in any line of a text */
bool expression_matches_any(struct expression *e, const char *text);

#endif
