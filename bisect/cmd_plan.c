// SPDX-License-Identifier: GPL-2.0-or-later
/* plan: what a run would do. Walks and searches; builds and boots nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "cmd.h"
#include "controller/graph/graph.h"
#include "controller/kept/inputs.h"
#include "controller/replay.h"
#include "controller/scope.h"
#include "controller/team/size.h"
#include "halving.h"
#include "range/range.h"
#include "controller/rates.h"
#include "search/search.h"
#include "wire/json_out.h"

#define TEXT_CANDIDATES 20 /* shown as text; JSON has them all */
#define WORKERS_MAX	64 /* of --workers */

struct plan {
	const struct options *o;
	char *repo;
	struct range *range;
	struct search *search;
	struct scope_choice scope;
	struct replay replay;
	struct priors priors;
	size_t n_left_out;
	struct search_step step;
	struct search_view *views;  /* [range->n] */
	uint32_t next[WORKERS_MAX]; /* [n_next] to be tried at once */
	size_t n_next;
	unsigned int ends;    /* trials that check the ends and the merge bases */
	unsigned int confirm; /* trials that confirm */
	unsigned int steps;
	unsigned int rounds; /* of several trials at once; 0: one after the other */
	size_t workers;
	int64_t expect_ns;
};

static void plan_deinit(struct plan *p)
{
	free(p->views);
	replay_deinit(&p->replay);
	priors_deinit(&p->priors);
	search_destroy(p->search);
	range_destroy(p->range);
	free(p->repo);
}

/* How many at once; `plan` looks at no card, so that is a number, or what this machine can bear. */
static int make_next(struct plan *p, struct err *err)
{
	_cleanup_(team_size_deinit) struct team_size size = { 0 };

	if (options_str(p->o, OPT_WORKERS) && !options_num(p->o, OPT_WORKERS)) {
		if (team_size(p->o, NULL, p->range->n, &size, err) < 0)
			return -1;
		p->workers = size.n;
	} else {
		p->workers = options_num(p->o, OPT_WORKERS);
	}
	if (p->workers < 1)
		p->workers = 1;
	if (p->step.action == SEARCH_TEST && p->workers == 1)
		p->next[p->n_next++] = p->step.node;
	else if (p->step.action == SEARCH_TEST)
		p->n_next = search_next_k(p->search, p->workers, p->next);
	return 0;
}

/* Trials one after the other; of several at once, builds are, and guests run side by side. */
static int64_t duration(const struct plan *p, unsigned int trials)
{
	const char *scope = options_str(p->o, OPT_SCOPE);
	int64_t build = rates_get(scope, "build"), guest = rates_get(scope, "guest");
	unsigned int once = (trials + (unsigned int)p->workers - 1) / (unsigned int)p->workers;

	return build * trials + guest * once;
}

static int make_expectation(struct plan *p, struct err *err)
{
	if (make_next(p, err) < 0)
		return -1;
	p->steps = p->step.action == SEARCH_TEST ? p->step.steps : 0;
	p->ends = (unsigned int)(p->range->n_good + p->range->n_bases) + 1;
	p->confirm = 2;
	if (p->steps && p->workers > 1)
		p->rounds = search_rounds(p->search, p->next, p->n_next);
	p->expect_ns = duration(p, p->ends) + duration(p, p->confirm) +
		       (p->rounds ? p->rounds * duration(p, (unsigned int)p->n_next)
				  : duration(p, p->steps));
	return 0;
}

static int make_search(struct plan *p, struct err *err)
{
	if (halving_priors(p->o, p->repo, p->range, &p->priors, err) < 0 ||
	    halving_search_by(p->o, p->range, &p->priors, &p->search, &p->n_left_out, err) < 0 ||
	    replay_load(p->o, p->repo, p->range, &p->replay, err) < 0)
		return -1;
	search_set(p->search, p->range->bad_node, halving_new(p->o));
	replay_tell(&p->replay, p->search);
	p->views = xcalloc(p->range->n, sizeof(*p->views));
	search_views(p->search, p->views);
	search_next(p->search, &p->step);
	return make_expectation(p, err);
}

