// SPDX-License-Identifier: GPL-2.0-or-later
/* See pool.h. */
#include "build/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "build/kernel/compiler.h"
#include "build/kernel/config.h"
#include "build/kernel/config_file.h"

struct pool {
	const struct build_spec *spec;
	struct compiler_rules rules;
	struct ccache *ccache;	  /* NULL: there is none, or it is not wanted */
	struct pool_tree **trees; /* [n], each an allocation of its own */
	size_t n;
};

int pool_create(const struct build_spec *spec, struct pool **ret, struct err *err)
{
	_cleanup_(pool_destroy_p) struct pool *p = xcalloc(1, sizeof(*p));

	p->spec = spec;
	if (compiler_rules_parse(spec->compilers, spec->n_compilers, &p->rules, err) < 0)
		return -1;
	if (!spec->no_ccache)
		p->ccache = ccache_create(spec->cache_dir,
					  spec->cache_max_bytes ? spec->cache_max_bytes
								: BUILD_CACHE_MAX_BYTES,
					  spec->progress);
	*ret = take_ptr(p);
	return 0;
}

static void pool_tree_destroy(struct pool_tree *t)
{
	if (!t)
		return;
	tree_deinit(&t->tree);
	free(t->cc);
	free(t->cc_version);
	free(t->counts);
	free(t);
}
DEFINE_CLEANUP(struct pool_tree *, pool_tree_destroy)

void pool_destroy(struct pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		pool_tree_destroy(p->trees[i]);
	free(p->trees);
	compiler_rules_deinit(&p->rules);
	ccache_destroy(p->ccache);
	free(p);
}

/* "gcc-12 (Debian 12.2.0-14) 12.2.0" without the name it was called by. */
static const char *version_part(const char *text)
{
	const char *p = strchr(text, ' ');

	return p ? p : text;
}

/*
 * Another compiler than the kernel's is allowed: what it builds may be refused, so say it. A candidate's
 * own kernel has no other to be compared with.
 */
static int compare_compilers(const struct build_spec *spec, const char *cc_version, struct err *err)
{
	_cleanup_free_ char *config = NULL;
	_cleanup_free_ char *theirs = NULL;

	if (!spec->progress || spec->scope == BUILD_SCOPE_KERNEL)
		return 0;
	if (config_file_read(spec->kernel->config, &config, err) < 0)
		return -1;
	theirs = config_value(config, "CONFIG_CC_VERSION_TEXT");
	if (theirs && strcmp(version_part(theirs), version_part(cc_version)) != 0)
		progress_warn(spec->progress,
			      "kernel %s was built with %s, candidates are built with %s",
			      spec->kernel->release, theirs, cc_version);
	return 0;
}

static int add_tree(struct pool *p, const char *cc, const struct pool_tree **ret, struct err *err)
{
	_cleanup_(pool_tree_destroy_p) struct pool_tree *t = xcalloc(1, sizeof(*t));
	_cleanup_free_ char *trees = str_printf("%s/trees", p->spec->cache_dir);

	t->cc = xstrdup(cc);
	if (maker_cc_version(cc, &t->cc_version, err) < 0 ||
	    compare_compilers(p->spec, t->cc_version, err) < 0 ||
	    tree_init(&t->tree, p->spec, t->cc, t->cc_version, err) < 0 ||
	    fs_mkdirs(trees, err) < 0)
		return -1;
	t->counts = str_printf("%s/counts", t->tree.dir);
	t->maker = (struct maker){
		.tree = t->tree.linux_dir,
		.release = p->spec->kernel->release,
		.cc = t->cc,
		.cc_version = t->cc_version,
		.ccache = p->ccache,
		.counts = t->counts,
		.jobs = p->spec->jobs,
		.progress = p->spec->progress,
	};
	p->trees = xrealloc(p->trees, p->n + 1, sizeof(*p->trees));
	*ret = p->trees[p->n++] = take_ptr(t);
	return 0;
}

int pool_for(struct pool *p, const char *id, const struct pool_tree **ret, struct err *err)
{
	const char *cc = NULL;
	struct kversion v;

	if (p->rules.n && p->spec->whole && !id) {
		*ret = NULL;
		return 0;
	}
	if (p->rules.n) {
		if (tree_version(p->spec, id, &v, err) < 0)
			return -1;
		cc = compiler_for(&p->rules, &v);
	}
	if (!cc)
		cc = p->spec->cc;
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->trees[i]->cc, cc) == 0) {
			*ret = p->trees[i];
			return 0;
		}
	return add_tree(p, cc, ret, err);
}
