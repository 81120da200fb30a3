// SPDX-License-Identifier: GPL-2.0-or-later
/* audit: upstream follow-ups that a tree lacks for changes that it carries; --test tries them. */
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "cmd.h"
#include "controller/audit/audit.h"
#include "controller/validate/follow_ups.h"
#include "paths.h"
#include "range/change/change.h"
#include "reports/audit/audit.h"

/* One of the two histories. */
struct side {
	char *repo;
	char *rev;
	char id[COMMIT_ID_SIZE];
	struct range *range;
	struct audit_index *index;     /* borrowed */
	struct audit_commit **commits; /* [range->n] */
};

struct work {
	struct options *o;
	struct progress *progress;
	char *cache; /* NULL: none */
	struct side up, tree;
	struct audit_index *up_index;
	struct audit_index *tree_index; /* NULL: both are of one repository */
	struct audit audit;
	bool *old;
	size_t n_there;
	int64_t shown_ns;
};

static void side_deinit(struct side *s)
{
	free(s->repo);
	free(s->rev);
	range_destroy(s->range);
	free(s->commits);
}

static void work_deinit(struct work *w)
{
	audit_deinit(&w->audit);
	free(w->old);
	side_deinit(&w->up);
	side_deinit(&w->tree);
	audit_index_destroy(w->up_index);
	audit_index_destroy(w->tree_index);
	free(w->cache);
	progress_destroy(w->progress);
}

/* "REPO:REV", "REPO" or "REV": a repository is a directory that exists. */
static int take_side(const struct options *o, enum option id, struct side *ret, struct err *err)
{
	const char *word = options_str(o, id);
	const char *where = options_str(o, OPT_REPO);
	const char *colon = strrchr(word, ':');
	_cleanup_free_ char *dir = colon ? xstrndup(word, (size_t)(colon - word)) : NULL;

	if (dir && *dir && fs_is_dir(dir)) {
		ret->rev = xstrdup(colon[1] ? colon + 1 : "HEAD");
		where = dir;
	} else if (strchr(word, '/') && fs_is_dir(word)) {
		ret->rev = xstrdup("HEAD");
		where = word;
	} else {
		ret->rev = xstrdup(word);
	}
	if (range_discover(where ? where : ".", &ret->repo, err) < 0)
		return -1;
	return range_resolve(ret->repo, ret->rev, ret->id, err);
}

static void on_walk(size_t commits, void *arg)
{
	struct work *w = arg;

	progress_detail(w->progress, "%zu commits", commits);
	progress_tick(w->progress);
}

static int walk(struct work *w, struct side *s, struct err *err)
{
	const struct strv *paths = options_list(w->o, OPT_PATH);
	struct range_spec spec = {
		.repo = s->repo,
		.bad = s->id,
		.paths = (const char *const *)paths->items,
		.n_paths = paths->n,
		.cache_dir = w->cache,
		.on_walk = on_walk,
		.on_walk_arg = w,
	};

	progress_stage(w->progress, "walk", -1);
	return audit_history(&spec, &s->range, err);
}

static int open_indexes(struct work *w, struct err *err)
{
	const struct strv *paths = options_list(w->o, OPT_PATH);
	const char *const *names = (const char *const *)paths->items;

	progress_stage(w->progress, "index", -1);
	if (audit_index_open(w->up.repo, names, paths->n, w->cache, &w->up_index, err) < 0)
		return -1;
	w->up.index = w->tree.index = w->up_index;
	if (strcmp(w->up.repo, w->tree.repo) == 0)
		return 0;
	if (audit_index_open(w->tree.repo, names, paths->n, w->cache, &w->tree_index, err) < 0)
		return -1;
	w->tree.index = w->tree_index;
	return 0;
}

static int read_messages(struct work *w, struct side *s, struct err *err)
{
	s->commits = xcalloc(s->range->n, sizeof(*s->commits));
	for (size_t i = 0; i < s->range->n; i++) {
		if (stop_check(err) < 0 ||
		    audit_index_get(s->index, s->range->commits[i].id, &s->commits[i], err) < 0)
			return -1;
		if (i % 256 == 0)
			progress_detail(w->progress, "%zu of %zu messages", i, s->range->n);
		progress_tick(w->progress);
	}
	return 0;
}

static int read_lines(struct work *w, struct err *err)
{
	_cleanup_free_ bool *needed = xcalloc(w->audit.upstream.n, sizeof(*needed));
	size_t n = audit_needs_lines(&w->audit, needed);
	size_t done = 0;

	for (size_t i = 0; i < w->audit.upstream.n; i++) {
		if (!needed[i])
			continue;
		if (stop_check(err) < 0 ||
		    audit_index_lines(w->up.index, w->up.commits[i], err) < 0)
			return -1;
		if (done++ % 64 == 0)
			progress_detail(w->progress, "%zu of %zu changes", done, n);
		progress_tick(w->progress);
	}
	return 0;
}

