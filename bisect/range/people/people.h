/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who made a commit, and who uses this machine: for words that are sent to people. */
#ifndef RANGE_PEOPLE_PEOPLE_H
#define RANGE_PEOPLE_PEOPLE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Text as the commit has it: it may hold anything but NUL, and need not be UTF-8. */
struct people_commit {
	char *author_name, *author_email; /* owned, never NULL */
	char *message;
};
void people_commit_deinit(struct people_commit *c);

/**
 * people_commit() - a commit's author and whole message
 * @id:  full id
 * @ret: owned by the caller, people_commit_deinit()
 * @err: ERR_USAGE: no repository, or no full id; ERR_HOST: no such commit
 */
int people_commit(const char *repo, const char *id, struct people_commit *ret, struct err *err);

/**
 * people_files() - files that differ from the first parent, in the order of the trees
 * @max: no more than these
 * @ret: added to
 * @err: as above, or ERR_HOST for a damaged tree
 */
int people_files(const char *repo, const char *id, size_t max, struct strv *ret, struct err *err);

/**
 * people_changes() - the lines that a commit adds to and takes from files, against its first parent
 * @files: no others; of all of them if it is empty
 * @max:   about so many bytes, and no line after them
 * @ret:   added to, each line with its end and without a sign; of a binary file nothing
 * @err:   as above
 */
int people_changes(const char *repo, const char *id, const struct strv *files, size_t max,
		   struct buf *ret, struct err *err);

/**
 * people_user() - user.name and user.email as git would take them: of the repository, the user, the system
 * @repo:  NULL, or one that is not there: of the user and the system
 * @name:  owned by the caller; NULL: not set. @email likewise.
 */
void people_user(const char *repo, char **name, char **email);

#endif
