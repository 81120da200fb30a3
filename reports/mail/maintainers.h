/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a kernel tree's MAINTAINERS names for some files. reports/mail/ only; pure. */
#ifndef REPORTS_MAIL_MAINTAINERS_H
#define REPORTS_MAIL_MAINTAINERS_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/mail/address.h"

#define MAINTAINERS_MAX_BYTES	    (2 << 20) /* three times what the kernel's has */
#define MAINTAINERS_MAX_FILES	    16	      /* of a commit; the first, in the order of the tree */
#define MAINTAINERS_MAX_EXPRESSIONS 1024      /* the kernel's has some 140 */
#define MAINTAINERS_MAX_CHANGES	    (256u << 10)

struct maintainers {
	struct addresses people;    /* M: */
	struct addresses reviewers; /* R: */
	struct addresses lists;	    /* L:, but for those that only subscribers may write to */
};
void maintainers_deinit(struct maintainers *m);

/**
 * maintainers_find() - those of the most specific sections that have a maintainer
 * @text:  the file, NUL-terminated, any bytes; beyond MAINTAINERS_MAX_BYTES it is not read
 * @files: [n] from the tree's root
 * @changes: lines that the commit adds and takes away, without their sign; or NULL
 * @ret:   added to; nothing if no section matches
 *
 * For each file, sections are ranked by their deepest F: pattern that matches, as get_maintainer.pl does; one of
 * whose X: patterns matches does not count. Taken are the deepest that have an M:, and deeper ones without. What
 * begins with '*' ("THE REST") is taken only if no file has anything else.
 * An N: (expression that a file's name matches) ranks below every directory. Whoever has one that does not lead, or
 * a K: that a changed line matches, is a reviewer and no more: his section is beside what was changed.
 *
 * Source: MAINTAINERS, "Descriptions of section entries"; scripts/get_maintainer.pl: file_match_pattern().
 */
void maintainers_find(const char *text, const char *const *files, size_t n, const char *changes,
		      struct maintainers *ret);

/**
 * maintainers_match() - how deep an F: or X: pattern reaches that matches a file
 * @pattern: [len]
 * Return: directories of the pattern, -1 for one that begins with '*'; MAINTAINERS_NO_MATCH.
 */
int maintainers_match(const char *pattern, size_t len, const char *file);
#define MAINTAINERS_NO_MATCH (-2)

#endif
