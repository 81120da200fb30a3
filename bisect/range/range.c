// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The history between two ends is painted, simplified and numbered, and the candidates are filled in.
 *
 *     paint ──► relate ──► number ──► fill
 *       └─ crew: what trees hold, found out beside and before number ─┘
 */
#include "range/make.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/stop.h"
#include "range/cache/cache.h"
#include "range/keymap.h"
#include "range/walk/number.h"
#include "range/walk/paint.h"
#include "range/walk/relate.h"

#define THREADS_MAX 4 /* beyond that the disk or the walk itself is what is waited for */

struct making {
	git_repository *repo;
	const struct range_spec *spec;
	const struct ends *ends;
	const struct strv *paths;
	struct objects *objects;
	struct reader *reader;
	struct pathkey *pk;
	struct crew *crew;
	struct history history;
	struct painting painting;
	struct numbered numbered;
	unsigned int threads;
};

static void making_deinit(struct making *m)
{
	crew_destroy(m->crew);
	numbered_deinit(&m->numbered);
	painting_deinit(&m->painting);
	history_deinit(&m->history);
	pathkey_destroy(m->pk);
	reader_destroy(m->reader);
	objects_destroy(m->objects);
}

static unsigned int count_threads(const struct range_spec *spec)
{
	cpu_set_t cores;
	unsigned int n = 1;

	if (spec->threads)
		return spec->threads;
	if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
		n = (unsigned int)CPU_COUNT(&cores);
	return n < THREADS_MAX ? n : THREADS_MAX;
}

static struct view make_view(const struct making *m)
{
	return (struct view){ .h = &m->history,
			      .pk = m->pk,
			      .reader = m->reader,
			      .first_parent = m->spec->first_parent };
}

static int start(struct making *m, struct err *err)
{
	struct view view;

	if (objects_open(m->repo, &m->objects, err) < 0 ||
	    reader_create(m->objects, &m->reader, err) < 0)
		return -1;
	history_init(&m->history, m->reader, !objects_overlaid(m->objects));
	m->history.on_walk = m->spec->on_walk;
	m->history.on_walk_arg = m->spec->on_walk_arg;
	m->threads = count_threads(m->spec);
	if (!m->paths->n)
		return 0;
	m->pk = pathkey_create(m->repo, m->paths);
	view = make_view(m);
	return crew_start(&view, m->objects, history_node(&m->history, &m->ends->bad),
			  m->threads - 1, &m->crew, err);
}

static int walk(struct making *m, struct err *err)
{
	struct view view = make_view(m);

	if (paint(&m->history, m->ends, m->spec->first_parent, m->crew, &m->painting, err) < 0 ||
	    relate(&m->history, m->spec, m->ends, &m->painting, objects_overlaid(m->objects), err) <
		    0)
		return -1;
	if (m->crew && crew_finish(m->crew, err) < 0)
		return -1;
	view.painted = true;
	return number(&view, m->painting.bad, &m->numbered, err);
}

/* Candidates are filled in by all threads, each taking the next few. */
#define FILL_AT_ONCE 256

struct filling {
	const struct making *m;
	struct range *range;
	_Atomic uint32_t next;
};

static int fill_commit(const struct filling *f, struct reader *reader, uint32_t i, struct err *err)
{
	const struct node *node = node_at(&f->m->history, f->m->numbered.nodes.items[i]);
	struct range_commit *c = &f->range->commits[i];
	const struct list *first = &f->m->numbered.first;
	const unsigned char *line;
	size_t len;

	if (c->subject)
		return 0;
	if (node->subject != SUBJECT_NONE) {
		line = subjects_get(&f->m->history.subjects, node->subject, &len);
	} else {
		if (reader_object(reader, &node->id, GIT_OBJECT_COMMIT, &line, &len, err) < 0)
			return -1;
		line = subject_find(line, len, &len);
	}
	gitlib_hex(&node->id, c->id);
	c->date_s = node->date_s;
	c->merge = node->n_parents > 1;
	c->parents = first->items[i];
	c->n_parents = first->items[i + 1] - first->items[i];
	c->subject = subject_clean(line, len);
	return 0;
}

