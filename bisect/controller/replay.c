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
	struct err why;
	size_t len;

	if (access(path, R_OK) < 0)
		return err_set(err, ERR_USAGE, "cannot read %s: %s; name a log with --replay", path,
			       strerror(errno));
	if (fs_read(path, FILE_BYTES_MAX, &text, &len, &why) < 0)
		return err_set(err, ERR_USAGE, "%s; name a log with --replay", why.msg);
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

static void add_verdict(const struct options *o, const struct log_mark *m, long node,
			struct replay *ret)
{
	struct replay_verdict *v = &ret->verdicts[ret->n++];

	*v = (struct replay_verdict){ .node = (uint32_t)node };
	v->v.verdict = m->state == LOG_OLD   ? halving_old(o)
		       : m->state == LOG_NEW ? halving_new(o)
					     : VERDICT_SKIP;
	str_copy(v->v.rule, sizeof(v->v.rule), "user");
	snprintf(v->v.reason, sizeof(v->v.reason), "line %u of %.400s", m->line,
		 options_str(o, OPT_REPLAY));
}

static int resolve(const struct options *o, const char *repo, const struct bisect_log *l,
		   char (*ids)[COMMIT_ID_SIZE], struct err *err)
{
	_cleanup_free_ const char **revs = xcalloc(l->n_marks, sizeof(*revs));
	size_t at;

	for (size_t i = 0; i < l->n_marks; i++)
		revs[i] = l->marks[i].rev;
	if (range_resolve_all(repo, revs, l->n_marks, ids, &at, err) < 0)
		return err_prefix(err, "%s: line %u", options_str(o, OPT_REPLAY),
				  l->marks[at].line);
	return 0;
}

/* A log that was made for other paths, or for none, has most of its verdicts on commits that are no candidates. */
static int load(const struct options *o, const char *repo, const struct range *range,
		const struct bisect_log *l, struct replay *ret, struct err *err)
{
	_cleanup_free_ char(*ids)[COMMIT_ID_SIZE] = xcalloc(l->n_marks, sizeof(*ids));
	_cleanup_free_ const char **names = xcalloc(l->n_marks, sizeof(*names));
	_cleanup_free_ long *nodes = xcalloc(l->n_marks, sizeof(*nodes));

	if (resolve(o, repo, l, ids, err) < 0)
		return -1;
	for (size_t i = 0; i < l->n_marks; i++)
		names[i] = ids[i];
	if (halving_places(o, repo, range, names, l->n_marks, nodes, err) < 0)
		return -1;
	ret->verdicts = xcalloc(l->n_marks, sizeof(*ret->verdicts));
	for (size_t i = 0; i < l->n_marks; i++) {
		if (nodes[i] >= 0)
			add_verdict(o, &l->marks[i], nodes[i], ret);
		else
			ret->n_unused += !is_end(range, ids[i]);
	}
	return 0;
}

int replay_load(const struct options *o, const char *repo, const struct range *range,
		struct replay *ret, struct err *err)
{
	_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };
	_cleanup_(replay_deinit) struct replay r = { 0 };

	if (options_str(o, OPT_REPLAY) && read_log(options_str(o, OPT_REPLAY), &l, err) < 0)
		return -1;
	if (l.n_marks && load(o, repo, range, &l, &r, err) < 0)
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
