/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: which files differ between two trees.
 *
 * Trees are compared raw, and equal directories are never opened, so that a commit costs what it changes.
 * What was read stays for a while: a commit's tree is the next one's parent's.
 */
#ifndef RANGE_CHANGE_TREEDIFF_H
#define RANGE_CHANGE_TREEDIFF_H

#include <stdint.h>

#include "range/gitlib.h"
#include "range/objects/objects.h"

struct treediff;

/** treediff_create() - @reader reads the trees, and @repo names itself in errors; both must outlive it */
struct treediff *treediff_create(git_repository *repo, struct reader *reader);
void treediff_destroy(struct treediff *t);
DEFINE_CLEANUP(struct treediff *, treediff_destroy)

/* A file on one side; a mode of 0 says that it is not there. */
struct tree_side {
	uint32_t mode;
	git_oid id;
};

struct tree_change {
	const char *path; /* valid during the call */
	struct tree_side from, to;
};

struct treediff_ask {
	/* whether a directory that differs is opened; NULL: all are */
	bool (*enters)(void *arg, const char *dir);
	/* a file (link, submodule) that differs: 0 goes on, 1 ends it, -1 with @err filled */
	int (*changed)(void *arg, const struct tree_change *c, struct err *err);
	void *arg;
};

/**
 * treediff_run() - ask about each file that differs, in the order of the trees
 * @from, @to: ids of root trees; NULL: a tree that holds nothing
 * Return: 0 all seen, 1 ended by the caller, -1 with @err filled.
 */
int treediff_run(struct treediff *t, const git_oid *from, const git_oid *to,
		 const struct treediff_ask *ask, struct err *err);

#endif