static int make_plan(struct options *o, struct plan *p, struct err *err)
{
	_cleanup_(progress_destroy_p) struct progress *progress =
		progress_create(stderr, options_bool(o, OPT_QUIET));
	const char *where = options_str(o, OPT_REPO);

	p->o = o;
	if (replay_options(o, err) < 0 || range_discover(where ? where : ".", &p->repo, err) < 0 ||
	    halving_range_shown(o, p->repo, progress, &p->range, err) < 0 ||
	    scope_settle(o, p->repo, p->range, &p->scope, err) < 0 ||
	    inputs_check(o, p->repo, err) < 0)
		return -1;
	return make_search(p, err);
}

static const char *action_name(enum search_action action)
{
	static const char *const names[] = {
		[SEARCH_TEST] = "test",
		[SEARCH_FOUND] = "found",
		[SEARCH_SET] = "set",
		[SEARCH_CONTRADICTION] = "contradiction",
	};

	return names[action];
}

static void json_ids(struct json_out *j, const char *key, char (*ids)[COMMIT_ID_SIZE], size_t n)
{
	json_out_list(j, key);
	for (size_t i = 0; i < n; i++)
		json_out_str(j, NULL, ids[i]);
	json_out_end(j);
}

/* The question: ends by state, and by name where the names mean what they say. */
static void json_question(struct json_out *j, const struct plan *p)
{
	struct halving_words words = halving_words(p->o);
	const struct range *r = p->range;

	json_out_str(j, "find", options_str(p->o, OPT_FIND));
	json_out_object(j, "terms");
	json_out_str(j, "old", words.old);
	json_out_str(j, "new", words.new);
	json_out_end(j);
	json_out_str(j, "new", r->bad_id);
	json_ids(j, "old", r->good_ids, r->n_good);
	if (halving_find(p->o) == SEARCH_REGRESSION) {
		json_out_str(j, "bad", r->bad_id);
		json_ids(j, "good", r->good_ids, r->n_good);
	}
	json_ids(j, "bases", r->base_ids, r->n_bases);
	json_out_str(j, "scope", options_str(p->o, OPT_SCOPE));
	json_out_str(j, "scope_why", p->scope.why);
	if (p->scope.warning[0])
		json_out_str(j, "scope_warning", p->scope.warning);
}

static void json_commit(struct json_out *j, const char *key, const struct range_commit *c)
{
	json_out_object(j, key);
	json_out_str(j, "commit", c->id);
	json_out_str(j, "subject", c->subject);
}

static void json_step(struct json_out *j, const struct plan *p)
{
	const struct range *r = p->range;
	bool flaky = options_real(p->o, OPT_FLAKY) > 0;

	json_out_int(j, "left", (int64_t)p->step.left);
	json_out_int(j, "steps", p->steps);
	if (p->rounds)
		json_out_int(j, "rounds", p->rounds);
	json_out_int(j, "trials", p->ends + p->confirm + p->steps);
	json_out_num(j, "expected_s", (double)p->expect_ns / NS_PER_S);
	if (flaky)
		json_out_num(j, "confidence", p->step.confidence);
	json_out_str(j, "action", action_name(p->step.action));
	json_out_list(j, "next");
	for (size_t i = 0; i < p->n_next; i++) {
		json_commit(j, NULL, &r->commits[p->next[i]]);
		json_out_int(j, "ancestors", p->views[p->next[i]].weight);
		json_out_end(j);
	}
	json_out_end(j);
	if (p->step.action == SEARCH_FOUND) {
		json_commit(j, "found", &r->commits[p->step.node]);
		json_out_end(j);
	}
	json_out_list(j, "set");
	for (size_t i = 0; i < p->step.n_set; i++)
		json_out_str(j, NULL, r->commits[p->step.set[i]].id);
	json_out_end(j);
}

