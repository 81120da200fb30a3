// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Third step of the flow: a candidate becomes an artifact.
 *
 * What was built from the same input is taken from the cache, and so is the answer that it does not
 * build. Otherwise the tree of its compiler is locked, made to hold the candidate, and built in: one
 * candidate at a time, so that make finds the last one's objects and does little.
 *
 * Before make runs it is asked what make would not find out (reads/hidden.h), and whether it need be asked
 * at all (reads/reuse.h).
 */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "build/build.h"
#include "build/cache/cache.h"
#include "build/key.h"
#include "build/kernel/symvers.h"
#include "build/make/maker.h"
#include "build/pool.h"
#include "build/reads/depends.h"
#include "build/reads/hidden.h"
#include "build/reads/inventory.h"
#include "build/reads/reuse.h"
#include "build/steps.h"
#include "build/tree.h"
#include "range/patch/patch.h"

#define SYMVERS_MAX (64u << 20)
#define CONFIG_NAME "config" /* in an artifact's directory */

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
	struct pool *pool;
	const struct pool_tree
		*last;		 /* what was built in; NULL: nothing yet, with several compilers */
	struct patches *patches; /* NULL: none */
	struct symvers symvers;
	struct key_base key;
	char *artifacts; /* cache_dir/artifacts */
};

void builder_close(struct builder *b)
{
	if (!b)
		return;
	pool_destroy(b->pool);
	patches_destroy(b->patches);
	symvers_deinit(&b->symvers);
	key_base_deinit(&b->key);
	free(b->artifacts);
	free(b);
}

static unsigned int cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 1;
}

static int read_symvers(struct builder *b, struct err *err)
{
	const char *path = b->spec.kernel->symvers;
	char *text;

	if (fs_read(path, SYMVERS_MAX, &text, NULL, err) < 0)
		return -1;
	return symvers_parse(&b->symvers, text, path, err);
}

/* The tree is made now if it is known which, so that what is missing is said before anything runs. */
static int open_tree(struct builder *b, struct err *err)
{
	_cleanup_close_ int lock = -1;
	struct maker maker;

	if (pool_create(&b->spec, &b->pool, err) < 0 || pool_for(b->pool, NULL, &b->last, err) < 0)
		return -1;
	if (!b->last)
		return 0;
	if (tree_lock(&b->last->tree, b->spec.progress, &lock, err) < 0)
		return -1;
	maker = b->last->maker;
	maker.lock = lock;
	return tree_prepare(&b->last->tree, &b->spec, &maker, err);
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
	if (key_base_init(&b->key, &b->spec, err) < 0 || read_symvers(b, err) < 0)
		return -1;
	if (spec->n_apply &&
	    patches_open(spec->repo, spec->apply, spec->n_apply, &b->patches, err) < 0)
		return -1;
	if (patches_check_paths(b->patches, spec->paths, spec->whole ? 0 : spec->n_paths, err) < 0)
		return -1;
	if (cache_open(b->artifacts, err) < 0 || open_tree(b, err) < 0)
		return -1;
	*ret = take_ptr(b);
	return 0;
}

const char *builder_tree(const struct builder *b)
{
	return b->last ? b->last->tree.linux_dir : NULL;
}

const char *builder_config(const struct builder *b)
{
	return b->last ? b->last->tree.config : NULL;
}

/* One candidate in the tree that it is built in; the tree's lock is held. */
struct making {
	const struct builder *b;
	const struct pool_tree *in;
	int lock;	    /* of that tree */
	struct maker maker; /* counts this candidate's objects */
	const char *id;
	const char *log;
	const char *draft;
	char surrounding[65];
};

static struct steps steps_of(const struct making *m)
{
	return (struct steps){
		.spec = &m->b->spec,
		.tree = &m->in->tree,
		.maker = &m->maker,
		.symvers = &m->b->symvers,
		.mirror_hash = m->b->key.mirror,
		.log = m->log,
		.out = m->draft,
		.surrounding = m->surrounding,
	};
}

/* After make: what the next candidate can be told from. */
static int note_down(struct making *m, const struct artifact *a, struct err *err)
{
	_cleanup_(inventory_deinit) struct inventory after = { 0 };
	const struct steps s = steps_of(m);

	if (inventory_take(&s, &after, err) < 0 || hidden_note(&s, &after, err) < 0 ||
	    depends_store(&s, err) < 0)
		return -1;
	inventory_digest(&after, m->surrounding);
	return reuse_note(&s, &after, a, err);
}

static int make_or_reuse(struct making *m, bool was_known, struct artifact *a, struct err *err)
{
	_cleanup_(inventory_deinit) struct inventory now = { 0 };
	const struct steps s = steps_of(m);
	unsigned int hidden;
	int rc;

	if (inventory_take(&s, &now, err) < 0)
		return -1;
	inventory_digest(&now, m->surrounding);
	if (!was_known && steps_mend(&s, err) < 0)
		return -1;
	if (hidden_mend(&s, &now, &hidden, err) < 0)
		return -1;
	/* Kbuild's own programs may be among them, which M= builds take for granted. */
	if (hidden && s.spec->whole &&
	    maker_run(s.maker, (const char *const[]){ "modules_prepare", NULL }, m->log, err) < 0)
		return -1;
	rc = was_known && !hidden ? reuse_take(&s, &now, m->b->artifacts, a, err) : 0;
	if (rc != 0) {
		a->cached = false; /* it counts as built, of nothing */
		return rc < 0 ? -1 : 0;
	}
	if (steps_make(&s, a, err) < 0)
		return -1;
	return note_down(m, a, err);
}

