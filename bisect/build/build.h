/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Third step: a candidate becomes an artifact: the modules a guest loads, and at scope `kernel` the
 * kernel it boots.
 *
 * Overlay: one prepared kernel tree (the distribution's source, config and Module.symvers) stays fixed,
 * and only the limited paths come from the candidate. Whole: every file does. Scope `unit` builds the one
 * translation unit that holds amdgpu_hmm_range_get_pages() and links it with the mirror; scope `module`
 * builds the whole amdgpu.ko, and a mirror that finds the function in it; scope `kernel` builds vmlinux,
 * by a config trimmed to what the guest needs, and the driver for it.
 *
 * Two names: the key of an artifact stands for what it is made from, so that nothing is built twice; its
 * signature for what it came to be, so that nothing is tested twice.
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

enum build_scope { BUILD_SCOPE_UNIT, BUILD_SCOPE_MODULE, BUILD_SCOPE_KERNEL, BUILD_SCOPES };

/** build_scope_name() / build_scope_parse() - "unit", "module", "kernel" */
const char *build_scope_name(enum build_scope s);
bool build_scope_parse(const char *name, enum build_scope *ret);

/* Where a kernel's source and what belongs to it lie; found by build_find(), or set by options. */
struct build_kernel {
	char *release; /* "6.1.0-57-amd64": names /lib/modules and the vermagic */
	char *source;  /* tarball or tree */
	char *config;  /* the distribution's config, taken verbatim */
	char *symvers; /* Module.symvers of that very kernel */
	char *image;   /* bzImage or vmlinux the guest boots */
	char *modules; /* /lib/modules/RELEASE */
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
	const char *repo;	  /* candidates come from here */
	const char *const *paths; /* limited paths, [n_paths] >= 1 */
	size_t n_paths;
	const char *driver;	      /* "drivers/gpu/drm/amd" within the tree */
	const char *mirror;	      /* directory with the mirror's sources */
	const char *cache_dir;	      /* trees and artifacts live below it */
	const char *cc;		      /* compiler; NULL: gcc */
	const char *const *compilers; /* others by kernel version, [n_compilers], see below */
	size_t n_compilers;
	unsigned int jobs;    /* 0: as many as there are cores */
	bool whole;	      /* every file is the candidate's; else an overlay */
	bool driver_module;   /* scope kernel: amdgpu.ko goes with it; else the unit */
	const char *kconfigs; /* directory with our own fragments; scope kernel */
	const char *const
		*fragments; /* config fragments laid over the config last, [n_fragments] */
	size_t n_fragments;
	const char *const *apply; /* patches for old commits, [n_apply]: range/patch/patch.h */
	size_t n_apply;
	bool no_ccache;		   /* else ccache is used if it is installed */
	uint64_t cache_max_bytes;  /* all of the cache_dir; 0: BUILD_CACHE_MAX_BYTES */
	struct progress *progress; /* or NULL */
};

/* A tree takes 1.5 GiB, its objects at scope module 0.5, an artifact up to 60 MiB. */
#define BUILD_CACHE_MAX_BYTES (UINT64_C(16) << 30)

/**
 * build_compiler_check() - a compiler for some kernel versions: "4.19..5.17 gcc-10", "..4.18 gcc-8"
 * Either end may be missing, both are meant inclusively; the first that fits wins, else it is spec->cc.
 * @err: ERR_USAGE: what is wrong with @text
 */
int build_compiler_check(const char *text, struct err *err);

#define BUILD_MODULES_MAX 32

struct cap_hold;

struct artifact_module {
	char name[64];	     /* module name, "mirror" */
	char *path;	     /* .ko file in the cache */
	char srcversion[64]; /* from .modinfo, or empty */
	char build_id[65];   /* hex, or empty */
	uint64_t bytes;
};

struct artifact {
	char key[65];	    /* SHA-256 of what it is made from */
	char signature[65]; /* SHA-256 of the allocated sections of all that the guest gets */
	enum build_scope scope;
	char *image; /* scope kernel: vmlinux to boot, in the cache; else NULL */
	struct artifact_module modules[BUILD_MODULES_MAX]; /* in the order they are to be loaded */
	size_t n_modules;
	char *config; /* what it was built with, in the cache; NULL: built before that was kept */
	/* packed modules to load first (names, dependencies resolved later); at scope kernel none */
	struct strv depends;
	struct strv patches;  /* names of those of spec->apply that this commit got, in order */
	unsigned int objects; /* compiled for it; 0 if it was cached */
	bool cached;	      /* taken from the cache, nothing was built */
	int64_t elapsed_ns;
	struct cap_hold *hold; /* until artifact_deinit() its files stay in the cache */
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
 * @key:       of an artifact that builder_make() gave, just built or from the cache
 * @ret:       relative to the tree's root, as a commit has them, sorted; owned by the caller. Empty if
 *             that is not known: an artifact of before such lists were kept
 * @err:       ERR_HOST if the list cannot be read
 *
 * Sources and all headers that the compiler read, for scope unit of the one unit, for scope module of every
 * object of amdgpu.ko, for scope kernel of all that was compiled in the tree, the kernel's own programs among
 * it; in all, those of the mirror that lie in the tree. Generated headers are among them, Makefiles are not.
 *
 * Source: Kbuild's .cmd files, scripts/basic/fixdep.c.
 */
int builder_depends(const struct builder *b, const char *key, struct strv *ret, struct err *err);

/**
 * builder_tree() - path of the tree that was built in last, owned by the builder
 * NULL: none yet, since candidates of several compilers have several
 */
const char *builder_tree(const struct builder *b);

/**
 * builder_config() - path of that tree's config, as make completed it; owned by the builder, or NULL
 * Another candidate's as soon as one is built there: an artifact's own is artifact.config.
 */
const char *builder_config(const struct builder *b);

#endif