/* Lines of what is only named, further back than any distance. */
static int read_pairs(struct work *w, struct err *err)
{
	for (size_t i = 0; i < w->audit.n_pairs; i++) {
		struct pair *p = &w->audit.pairs[i];

		if (stop_check(err) < 0 ||
		    audit_index_lines(w->up.index, w->up.commits[p->carried], err) < 0 ||
		    audit_index_lines(w->up.index, w->up.commits[p->follow], err) < 0)
			return -1;
		audit_pair_lines(&w->audit, p);
	}
	return 0;
}

static int same_patch(void *arg, const char *upstream, const char *tree, struct err *err)
{
	_cleanup_(identity_deinit) struct identity a = { 0 };
	_cleanup_(identity_deinit) struct identity b = { 0 };
	struct work *w = arg;

	progress_tick(w->progress);
	if (identity_of(w->up.repo, upstream, &a, err) < 0 ||
	    identity_of(w->tree.repo, tree, &b, err) < 0)
		return -1;
	return *a.patch_id && strcmp(a.patch_id, b.patch_id) == 0;
}

/* --since: what the tree had by then is not asked about. */
static int find_old(struct work *w, struct err *err)
{
	_cleanup_(range_destroy_p) struct range *r = NULL;
	struct side since = { .repo = w->tree.repo };
	const char *rev = options_str(w->o, OPT_SINCE);
	_cleanup_free_ bool *had = NULL;

	if (!rev)
		return 0;
	if (range_resolve(w->tree.repo, rev, since.id, err) < 0 || walk(w, &since, err) < 0)
		return -1;
	r = since.range;
	had = xcalloc(w->tree.range->n, sizeof(*had));
	for (size_t i = 0; i < r->n; i++) {
		long at = range_find(w->tree.range, r->commits[i].id);

		if (at >= 0)
			had[at] = true;
	}
	w->old = xcalloc(w->up.range->n, sizeof(*w->old));
	for (size_t i = 0; i < w->up.range->n; i++)
		w->old[i] = w->audit.how[i] && had[w->audit.carrier[i]];
	w->audit.old = w->old;
	return 0;
}

static enum pair_rank min_rank(const struct options *o)
{
	for (enum pair_rank r = 0; r < RANKS; r++)
		if (strcmp(options_str(o, OPT_MIN_RANK), rank_name(r)) == 0)
			return r;
	return RANK_LIKELY;
}

static int look_for_pairs(struct work *w, struct err *err)
{
	struct audit *a = &w->audit;

	audit_named(a);
	if (read_lines(w, err) < 0)
		return -1;
	audit_rewritten(a);
	return read_pairs(w, err);
}

static int compare(struct work *w, struct err *err)
{
	_cleanup_(audit_tree_destroy_p) struct audit_tree *tree = NULL;

	progress_stage(w->progress, "compare", -1);
	if (audit_tree_open(w->tree.repo, w->tree.id, &tree, err) < 0 ||
	    audit_in_tree(&w->audit, tree, &w->n_there, err) < 0)
		return -1;
	audit_rank(&w->audit, min_rank(w->o));
	return 0;
}

static int do_audit(struct work *w, struct err *err)
{
	if (walk(w, &w->up, err) < 0 || walk(w, &w->tree, err) < 0 || open_indexes(w, err) < 0 ||
	    read_messages(w, &w->up, err) < 0 || read_messages(w, &w->tree, err) < 0)
		return -1;
	w->audit.upstream = (struct audit_list){ w->up.commits, w->up.range->n };
	w->audit.tree = (struct audit_list){ w->tree.commits, w->tree.range->n };
	w->audit.rules.distance_days = (unsigned int)options_num(w->o, OPT_DISTANCE);
	if (audit_same(&w->audit, same_patch, w, err) < 0 || find_old(w, err) < 0 ||
	    look_for_pairs(w, err) < 0)
		return -1;
	return compare(w, err);
}

static const char *reason_name(enum pair_reason reason)
{
	static const char *const names[] = {
		[PAIR_REVERTS] = "reverts", [PAIR_FIXES] = "fixes",	  [PAIR_BLAMES] = "blames",
		[PAIR_NAMES] = "names",	    [PAIR_REWRITES] = "rewrites", [PAIR_BESIDE] = "beside",
	};

	return names[reason];
}

static bool has_fixes(const struct audit_commit *c)
{
	for (size_t i = 0; i < c->words.n_mentions; i++)
		if (c->words.mentions[i].word == AUDIT_FIXES)
			return true;
	return false;
}

static struct audit_report_finding finding(const struct audit *a, const struct pair *p)
{
	const struct audit_commit *x = a->upstream.commits[p->carried];
	const struct audit_commit *y = a->upstream.commits[p->follow];

	return (struct audit_report_finding){
		.rank = rank_name(p->rank),
		.reason = reason_name(p->reason),
		.change = { x->id, x->subject, x->authored_s },
		.follow_up = { y->id, y->subject, y->authored_s },
		.tree_commit = a->tree.commits[a->carrier[p->carried]]->id,
		.how = carried_how_name(a->how[p->carried]),
		.functions = &p->functions,
		.fixes_tag = has_fixes(y),
		.stable_tag = y->words.cc_stable,
		.undone = p->lines.undone,
		.in_tree = p->lines.in_tree,
		.beside = p->lines.beside,
		.removed = p->lines.removed,
		.days = p->days,
	};
}

