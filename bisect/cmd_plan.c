// SPDX-License-Identifier: GPL-2.0-or-later
/* plan: what a run would do. Walks and searches; builds and boots nothing. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd.h"
#include "halving.h"
#include "range/range.h"
#include "rates.h"
#include "search/search.h"
#include "wire/json.h"

#define TEXT_CANDIDATES 20 /* shown as text; JSON has them all */

struct plan {
	struct range *range;
	struct search *search;
	struct search_step next;
	unsigned int ends;    /* trials that check the ends */
	unsigned int confirm; /* trials that confirm */
	int64_t expect_ns;
};

static void plan_deinit(struct plan *p)
{
	search_destroy(p->search);
	range_destroy(p->range);
}

static int make_search(const struct options *o, const char *repo, struct plan *p, struct err *err)
{
	if (halving_search(o, repo, p->range, &p->search, err) < 0)
		return -1;
	search_set(p->search, p->range->bad_node, halving_new(o));
	search_next(p->search, &p->next);
	return 0;
}

static int make_plan(struct options *o, struct plan *p, struct err *err)
{
	_cleanup_free_ char *repo = NULL;
	const char *scope = options_str(o, OPT_SCOPE);

	if (range_discover(options_str(o, OPT_REPO) ? options_str(o, OPT_REPO) : ".", &repo, err) <
	    0)
		return -1;
	if (halving_range(o, repo, &p->range, err) < 0 || make_search(o, repo, p, err) < 0)
		return -1;
	p->ends = (unsigned int)p->range->n_good + 1;
	p->confirm = 2;
	p->expect_ns = (rates_get(scope, "build") + rates_get(scope, "guest")) *
		       (p->ends + p->confirm + (p->next.action == SEARCH_TEST ? p->next.steps : 0));
	return 0;
}

static char *as_json(const struct plan *p, const char *scope)
{
	struct json *j = json_object();
	struct json *list;
	char *text;

	assert(p->range);
	json_set_int(j, "version", 1);
	json_set_str(j, "bad", p->range->bad_id);
	list = json_set_array(j, "good");
	for (size_t i = 0; i < p->range->n_good; i++)
		json_push_str(list, p->range->good_ids[i]);
	json_set_str(j, "scope", scope);
	json_set_int(j, "walked", (int64_t)p->range->n_walked);
	json_set_int(j, "candidates_total", (int64_t)p->range->n);
	json_set_int(j, "steps", p->next.action == SEARCH_TEST ? p->next.steps : 0);
	json_set_int(j, "trials",
		     p->ends + p->confirm + (p->next.action == SEARCH_TEST ? p->next.steps : 0));
	json_set_num(j, "expected_s", (double)p->expect_ns / NS_PER_S);
	list = json_set_array(j, "next");
	if (p->next.action == SEARCH_TEST) {
		struct json *n = json_push_object(list);

		json_set_str(n, "commit", p->range->commits[p->next.node].id);
		json_set_str(n, "subject", p->range->commits[p->next.node].subject);
		json_set_int(n, "ancestors", p->next.weight);
	}
	list = json_set_array(j, "candidates");
	for (size_t i = 0; i < p->range->n; i++) {
		struct json *c = json_push_object(list);

		json_set_str(c, "commit", p->range->commits[i].id);
		json_set_str(c, "subject", p->range->commits[i].subject);
		json_set_bool(c, "merge", p->range->commits[i].merge);
	}
	text = json_text(j, true);
	json_destroy(j);
	return text;
}

static char *as_text(const struct plan *p, const char *scope)
{
	const struct range *r = p->range;
	struct buf b = { 0 };
	char took[32];

	assert(r);
	clock_duration_text(p->expect_ns, took, sizeof(took));
	buf_printf(&b, "%zu candidates of %zu commits between %.12s and %.12s\n", r->n, r->n_walked,
		   r->good_ids[0], r->bad_id);
	if (p->next.action == SEARCH_TEST)
		buf_printf(&b,
			   "about %u steps, %u trials of the ends and %u to confirm: about %s at "
			   "scope %s\n"
			   "first to try: %.12s %s (%u of %zu candidates lie behind it)\n",
			   p->next.steps, p->ends, p->confirm, took, scope,
			   r->commits[p->next.node].id, r->commits[p->next.node].subject,
			   p->next.weight, p->next.left);
	else
		buf_printf(&b, "nothing to search: %.12s %s is the only candidate\n",
			   r->commits[r->bad_node].id, r->commits[r->bad_node].subject);
	for (size_t i = r->n; i > 0 && r->n - i < TEXT_CANDIDATES; i--)
		buf_printf(&b, "  %.12s %s%s\n", r->commits[i - 1].id, r->commits[i - 1].subject,
			   r->commits[i - 1].merge ? " (merge)" : "");
	if (r->n > TEXT_CANDIDATES)
		buf_printf(&b, "  ... and %zu more; --format json lists them all\n",
			   r->n - TEXT_CANDIDATES);
	return buf_take(&b);
}

int cmd_plan(struct options *o, struct err *err)
{
	_cleanup_(plan_deinit) struct plan p = { 0 };
	_cleanup_free_ char *text = NULL;
	const char *format = options_str(o, OPT_FORMAT);
	const char *scope = options_str(o, OPT_SCOPE);

	if (strcmp(format, "html") == 0)
		return err_set(err, ERR_USAGE, "plan prints text or json");
	if (cmd_take_range(o, err) < 0 || make_plan(o, &p, err) < 0)
		return -1;
	text = strcmp(format, "json") == 0 ? as_json(&p, scope) : as_text(&p, scope);
	return cmd_write(o, text, err);
}