/* A commit that cannot be read is left out here, and met again by the calling thread. */
static void fill_some(struct filling *f, struct reader *reader)
{
	uint32_t n = (uint32_t)f->range->n;
	struct err ignored;

	while (!stop_requested()) {
		uint32_t i = atomic_fetch_add(&f->next, FILL_AT_ONCE);
		uint32_t end = i < n ? (n - i < FILL_AT_ONCE ? n : i + FILL_AT_ONCE) : i;

		if (i >= n)
			return;
		for (; i < end; i++)
			(void)fill_commit(f, reader, i, &ignored);
	}
}

static void *fill_beside(void *arg)
{
	struct filling *f = arg;
	_cleanup_(reader_destroy_p) struct reader *reader = NULL;
	struct err ignored;

	if (reader_create(f->m->objects, &reader, &ignored) == 0)
		fill_some(f, reader);
	return NULL;
}

static int fill_commits(const struct making *m, struct range *r, struct err *err)
{
	struct filling f = { .m = m, .range = r };
	_cleanup_free_ pthread_t *threads = xcalloc(m->threads, sizeof(*threads));
	unsigned int n = 0;

	while (n + 1 < m->threads && r->n > (n + 1) * FILL_AT_ONCE &&
	       pthread_create(&threads[n], NULL, fill_beside, &f) == 0)
		n++;
	fill_some(&f, m->reader);
	for (unsigned int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < r->n; i++)
		if (stop_check(err) < 0 || fill_commit(&f, m->reader, i, err) < 0)
			return -1;
	return 0;
}

static void fill_ends(const struct making *m, struct range *r)
{
	const struct list *bases = &m->painting.bases;

	gitlib_hex(&m->ends->bad, r->bad_id);
	r->bad_node = node_at(&m->history, m->painting.bad)->candidate;
	r->n_good = m->ends->n_good;
	r->good_ids = xcalloc(r->n_good, sizeof(*r->good_ids));
	for (size_t i = 0; i < r->n_good; i++)
		gitlib_hex(&m->ends->good[i], r->good_ids[i]);
	r->n_bases = bases->n;
	r->base_ids = xcalloc(r->n_bases, sizeof(*r->base_ids));
	for (size_t i = 0; i < r->n_bases; i++)
		gitlib_hex(&node_at(&m->history, bases->items[i])->id, r->base_ids[i]);
}

static int fill_range(struct making *m, struct range *r, struct err *err)
{
	r->n = m->numbered.nodes.n;
	r->n_walked = m->painting.n_in;
	r->commits = xcalloc(r->n, sizeof(*r->commits));
	if (fill_commits(m, r, err) < 0)
		return -1;
	r->n_parent_edges = m->numbered.edges.n;
	r->parents = take_ptr(m->numbered.edges.items);
	fill_ends(m, r);
	return 0;
}

/* Nothing to search: the paths are misspelt, or the range does not touch them. */
static int no_candidates(struct making *m, struct err *err)
{
	const struct range_spec *spec = m->spec;
	_cleanup_buf_ struct buf names = { 0 };
	struct view view = make_view(m);
	uint32_t nothing, here;

	for (size_t i = 0; i < m->paths->n; i++)
		buf_printf(&names, "%s%s", i ? " " : "", m->paths->items[i]);
	if (pathkey_of(m->pk, m->reader, NULL, &nothing, err) < 0 ||
	    view_key(&view, m->painting.bad, &here, err) < 0)
		return -1;
	if (nothing == here)
		return err_set(err, ERR_USAGE,
			       "no commit of %s..%s changes %s, and there is no such path in %s; "
			       "check its spelling (patterns are not known)",
			       spec->good[0], spec->bad, names.data, spec->bad);
	return err_set(err, ERR_USAGE,
		       "no commit of %s..%s changes %s: both ends hold the same there; name other "
		       "ends or more paths",
		       spec->good[0], spec->bad, names.data);
}

