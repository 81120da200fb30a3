// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk asks here for each commit and each tree; what is laid over the history is applied first.
 *
 * Nothing is shared between readers but what never changes after opening, so none ever waits.
 */
#include "range/objects/objects.h"

#include <stdlib.h>

#include "range/objects/commit.h"
#include "range/objects/graph.h"
#include "range/objects/overlay.h"
#include "range/objects/raw.h"

struct objects {
	git_repository *repo; /* not owned */
	struct overlay overlay;
	struct places places;
	struct graph graph; /* empty if the history is overlaid: git leaves it alone then */
};

struct reader {
	const struct objects *objects;
	struct raw raw;
	struct ids parents;
};

static void open_graph(struct objects *o)
{
	const struct strv *dirs = &o->places.dirs;

	if (overlay_any(&o->overlay) || !gitlib_is_on(o->repo, "core.commitgraph"))
		return;
	for (size_t i = 0; i < dirs->n && !o->graph.n; i++)
		graph_open(dirs->items[i], &o->graph);
}

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
	places_open(dir.ptr, &o->places);
	git_buf_dispose(&dir);
	open_graph(o);
	*ret = take_ptr(o);
	return 0;
}

void objects_destroy(struct objects *o)
{
	if (!o)
		return;
	overlay_deinit(&o->overlay);
	graph_close(&o->graph);
	places_close(&o->places);
	free(o);
}

bool objects_overlaid(const struct objects *o)
{
	return overlay_any(&o->overlay);
}

int reader_create(struct objects *o, struct reader **ret, struct err *err)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->objects = o;
	if (raw_init(&r->raw, &o->places) < 0) {
		raw_deinit(&r->raw);
		free(r);
		return err_set(err, ERR_HOST, "there is no memory to read packs; end something");
	}
	*ret = r;
	return 0;
}

void reader_destroy(struct reader *r)
{
	if (!r)
		return;
	raw_deinit(&r->raw);
	ids_deinit(&r->parents);
	free(r);
}

bool reader_has(struct reader *r, const git_oid *id)
{
	return raw_has(&r->raw, id);
}

int reader_object(struct reader *r, const git_oid *id, git_object_t type,
		  const unsigned char **data, size_t *len, struct err *err)
{
	const struct objects *o = r->objects;
	const char *kind = git_object_type2string(type);
	struct content content;
	const char *why;
	git_oid real;
	int rc;

	if (overlay_replaced(&o->overlay, id, &real) < 0)
		return gitlib_object_bad(
			o->repo, kind, id,
			"it is replaced too many times in a row, see git replace -l", err);
	rc = raw_read(&r->raw, &real, &content, &why);
	if (rc < 0)
		return rc == GIT_ENOTFOUND ? gitlib_object_fail(o->repo, kind, &real, rc, err)
					   : gitlib_object_bad(o->repo, kind, &real, why, err);
	if (content.type != (unsigned int)type)
		return gitlib_object_bad(o->repo, kind, id, "it is an object of another type", err);
	*data = content.data;
	*len = content.len;
	return 0;
}

int reader_commit(struct reader *r, const git_oid *id, struct commit_head *ret, struct err *err)
{
	const struct objects *o = r->objects;
	const unsigned char *text = NULL;
	struct graph_commit known;
	struct commit_text head;
	const char *why;
	size_t len = 0;

	if (graph_find(&o->graph, id, &known, &r->parents)) {
		*ret = (struct commit_head){ .tree = known.tree,
					     .date_s = known.date_s,
					     .generation = known.generation };
	} else {
		if (reader_object(r, id, GIT_OBJECT_COMMIT, &text, &len, err) < 0)
			return -1;
		if (commit_parse(text, len, &head, &r->parents, &why) < 0)
			return gitlib_object_bad(o->repo, "commit", id, why, err);
		*ret = (struct commit_head){ .tree = head.tree, .date_s = head.date_s };
	}
	ret->parents = r->parents.items;
	ret->n_parents = r->parents.n;
	ret->text = text;
	ret->len = len;
	overlay_graft(&o->overlay, id, &ret->parents, &ret->n_parents);
	return 0;
}
