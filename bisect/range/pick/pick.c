// SPDX-License-Identifier: GPL-2.0-or-later
/* Reverts and picks, written beside the repository: see pick.h. */
#include "range/pick/pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "range/objects/backend.h"
#include "range/objects/places.h"
#include "range/patch/item.h"
#include "range/patch/onto.h"
#include "range/patch/trees.h"
#include "range/range.h"

DEFINE_CLEANUP(git_signature *, git_signature_free)

#define MAKER_NAME  "amdgpu-bisect"
#define MAKER_EMAIL "amdgpu-bisect@localhost.invalid"

struct pick_store {
	git_repository *git;
	char *repo;
	char *dir;
};

void pick_deinit(struct pick *p)
{
	strv_deinit(&p->files);
	*p = (struct pick){ 0 };
}

int pick_open(const char *repo, const char *dir, struct pick_store **ret, struct err *err)
{
	_cleanup_(pick_close_p) struct pick_store *s = xcalloc(1, sizeof(*s));

	s->repo = xstrdup(repo);
	s->dir = xstrdup(dir);
	if (fs_mkdirs(dir, err) < 0)
		return -1;
	places_lend(dir);
	if (gitlib_open(repo, &s->git, err) < 0)
		return -1;
	if (backend_add_aside(s->git, dir) < 0)
		return err_set(err, ERR_HOST, "%s: commits cannot be written there (%s)", dir,
			       gitlib_words());
	*ret = take_ptr(s);
	return 0;
}

void pick_close(struct pick_store *s)
{
	if (!s)
		return;
	places_lend(NULL);
	git_repository_free(s->git);
	free(s->repo);
	free(s->dir);
	free(s);
}

/* A new commit on @onto; nothing in it depends on when or by whom it is made. */
static int write_commit(struct pick_store *s, const git_commit *onto, const git_oid *tree,
			const char *message, char ret[COMMIT_ID_SIZE], struct err *err)
{
	_cleanup_(git_signature_free_p) git_signature *who = NULL;
	_cleanup_(git_tree_free_p) git_tree *root = NULL;
	const git_commit *parents[] = { onto };
	git_oid id;

	if (git_signature_new(&who, MAKER_NAME, MAKER_EMAIL, git_commit_time(onto), 0) < 0 ||
	    git_tree_lookup(&root, s->git, tree) < 0 ||
	    git_commit_create(&id, s->git, NULL, who, who, NULL, message, root, 1, parents) < 0)
		return err_set(err, ERR_HOST, "%s: a commit cannot be written there (%s)", s->dir,
			       gitlib_words());
	gitlib_hex(&id, ret);
	return 0;
}

static int finish(struct pick_store *s, const git_commit *onto, enum onto_rc rc,
		  const git_oid *tree, const char *message, struct pick *ret, struct err *err)
{
	if (rc == ONTO_FAILED)
		return -1;
	if (rc == ONTO_MISFIT) {
		ret->end = PICK_CONFLICT;
		return 0;
	}
	if (git_oid_equal(tree, git_commit_tree_id(onto))) {
		ret->end = PICK_NOTHING;
		return 0;
	}
	ret->end = PICK_MADE;
	return write_commit(s, onto, tree, message, ret->id, err);
}

/* Trees of a commit and of the parent that its change is held against; @from_is_empty: it has none. */
struct change {
	git_oid from, to;
	bool from_is_empty;
	struct strv paths;
};

static void change_deinit(struct change *c)
{
	strv_deinit(&c->paths);
}

static int tree_of(struct pick_store *s, const char *id, git_oid *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_commit_hex(s->git, id, &commit, err) < 0)
		return -1;
	git_oid_cpy(ret, git_commit_tree_id(commit));
	return 0;
}

static int read_change(struct pick_store *s, const char *what, unsigned int mainline,
		       struct change *ret, struct err *err)
{
	_cleanup_strv_ struct strv parents = { 0 };

	if (range_real_parents(s->repo, what, &parents, err) < 0 ||
	    tree_of(s, what, &ret->to, err) < 0)
		return -1;
	ret->from_is_empty = !parents.n;
	if (!mainline || mainline > (parents.n ? parents.n : 1))
		return err_set(err, ERR_USAGE, "%.12s has %zu parents, and none is number %u", what,
			       parents.n, mainline);
	if (parents.n && tree_of(s, parents.items[mainline - 1], &ret->from, err) < 0)
		return -1;
	if (trees_differ(s->git, ret->from_is_empty ? NULL : &ret->from, &ret->to, &ret->paths,
			 err) < 0)
		return -1;
	strv_sort_once(&ret->paths);
	return 0;
}

