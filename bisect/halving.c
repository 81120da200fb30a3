// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates and stored trials for the search: see halving.h. */
#include "halving.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "controller/blocker.h"
#include "controller/contract.h"
#include "controller/log/terms.h"
#include "paths.h"
#include "range/change/change.h"

enum search_find halving_find(const struct options *o)
{
	return strcmp(options_str(o, OPT_FIND), "fix") == 0 ? SEARCH_FIX : SEARCH_REGRESSION;
}

enum verdict halving_old(const struct options *o)
{
	return halving_find(o) == SEARCH_FIX ? VERDICT_BAD : VERDICT_GOOD;
}

enum verdict halving_new(const struct options *o)
{
	return halving_find(o) == SEARCH_FIX ? VERDICT_GOOD : VERDICT_BAD;
}

bool halving_is_old(const struct options *o, enum verdict v)
{
	return v == halving_old(o);
}

struct halving_words halving_words(const struct options *o)
{
	const char *old = options_str(o, OPT_TERM_OLD);
	const char *new = options_str(o, OPT_TERM_NEW);

	return (struct halving_words){
		.old = old ? old : verdict_name(halving_old(o)),
		.new = new ? new : verdict_name(halving_new(o)),
	};
}

int halving_set_ends(struct options *o, const char *const *old, size_t n_old, const char *new,
		     enum option_origin origin, struct err *err)
{
	bool fix = halving_find(o) == SEARCH_FIX;
	enum option old_option = fix ? OPT_BAD : OPT_GOOD;
	enum option new_option = fix ? OPT_GOOD : OPT_BAD;

	strv_deinit(&o->o[OPT_GOOD].values);
	strv_deinit(&o->o[OPT_BAD].values);
	for (size_t i = 0; i < n_old; i++)
		if (options_set(o, options_key(old_option), old[i], origin, err) < 0)
			return -1;
	return options_set(o, options_key(new_option), new, origin, err);
}

/* The ends under the flags that mean them; a fix is searched with the flags' parts exchanged. */
static int take_ends(const struct options *o, struct range_spec *spec, struct err *err)
{
	bool fix = halving_find(o) == SEARCH_FIX;
	const struct strv *old = options_list(o, fix ? OPT_BAD : OPT_GOOD);
	const struct strv *new = options_list(o, fix ? OPT_GOOD : OPT_BAD);
	struct halving_words words = halving_words(o);

	if (terms_check(options_str(o, OPT_TERM_OLD), options_str(o, OPT_TERM_NEW), fix, err) < 0)
		return -1;
	if (!old->n)
		return err_set(err, ERR_USAGE,
			       fix ? "no bad end; say BAD..GOOD or --bad REV"
				   : "no good end; say GOOD..BAD or --good REV");
	if (new->n > 1)
		return err_set(err, ERR_USAGE,
			       "two revisions with --%s, '%s' and '%s'; the new end is one: take "
			       "one away",
			       fix ? "good" : "bad", new->items[0], new->items[1]);
	spec->good = (const char *const *)old->items;
	spec->n_good = old->n;
	spec->bad = new->n ? new->items[0] : "HEAD";
	spec->old_word = words.old;
	spec->new_word = words.new;
	return 0;
}

/* A walk shows itself once it takes longer than a breath. */
struct shown {
	struct progress *progress;
	int64_t start_ns;
	bool begun;
};

static void on_walk(size_t commits, void *arg)
{
	struct shown *shown = arg;

	if (!shown->begun && clock_now_ns() - shown->start_ns < NS_PER_S)
		return;
	if (!shown->begun)
		progress_stage_since(shown->progress, "walk", shown->start_ns, -1);
	shown->begun = true;
	progress_detail(shown->progress, "%zu commits", commits);
	progress_tick(shown->progress);
}

/* The candidates as a graph; @first: [range->n + 1], filled here. */
static struct search_graph graph_of(const struct range *range, uint32_t *first)
{
	for (size_t i = 0; i < range->n; i++) {
		first[i] = range->commits[i].parents;
		first[i + 1] = first[i] + range->commits[i].n_parents;
	}
	return (struct search_graph){
		.n = range->n,
		.first = first,
		.parents = range->parents,
		.bad = range->bad_node,
		.weights = range->weights,
	};
}

/* Numbers of ancestors, which every search over the range begins with: counted once, and kept. */
static int weigh(const struct range_spec *spec, struct range *range, struct err *err)
{
	_cleanup_free_ uint32_t *first = xcalloc(range->n + 1, sizeof(*first));
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_graph graph = graph_of(range, first);

	if (search_create(&graph, NULL, &s, err) < 0)
		return -1;
	range->weights = xcalloc(range->n, sizeof(*range->weights));
	search_weights(s, range->weights);
	range_keep_weights(spec, range, range->weights);
	return 0;
}

static int open_range(const struct range_spec *spec, struct range **ret, struct err *err)
{
	_cleanup_(range_destroy_p) struct range *range = NULL;

	if (range_open(spec, &range, err) < 0 || (!range->weights && weigh(spec, range, err) < 0))
		return -1;
	*ret = take_ptr(range);
	return 0;
}

/* What the options ask of the walk. */
struct question {
	struct range_spec spec;
	char *cache;	   /* behind spec.cache_dir */
	struct strv names; /* behind spec.paths, if names are followed */
};

static void question_deinit(struct question *q)
{
	free(q->cache);
	strv_deinit(&q->names);
}

static int make_question(const struct options *o, const char *repo, struct question *q,
			 struct err *err)
{
	const struct strv *paths = options_list(o, OPT_PATH);

