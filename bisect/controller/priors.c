// SPDX-License-Identifier: GPL-2.0-or-later
/* How likely each candidate is: see priors.h. */
#include "controller/priors.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/build.h"
#include "controller/depends.h"
#include "controller/known.h"
#include "range/change/change.h"

/*
 * Factors. A hint that is wrong costs at most as many further steps as it has bits, so none has more than
 * its source is good for.
 *
 * A named commit: as likely as all others together. Whoever names one, a person or the run of another tree,
 * has a reason, and it is one trial to know.
 * A file, a function: two bits and three. Most bugs are where they show, many are not.
 * No build read what it touches: six bits less. Makefiles are counted among what a build reads, so what
 * is left is a generated file or a list that is not of this candidate's build.
 */
#define FILE_FACTOR	4.0
#define FUNCTION_FACTOR 8.0
#define IDLE_FACTOR	(1.0 / 64)

/* Known culprits cost a look at each candidate's message; beyond this nobody waits for a hint unasked. */
#define KNOWN_CANDIDATES_MAX 20000

void priors_deinit(struct priors *p)
{
	free(p->factor);
	free(p->idle);
	strv_deinit(&p->strangers);
	*p = (struct priors){ 0 };
}

static void need_factors(struct priors *p, size_t n)
{
	if (p->factor)
		return;
	p->factor = xcalloc(n, sizeof(*p->factor));
	for (size_t i = 0; i < n; i++)
		p->factor[i] = 1;
}

static void weigh(struct priors *p, const struct range *range, const bool *hit, double factor,
		  size_t *count)
{
	for (size_t i = 0; i < range->n; i++) {
		if (!hit[i])
			continue;
		need_factors(p, range->n);
		p->factor[i] *= factor;
		++*count;
	}
}

/* The candidate that is one change with @what, and whether there is one. */
static int mark_same(const struct range_spec *spec, const struct range *range,
		     const struct identity *what, bool *named, bool *ret, struct err *err)
{
	char id[COMMIT_ID_SIZE] = "";
	enum same_how how;
	long node = range_find(range, what->id);

	if (node < 0) {
		if (identity_find(spec->repo, range->good_ids[0], range->bad_id, what, id, &how,
				  err) < 0)
			return -1;
		node = *id ? range_find(range, id) : -1;
	}
	if (node >= 0)
		named[node] = true;
	*ret = node >= 0;
	return 0;
}

static int mark_suspects(const struct options *o, const struct range_spec *spec,
			 const struct range *range, bool *named, struct strv *strangers,
			 struct err *err)
{
	const struct strv *suspects = options_list(o, OPT_SUSPECT);

	for (size_t i = 0; i < suspects->n; i++) {
		_cleanup_(identity_deinit) struct identity what = { 0 };
		char id[COMMIT_ID_SIZE];
		bool is_candidate;

		if (range_resolve(spec->repo, suspects->items[i], id, err) < 0)
			return err_prefix(err, "--suspect");
		if (identity_of(spec->repo, id, &what, err) < 0 ||
		    mark_same(spec, range, &what, named, &is_candidate, err) < 0)
			return -1;
		if (!is_candidate)
			strv_add(strangers, suspects->items[i]);
	}
	return 0;
}

/* Only a hint that nobody asked for: what cannot be found out is left out. */
static void mark_known(const struct range_spec *spec, const struct range *range, bool *named)
{
	_cleanup_free_ bool *hit = xcalloc(range->n, sizeof(*hit));
	struct identity *known = NULL;
	struct err ignored;
	size_t n;

	if (range->n > KNOWN_CANDIDATES_MAX)
		return;
	n = known_culprits(&known);
	if (n && change_named(spec->repo, range, known, n, hit, &ignored) == 0)
		for (size_t i = 0; i < range->n; i++)
			named[i] |= hit[i];
	known_free(known, n);
}

static int add_named(const struct options *o, const struct range_spec *spec,
		     const struct range *range, struct priors *p, struct err *err)
{
	_cleanup_free_ bool *named = xcalloc(range->n, sizeof(*named));
	size_t n = 0;

	if (mark_suspects(o, spec, range, named, &p->strangers, err) < 0)
		return -1;
	mark_known(spec, range, named);
	for (size_t i = 0; i < range->n; i++)
		n += named[i];
	if (n && n < range->n)
		weigh(p, range, named, (double)(range->n - n) / (double)n, &p->n_named);
	return 0;
}

static int add_files(const struct options *o, const struct range_spec *spec,
		     const struct range *range, struct priors *p, struct err *err)
{
	const struct strv *files = options_list(o, OPT_SUSPECT_FILE);
	_cleanup_free_ bool *hit = xcalloc(range->n, sizeof(*hit));

	if (!files->n)
		return 0;
	if (change_touches_only(spec->repo, range, files, hit, err) < 0)
		return -1;
	weigh(p, range, hit, FILE_FACTOR, &p->n_files);
	return 0;
}

static int add_functions(const struct options *o, const struct range_spec *spec,
			 const struct range *range, struct priors *p, struct err *err)
{
	const struct strv *functions = options_list(o, OPT_SUSPECT_FUNCTION);
	_cleanup_free_ bool *hit = xcalloc(range->n, sizeof(*hit));

	if (!functions->n)
		return 0;
	if (change_functions(spec->repo, range, functions, spec->paths, spec->n_paths, hit, err) <
	    0)
		return -1;
	weigh(p, range, hit, FUNCTION_FACTOR, &p->n_functions);
	return 0;
}

/* Where the list decides, and does not only weigh, it holds the names that its files had before as well. */
static int add_names(const struct range_spec *spec, struct strv *files, struct err *err)
{
	struct range_spec of_files = *spec;
	_cleanup_strv_ struct strv names = { 0 };

	of_files.paths = (const char *const *)files->items;
	of_files.n_paths = files->n;
	of_files.may_be_empty = true;
	of_files.cache_dir = NULL;
	if (change_follow(&of_files, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.n; i++)
		strv_add(files, names.items[i]);
	strv_sort_once(files);
	return 0;
}

static int add_idle(const struct options *o, const struct range_spec *spec,
		    const struct range *range, struct priors *p, struct err *err)
{
	_cleanup_free_ bool *hit = xcalloc(range->n, sizeof(*hit));
	_cleanup_strv_ struct strv files = { 0 };

	/* There, what builds of the driver read is not all that goes to the guest. */
	if (strcmp(options_str(o, OPT_SCOPE), build_scope_name(BUILD_SCOPE_KERNEL)) == 0)
		return 0;
	depends_recall(spec->repo, options_str(o, OPT_SCOPE), &files);
	if (!files.n)
		return 0;
	p->knows_builds = true;
	if ((options_bool(o, OPT_TRUST_DEPS) && add_names(spec, &files, err) < 0) ||
	    change_touches(spec->repo, range, &files, hit, err) < 0)
		return -1;
	for (size_t i = 0; i < range->n; i++)
		hit[i] = !hit[i];
	weigh(p, range, hit, IDLE_FACTOR, &p->n_idle);
	if (p->n_idle)
		p->idle = take_ptr(hit);
	return 0;
}

int priors_make(const struct options *o, const struct range_spec *spec, const struct range *range,
		struct priors *ret, struct err *err)
{
	_cleanup_(priors_deinit) struct priors p = { 0 };

	if (add_named(o, spec, range, &p, err) < 0 || add_files(o, spec, range, &p, err) < 0 ||
	    add_functions(o, spec, range, &p, err) < 0 || add_idle(o, spec, range, &p, err) < 0)
		return -1;
	*ret = p;
	p = (struct priors){ 0 };
	return 0;
}
