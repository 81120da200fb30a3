// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Third step of the flow: a candidate becomes an artifact.
 *
 * What was built from the same input is taken from the cache, and so is the answer that it does not
 * build. Otherwise the tree is locked, made to hold the candidate, and built in: one candidate at a
 * time, so that make finds the last one's objects and does little.
 */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "build/build.h"
#include "build/cache.h"
#include "build/depends.h"
#include "build/kernel/config.h"
#include "build/kernel/kernel.h"
#include "build/make/maker.h"
#include "build/mirror.h"
#include "build/reuse.h"
#include "build/steps.h"
#include "build/kernel/symvers.h"
#include "build/tree.h"
#include "range/range.h"

/* Raised when the same input would be built otherwise than before. */
#define ARTIFACT_FORMAT 1
#define SYMVERS_MAX	(64u << 20)

static const char *const scope_names[] = {
	[BUILD_SCOPE_UNIT] = "unit",
	[BUILD_SCOPE_MODULE] = "module",
	[BUILD_SCOPE_KERNEL] = "kernel",
};
static_assert(ARRAY_SIZE(scope_names) == BUILD_SCOPES, "a scope has no name");

const char *build_scope_name(enum build_scope s)
{
	return (unsigned int)s < BUILD_SCOPES ? scope_names[s] : "unknown";
}