static void json_candidates(struct json_out *j, const struct plan *p)
{
	json_out_list(j, "candidates");
	for (size_t i = 0; i < p->range->n; i++) {
		const struct range_commit *c = &p->range->commits[i];

		json_commit(j, NULL, c);
		json_out_bool(j, "merge", c->merge);
		if (p->priors.factor && p->priors.factor[i] != 1)
			json_out_num(j, "prior", p->priors.factor[i]);
		if (p->priors.idle && p->priors.idle[i])
			json_out_bool(j, "cannot_matter", true);
		if (p->replay.n && p->views[i].verdict != VERDICT_NONE)
			json_out_str(j, "verdict", verdict_name(p->views[i].verdict));
		if (p->replay.n)
			json_out_bool(j, "left", p->views[i].left);
		json_out_end(j);
	}
	json_out_end(j);
}

static void put_json(struct json_out *j, const struct plan *p)
{
	json_out_object(j, NULL);
	json_out_int(j, "version", 1);
	json_question(j, p);
	json_out_int(j, "walked", (int64_t)p->range->n_walked);
	json_out_bool(j, "cached", p->range->cached);
	json_out_int(j, "candidates_total", (int64_t)p->range->n);
	json_out_int(j, "left_out", (int64_t)p->n_left_out);
	json_step(j, p);
	json_candidates(j, p);
	json_out_end(j);
}

/* To a file the text goes whole, to a stream as it comes. */
static int write_json(const struct options *o, const struct plan *p, struct err *err)
{
	_cleanup_(json_out_deinit) struct json_out j = { 0 };
	const char *path = options_str(o, OPT_OUTPUT);

	if (!path)
		j.to = stdout;
	put_json(&j, p);
	return path ? fs_write(path, j.text.data, j.text.len, err) : 0;
}

static void text_priors(struct buf *b, const struct plan *p)
{
	_cleanup_strv_ struct strv said = { 0 };

	priors_say(&p->priors, p->o, p->n_left_out, &said);
	for (size_t i = 0; i < said.n; i++)
		buf_printf(b, "%s\n", said.items[i]);
}

/* Where an end's branch forked off; mostly no candidate, so its subject is looked up. */
static void text_bases(struct buf *b, const struct plan *p)
{
	for (size_t i = 0; i < p->range->n_bases; i++) {
		_cleanup_free_ char *subject = NULL;
		struct err ignored;

		if (range_subject(p->repo, p->range->base_ids[i], &subject, &ignored) < 0)
			subject = NULL;
		buf_printf(b, "to be tested first, where an end's branch forked off: %.12s %s\n",
			   p->range->base_ids[i], subject ? subject : "");
	}
}

static void text_question(struct buf *b, const struct plan *p)
{
	const struct range *r = p->range;
	struct halving_words words = halving_words(p->o);

	buf_printf(b, "%zu candidate%s of %zu commit%s between ", r->n, r->n == 1 ? "" : "s",
		   r->n_walked, r->n_walked == 1 ? "" : "s");
	for (size_t i = 0; i < r->n_good && i < 3; i++)
		buf_printf(b, "%s%.12s", i ? ", " : "", r->good_ids[i]);
	if (r->n_good > 3)
		buf_printf(b, " and %zu more", r->n_good - 3);
	buf_printf(b, " (%s) and %.12s (%s)%s\n", words.old, r->bad_id, words.new,
		   r->cached ? ", as kept from an earlier walk" : "");
	text_bases(b, p);
	if (p->replay.n)
		buf_printf(b, "%zu left after %zu verdicts of %s\n", p->step.left, p->replay.n,
			   options_str(p->o, OPT_REPLAY));
	if (p->replay.n_unused)
		buf_printf(b, "%zu verdicts of the log are on commits outside of the range\n",
			   p->replay.n_unused);
}

static void text_scope(struct buf *b, const struct plan *p)
{
	if (p->scope.chosen)
		buf_printf(b, "scope %s: %s\n", build_scope_name(p->scope.scope), p->scope.why);
	if (p->scope.warning[0])
		buf_printf(b, "warning: %s\n", p->scope.warning);
}

static void text_commit(struct buf *b, const struct plan *p, uint32_t node)
{
	buf_printf(b, "%.12s %s", p->range->commits[node].id, p->range->commits[node].subject);
}

