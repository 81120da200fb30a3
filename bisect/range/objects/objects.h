/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: commits and trees, read as fast as the walk needs them.
 *
 * Packs, those of alternates too, and the commit-graph are mapped and read here, without a lock and
 * without an object for each answer; so are loose objects, and packs that come while one reads. What is
 * damaged in one place may be whole in another. Only packs whose index is of version 1 come from
 * libgit2. What git lays over the history counts: refs/replace/, info/grafts and shallow ends; with any
 * of them the commit-graph is left alone, as git leaves it.
 *
 * As in git, contents are held against zlib's checksum, not against their names, and a commit-graph that
 * is well formed is believed.
 *
 * Source: git's gitformat-pack(5), gitformat-commit-graph(5), git-replace(1), gitrepository-layout(5).
 */
#ifndef RANGE_OBJECTS_OBJECTS_H
#define RANGE_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "range/gitlib.h"

/* What all threads share: the mapped files, and what is laid over the history. */
struct objects;

/**
 * objects_open() - map what the repository has
 * @repo: must outlive the result
 * @ret:  the same for all threads; it is never written to again. A repack leaves it as it is.
 * @err:  ERR_HOST for grafts or replacements that cannot be read; a damaged pack is passed over
 */
int objects_open(git_repository *repo, struct objects **ret, struct err *err);
void objects_destroy(struct objects *o);
DEFINE_CLEANUP(struct objects *, objects_destroy)

/** objects_overlaid() - true if grafts or replacements change the history */
bool objects_overlaid(const struct objects *o);

/*
 * One per thread: it holds delta bases (12 MiB) and the buffers that answers lie in. It is fast where
 * neighbours in history are asked for one after another.
 */
struct reader;
int reader_create(struct objects *o, struct reader **ret, struct err *err);
void reader_destroy(struct reader *r);
DEFINE_CLEANUP(struct reader *, reader_destroy)

struct commit_head {
	git_oid tree;
	int64_t date_s;		/* committer date, seconds since 1970 */
	uint32_t generation;	/* topological level from the commit-graph; 0: not known */
	const git_oid *parents; /* [n_parents], valid until the reader's next call */
	size_t n_parents;
	const unsigned char *text; /* [len] raw content, if it had to be read; as long valid */
	size_t len;
};

/**
 * reader_commit() - what the walk needs of a commit, grafts and replacements applied
 * @err: ERR_HOST: missing, damaged or no commit, named as gitlib_object_fail() does
 */
int reader_commit(struct reader *r, const git_oid *id, struct commit_head *ret, struct err *err);

/**
 * reader_object() - the raw content of an object
 * @type: GIT_OBJECT_COMMIT or GIT_OBJECT_TREE, what it must be
 * @data: [len], owned by the reader, valid until its next call
 * @err:  as above
 */
int reader_object(struct reader *r, const git_oid *id, git_object_t type,
		  const unsigned char **data, size_t *len, struct err *err);

/** reader_has() - whether an object is there, by its name alone; replacements do not count */
bool reader_has(struct reader *r, const git_oid *id);

#endif
