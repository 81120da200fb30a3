// SPDX-License-Identifier: GPL-2.0-or-later
/* The two sides of gate: see gate.h. */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "controller/gate/gate.h"
#include "demo/base.h"
#include "paths.h"
#include "range/author/author.h"
#include "range/range.h"

#define DRIVER "drivers/gpu/drm/amd"
#define MIB    (UINT64_C(1) << 20)

void gate_close_sides(struct gate_sides *s)
{
	package_kernel_deinit(&s->old.package);
	package_kernel_deinit(&s->new.package);
	free(s->repo);
}

static int open_revisions(const struct options *o, struct gate_sides *s, struct err *err)
{
	const char *where = options_str(o, OPT_REPO);

	if (range_discover(where ? where : ".", &s->repo, err) < 0)
		return -1;
	if (range_resolve(s->repo, s->old.what, s->old.id, err) < 0)
		return err_prefix(err, "--old");
	if (range_resolve(s->repo, s->new.what, s->new.id, err) < 0)
		return err_prefix(err, "--new");
	return 0;
}

/* A package's driver as a commit: what is searched in, and built from, is a history like any other. */
static int commit_package(struct author *author, const char *repo, struct gate_side *side,
			  const char *parent, struct progress *progress, struct err *err)
{
	_cleanup_(base_close_p) struct base *base = NULL;
	_cleanup_free_ char *cache = path_cache();
	_cleanup_free_ char *message =
		str_printf("%s, linux %s\n", side->package.kernel.release, side->package.version);
	struct demo_spec spec = { .source = side->package.kernel.source,
				  .driver = DRIVER,
				  .cache_dir = cache,
				  .progress = progress };
	struct author_commit c = { .parents = &parent,
				   .n_parents = parent ? 1 : 0,
				   .name = "amdgpu-bisect",
				   .email = "amdgpu-bisect@localhost",
				   .message = message };

	if (base_open(&spec, &base, err) < 0 || base_link(base, repo, err) < 0)
		return -1;
	c.tree = base->tree;
	return author_commit(author, &c, side->id, err);
}

static int open_packages(const struct options *o, const char *dir, struct gate_sides *s,
			 struct progress *progress, struct err *err)
{
	uint64_t max = options_num(o, OPT_CACHE_SIZE) * MIB;
	_cleanup_(author_destroy_p) struct author *author = NULL;
	_cleanup_free_ char *cache = NULL;
	_cleanup_free_ char *repo = str_printf("%s/driver", dir);

	if (path_cache_make(&cache, err) < 0 ||
	    package_open(s->old.what, cache, max, progress, &s->old.package, err) < 0 ||
	    package_open(s->new.what, cache, max, progress, &s->new.package, err) < 0 ||
	    author_create(repo, &author, err) < 0 ||
	    commit_package(author, repo, &s->old, NULL, progress, err) < 0 ||
	    commit_package(author, repo, &s->new, s->old.id, progress, err) < 0 ||
	    author_point(author, "main", s->new.id, err) < 0)
		return -1;
	return range_discover(repo, &s->repo, err);
}

int gate_open_sides(const struct options *o, const char *dir, struct progress *progress,
		    struct gate_sides *ret, struct err *err)
{
	struct gate_sides s = { .old.what = options_str(o, OPT_OLD),
				.new.what = options_str(o, OPT_NEW) };
	int r;

	if (!s.old.what || !s.new.what)
		return err_set(err, ERR_USAGE,
			       "want two kernels: amdgpu-bisect gate --old PKG|REV --new PKG|REV");
	s.old.is_package = fs_exists(s.old.what);
	s.new.is_package = fs_exists(s.new.what);
	if (s.old.is_package != s.new.is_package)
		return err_set(
			err, ERR_USAGE,
			"%s is %s and %s is %s: two revisions, or two kernels' packages that lie "
			"here",
			s.old.what, s.old.is_package ? "a file" : "a revision", s.new.what,
			s.new.is_package ? "a file" : "a revision");
	r = s.old.is_package ? open_packages(o, dir, &s, progress, err)
			     : open_revisions(o, &s, err);
	if (r < 0) {
		gate_close_sides(&s);
		return -1;
	}
	*ret = s;
	return 0;
}

int gate_use(struct options *o, const struct gate_side *side, struct err *err)
{
	const struct build_kernel *k = &side->package.kernel;
	const struct {
		enum option id;
		const char *value;
	} pieces[] = { { OPT_RELEASE, k->release }, { OPT_SOURCE, k->source },
		       { OPT_KCONFIG, k->config },  { OPT_SYMVERS, k->symvers },
		       { OPT_IMAGE, k->image },	    { OPT_MODULES, k->modules } };

	for (size_t i = 0; i < ARRAY_SIZE(pieces) && side->is_package; i++)
		if (options_set(o, options_key(pieces[i].id), pieces[i].value, ORIGIN_FLAG, err) <
		    0)
			return -1;
	return 0;
}

int gate_hold(const struct options *o, struct progress *progress, struct package_kernel *ret,
	      struct err *err)
{
	const char *what = options_str(o, OPT_NEW);
	_cleanup_free_ char *cache = NULL;
	struct err why;

	/* a revision has no such name, and packages are named whole by then */
	if (!what || *what != '/' || !fs_exists(what))
		return 0;
	if (path_cache_make(&cache, &why) == 0 &&
	    package_open(what, cache, options_num(o, OPT_CACHE_SIZE) * MIB, progress, ret, &why) ==
		    0)
		return 0;
	if (why.kind != ERR_STOPPED)
		return 0;
	*err = why;
	return -1;
}

int gate_budget_ms(const char *text, int64_t *ret, struct err *err)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 } };
	size_t len = text ? strlen(text) : 0;
	_cleanup_free_ char *number = len ? xstrndup(text, len - 1) : NULL;
	uint64_t n;

	*ret = 0;
	for (size_t i = 0; i < ARRAY_SIZE(units) && len; i++)
		if (text[len - 1] == units[i].unit && str_to_u64(number, 100000, &n) && n) {
			*ret = (int64_t)n * units[i].ms;
			return 0;
		}
	return len ? err_set(err, ERR_USAGE, "--budget %s: want a time such as 30m, 90s or 2h",
			     text)
		   : 0;
}
