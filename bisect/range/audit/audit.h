/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an audit has to know of commits: which others a message speaks of, and which lines of which
 * functions a change adds and takes away. It is read once per commit and kept.
 */
#ifndef RANGE_AUDIT_AUDIT_H
#define RANGE_AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "range/range.h"

/* How a message speaks of another commit, the surest first. */
enum audit_word {
	AUDIT_REVERTS, /* "This reverts commit ID", 'Revert "SUBJECT"' */
	AUDIT_FIXES,   /* "Fixes: ID ("SUBJECT")" */
	AUDIT_BLAMES,  /* in prose, with words that say it is at fault */
	AUDIT_NAMES,   /* in prose */
	AUDIT_WORDS
};

/* One commit that a message speaks of: by id, by subject, or both. */
struct audit_mention {
	enum audit_word word;
	char id[COMMIT_ID_SIZE]; /* 7 to 40 lower-case hex digits; "": none */
	char *subject;		 /* as quoted; NULL: none */
};

/* What a message says. */
struct audit_words {
	struct audit_mention *mentions; /* [n_mentions] */
	size_t n_mentions;
	char (*origins)[COMMIT_ID_SIZE]; /* [n_origins] ids of the same change in other trees */
	size_t n_origins;
	bool cc_stable; /* "Cc: stable@vger.kernel.org" */
};

/* Hashes of lines, ascending, each once; only lines that say something (see outline.h). */
struct audit_lines {
	uint64_t *items; /* [n] */
	size_t n, cap;
};

/* One function that a commit changes. */
struct audit_touch {
	char *path;
	char *function;
	struct audit_lines added;
	struct audit_lines removed;
	struct audit_lines near; /* up to three lines round each change, as they stay */
};

struct audit_commit {
	char id[COMMIT_ID_SIZE];
	char *subject;	    /* UTF-8 made valid, no control characters */
	int64_t authored_s; /* author's date, seconds since 1970: a pick keeps it */
	bool merge;
	struct audit_words words;
	bool has_lines;	  /* the rest is known */
	bool wide;	  /* changes so much that nothing follows from it; no touches then */
	uint32_t n_files; /* .c and .h files changed */
	struct audit_touch *touches; /* [n_touches] */
	size_t n_touches;
};

/**
 * audit_history() - all commits below a revision that touch the paths
 * @spec: @good and @n_good are not looked at
 * @ret:  as range_open() gives it, with no old ends
 * @err:  as range_open() says
 */
int audit_history(const struct range_spec *spec, struct range **ret, struct err *err);

/* What is known of the commits of one repository, in some paths. */
struct audit_index;

/**
 * audit_index_open() - take up what is kept
 * @paths:     [n_paths]; 0: all
 * @cache_dir: below it the index is kept; NULL: nowhere. One that is damaged is made anew.
 * @ret:       owned by the caller
 * @err:       ERR_USAGE: no repository; ERR_HOST
 */
int audit_index_open(const char *repo, const char *const *paths, size_t n_paths,
		     const char *cache_dir, struct audit_index **ret, struct err *err);
void audit_index_destroy(struct audit_index *x);
DEFINE_CLEANUP(struct audit_index *, audit_index_destroy)

/** audit_index_save() - keep what was learnt; a disk that is full costs only the time of the next one */
void audit_index_save(struct audit_index *x);

/** audit_index_learnt() - commits that were read rather than taken from what is kept */
size_t audit_index_learnt(const struct audit_index *x);

/**
 * audit_index_get() - a commit as its message has it
 * @id:  full id
 * @ret: owned by the index; stays where it is
 * @err: ERR_HOST: missing or damaged
 */
int audit_index_get(struct audit_index *x, const char *id, struct audit_commit **ret,
		    struct err *err);

/**
 * audit_index_lines() - fill in the lines of a commit that this index gave
 *
 * Against its first parent; a merge changes nothing here. A change of more than 64 .c and .h files, or of
 * more than 4000 lines in functions, is wide. A file that comes or goes whole counts as added, and not as
 * removed.
 */
int audit_index_lines(struct audit_index *x, struct audit_commit *c, struct err *err);

/* The files of one commit, by function. */
struct audit_tree;

/** audit_tree_open() - @id: full id; owned by the caller */
int audit_tree_open(const char *repo, const char *id, struct audit_tree **ret, struct err *err);
void audit_tree_destroy(struct audit_tree *t);
DEFINE_CLEANUP(struct audit_tree *, audit_tree_destroy)

/**
 * audit_tree_function() - the lines of a function in the tree
 * @ret: owned by @t; NULL: no such file or no such function in it
 */
int audit_tree_function(struct audit_tree *t, const char *path, const char *function,
			const struct audit_lines **ret, struct err *err);

#endif
