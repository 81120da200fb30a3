// SPDX-License-Identifier: GPL-2.0-or-later
/* log: a run as a file that `git bisect replay` takes. Only reads. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "controller/log/bisect_log.h"
#include "cmd_session.h"
#include "halving.h"

/* What is gathered for a log; subjects of ends are owned, the rest is borrowed from the session. */
struct logged {
	struct session s;
	struct log_entry *entries;
	size_t n_entries;
	struct log_entry *old_ends;
	struct log_entry *possible;
	struct strv subjects;
};

static void logged_deinit(struct logged *l)
{
	free(l->entries);
	free(l->old_ends);
	free(l->possible);
	strv_deinit(&l->subjects);
	session_deinit(&l->s);
}

/* git calls a bad old state and a good new one confusing, and refuses them: old and new it is then. */
static void choose_words(const struct options *o, struct log_session *log)
{
	struct halving_words words = halving_words(o);
	bool plain = halving_find(o) == SEARCH_REGRESSION;

	log->old = !plain && strcmp(words.old, "bad") == 0 ? "old" : words.old;
	log->new = !plain &&strcmp(words.new, "good") == 0 ? "new" : words.new;
}

static struct log_entry entry_of(const struct range *r, uint32_t node, enum log_state state)
{
	return (struct log_entry){
		.state = state,
		.id = r->commits[node].id,
		.subject = r->commits[node].subject,
	};
}

static int end_entry(struct logged *l, const char *id, enum log_state state, struct log_entry *ret,
		     struct err *err)
{
	char *subject;

	if (range_subject(l->s.repo, id, &subject, err) < 0)
		return -1;
	strv_take(&l->subjects, subject);
	*ret = (struct log_entry){ .state = state, .id = id, .subject = subject };
	return 0;
}

/* Marks the ancestors of every node that is marked; numbers are topological. */
static void mark_ancestors(const struct range *r, bool *marks)
{
	for (size_t i = r->n; i-- > 0;)
		for (uint32_t p = 0; marks[i] && p < r->commits[i].n_parents; p++)
			marks[r->parents[r->commits[i].parents + p]] = true;
}

static bool is_ancestor(const struct range *r, uint32_t node, uint32_t of)
{
	_cleanup_free_ bool *marks = xcalloc(r->n, sizeof(*marks));

	marks[of] = true;
	mark_ancestors(r, marks);
	return marks[node];
}

/*
 * git keeps one new commit, the last one told, and takes every verdict for true: a new commit that
 * would send it up again, or that lies below an old one, stays a remark.
 */
static void add_entry(struct logged *l, uint32_t node, const bool *below_old, uint32_t *lowest)
{
	const struct search_view *v = &l->s.views[node];
	struct log_entry *e = &l->entries[l->n_entries++];

	if (v->verdict == VERDICT_SKIP || halving_is_old(&l->s.o, v->verdict)) {
		*e = entry_of(l->s.range, node, v->verdict == VERDICT_SKIP ? LOG_SKIP : LOG_OLD);
		return;
	}
	*e = entry_of(l->s.range, node, LOG_NEW);
	e->remark = below_old[node] || v->inherited || !is_ancestor(l->s.range, node, *lowest);
	if (!e->remark)
		*lowest = node;
}

/* Each commit once, where its last trial stands. */
static void gather_entries(struct logged *l)
{
	_cleanup_free_ bool *seen = xcalloc(l->s.range->n, sizeof(*seen));
	_cleanup_free_ uint32_t *order = xcalloc(l->s.n_trials, sizeof(*order));
	_cleanup_free_ bool *below_old = xcalloc(l->s.range->n, sizeof(*below_old));
	uint32_t lowest = l->s.range->bad_node;
	size_t n = 0;

	for (size_t i = l->s.n_trials; i-- > 0;) {
		long node = range_find(l->s.range, l->s.trials[i].commit);

		if (node < 0 || seen[node] || !halving_counts(&l->s.trials[i]) ||
		    (uint32_t)node == l->s.range->bad_node)
			continue;
		seen[node] = true;
		order[n++] = (uint32_t)node;
	}
	for (size_t i = 0; i < n; i++)
		below_old[order[i]] = halving_is_old(&l->s.o, l->s.views[order[i]].verdict);
	mark_ancestors(l->s.range, below_old);
	l->entries = xcalloc(n, sizeof(*l->entries));
	while (n-- > 0)
		if (l->s.views[order[n]].verdict != VERDICT_NONE)
			add_entry(l, order[n], below_old, &lowest);
}

static void gather_answer(struct logged *l, struct log_session *log, struct log_entry *found)
{
	const struct search_step *step = &l->s.step;

	if (step->action == SEARCH_FOUND) {
		*found = entry_of(l->s.range, step->node, LOG_NEW);
		log->first_new = found;
	}
	if (step->action != SEARCH_SET)
		return;
	l->possible = xcalloc(step->n_set, sizeof(*l->possible));
	for (size_t i = step->n_set; i-- > 0;)
		l->possible[log->n_possible++] = entry_of(l->s.range, step->set[i], LOG_NEW);
	log->possible = l->possible;
}

int cmd_log(struct options *o, struct err *err)
{
	_cleanup_(logged_deinit) struct logged l = { 0 };
	_cleanup_free_ char *text = NULL;
	struct log_session log = { 0 };
	struct log_entry found;

	if (cmd_open_session(o, &l.s, err) < 0)
		return -1;
	choose_words(&l.s.o, &log);
	log.first_parent = options_bool(&l.s.o, OPT_FIRST_PARENT);
	log.paths = options_list(&l.s.o, OPT_PATH);
	if (end_entry(&l, l.s.range->bad_id, LOG_NEW, &log.new_end, err) < 0)
		return -1;
	l.old_ends = xcalloc(l.s.range->n_good, sizeof(*l.old_ends));
	for (size_t i = 0; i < l.s.range->n_good; i++)
		if (end_entry(&l, l.s.range->good_ids[i], LOG_OLD, &l.old_ends[i], err) < 0)
			return -1;
	gather_entries(&l);
	gather_answer(&l, &log, &found);
	log.old_ends = l.old_ends;
	log.n_old_ends = l.s.range->n_good;
	log.entries = l.entries;
	log.n_entries = l.n_entries;
	text = bisect_log_write(&log);
	return cmd_write(o, text, err);
}
