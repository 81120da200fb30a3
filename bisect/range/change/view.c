// SPDX-License-Identifier: GPL-2.0-or-later
/* What the questions about changes are asked of: see view.h. */
#include "range/change/view.h"

#include <string.h>

int view_open(const char *repo, struct view *ret, struct err *err)
{
	struct view v = { 0 };

	if (gitlib_open(repo, &v.repo, err) < 0 || objects_open(v.repo, &v.objects, err) < 0 ||
	    reader_create(v.objects, &v.reader, err) < 0) {
		view_deinit(&v);
		return -1;
	}
	v.diff = treediff_create(v.repo, v.reader);
	*ret = v;
	return 0;
}

void view_deinit(struct view *v)
{
	treediff_destroy(v->diff);
	reader_destroy(v->reader);
	objects_destroy(v->objects);
	git_repository_free(v->repo);
	*v = (struct view){ 0 };
}

void view_trees_deinit(struct view_trees *t)
{
	free(t->parents);
	*t = (struct view_trees){ 0 };
}

int view_trees(struct view *v, const char *id, struct view_trees *ret, struct err *err)
{
	_cleanup_free_ git_oid *parents = NULL;
	struct commit_head head;
	git_oid oid, own;
	size_t n;

	if (!str_is_commit_id(id) || git_oid_fromstr(&oid, id) < 0)
		return err_set(err, ERR_USAGE, "'%s' is no full commit id; give 40 hex digits", id);
	if (reader_commit(v->reader, &oid, &head, err) < 0)
		return -1;
	git_oid_cpy(&own, &head.tree);
	n = head.n_parents;
	parents = xcalloc(n, sizeof(*parents));
	for (size_t i = 0; i < n; i++)
		git_oid_cpy(&parents[i], &head.parents[i]);
	for (size_t i = 0; i < n; i++) {
		if (reader_commit(v->reader, &parents[i], &head, err) < 0)
			return -1;
		git_oid_cpy(&parents[i], &head.tree);
	}
	*ret = (struct view_trees){ .own = own, .parents = take_ptr(parents), .n_parents = n };
	return 0;
}
