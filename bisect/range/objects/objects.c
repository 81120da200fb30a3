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
#include "range/objects/places.h"
#include "range/objects/unpack.h"

#define BASES_BYTES (12u << 20) /* hundreds of large trees; more would fall out of the L3 cache */

struct objects {
	git_repository *repo; /* not owned */
	struct overlay overlay;
	char *dir; /* the object database */
	struct pack *packs;
	unsigned int n_packs;
	struct graph graph; /* empty if the history is overlaid: git leaves it alone then */
};

struct reader {
	const struct objects *objects;
	struct unpacker unpacker;
	unsigned int recent;  /* the pack of the last answer */
	git_odb *odb;	      /* opened when first needed */
	git_odb_object *held; /* what its last answer lies in */
	struct ids parents;
};

static void open_graph(struct objects *o, const struct strv *dirs)
{
	if (overlay_any(&o->overlay) || !gitlib_is_on(o->repo, "core.commitgraph"))
		return;
	for (size_t i = 0; i < dirs->n && !o->graph.n; i++)
		graph_open(dirs->items[i], &o->graph);
}

int objects_open(git_repository *repo, struct objects **ret, struct err *err)
{
	_cleanup_(objects_destroy_p) struct objects *o = xcalloc(1, sizeof(*o));
	_cleanup_strv_ struct strv dirs = { 0 };
	git_buf dir = { 0 };

	o->repo = repo;
	if (overlay_read(repo, &o->overlay, err) < 0)
		return -1;
	if (git_repository_item_path(&dir, repo, GIT_REPOSITORY_ITEM_OBJECTS) < 0)
		return err_set(err, ERR_HOST, "the objects of %s cannot be found (%s)",
			       gitlib_place(repo), gitlib_words());
	o->dir = xstrdup(dir.ptr);
	git_buf_dispose(&dir);
	places_find(o->dir, &dirs);
	places_packs(&dirs, &o->packs, &o->n_packs);
	open_graph(o, &dirs);
	*ret = take_ptr(o);
	return 0;
}

void objects_destroy(struct objects *o)
{
	if (!o)
		return;
	overlay_deinit(&o->overlay);
	graph_close(&o->graph);
	for (unsigned int i = 0; i < o->n_packs; i++)
		pack_close(&o->packs[i]);
	free(o->packs);
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

	r->objects = o;
	if (unpacker_init(&r->unpacker, BASES_BYTES) < 0) {
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
	unpacker_deinit(&r->unpacker);
	git_odb_object_free(r->held);
	git_odb_free(r->odb);
	ids_deinit(&r->parents);
	free(r);
}

/*
 * From the packs that are mapped here.
 *
 * Return: true if it could be read; else @why is NULL, or says what is wrong with the copy in a pack.
 */
static bool read_packed(struct reader *r, const git_oid *id, struct content *ret, const char **why)
{
	const struct objects *o = r->objects;

	*why = NULL;
	for (unsigned int i = 0; i < o->n_packs; i++) {
		unsigned int no = (r->recent + i) % o->n_packs;
		uint64_t offset;

		if (pack_find(&o->packs[no], id->id, &offset) &&
		    unpack(&r->unpacker, &o->packs[no], no, offset, ret, why) == 0) {
			r->recent = no;
			return true;
		}
	}
	return false;
}

/* An object database of the reader's own: libgit2 locks one that is shared at every step. */
static int open_odb(struct reader *r)
{
	return r->odb ? 0 : git_odb_open(&r->odb, r->objects->dir);
}

bool reader_has(struct reader *r, const git_oid *id)
{
	const struct objects *o = r->objects;

	for (unsigned int i = 0; i < o->n_packs; i++) {
		unsigned int no = (r->recent + i) % o->n_packs;
		uint64_t offset;

		if (pack_find(&o->packs[no], id->id, &offset)) {
			r->recent = no;
			return true;
		}
	}
	return open_odb(r) == 0 && git_odb_exists(r->odb, id) == 1;
}

static int read_by_libgit2(struct reader *r, const git_oid *id, struct content *ret)
{
	int rc;

	git_odb_object_free(take_ptr(r->held));
	rc = open_odb(r);
	if (rc == 0)
		rc = git_odb_read(&r->held, r->odb, id);
	if (rc < 0)
		return rc;
	*ret = (struct content){ .data = git_odb_object_data(r->held),
				 .len = git_odb_object_size(r->held),
				 .type = (unsigned int)git_odb_object_type(r->held) };
	return 0;
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
	if (!read_packed(r, &real, &content, &why)) {
		rc = why == pack_claims_too_much ? -1 : read_by_libgit2(r, &real, &content);
		if (rc < 0 && why)
			return gitlib_object_bad(o->repo, kind, &real, why, err);
		if (rc < 0)
			return gitlib_object_fail(o->repo, kind, &real, rc, err);
	}
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
