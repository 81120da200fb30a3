/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: libgit2, opened and made to speak in our errors. */
#ifndef RANGE_GITLIB_H
#define RANGE_GITLIB_H

#include <git2.h>
#if __has_include(<git2/sys/errors.h>) /* since 1.8 what sets and clears an error is declared there */
#include <git2/sys/errors.h>
#endif

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

DEFINE_CLEANUP(git_repository *, git_repository_free)
DEFINE_CLEANUP(git_object *, git_object_free)
DEFINE_CLEANUP(git_commit *, git_commit_free)
DEFINE_CLEANUP(git_tree *, git_tree_free)
DEFINE_CLEANUP(git_blob *, git_blob_free)
DEFINE_CLEANUP(git_diff *, git_diff_free)
DEFINE_CLEANUP(git_odb *, git_odb_free)
DEFINE_CLEANUP(git_odb_object *, git_odb_object_free)
DEFINE_CLEANUP(git_config *, git_config_free)
DEFINE_CLEANUP(git_revwalk *, git_revwalk_free)
DEFINE_CLEANUP(git_reference *, git_reference_free)
DEFINE_CLEANUP(git_reference_iterator *, git_reference_iterator_free)
DEFINE_CLEANUP(git_config_iterator *, git_config_iterator_free)
DEFINE_CLEANUP(git_status_list *, git_status_list_free)

#define GIT_ID_LEN 20 /* SHA-1, raw [bytes] */

/** gitlib_init() - start libgit2 once; every entry into the room that opens no repository calls it */
void gitlib_init(void);

/**
 * gitlib_open() - open a repository, or say what keeps us from it
 * @path: work tree, .git or bare directory; nothing above it is looked at
 * @err:  ERR_USAGE: none there, SHA-256, somebody else's, a format libgit2 does not know
 */
int gitlib_open(const char *path, git_repository **ret, struct err *err);

/** gitlib_place() - the repository as people name it: its work tree, or the bare directory */
const char *gitlib_place(git_repository *repo);

/** gitlib_words() - libgit2's own words for the last failure; never NULL */
const char *gitlib_words(void);

/** gitlib_object_fail() - ERR_HOST for a missing or damaged object, named; always -1 */
int gitlib_object_fail(git_repository *repo, const char *kind, const git_oid *id, int code,
		       struct err *err);

/** gitlib_object_bad() - the same for an object that could be read and is not what it must be */
int gitlib_object_bad(git_repository *repo, const char *kind, const git_oid *id, const char *why,
		      struct err *err);

/** gitlib_commit() - a commit by its id, with the error above */
int gitlib_commit(git_repository *repo, const git_oid *id, git_commit **ret, struct err *err);

/** gitlib_commit_hex() - the same by full hex id; ERR_USAGE if it is none */
int gitlib_commit_hex(git_repository *repo, const char *id, git_commit **ret, struct err *err);

/** gitlib_resolve() - what a revision names, peeled to a commit; ERR_USAGE if it names none */
int gitlib_resolve(git_repository *repo, const char *rev, git_commit **ret, struct err *err);

/** gitlib_is_on() - a boolean of git's configuration that is on unless somebody turned it off */
bool gitlib_is_on(git_repository *repo, const char *key);

/** gitlib_replaces() - whether refs/replace/ counts: git looks away from it where it is told to */
bool gitlib_replaces(git_repository *repo);

/** gitlib_hex() - an id as text */
void gitlib_hex(const git_oid *id, char ret[COMMIT_ID_SIZE]);

/**
 * gitlib_paths() - limited paths in one form: no ./, no doubled or final slash, sorted, each once,
 * none inside another; "" stands for the whole tree
 * @err: ERR_USAGE for a path that leaves the repository or is absolute
 */
int gitlib_paths(const char *const *paths, size_t n, struct strv *ret, struct err *err);

/** subject_of() - first line of a commit's message as valid UTF-8 without control characters */
char *subject_of(const git_commit *commit);

/**
 * subject_find() - the first line of the message in a commit's raw content
 * @text: [len]
 * @n:    length of the line [bytes]
 * Return: where it begins; its encoding is whatever it is.
 */
const unsigned char *subject_find(const unsigned char *text, size_t len, size_t *n);

/** subject_clean() - the same form as subject_of() out of [n] raw bytes */
char *subject_clean(const unsigned char *s, size_t n);

#endif
