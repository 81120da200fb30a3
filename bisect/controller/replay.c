// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a run begins: what a `git bisect` has found already. See replay.h. */
#include "controller/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "controller/log/bisect_log.h"
#include "halving.h"

#define FILE_BYTES_MAX (16 << 20)

static int read_log(const char *path, struct bisect_log *ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (access(path, R_OK) < 0)
		return err_set(err, ERR_USAGE, "cannot read %s: %s; name a log with --replay", path,
			       strerror(errno));
	if (fs_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return bisect_log_parse(text, len, ret, err) < 0 ? err_prefix(err, "%s", path) : 0;
}

/* The ends, or the first marks that are ends if the start line names none. */
static void find_ends(const struct bisect_log *l, struct strv *old, const char **new)
{
	size_t n_old = 0;

	*new = l->new_end;
	for (size_t i = 0; i < l->old_ends.n; i++)
		strv_add(old, l->old_ends.items[i]);
	for (size_t i = 0; i < l->n_marks && !*new; i++)
		if (l->marks[i].state == LOG_NEW)
			*new = l->marks[i].rev;
	for (size_t i = 0; i < l->n_marks && !l->old_ends.n; i++) {
		if (l->marks[i].state == LOG_NEW && n_old)
			break;
		if (l->marks[i].state == LOG_OLD) {
			strv_add(old, l->marks[i].rev);
			n_old++;
		}
	}
}

static int set_terms(struct options *o, const struct bisect_log *l, const char *path,
		     struct err *err)
{
	bool plain = strcmp(l->old, "good") == 0 && strcmp(l->new, "bad") == 0;

	if (plain && halving_find(o) == SEARCH_FIX)
		return err_set(err, ERR_USAGE,
			       "%s goes from good to bad, and --find fix looks for the other way; "
			       "leave one of the two out",
			       path);
	if (plain || options_given(o, OPT_TERM_OLD) || options_given(o, OPT_TERM_NEW))
		return 0;
	return options_set(o, options_key(OPT_TERM_OLD), l->old, ORIGIN_FLAG, err) < 0
		       ? -1
		       : options_set(o, options_key(OPT_TERM_NEW), l->new, ORIGIN_FLAG, err);
}

/* A log of another repository is told by its ends, before anything is walked. */
static int check_ends(const struct options *o, const struct bisect_log *l, const struct strv *old,
		      const char *new, struct err *err)
{
	const char *where = options_str(o, OPT_REPO);
	_cleanup_free_ char *repo = NULL;
	char id[COMMIT_ID_SIZE];
	int rc;

	if (range_discover(where ? where : ".", &repo, err) < 0)
		return -1;
	rc = range_resolve(repo, new, id, err);
	for (size_t i = 0; i < old->n && !rc; i++)
		rc = range_resolve(repo, old->items[i], id, err);
	return rc < 0 ? err_prefix(err, "%s, whose start is in line %u", options_str(o, OPT_REPLAY),
				   l->start_line)
		      : 0;
}

static int set_ends(struct options *o, const struct bisect_log *l, struct err *err)
{
	_cleanup_strv_ struct strv old = { 0 };
	const char *new;

	find_ends(l, &old, &new);
	if (!new || !old.n || options_given(o, OPT_GOOD) || options_given(o, OPT_BAD))
		return 0;
	if (check_ends(o, l, &old, new, err) < 0)
		return -1;
	return halving_set_ends(o, (const char *const *)old.items, old.n, new, ORIGIN_FLAG, err);
}

int replay_options(struct options *o, struct err *err)
{
	_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };
	const char *path = options_str(o, OPT_REPLAY);

	if (!path)
		return 0;
	if (read_log(path, &l, err) < 0 || set_terms(o, &l, path, err) < 0 ||
	    set_ends(o, &l, err) < 0)
		return -1;
	if (!options_given(o, OPT_PATH))
		for (size_t i = 0; i < l.paths.n; i++)
			if (options_set(o, options_key(OPT_PATH), l.paths.items[i], ORIGIN_FLAG,
					err) < 0)
				return -1;
	if (l.first_parent && !options_given(o, OPT_FIRST_PARENT))
		return options_set(o, options_key(OPT_FIRST_PARENT), "true", ORIGIN_FLAG, err);
	return 0;
}