int range_make(git_repository *repo, const struct range_spec *spec, const struct ends *ends,
	       const struct strv *paths, struct range **ret, struct err *err)
{
	__attribute__((cleanup(making_deinit))) struct making m = {
		.repo = repo, .spec = spec, .ends = ends, .paths = paths
	};
	_cleanup_(range_destroy_p) struct range *r = xcalloc(1, sizeof(*r));

	if (start(&m, err) < 0 || walk(&m, err) < 0)
		return -1;
	if (!m.numbered.nodes.n && !spec->may_be_empty)
		return no_candidates(&m, err);
	if (fill_range(&m, r, err) < 0)
		return -1;
	*ret = take_ptr(r);
	return 0;
}

/* Which candidates some commits are, or have their content from. */
struct finding {
	const struct range *range;
	struct keymap index; /* id → candidate */
	struct list unknown; /* [n] in ids, those that are no candidates */
	long *ret;
};

static void finding_deinit(struct finding *f)
{
	keymap_deinit(&f->index);
	list_deinit(&f->unknown);
}

static void find_itself(struct finding *f, const char *const *ids, size_t n)
{
	keymap_init(&f->index, GIT_ID_LEN);
	for (size_t i = 0; i < f->range->n; i++) {
		git_oid id = { 0 };

		git_oid_fromstr(&id, f->range->commits[i].id);
		keymap_put(&f->index, id.id, (uint32_t)i);
	}
	for (size_t i = 0; i < n; i++) {
		git_oid id = { 0 };
		uint32_t at;

		git_oid_fromstr(&id, ids[i]);
		f->ret[i] = keymap_get(&f->index, id.id, &at) ? (long)at : -1;
		if (f->ret[i] < 0)
			list_add(&f->unknown, (uint32_t)i);
	}
}

/* All that are painted are numbered: what each of them follows is known. */
static void find_followed(const struct making *m, struct finding *f)
{
	for (size_t i = 0; i < f->unknown.n; i++) {
		uint32_t candidate = node_at(&m->history, m->painting.also.items[i])->candidate;
		const git_oid *id;
		uint32_t at;

		if (candidate == NODE_NONE)
			continue;
		id = &node_at(&m->history, m->numbered.nodes.items[candidate])->id;
		if (keymap_get(&f->index, id->id, &at))
			f->ret[f->unknown.items[i]] = at;
	}
}

static int walk_also(struct making *m, const struct finding *f, const char *const *ids,
		     struct err *err)
{
	struct view view;

	for (size_t i = 0; i < f->unknown.n; i++) {
		git_oid id = { 0 };

		git_oid_fromstr(&id, ids[f->unknown.items[i]]);
		list_add(&m->painting.also, history_node(&m->history, &id));
	}
	if (walk(m, err) < 0)
		return -1;
	view = make_view(m);
	view.painted = true;
	for (size_t i = 0; i < m->painting.also.n; i++)
		if (number(&view, m->painting.also.items[i], &m->numbered, err) < 0)
			return -1;
	return 0;
}

int range_places(const struct range_spec *spec, const struct range *range, const char *const *ids,
		 size_t n, long *ret, struct err *err)
{
	_cleanup_(finding_deinit) struct finding f = { .range = range, .ret = ret };
	__attribute__((cleanup(ends_deinit))) struct ends ends = { 0 };
	_cleanup_(git_repository_free_p) git_repository *repo = NULL;
	_cleanup_strv_ struct strv paths = { 0 };
	__attribute__((cleanup(making_deinit))) struct making m = { .spec = spec,
								    .ends = &ends,
								    .paths = &paths };

	find_itself(&f, ids, n);
	if (!f.unknown.n)
		return 0;
	if (gitlib_open(spec->repo, &repo, err) < 0 ||
	    gitlib_paths(spec->paths, spec->n_paths, &paths, err) < 0 ||
	    ends_resolve(repo, spec, &ends, err) < 0)
		return -1;
	m.repo = repo;
	if (start(&m, err) < 0 || walk_also(&m, &f, ids, err) < 0)
		return -1;
	find_followed(&m, &f);
	return 0;
}

void range_destroy(struct range *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n && !r->text; i++)
		free(r->commits[i].subject);
	free(r->text);
	free(r->commits);
	free(r->parents);
	free(r->good_ids);
	free(r->base_ids);
	free(r->weights);
	kept_destroy(r->kept);
	free(r);
}

long range_find(const struct range *r, const char *id)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->commits[i].id, id) == 0)
			return (long)i;
	return -1;
}