static char *message_of(struct pick_store *s, const char *what, enum pick_way way,
			unsigned int mainline)
{
	_cleanup_free_ char *subject = NULL;
	struct err ignored;

	if (range_subject(s->repo, what, &subject, &ignored) < 0)
		subject = xstrdup(what);
	return str_printf("%s \"%s\"\n\n%s commit %s, held against its parent %u.\n",
			  way == PICK_OFF ? "Revert" : "Apply", subject,
			  way == PICK_OFF ? "This reverts" : "This is", what, mainline);
}

int pick_commit(struct pick_store *s, const char *onto, const char *what, enum pick_way way,
		unsigned int mainline, struct pick *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *base = NULL;
	_cleanup_(change_deinit) struct change c = { 0 };
	_cleanup_(pick_deinit) struct pick p = { 0 };
	_cleanup_free_ char *message = NULL;
	struct onto_misfit why = { 0 };
	const git_oid *before;
	git_oid tree;
	enum onto_rc rc;

	if (gitlib_commit_hex(s->git, onto, &base, err) < 0 ||
	    read_change(s, what, mainline, &c, err) < 0)
		return -1;
	before = c.from_is_empty ? NULL : &c.from;
	rc = onto_pick(s->git, git_commit_tree_id(base), way == PICK_ON ? before : &c.to,
		       way == PICK_ON ? &c.to : before, &c.paths, &tree, &p.files, &why, err);
	message = message_of(s, what, way, mainline);
	if (finish(s, base, rc, &tree, message, &p, err) < 0)
		return -1;
	str_copy(p.where, sizeof(p.where), why.where);
	*ret = p;
	p = (struct pick){ 0 };
	return 0;
}

/* A patch's first file that does not fit: those behind it are not looked at. */
static void name_misfit(const struct item *i, const struct onto_misfit *why, struct pick *ret)
{
	for (size_t k = 0; k < i->paths.n; k++)
		if (str_starts(why->where, i->paths.items[k]) &&
		    strchr(", ", why->where[strlen(i->paths.items[k])]))
			strv_add(&ret->files, i->paths.items[k]);
	str_copy(ret->where, sizeof(ret->where), why->where);
}

/* As range/patch/patch.h says: it is there already if taking it away fits better. */
static enum onto_rc lay(struct pick_store *s, const git_oid *tree, const struct diff *d,
			git_oid *ret, struct onto_misfit *why, struct err *err)
{
	struct onto_misfit ignored = { 0 };
	uint64_t moved = 0, back = 0;
	git_oid without;
	enum onto_rc rc = onto_diff(s->git, tree, d, false, ret, &moved, why, err), undo;

	if (rc == ONTO_FAILED || (rc == ONTO_DONE && !moved))
		return rc;
	undo = onto_diff(s->git, tree, d, true, &without, &back, &ignored, err);
	if (undo == ONTO_DONE && (rc == ONTO_MISFIT || back < moved)) {
		git_oid_cpy(ret, tree);
		return ONTO_DONE;
	}
	return undo == ONTO_FAILED ? undo : rc;
}

int pick_patch(struct pick_store *s, const char *onto, const char *file, struct pick *ret,
	       struct err *err)
{
	const char *slash = strrchr(file, '/');
	_cleanup_(git_commit_free_p) git_commit *base = NULL;
	_cleanup_(item_deinit) struct item item = { 0 };
	_cleanup_(pick_deinit) struct pick p = { 0 };
	_cleanup_free_ char *message = str_printf("Apply %s\n", slash ? slash + 1 : file);
	struct onto_misfit why = { 0 };
	git_oid tree;
	enum onto_rc rc;

	if (gitlib_commit_hex(s->git, onto, &base, err) < 0 || item_read_file(file, &item, err) < 0)
		return -1;
	rc = lay(s, git_commit_tree_id(base), &item.diff, &tree, &why, err);
	if (rc == ONTO_MISFIT)
		name_misfit(&item, &why, &p);
	if (finish(s, base, rc, &tree, message, &p, err) < 0)
		return -1;
	*ret = p;
	p = (struct pick){ 0 };
	return 0;
}
