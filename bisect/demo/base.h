/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The untouched driver as git objects, made once per kernel source and kept in the cache. New demos
 * take the objects by hard links, which is safe: git never writes to an object that exists.
 */
#ifndef DEMO_BASE_H
#define DEMO_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "demo/demo.h"
#include "range/author/author.h"

struct base {
	char *dir;		   /* repository without commits */
	char key[65];		   /* names the source and its state */
	char tree[COMMIT_ID_SIZE]; /* of the first commit */
	uint64_t bytes;		   /* of all files [bytes] */
	struct author_file *files; /* [n], by path; each path owned by the base */
	size_t n;
};

/**
 * base_open() - the driver of a source, imported if it is not in the cache
 * @spec: source, driver, cache_dir and progress are used
 * @ret:  owned by the caller, base_close()
 * @err:  ERR_USAGE: no such source, no archive, no driver in it; ERR_HOST: disk, git; ERR_STOPPED
 */
int base_open(const struct demo_spec *spec, struct base **ret, struct err *err);
void base_close(struct base *b);
DEFINE_CLEANUP(struct base *, base_close)

/** base_key() - names a source and its state, without reading its files */
int base_key(const char *source, const char *driver, char ret[65], struct err *err);

/** base_link() - put the base's objects into a repository that author_create() made */
int base_link(const struct base *b, const char *repo, struct err *err);

/** base_find() - a file by path, or NULL */
const struct author_file *base_find(const struct base *b, const char *path);

#endif
