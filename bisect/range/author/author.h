/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing history: blobs, trees, commits, a branch and its work tree. The demo uses it; the loop
 * itself never writes to a repository.
 *
 * Objects are named by 40 hex digits. An author is used by one thread at a time; several may work on
 * one repository.
 */
#ifndef RANGE_AUTHOR_H
#define RANGE_AUTHOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

struct author;

/* A file of a tree. */
struct author_file {
	const char *path; /* relative to the repository's root */
	uint32_t mode;	  /* 0100644, 0100755 or 0120000 (a link, whose target is the content) */
	char id[COMMIT_ID_SIZE]; /* blob */
};

/* One commit; author and committer are the same. */
struct author_commit {
	const char *tree;
	const char *const *parents; /* [n_parents] */
	size_t n_parents;
	const char *name;
	const char *email;
	int64_t date_s; /* seconds since 1970, UTC */
	const char *message;
};

/**
 * author_create() - make an empty repository with a work tree
 * @path: directory, made if need be; objects go to @path/.git/objects
 * @err:  ERR_HOST with the path
 */
int author_create(const char *path, struct author **ret, struct err *err);

/** author_open() - an existing repository; ERR_HOST if it cannot be read */
int author_open(const char *path, struct author **ret, struct err *err);
void author_destroy(struct author *a);
DEFINE_CLEANUP(struct author *, author_destroy)

/** author_blob() - store a content; one that is there already costs only its hash */
int author_blob(struct author *a, const void *data, size_t len, char ret[COMMIT_ID_SIZE],
		struct err *err);

/** author_read() - a blob's content, NUL-terminated, owned by the caller */
int author_read(struct author *a, const char *id, char **ret, size_t *ret_len, struct err *err);

/** author_tree() - store a tree of exactly these files, [n] */
int author_tree(struct author *a, const struct author_file *files, size_t n,
		char ret[COMMIT_ID_SIZE], struct err *err);

/** author_tree_update() - store a tree that is @tree but for these files, [n], added or replaced */
int author_tree_update(struct author *a, const char *tree, const struct author_file *files,
		       size_t n, char ret[COMMIT_ID_SIZE], struct err *err);

/** author_commit() - store a commit; the same parts always give the same id */
int author_commit(struct author *a, const struct author_commit *commit, char ret[COMMIT_ID_SIZE],
		  struct err *err);

/** author_point() - point @branch and HEAD to a commit, and write no file */
int author_point(struct author *a, const char *branch, const char *commit, struct err *err);

/** author_finish() - point @branch and HEAD to a commit, and write its files and the index */
int author_finish(struct author *a, const char *branch, const char *commit, struct err *err);

#endif
