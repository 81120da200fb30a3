/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Third step: a candidate becomes an artifact, the modules a guest loads.
 *
 * One prepared kernel tree (the distribution's source, config and Module.symvers) stays fixed; only
 * the limited paths come from the candidate. Scope `unit` builds the one translation unit that holds
 * amdgpu_hmm_range_get_pages() and links it with the mirror; scope `module` builds the whole
 * amdgpu.ko, and a mirror that finds the function in it.
 */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"

enum build_scope { BUILD_SCOPE_UNIT, BUILD_SCOPE_MODULE, BUILD_SCOPES };

/** build_scope_name() / build_scope_parse() - "unit", "module" */
const char *build_scope_name(enum build_scope s);
bool build_scope_parse(const char *name, enum build_scope *ret);

/* Where a kernel's source and what belongs to it lie; found by build_find(), or set by options. */
struct build_kernel {
	char *release;	/* "6.1.0-57-amd64": names /lib/modules and the vermagic */
	char *source;	/* tarball or tree */
	char *config;	/* the distribution's config, taken verbatim */
	char *symvers;	/* Module.symvers of that very kernel */
	char *image;	/* bzImage or vmlinux the guest boots */
	char *modules;	/* /lib/modules/RELEASE */
};
void build_kernel_deinit(struct build_kernel *k);

/**
 * build_find() - fill what is not set from /usr/src, /boot and /lib/modules
 * @k:   members that are set are kept and checked; the others are found so that all belong together
 * @err: ERR_USAGE: nothing found, with the packages that bring it; a config, symvers and source that
 *       do not belong together (version in the source's Makefile against the release), said which
 */
int build_find(struct build_kernel *k, struct err *err);

struct build_spec {
	enum build_scope scope;
	const struct build_kernel *kernel;
	const char *repo;		/* candidates come from here */
	const char *const *paths;	/* limited paths, [n_paths] >= 1 */
	size_t n_paths;
	const char *driver;		/* "drivers/gpu/drm/amd" within the tree */
	const char *mirror;		/* directory with the mirror's sources */
	const char *cache_dir;		/* trees and artifacts live below it */
	const char *cc;			/* compiler; NULL: gcc */
	unsigned int jobs;		/* 0: as many as there are cores */
	struct progress *progress;	/* or NULL */
};

#define BUILD_MODULES_MAX 4

struct artifact_module {
	char name[64];		/* module name, "mirror" */
	char *path;		/* .ko file in the cache */
	char srcversion[64];	/* from .modinfo, or empty */
	char build_id[65];	/* hex, or empty */
	uint64_t bytes;
};

struct artifact {
	char signature[65];	/* names the content: SHA-256 of the inputs that made it */
	enum build_scope scope;
	struct artifact_module modules[BUILD_MODULES_MAX]; /* in the order they are to be loaded */
	size_t n_modules;
	struct strv depends;	/* packed modules to load first (names, dependencies resolved later) */
	bool cached;		/* taken from the cache, nothing was built */
	int64_t elapsed_ns;
};
void artifact_deinit(struct artifact *a);

struct builder;

/**
 * builder_open() - find or prepare the kernel tree; takes seconds to a minute the first time
 * @spec: strings must outlive the builder
 * @err:  ERR_USAGE: what is missing and how to get it; ERR_HOST: disk, tools, tree locked by pid
 */
int builder_open(const struct build_spec *spec, struct builder **ret, struct err *err);
void builder_close(struct builder *b);
DEFINE_CLEANUP(struct builder *, builder_close)

/**
 * builder_make() - build one candidate
 * @id:  full commit id
 * @log: file that the whole build output is appended to
 * @ret: owned by the caller, artifact_deinit()
 * @err: ERR_BUILD with the first error line of the compiler if the candidate does not build;
 *       ERR_HOST if the rig is at fault (disk full, compiler killed, tool missing); ERR_STOPPED
 */
int builder_make(struct builder *b, const char *id, const char *log, struct artifact *ret,
		 struct err *err);

/**
 * builder_depends() - the files of the kernel tree that an artifact was made from
 * @signature: of an artifact that builder_make() gave, just built or from the cache
 * @ret:       relative to the tree's root, as a commit has them, sorted; owned by the caller. Empty if
 *             that is not known: an artifact of before such lists were kept
 * @err:       ERR_HOST if the list cannot be read
 *
 * Sources and all headers that the compiler read, for scope unit of the one unit, for scope module of every
 * object of amdgpu.ko; in both, those of the mirror that lie in the tree. Generated headers are among
 * them, Makefiles are not.
 *
 * Source: Kbuild's .cmd files, scripts/basic/fixdep.c.
 */
int builder_depends(const struct builder *b, const char *signature, struct strv *ret,
		    struct err *err);

/** builder_tree() - path of the prepared tree, owned by the builder */
const char *builder_tree(const struct builder *b);

#endif
