// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk asks here for each commit and each tree; what is laid over the history is applied first.
 *
 * Nothing is shared between readers but what never changes after opening, so none ever waits.
 */
#include "range/objects/objects.h"

#include <stdlib.h>

#include "range/objects/commit.h"
#include "range/objects/overlay.h"

struct objects {
	git_repository *repo; /* not owned */
	struct overlay overlay;
	char *dir; /* the object database */
};

struct reader {
	const struct objects *objects;
	git_odb *odb;	      /* opened when first needed */
	git_odb_object *held; /* what the last answer lies in */
	struct ids parents;
};

int objects_open(git_repository *repo, struct objects **ret, struct err *err)
{
	_cleanup_(objects_destroy_p) struct objects *o = xcalloc(1, sizeof(*o));
	git_buf dir = { 0 };

	o->repo = repo;
	if (overlay_read(repo, &o->overlay, err) < 0)
		return -1;
	if (git_repository_item_path(&dir, repo, GIT_REPOSITORY_ITEM_OBJECTS) < 0)
		return err_set(err, ERR_HOST, "the objects of %s cannot be found (%s)",
			       gitlib_place(repo), gitlib_words());
	o->dir = xstrdup(dir.ptr);
	git_buf_dispose(&dir);
	*ret = take_ptr(o);
	return 0;
}

void objects_destroy(struct objects *o)
{
	if (!o)
		return;
	overlay_deinit(&o->overlay);
	free(o->dir);
	free(o);
}

bool objects_overlaid(const struct objects *o)
{
	return overlay_any(&o->overlay);
}

int reader_create(struct objects *o, struct reader **ret, struct err *err)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	(void)err;
	r->objects = o;
	*ret = r;
	return 0;
}

void reader_destroy(struct reader *r)
{
	if (!r)
		return;
	git_odb_object_free(r->held);
	git_odb_free(r->odb);
	ids_deinit(&r->parents);
	free(r);
}

/* An object database of the reader's own: libgit2 locks one that is shared at every step. */
static int read_by_libgit2(struct reader *r, const git_oid *id, git_object_t type,
			   const unsigned char **data, size_t *len, struct err *err)
{
	const struct objects *o = r->objects;
	const char *kind = git_object_type2string(type);
	int rc = 0;

	git_odb_object_free(take_ptr(r->held));
	if (!r->odb)
		rc = git_odb_open(&r->odb, o->dir);
	if (rc == 0)
		rc = git_odb_read(&r->held, r->odb, id);
	if (rc < 0)
		return gitlib_object_fail(o->repo, kind, id, rc, err);
	if (git_odb_object_type(r->held) != type)
		return gitlib_object_bad(o->repo, kind, id, "it is an object of another type", err);
	*data = git_odb_object_data(r->held);
	*len = git_odb_object_size(r->held);
	return 0;
}

int reader_object(struct reader *r, const git_oid *id, git_object_t type,
		  const unsigned char **data, size_t *len, struct err *err)
{
	const struct objects *o = r->objects;
	git_oid real;

	if (overlay_replaced(&o->overlay, id, &real) < 0)
		return gitlib_object_bad(o->repo, git_object_type2string(type), id,
					 "its replacements are replaced again and again; see git "
					 "replace -l",
					 err);
	return read_by_libgit2(r, &real, type, data, len, err);
}

int reader_commit(struct reader *r, const git_oid *id, struct commit_head *ret, struct err *err)
{
	const struct objects *o = r->objects;
	const unsigned char *text;
	const char *why;
	struct commit_text head;
	size_t len;

	if (reader_object(r, id, GIT_OBJECT_COMMIT, &text, &len, err) < 0)
		return -1;
	if (commit_parse(text, len, &head, &r->parents, &why) < 0)
		return gitlib_object_bad(o->repo, "commit", id, why, err);
	*ret = (struct commit_head){ .tree = head.tree,
				     .date_s = head.date_s,
				     .parents = r->parents.items,
				     .n_parents = r->parents.n };
	overlay_graft(&o->overlay, id, &ret->parents, &ret->n_parents);
	return 0;
}