static void text_next(struct buf *b, const struct plan *p)
{
	char took[32];

	if (p->expect_ns < 60 * NS_PER_S)
		snprintf(took, sizeof(took), "%" PRId64 " s", p->expect_ns / NS_PER_S);
	else
		clock_duration_text(p->expect_ns, took, sizeof(took));
	buf_printf(b,
		   "about %u %s, %u trials of the ends and %u to confirm: about %s at scope %s\n",
		   p->rounds ? p->rounds : p->steps, p->rounds ? "rounds" : "steps", p->ends,
		   p->confirm, took, options_str(p->o, OPT_SCOPE));
	for (size_t i = 0; i < p->n_next; i++) {
		buf_puts(b, p->n_next == 1 ? "first to try: "
			    : i		   ? "              "
					   : "try at once:  ");
		text_commit(b, p, p->next[i]);
		buf_printf(b, " (%u of %zu candidates lie behind it)\n",
			   p->views[p->next[i]].weight, p->step.left);
	}
}

static void text_step(struct buf *b, const struct plan *p)
{
	struct halving_words words = halving_words(p->o);

	switch (p->step.action) {
	case SEARCH_TEST:
		text_next(b, p);
		break;
	case SEARCH_FOUND:
		buf_printf(b, p->range->n == 1 ? "nothing to search: " : "first %s: ", words.new);
		text_commit(b, p, p->step.node);
		buf_puts(b, p->range->n == 1 ? " is the only candidate\n" : "\n");
		break;
	case SEARCH_SET:
		buf_printf(b, "%zu candidates left, and none of them can be tested:\n",
			   p->step.n_set);
		for (size_t i = 0; i < p->step.n_set && i < TEXT_CANDIDATES; i++) {
			buf_puts(b, "  ");
			text_commit(b, p, p->step.set[i]);
			buf_puts(b, "\n");
		}
		break;
	case SEARCH_CONTRADICTION:
		buf_puts(b, "two verdicts contradict each other: ");
		text_commit(b, p, p->step.node);
		buf_puts(b, ", and ");
		text_commit(b, p, p->step.other);
		buf_puts(b, "; one of them is wrong, or the change came, went and came again\n");
		break;
	}
}

static void text_candidates(struct buf *b, const struct plan *p)
{
	size_t shown = 0, left = 0;

	buf_puts(b, "what is left, newest first:\n");
	for (size_t i = p->range->n; i-- > 0;) {
		if (!p->views[i].left)
			continue;
		left++;
		if (shown == TEXT_CANDIDATES)
			continue;
		shown++;
		buf_puts(b, "  ");
		text_commit(b, p, (uint32_t)i);
		buf_puts(b, p->range->commits[i].merge ? " (merge)\n" : "\n");
	}
	if (left > shown)
		buf_printf(b, "  ... and %zu more; --format json lists them all\n", left - shown);
}

static int write_text(const struct options *o, const struct plan *p, struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };

	text_question(&b, p);
	text_scope(&b, p);
	text_priors(&b, p);
	text_step(&b, p);
	if (p->step.action == SEARCH_TEST)
		text_candidates(&b, p);
	return cmd_write(o, b.data, err);
}

static int write_dot(const struct options *o, const struct plan *p, struct err *err)
{
	const struct graph g = {
		.range = p->range,
		.views = p->views,
		.words = halving_words(o),
		.new = halving_new(o),
		.next = p->next,
		.n_next = p->n_next,
		.mass = options_real(o, OPT_FLAKY) > 0,
	};
	_cleanup_free_ char *text = graph_dot(&g);

	return cmd_write(o, text, err);
}

int cmd_plan(struct options *o, struct err *err)
{
	_cleanup_(plan_deinit) struct plan p = { 0 };

	if (cmd_take_range(o, err) < 0 || options_fit(o, err) < 0 || make_plan(o, &p, err) < 0)
		return -1;
	if (strcmp(options_str(o, OPT_FORMAT), "json") == 0)
		return write_json(o, &p, err);
	if (strcmp(options_str(o, OPT_FORMAT), "dot") == 0)
		return write_dot(o, &p, err);
	return write_text(o, &p, err);
}
