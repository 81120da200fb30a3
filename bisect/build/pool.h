/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trees of a builder: one for each compiler that a candidate of the range wants, opened when the first
 * of them comes. Inner to builder.c.
 */
#ifndef BUILD_POOL_H
#define BUILD_POOL_H

#include "base/cleanup.h"
#include "base/err.h"
#include "build/build.h"
#include "build/cc/ccache.h"
#include "build/make/maker.h"
#include "build/tree.h"

struct pool_tree {
	char *cc;	  /* as it was named */
	char *cc_version; /* first line of its --version */
	char *counts;	  /* where the maker keeps how many objects there are */
	struct tree tree;
	struct maker maker;
};

struct pool;

/**
 * pool_create() - read the rules
 * @spec: must outlive the pool, with all defaults filled in
 * @err:  ERR_USAGE: a rule of spec->compilers
 */
int pool_create(const struct build_spec *spec, struct pool **ret, struct err *err);
void pool_destroy(struct pool *p);
DEFINE_CLEANUP(struct pool *, pool_destroy)

/**
 * pool_for() - the tree that a candidate is built in
 * @id:  full id; NULL: the one that all are built in, and *ret is NULL if that depends on the candidate
 * @ret: owned by the pool, and stays where it is
 * @err: as tree_version(); ERR_USAGE: the compiler does not run
 *
 * Says once for each compiler if it is another than the base kernel was built with.
 */
int pool_for(struct pool *p, const char *id, const struct pool_tree **ret, struct err *err);

#endif
