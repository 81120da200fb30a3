/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of recorded runs have in common: a directory for each, with the verdict in its `expect`. */
#ifndef GOLDEN_CASES_H
#define GOLDEN_CASES_H

/**
 * cases_hold() - fail unless every case of a directory comes to what it expects
 * @dir:    of directories, 30 at least
 * @except: one in it that is no case, or NULL
 * @judge:  what a case comes to, in lines; owned by the caller
 *
 * An `expect` begins with a line of remark, which says what is shown.
 */
void cases_hold(const char *dir, const char *except, char *(*judge)(const char *name));

#endif