bool build_scope_parse(const char *name, enum build_scope *ret)
{
	for (unsigned int i = 0; i < BUILD_SCOPES; i++)
		if (strcmp(name, scope_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

struct builder {
	struct build_spec spec;
	struct tree tree;
	struct maker maker;
	struct symvers symvers;
	char *artifacts; /* cache_dir/artifacts */
	char *config;	 /* builder_config() */
	char mirror_hash[65];
};

void builder_close(struct builder *b)
{
	if (!b)
		return;
	tree_deinit(&b->tree);
	symvers_deinit(&b->symvers);
	free(b->artifacts);
	free(b->config);
	free(b);
}

static unsigned int cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 1;
}

/* "gcc-12 (Debian 12.2.0-14) 12.2.0" without the name it was called by. */
static const char *version_part(const char *text)
{
	const char *p = strchr(text, ' ');

	return p ? p : text;
}

/* Another compiler than the kernel's is allowed: what it builds may be refused, so say it. */
static int compare_compilers(const struct build_spec *spec, const char *cc_version, struct err *err)
{
	_cleanup_free_ char *config = NULL;
	_cleanup_free_ char *theirs = NULL;

	if (fs_read(spec->kernel->config, CONFIG_MAX_BYTES, &config, NULL, err) < 0)
		return -1;
	theirs = config_value(config, "CONFIG_CC_VERSION_TEXT");
	if (spec->progress && theirs && strcmp(version_part(theirs), version_part(cc_version)) != 0)
		progress_warn(spec->progress,
			      "kernel %s was built with %s, candidates are built with %s",
			      spec->kernel->release, theirs, cc_version);
	return 0;
}

static int read_symvers(struct builder *b, struct err *err)
{
	const char *path = b->spec.kernel->symvers;
	char *text;

	if (fs_read(path, SYMVERS_MAX, &text, NULL, err) < 0)
		return -1;
	return symvers_parse(&b->symvers, text, path, err);
}

static int open_tree(struct builder *b, struct err *err)
{
	_cleanup_close_ int lock = -1;
	_cleanup_free_ char *cc_version = NULL;
	_cleanup_free_ char *trees = str_printf("%s/trees", b->spec.cache_dir);

	if (maker_cc_version(b->spec.cc, &cc_version, err) < 0 ||
	    compare_compilers(&b->spec, cc_version, err) < 0 ||
	    tree_init(&b->tree, &b->spec, b->spec.cc, cc_version, err) < 0 ||
	    fs_mkdirs(trees, err) < 0)
		return -1;
	b->maker = (struct maker){
		.tree = b->tree.linux_dir,
		.release = b->spec.kernel->release,
		.cc = b->spec.cc,
		.jobs = b->spec.jobs,
		.progress = b->spec.progress,
	};
	if (tree_lock(&b->tree, b->spec.progress, &lock, err) < 0)
		return -1;
	return tree_prepare(&b->tree, &b->spec, &b->maker, err);
}

int builder_open(const struct build_spec *spec, struct builder **ret, struct err *err)
{
	_cleanup_(builder_close_p) struct builder *b = xcalloc(1, sizeof(*b));

	assert(spec->n_paths >= 1);
	b->spec = *spec;
	if (!b->spec.cc)
		b->spec.cc = "gcc";
	if (!b->spec.jobs)
		b->spec.jobs = cores();
	b->artifacts = str_printf("%s/artifacts", spec->cache_dir);
	if (cache_open(b->artifacts, err) < 0 ||
	    mirror_hash(spec->mirror, b->mirror_hash, err) < 0 || read_symvers(b, err) < 0 ||
	    open_tree(b, err) < 0)
		return -1;
	b->config = str_printf("%s/.config", b->tree.linux_dir);
	*ret = take_ptr(b);
	return 0;
}

const char *builder_tree(const struct builder *b)
{
	return b->tree.linux_dir;
}

const char *builder_config(const struct builder *b)
{
	return b->config;
}

static int make_key(const struct builder *b, const char *id, char ret[65], struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char content[65];

	if (range_content_key(b->spec.repo, id, b->spec.paths, b->spec.n_paths, content, err) < 0)
		return -1;
	text = str_printf("artifact %d\ncontent %s\ntree %s\nscope %s\ndriver %s\nmirror %s\n",
			  ARTIFACT_FORMAT, content, b->tree.key, build_scope_name(b->spec.scope),
			  b->spec.driver, b->mirror_hash);
	fs_sha256_text(text, strlen(text), ret);
	return 0;
}

/* Syncs and builds into @draft; the tree's lock is held. */
static int make_in_tree(const struct builder *b, const char *id, const char *log, const char *draft,
			struct artifact *a, struct err *err)
{
	const struct steps steps = {
		.spec = &b->spec,
		.tree = &b->tree,
		.maker = &b->maker,
		.symvers = &b->symvers,
		.mirror_hash = b->mirror_hash,
		.log = log,
		.out = draft,
	};
	struct err ignored = { 0 };
	bool was_known;
	int rc;

	if (tree_begin(&b->tree, &b->spec, NULL, id, &was_known, err) < 0)
		return -1;
	if (!was_known && steps_mend(&steps, err) < 0)
		return -1;
	rc = was_known ? reuse_take(&steps, b->artifacts, a, err) : 0;
	a->cached = rc == 1;
	if (rc == 0) {
		rc = steps_make(&steps, a, err);
		if (rc == 0 && reuse_note(&steps, a, err) < 0)
			return -1;
	}
	if (rc >= 0 && depends_store(&steps, err) < 0)
		return -1;
	if (rc >= 0)
		return tree_end(&b->tree, &b->spec, NULL, id, err);
	/* After a kill or a full disk an object may be half-written: the tree stays unknown. */
	if (err->kind == ERR_BUILD)
		tree_end(&b->tree, &b->spec, NULL, id, &ignored);
	return rc;
}

static int make_artifact(const struct builder *b, const char *id, const char *log,
			 struct artifact *a, struct err *err)
{
	_cleanup_(cache_draft_deinit) struct cache_draft draft = { 0 };
	struct err ignored = { 0 };

	if (cache_draft(b->artifacts, log, &draft, err) < 0)
		return -1;
	if (make_in_tree(b, id, log, draft.path, a, err) < 0) {
		cache_store_failure(b->artifacts, &draft, a->key, err, &ignored);
		return -1;
	}
	if (cache_store(b->artifacts, &draft, a, err) < 0)
		return -1;
	return cache_trim(b->artifacts, b->spec.cache_max_bytes, a->key, err);
}

int builder_depends(const struct builder *b, const char *key, struct strv *ret, struct err *err)
{
	return depends_load(b->artifacts, key, ret, err);
}

int builder_make(struct builder *b, const char *id, const char *log, struct artifact *ret,
		 struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_close_ int lock = -1;
	int64_t begun_ns = clock_now_ns();
	char key[65];
	int found;

	assert(str_is_commit_id(id));
	if (make_key(b, id, key, err) < 0)
		return -1;
	found = cache_load(b->artifacts, key, log, b->spec.progress, &a, err);
	if (found == 0 && tree_lock(&b->tree, b->spec.progress, &lock, err) < 0)
		return -1;
	/* whoever held the lock may have built just this */
	if (found == 0)
		found = cache_load(b->artifacts, key, log, b->spec.progress, &a, err);
	if (found < 0)
		return -1;
	if (found == 0) {
		str_copy(a.key, sizeof(a.key), key);
		if (make_artifact(b, id, log, &a, err) < 0)
			return -1;
	}
	a.scope = b->spec.scope;
	a.elapsed_ns = clock_now_ns() - begun_ns;
	*ret = a;
	a = (struct artifact){ 0 };
	return 0;
}
