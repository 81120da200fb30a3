// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files differ between two trees: see treediff.h. */
#include "range/change/treediff.h"

#include <limits.h>
#include <string.h>

#define CACHE_SLOTS 1024 /* a power of two; the trees of a driver, and those on the way to it */

/* A tree as it was read; shared, as a slot may get another while a comparison still looks at it. */
struct tree {
	unsigned int holders;
	git_oid id;
	size_t len;
	unsigned char data[];
};

struct treediff {
	git_repository *repo;
	struct reader *reader;
	struct tree *cache[CACHE_SLOTS];
	struct buf path;
};

/* One entry of a raw tree. */
struct entry {
	const char *name;
	size_t name_len;
	struct tree_side side;
};

struct cursor {
	const struct tree *tree; /* NULL: nothing there */
	const unsigned char *at;
	struct entry entry; /* valid unless done */
	bool done;
};

static void tree_drop(struct tree **t)
{
	if (*t && !--(*t)->holders)
		free(*t);
	*t = NULL;
}

struct treediff *treediff_create(git_repository *repo, struct reader *reader)
{
	struct treediff *t = xcalloc(1, sizeof(*t));

	t->repo = repo;
	t->reader = reader;
	return t;
}

void treediff_destroy(struct treediff *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		tree_drop(&t->cache[i]);
	buf_deinit(&t->path);
	free(t);
}

static int tree_get(struct treediff *t, const git_oid *id, struct tree **ret, struct err *err)
{
	size_t slot = ((size_t)id->id[0] | (size_t)id->id[1] << 8) & (CACHE_SLOTS - 1);
	const unsigned char *data;
	struct tree *tree = t->cache[slot];
	size_t len;

	if (!tree || !git_oid_equal(&tree->id, id)) {
		if (reader_object(t->reader, id, GIT_OBJECT_TREE, &data, &len, err) < 0)
			return -1;
		tree = xmalloc(sizeof(*tree) + len);
		tree->holders = 1;
		tree->len = len;
		git_oid_cpy(&tree->id, id);
		memcpy(tree->data, data, len);
		tree_drop(&t->cache[slot]);
		t->cache[slot] = tree;
	}
	tree->holders++;
	*ret = tree;
	return 0;
}

static bool is_tree(const struct tree_side *s)
{
	return s && s->mode == GIT_FILEMODE_TREE;
}

/* "mode SP name NUL id". Source: git's gitformat-pack and fsck. */
static int cursor_next(struct treediff *t, struct cursor *c, struct err *err)
{
	const unsigned char *p = c->at;
	const unsigned char *end = c->tree ? c->tree->data + c->tree->len : p;
	const unsigned char *nul;

	c->done = p == end;
	if (c->done)
		return 0;
	c->entry.side.mode = 0;
	nul = memchr(p, '\0', (size_t)(end - p));
	if (!nul || end - nul <= GIT_ID_LEN)
		return gitlib_object_bad(t->repo, "tree", &c->tree->id, "it is cut off", err);
	for (; *p >= '0' && *p <= '7'; p++)
		c->entry.side.mode = c->entry.side.mode << 3 | (uint32_t)(*p - '0');
	if (*p++ != ' ' || !c->entry.side.mode || p >= nul)
		return gitlib_object_bad(t->repo, "tree", &c->tree->id, "it is malformed", err);
	c->entry.name = (const char *)p;
	c->entry.name_len = (size_t)(nul - p);
	git_oid_fromraw(&c->entry.side.id, nul + 1);
	c->at = nul + 1 + GIT_ID_LEN;
	return 0;
}

static int cursor_open(struct treediff *t, const struct tree *tree, struct cursor *ret,
		       struct err *err)
{
	*ret = (struct cursor){ .tree = tree, .at = tree ? tree->data : NULL };
	return cursor_next(t, ret, err);
}

/* The order of a tree's entries: a directory's name counts as if a slash followed. */
static int compare_entries(const struct entry *a, const struct entry *b)
{
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int rc = memcmp(a->name, b->name, len);
	unsigned char after_a, after_b;

	if (rc)
		return rc;
	after_a = (unsigned char)(a->name_len > len ? a->name[len] : is_tree(&a->side) ? '/' : 0);
	after_b = (unsigned char)(b->name_len > len ? b->name[len] : is_tree(&b->side) ? '/' : 0);
	return after_a - after_b;
}

static int compare_trees(struct treediff *t, const git_oid *from, const git_oid *to,
			 const struct treediff_ask *ask, struct err *err);

/* One name that differs, a directory's on both sides or a file's; a side of NULL is not there. */
static int visit(struct treediff *t, const struct entry *name, const struct tree_side *from,
		 const struct tree_side *to, const struct treediff_ask *ask, struct err *err)
{
	struct tree_change change = { 0 };
	size_t len = t->path.len;
	int rc = 0;

	if (len + 1 + name->name_len >= PATH_MAX)
		return err_set(
			err, ERR_HOST,
			"%.100s... in %s is longer than any path can be; check with git fsck",
			len ? t->path.data : name->name, gitlib_place(t->repo));
	if (len)
		buf_puts(&t->path, "/");
	buf_add(&t->path, name->name, name->name_len);
	change.path = t->path.data;
	if (from)
		change.from = *from;
	if (to)
		change.to = *to;
	if (!is_tree(from ? from : to))
		rc = ask->changed(ask->arg, &change, err);
	else if (!ask->enters || ask->enters(ask->arg, t->path.data))
		rc = compare_trees(t, from ? &from->id : NULL, to ? &to->id : NULL, ask, err);
	t->path.len = len;
	t->path.data[len] = '\0';
	return rc;
}

static bool same_side(const struct tree_side *a, const struct tree_side *b)
{
	return a->mode == b->mode && git_oid_equal(&a->id, &b->id);
}

static int merge(struct treediff *t, struct cursor *a, struct cursor *b,
		 const struct treediff_ask *ask, struct err *err)
{
	while (!a->done || !b->done) {
		int order = a->done ? 1 : b->done ? -1 : compare_entries(&a->entry, &b->entry);
		const struct tree_side *from = order <= 0 ? &a->entry.side : NULL;
		const struct tree_side *to = order >= 0 ? &b->entry.side : NULL;
		int rc = 0;

		if (!from || !to || !same_side(from, to))
			rc = visit(t, from ? &a->entry : &b->entry, from, to, ask, err);
		if (rc)
			return rc;
		if ((from && cursor_next(t, a, err) < 0) || (to && cursor_next(t, b, err) < 0))
			return -1;
	}
	return 0;
}

static int compare_trees(struct treediff *t, const git_oid *from, const git_oid *to,
			 const struct treediff_ask *ask, struct err *err)
{
	_cleanup_(tree_drop) struct tree *a = NULL;
	_cleanup_(tree_drop) struct tree *b = NULL;
	struct cursor ca, cb;

	if ((from && tree_get(t, from, &a, err) < 0) || (to && tree_get(t, to, &b, err) < 0) ||
	    cursor_open(t, a, &ca, err) < 0 || cursor_open(t, b, &cb, err) < 0)
		return -1;
	return merge(t, &ca, &cb, ask, err);
}

int treediff_run(struct treediff *t, const git_oid *from, const git_oid *to,
		 const struct treediff_ask *ask, struct err *err)
{
	t->path.len = 0;
	if (from && to && git_oid_equal(from, to))
		return 0;
	return compare_trees(t, from, to, ask, err);
}