void replay_deinit(struct replay *r)
{
	free(r->verdicts);
	*r = (struct replay){ 0 };
}

static bool is_end(const struct range *range, const char *id)
{
	for (size_t i = 0; i < range->n_good; i++)
		if (strcmp(range->good_ids[i], id) == 0)
			return true;
	return false;
}

/*
 * The candidate that a commit's content comes from: the end of a walk to it.
 * Return: -1 error; *node is -1 if there is none in the range.
 */
static int find_node(const struct options *o, const char *repo, const struct range *range,
		     const char *id, long *node, struct err *err)
{
	_cleanup_(range_destroy_p) struct range *to = NULL;
	struct err failed = { 0 };

	*node = range_find(range, id);
	if (*node >= 0)
		return 0;
	if (halving_range_to(o, repo, range, id, &to, &failed) < 0) {
		/* Not above the old ends: nothing that lies between can be told from it. */
		if (failed.kind == ERR_USAGE)
			return 0;
		*err = failed;
		return -1;
	}
	if (to->n)
		*node = range_find(range, to->commits[to->bad_node].id);
	return 0;
}

static int load_mark(const struct options *o, const char *repo, const struct range *range,
		     const struct log_mark *m, struct replay *ret, struct err *err)
{
	const char *path = options_str(o, OPT_REPLAY);
	struct replay_verdict *v;
	char id[COMMIT_ID_SIZE];
	long node;

	if (range_resolve(repo, m->rev, id, err) < 0)
		return err_prefix(err, "%s: line %u", path, m->line);
	if (find_node(o, repo, range, id, &node, err) < 0)
		return -1;
	if (node < 0) {
		ret->n_unused += !is_end(range, id);
		return 0;
	}
	ret->verdicts = xrealloc(ret->verdicts, ret->n + 1, sizeof(*ret->verdicts));
	v = &ret->verdicts[ret->n++];
	*v = (struct replay_verdict){ .node = (uint32_t)node };
	v->v.verdict = m->state == LOG_OLD   ? halving_old(o)
		       : m->state == LOG_NEW ? halving_new(o)
					     : VERDICT_SKIP;
	str_copy(v->v.rule, sizeof(v->v.rule), "user");
	snprintf(v->v.reason, sizeof(v->v.reason), "line %u of %.400s", m->line, path);
	return 0;
}

int replay_load(const struct options *o, const char *repo, const struct range *range,
		struct replay *ret, struct err *err)
{
	_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };
	_cleanup_(replay_deinit) struct replay r = { 0 };

	if (options_str(o, OPT_REPLAY) && read_log(options_str(o, OPT_REPLAY), &l, err) < 0)
		return -1;
	for (size_t i = 0; i < l.n_marks; i++)
		if (load_mark(o, repo, range, &l.marks[i], &r, err) < 0)
			return -1;
	*ret = r;
	r = (struct replay){ 0 };
	return 0;
}

void replay_tell(const struct replay *r, struct search *search)
{
	for (size_t i = 0; i < r->n; i++)
		halving_tell(search, r->verdicts[i].node, &r->verdicts[i].v);
}

int replay_store(const struct replay *r, const struct range *range, struct store *store,
		 struct err *err)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct replay_verdict *v = &r->verdicts[i];
		int64_t trial;

		if (store_begin(store, range->commits[v->node].id, ROLE_USER, &trial, err) < 0 ||
		    store_end(store, trial, &v->v, err) < 0)
			return -1;
	}
	return 0;
}