static int make_in_tree(struct making *m, struct artifact *a, struct err *err)
{
	const struct build_spec *spec = &m->b->spec;
	const struct patches *patches = m->b->patches;
	const struct tree *tree = &m->in->tree;
	struct err ignored = { 0 };
	bool was_known, configured;
	int rc;

	if (tree_prepare(tree, spec, &m->maker, err) < 0 ||
	    tree_begin(tree, spec, patches, m->id, &was_known, err) < 0)
		return -1;
	rc = tree_configure(tree, spec, patches, m->id, &m->maker, m->log, err);
	configured = rc == 0;
	if (rc == 0)
		rc = make_or_reuse(m, was_known, a, err);
	if (rc == 0)
		return tree_end(tree, spec, patches, m->id, err);
	/* After a kill or a full disk an object may be half-written: the tree stays unknown. */
	if (err->kind == ERR_BUILD)
		tree_end(tree, spec, patches, m->id, &ignored);
	else if (err->kind == ERR_STOPPED && configured)
		tree_stopped(tree, spec, patches, m->id, &ignored);
	return -1;
}

/* Its config goes with it: the tree's is the next candidate's soon. The tree is still locked. */
static int keep_config(const struct making *m, struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/" CONFIG_NAME, m->draft);

	return fs_copy(m->in->tree.config, to, err);
}

static int make_artifact(struct making *m, struct artifact *a, struct err *err)
{
	_cleanup_(cache_draft_deinit) struct cache_draft draft = { 0 };
	const struct builder *b = m->b;
	struct err ignored = { 0 };

	if (cache_draft(b->artifacts, m->log, &draft, err) < 0)
		return -1;
	m->draft = draft.path;
	m->maker = m->in->maker;
	m->maker.lock = m->lock;
	m->maker.objects = &a->objects;
	a->scope = b->spec.scope;
	if (make_in_tree(m, a, err) < 0) {
		cache_store_failure(b->artifacts, &draft, a->key, err, &ignored);
		return -1;
	}
	if (keep_config(m, err) < 0 || cache_store(b->artifacts, &draft, a, err) < 0)
		return -1;
	return cache_trim(b->artifacts, b->spec.cache_max_bytes, a->key, err);
}

int builder_depends(const struct builder *b, const char *key, struct strv *ret, struct err *err)
{
	return depends_load(b->artifacts, key, ret, err);
}

/* From the cache, or made under the tree's lock. */
static int find_or_make(struct making *m, const char *key, struct artifact *a, struct err *err)
{
	const struct builder *b = m->b;
	_cleanup_close_ int lock = -1;
	int found = cache_load(b->artifacts, key, m->log, b->spec.progress, a, err);

	if (found == 0 && tree_lock(&m->in->tree, b->spec.progress, &lock, err) < 0)
		return -1;
	/* whoever held the lock may have built just this */
	if (found == 0)
		found = cache_load(b->artifacts, key, m->log, b->spec.progress, a, err);
	if (found != 0)
		return found < 0 ? -1 : 0;
	str_copy(a->key, sizeof(a->key), key);
	m->lock = lock;
	return make_artifact(m, a, err);
}

int builder_make(struct builder *b, const char *id, const char *log, struct artifact *ret,
		 struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	struct making m = { .b = b, .id = id, .log = log };
	_cleanup_strv_ struct strv patches = { 0 };
	int64_t begun_ns = clock_now_ns();
	char key[65];

	assert(str_is_commit_id(id));
	if (pool_for(b->pool, id, &m.in, err) < 0)
		return -1;
	b->last = m.in;
	if (b->patches && patches_for(b->patches, id, &patches, err) < 0)
		return -1;
	if (key_of(&b->key, &b->spec, m.in, b->patches, id, key, err) < 0 ||
	    find_or_make(&m, key, &a, err) < 0)
		return -1;
	strv_deinit(&a.patches);
	a.patches = patches;
	patches = (struct strv){ 0 };
	/* At this scope all is in the artifact: the guest packs nothing. */
	if (b->spec.scope == BUILD_SCOPE_KERNEL) {
		strv_deinit(&a.depends);
		a.depends = (struct strv){ 0 };
	}
	a.config = str_printf("%s/%s/" CONFIG_NAME, b->artifacts, key);
	if (!fs_exists(a.config))
		free(take_ptr(a.config));
	a.scope = b->spec.scope;
	a.elapsed_ns = clock_now_ns() - begun_ns;
	*ret = a;
	a = (struct artifact){ 0 };
	return 0;
}
