/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First step of the flow: a revision range becomes candidates.
 *
 * A candidate is a commit of good..bad that is not TREESAME to a parent in the limited paths. The
 * history between candidates is simplified as git does by default: a merge that is TREESAME to one
 * parent follows only that parent; other merges stay as topology. Parents are rewritten to the
 * nearest candidate, so the graph holds candidates and nothing else.
 */
#ifndef RANGE_RANGE_H
#define RANGE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

struct range_spec {
	const char *repo;	 /* work tree, .git or bare directory */
	const char *const *good; /* revisions, [n_good], n_good >= 1 */
	size_t n_good;
	const char *bad;	  /* revision */
	const char *const *paths; /* relative to the repository's root, [n_paths]; 0: all */
	size_t n_paths;
	bool first_parent;
	bool may_be_empty;     /* that no commit touches the paths is an answer: n is 0 */
	const char *cache_dir; /* results are kept below it and taken from it; NULL: neither */
	const char *old_word;  /* how errors call the ends; NULL: "good" and "bad" */
	const char *new_word;
	unsigned int threads; /* that read; 0: as many as there are cores, 4 at most */
	void (*on_walk)(size_t commits, void *arg); /* commits read so far, now and then, from the
						     * calling thread; or NULL */
	void *on_walk_arg;
};

struct range_commit {
	char id[COMMIT_ID_SIZE];
	char *subject;	    /* first line of the message, UTF-8 made valid, owned by the range */
	int64_t date_s;	    /* committer date, seconds since 1970 */
	uint32_t parents;   /* index of its first parent in range->parents */
	uint32_t n_parents; /* 0: all its parents are excluded by a good (or it is a root) */
	bool merge;	    /* has more than one parent in the repository */
};

struct kept;

struct range {
	struct range_commit *commits; /* [n], topological: every parent before its children */
	size_t n;
	uint32_t *parents; /* candidate indices, sliced by range_commit */
	size_t n_parent_edges;
	char bad_id[COMMIT_ID_SIZE];	  /* bad end as named */
	uint32_t bad_node;		  /* candidate that the bad end's content comes from */
	char (*good_ids)[COMMIT_ID_SIZE]; /* [n_good] */
	size_t n_good;
	size_t n_walked;		  /* commits of good..bad before the limit to paths */
	char (*base_ids)[COMMIT_ID_SIZE]; /* [n_bases] merge bases of bad with the goods that are no
					   * ancestors of it; none of them is an ancestor of another,
					   * or of a good that is an ancestor of bad */
	size_t n_bases;
	uint32_t *weights; /* [n] from the cache, as range_keep_weights() got them; or NULL */
	bool cached;	   /* nothing was walked */
	char *text;	   /* subjects lie in it; NULL: each is an allocation of its own */
	struct kept *kept; /* where the cache has it; NULL: nowhere */
};

/**
 * range_open() - walk good..bad limited to paths
 * @spec: the question; not kept
 * @ret:  owned by the caller, range_destroy()
 * @err:  ERR_USAGE, each with what to do: no repository; a revision that is no commit; ends equal,
 *        swapped or unrelated; a shallow repository; SHA-256; a loop in grafts; no commit touches the
 *        paths. ERR_HOST: a missing or corrupt object, named.
 *
 * A good on another branch is allowed: good..bad is then what lies above the merge bases, which are
 * to be tested first. If one is bad, the good was mended on its own side.
 *
 * Return: 0, or -1 with @err filled.
 * Source: git-rev-list(1), "History Simplification", default mode.
 */
int range_open(const struct range_spec *spec, struct range **ret, struct err *err);
void range_destroy(struct range *r);
DEFINE_CLEANUP(struct range *, range_destroy)

/**
 * range_keep_weights() - store the candidates' numbers of ancestors beside the cached range
 * @weights: [r->n]; does nothing if @spec names no cache, and a full disk costs only the speed
 */
void range_keep_weights(const struct range_spec *spec, const struct range *r,
			const uint32_t *weights);

/** range_find() - index of a candidate by full id, or -1 */
long range_find(const struct range *r, const char *id);

/**
 * range_places() - the candidates that some commits have their content in the paths from
 * @spec:  as for @range, with its ends
 * @ids:   [n] full ids of commits, of the range or beside it
 * @ret:   [n] index of a candidate, which may be the commit itself; -1: it says nothing of any
 * @err:   as range_open() says
 *
 * All are found in one walk.
 */
int range_places(const struct range_spec *spec, const struct range *range, const char *const *ids,
		 size_t n, long *ret, struct err *err);

/**
 * range_resolve_all() - revisions as full commit ids
 * @revs: [n]
 * @ret:  [n]
 * @at:   set on failure: the one that names no commit
 */
int range_resolve_all(const char *repo, const char *const *revs, size_t n,
		      char (*ret)[COMMIT_ID_SIZE], size_t *at, struct err *err);

/** range_resolve() - a revision as a full commit id; ERR_USAGE if it names no commit */
int range_resolve(const char *repo, const char *rev, char ret[COMMIT_ID_SIZE], struct err *err);

/** range_subject() - first line of a commit's message, owned by the caller */
int range_subject(const char *repo, const char *id, char **ret, struct err *err);

/** range_real_parents() - full ids of all parents of a commit, as the walk sees them */
int range_real_parents(const char *repo, const char *id, struct strv *ret, struct err *err);

/** range_is_ancestor() - 1: @id is @of or below it, as the walk sees it; 0: not; -1 with @err */
int range_is_ancestor(const char *repo, const char *id, const char *of, struct err *err);

/**
 * range_content_key() - names what a commit holds in the limited paths
 * @ret: SHA-256 in hex over (path, object id) of each path; equal keys mean equal content
 */
int range_content_key(const char *repo, const char *id, const char *const *paths, size_t n_paths,
		      char ret[65], struct err *err);

/**
 * range_file() - one file of a commit
 * @path: from the repository's root
 * @ret:  NUL-terminated, owned by the caller; NULL if the commit has no such file
 * @err:  ERR_HOST: an object that is missing or larger than 16 MiB
 */
int range_file(const char *repo, const char *id, const char *path, char **ret, struct err *err);

/** range_refs() - full commit ids of refs that match a glob ("refs/bisect/good-*"); may be empty */
int range_refs(const char *repo, const char *glob, struct strv *ret, struct err *err);

/** range_discover() - path of the repository at or above @start, owned by the caller */
int range_discover(const char *start, char **ret, struct err *err);

/** range_is_dirty() - 1: the work tree has uncommitted changes in the paths; 0: not, or bare */
int range_is_dirty(const char *repo, const char *const *paths, size_t n_paths, struct err *err);

#endif