	q->spec = (struct range_spec){
		.repo = repo,
		.paths = (const char *const *)paths->items,
		.n_paths = options_bool(o, OPT_EVERY_COMMIT) ? 0 : paths->n,
		.first_parent = options_bool(o, OPT_FIRST_PARENT),
	};
	if (take_ends(o, &q->spec, err) < 0)
		return -1;
	if (strcmp(options_str(o, OPT_WALK_CACHE), "on") == 0)
		q->cache = path_cache();
	q->spec.cache_dir = q->cache;
	if (!options_bool(o, OPT_FOLLOW) || !q->spec.n_paths)
		return 0;
	if (change_follow(&q->spec, &q->names, err) < 0)
		return -1;
	q->spec.paths = (const char *const *)q->names.items;
	q->spec.n_paths = q->names.n;
	return 0;
}

int halving_range_shown(const struct options *o, const char *repo, struct progress *progress,
			struct range **ret, struct err *err)
{
	_cleanup_(question_deinit) struct question q = { 0 };
	struct shown shown = { .progress = progress, .start_ns = clock_now_ns() };
	int rc;

	if (make_question(o, repo, &q, err) < 0)
		return -1;
	q.spec.on_walk = progress ? on_walk : NULL;
	q.spec.on_walk_arg = &shown;
	rc = open_range(&q.spec, ret, err);
	if (shown.begun)
		progress_stage(progress, NULL, -1);
	return rc;
}

int halving_places(const struct options *o, const char *repo, const struct range *range,
		   const char *const *ids, size_t n, long *ret, struct err *err)
{
	_cleanup_free_ const char **old = xcalloc(range->n_good, sizeof(*old));
	_cleanup_(question_deinit) struct question q = { 0 };

	if (make_question(o, repo, &q, err) < 0)
		return -1;
	for (size_t i = 0; i < range->n_good; i++)
		old[i] = range->good_ids[i];
	q.spec.good = old;
	q.spec.n_good = range->n_good;
	q.spec.bad = range->bad_id;
	return range_places(&q.spec, range, ids, n, ret, err);
}

int halving_range(const struct options *o, const char *repo, struct range **ret, struct err *err)
{
	return halving_range_shown(o, repo, NULL, ret, err);
}

int halving_priors(const struct options *o, const char *repo, const struct range *range,
		   struct priors *ret, struct err *err)
{
	_cleanup_(question_deinit) struct question q = { 0 };

	if (make_question(o, repo, &q, err) < 0)
		return -1;
	return priors_make(o, &q.spec, range, ret, err);
}

int halving_search_by(const struct options *o, const struct range *range,
		      const struct priors *priors, struct search **ret, size_t *n_left_out,
		      struct err *err)
{
	_cleanup_(contracted_deinit) struct contracted less = { 0 };
	_cleanup_free_ uint32_t *first = xcalloc(range->n + 1, sizeof(*first));
	_cleanup_free_ bool *drop = NULL;
	struct search_graph graph = graph_of(range, first);
	struct search_rules rules = {
		.find = halving_find(o),
		.flaky = options_real(o, OPT_FLAKY),
		.confidence = options_real(o, OPT_CONFIDENCE),
	};

	graph.priors = priors->factor;
	if (priors->idle && options_bool(o, OPT_TRUST_DEPS)) {
		drop = xcalloc(range->n, sizeof(*drop));
		memcpy(drop, priors->idle, range->n * sizeof(*drop));
		contract(range, drop, &less);
		graph.first = less.first;
		graph.parents = less.parents;
		graph.weights = NULL;
	}
	*n_left_out = less.n_dropped;
	return search_create(&graph, &rules, ret, err);
}

int halving_search(const struct options *o, const char *repo, const struct range *range,
		   struct search **ret, struct err *err)
{
	_cleanup_(priors_deinit) struct priors priors = { 0 };
	size_t n_left_out;

	if (halving_priors(o, repo, range, &priors, err) < 0)
		return -1;
	return halving_search_by(o, range, &priors, ret, &n_left_out, err);
}

bool halving_counts(const struct store_trial *t)
{
	return t->ended && (t->v.verdict == VERDICT_GOOD || t->v.verdict == VERDICT_BAD ||
			    t->v.verdict == VERDICT_SKIP);
}

enum verdict halving_settle(enum verdict second, enum verdict third)
{
	return second == third ? third : VERDICT_SKIP;
}

void halving_tell(struct search *search, uint32_t node, const struct store_verdict *v)
{
	uint32_t blocker = blocker_of(v);

	if (blocker)
		search_block(search, node, blocker);
	else if (v->verdict == VERDICT_GOOD || v->verdict == VERDICT_BAD ||
		 v->verdict == VERDICT_SKIP)
		search_set(search, node, v->verdict);
}

void halving_recall(const struct options *o, const struct range *range, const struct store_trial *t,
		    size_t n, struct search *search)
{
	/* NONE, or what a confirming trial found that did not repeat the verdict */
	_cleanup_free_ enum verdict *pending = xcalloc(range->n, sizeof(*pending));

	for (size_t i = 0; i < n; i++) {
		bool confirms = t[i].role == ROLE_CONFIRM || t[i].role == ROLE_CONFIRM_PARENT;
		enum verdict want = t[i].role == ROLE_CONFIRM ? halving_new(o) : halving_old(o);
		struct store_verdict v = t[i].v;
		long node = range_find(range, t[i].commit);

		if (node < 0 || !halving_counts(&t[i]))
			continue;
		if (confirms && v.verdict != want && pending[node] == VERDICT_NONE) {
			pending[node] = v.verdict;
			continue;
		}
		if (confirms && v.verdict != want)
			v.verdict = halving_settle(pending[node], v.verdict);
		pending[node] = VERDICT_NONE;
		halving_tell(search, (uint32_t)node, &v);
	}
}
