/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The untouched driver as git objects, made once per kernel source and kept in the cache. New demos
 * take the objects by hard links, which is safe: git never writes to an object that exists.
 *
 * Some twenty stay: each gate of packages makes another.
 *
 * The core files lie beside the repository as plain files: few demos hold them.
 */
#ifndef DEMO_BASE_H
#define DEMO_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cap/cap.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "demo/demo.h"
#include "range/author/author.h"

struct base_core {
	char *text; /* NUL-terminated */
	size_t len;
};

struct base {
	char *dir;		   /* repository without commits */
	struct cap_hold *hold;	   /* it stays in the cache as long as the base is open */
	char key[65];		   /* names the source and its state */
	char tree[COMMIT_ID_SIZE]; /* of the driver alone */
	uint64_t bytes;		   /* of all files [bytes] */
	struct author_file *files; /* [n], by path; each path owned by the base */
	size_t n;
	struct base_core core[DEMO_CORE_FILES]; /* empty without touch_core */
};

/**
 * base_open() - the driver of a source, imported if it is not in the cache
 * @spec: source, driver, touch_core, cache_dir and progress are used
 * @ret:  owned by the caller, base_close()
 * @err:  ERR_USAGE: no such source, no archive, no driver or no core files in it; ERR_HOST: disk, git; ERR_STOPPED
 */
int base_open(const struct demo_spec *spec, struct base **ret, struct err *err);
void base_close(struct base *b);
DEFINE_CLEANUP(struct base *, base_close)

/** base_key() - names a source and its state, without reading its files */
int base_key(const struct demo_spec *spec, char ret[65], struct err *err);

/** base_link() - put the base's objects into a repository that author_create() made */
int base_link(const struct base *b, const char *repo, struct err *err);

/** base_find() - a file of the driver by path, or NULL */
const struct author_file *base_find(const struct base *b, const char *path);

/** base_mode() - the mode that a file of the demo has in git */
uint32_t base_mode(const struct base *b, const char *path);

/** base_tree() - store the tree of the first commit: the driver, and the core files if they were asked for */
int base_tree(const struct base *b, struct author *author, char ret[COMMIT_ID_SIZE],
	      struct err *err);

#endif