static size_t count_lacking(const struct audit *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->upstream.n; i++)
		n += a->carrier[i] == PAIR_NONE;
	return n;
}

static int put_report(struct work *w, const struct audit_report *r, struct err *err)
{
	_cleanup_(json_out_deinit) struct json_out j = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	const char *format = options_str(w->o, OPT_FORMAT);

	if (strcmp(format, "text") == 0) {
		audit_text(r, &text);
		return cmd_write(w->o, text.data, err);
	}
	if (strcmp(format, "sarif") == 0)
		audit_sarif(r, &j);
	else
		audit_json(r, &j);
	return cmd_write(w->o, j.text.data, err);
}

/* Each once, in the order of the findings: the surest first. */
static void list_follow_ups(const struct audit_report_finding *findings, size_t n,
			    struct follow_ups *ret)
{
	ret->items = xcalloc(n, sizeof(*ret->items));
	for (size_t i = 0; i < n; i++) {
		const char *id = findings[i].follow_up.id;
		bool known = false;

		for (size_t k = 0; k < ret->n; k++)
			known |= strcmp(ret->items[k].id, id) == 0;
		if (!known)
			ret->items[ret->n++].id = id;
	}
}

static int try_follow_ups(struct work *w, struct audit_report_finding *findings,
			  struct audit_report *r, struct follow_ups *f, struct err *err)
{
	list_follow_ups(findings, r->n, f);
	if (!f->n)
		return 0;
	if (follow_ups_test(w->o, w->progress, w->tree.repo, w->tree.id, w->up.repo, f, err) < 0)
		return -1;
	progress_stage(w->progress, NULL, -1);
	r->tested = f->dir;
	r->tree_word = f->base_word;
	r->tree_why = f->base.reason;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < f->n; k++) {
			const struct effect_verdict *e = &f->items[k].effect;

			if (strcmp(findings[i].follow_up.id, f->items[k].id) != 0)
				continue;
			findings[i].effect = effect_name(e->effect);
			findings[i].effect_rule = e->rule;
			findings[i].effect_why = e->reason;
		}
	return 0;
}

static int report(struct work *w, struct err *err)
{
	_cleanup_(follow_ups_deinit) struct follow_ups f = { 0 };
	const struct audit *a = &w->audit;
	struct err ignored;
	int rc = 0;
	_cleanup_free_ struct audit_report_finding *findings =
		xcalloc(a->n_pairs, sizeof(*findings));
	struct audit_report r = {
		.tool = AMDGPU_BISECT_VERSION,
		.upstream_repo = w->up.repo,
		.upstream_rev = w->up.rev,
		.upstream_id = w->up.id,
		.tree_repo = w->tree.repo,
		.tree_rev = w->tree.rev,
		.tree_id = w->tree.id,
		.paths = options_list(w->o, OPT_PATH),
		.since = options_str(w->o, OPT_SINCE),
		.min_rank = options_str(w->o, OPT_MIN_RANK),
		.distance_days = a->rules.distance_days,
		.n_upstream = a->upstream.n,
		.n_tree = a->tree.n,
		.n_carried = a->n_carried,
		.n_picked = a->n_picked,
		.n_lacking = count_lacking(a),
		.n_there = w->n_there,
		.findings = findings,
		.n = a->n_pairs,
	};

	for (size_t i = 0; i < a->n_pairs; i++)
		findings[i] = finding(a, &a->pairs[i]);
	/* What was found is true also where no guest could be had to try it. */
	if (options_bool(w->o, OPT_AUDIT_TEST))
		rc = try_follow_ups(w, findings, &r, &f, err);
	progress_destroy(take_ptr(w->progress)); /* before the report comes where its line stood */
	return put_report(w, &r, rc < 0 ? &ignored : err) < 0 ? -1 : rc;
}

int cmd_audit(struct options *o, struct err *err)
{
	_cleanup_(work_deinit) struct work w = { .o = o };
	int rc;

	if (o->args.n)
		return err_set(err, ERR_USAGE, "audit takes no argument; '%s' is too much",
			       o->args.items[0]);
	if (!options_str(o, OPT_AUDIT_UPSTREAM))
		return err_set(err, ERR_USAGE,
			       "where do changes come from? name it: --upstream REPO:REV");
	if (options_fit(o, err) < 0 || take_side(o, OPT_AUDIT_UPSTREAM, &w.up, err) < 0 ||
	    take_side(o, OPT_AUDIT_TREE, &w.tree, err) < 0)
		return -1;
	if (strcmp(options_str(o, OPT_WALK_CACHE), "on") == 0)
		w.cache = path_cache();
	w.progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	rc = do_audit(&w, err);
	/* What was read before a stop or a damaged object is true all the same. */
	if (w.up_index)
		audit_index_save(w.up_index);
	if (w.tree_index)
		audit_index_save(w.tree_index);
	progress_stage(w.progress, NULL, -1);
	if (rc < 0 || report(&w, err) < 0)
		return -1;
	return w.audit.n_pairs ? EXIT_BAD : EXIT_GOOD;
}
