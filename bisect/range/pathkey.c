// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TREESAME, asked a hundred thousand times.
 *
 * The limited paths form a small tree of names. At each name the table remembers, per tree id, what that
 * tree holds below it, so a commit costs as many tree reads as it has changed directories on the way to
 * the paths: nearly always one, the root.
 *
 * Threads share the table under one lock, which nobody holds while a tree is read. Two may find out the
 * same at once; both come to the same number.
 */
#include "range/pathkey.h"

#include <pthread.h>
#include <string.h>

#include "range/keymap.h"
#include "range/walk/tree.h"

struct name {
	char *name;
	struct name **children;	 /* [n], sorted; none: a limited path ends here */
	struct tree_name *names; /* [n], theirs */
	size_t n;
	struct keymap memo;    /* tree id → number; only with children */
	struct keymap numbers; /* entry of a leaf, or the children's numbers → number */
};

struct pathkey {
	git_repository *repo;
	struct name *root;
	pthread_mutex_t lock; /* over the tables of all names */
};

static struct name *name_create(const char *text, size_t len)
{
	struct name *n = xcalloc(1, sizeof(*n));

	n->name = xstrndup(text, len);
	return n;
}

static void name_destroy(struct name *n)
{
	for (size_t i = 0; i < n->n; i++)
		name_destroy(n->children[i]);
	keymap_deinit(&n->memo);
	keymap_deinit(&n->numbers);
	free(n->children);
	free(n->names);
	free(n->name);
	free(n);
}

/* A limited path into the tree of names; none of them is inside another. */
static void name_add(struct name *at, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		struct name *next = at->n ? at->children[at->n - 1] : NULL;

		/* Paths are sorted: if it is there, it is the last. */
		if (!next || strncmp(next->name, path, len) != 0 || next->name[len]) {
			next = name_create(path, len);
			/* room for a power of two: a user may give a hundred thousand */
			if ((at->n & (at->n - 1)) == 0)
				at->children = xrealloc(at->children, at->n ? 2 * at->n : 1,
							sizeof(struct name *));
			at->children[at->n++] = next;
		}
		at = next;
		path += len;
		path += *path == '/';
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct name *const *)a)->name, (*(struct name *const *)b)->name);
}

static void name_prepare(struct name *n)
{
	keymap_init(&n->memo, GIT_ID_LEN);
	keymap_init(&n->numbers, n->n ? n->n * sizeof(uint32_t) : sizeof(uint32_t) + GIT_ID_LEN);
	if (!n->n)
		return;
	qsort(n->children, n->n, sizeof(struct name *), compare_names);
	n->names = xcalloc(n->n, sizeof(*n->names));
	for (size_t i = 0; i < n->n; i++) {
		const char *text = n->children[i]->name;

		n->names[i] = (struct tree_name){ .text = text, .len = strlen(text) };
		name_prepare(n->children[i]);
	}
}

struct pathkey *pathkey_create(git_repository *repo, const struct strv *paths)
{
	struct pathkey *pk = xcalloc(1, sizeof(*pk));

	pk->repo = repo;
	pthread_mutex_init(&pk->lock, NULL);
	pk->root = name_create("", 0);
	for (size_t i = 0; i < paths->n; i++)
		name_add(pk->root, paths->items[i]);
	name_prepare(pk->root);
	return pk;
}

void pathkey_destroy(struct pathkey *pk)
{
	if (!pk)
		return;
	name_destroy(pk->root);
	pthread_mutex_destroy(&pk->lock);
	free(pk);
}

static int find_entries(git_repository *repo, struct reader *reader, const unsigned char *tree,
			const struct tree_name *names, size_t n, struct tree_entry *ret,
			struct err *err)
{
	const unsigned char *data;
	git_oid id;
	size_t len;

	git_oid_fromraw(&id, tree);
	if (reader_object(reader, &id, GIT_OBJECT_TREE, &data, &len, err) < 0)
		return -1;
	if (tree_find(data, len, names, n, ret) < 0)
		return gitlib_object_bad(repo, "tree", &id, "it is malformed", err);
	return 0;
}

static bool is_dir(const struct tree_entry *e)
{
	return e->mode == GIT_FILEMODE_TREE;
}

static bool is_empty_tree(const struct tree_entry *e)
{
	/* SHA-1 of "tree 0\0" */
	static const unsigned char id[GIT_ID_LEN] = { 0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e,
						      0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6,
						      0x92, 0x88, 0xfb, 0xee, 0x49, 0x04 };

	return is_dir(e) && memcmp(e->id, id, GIT_ID_LEN) == 0;
}

/* To git a directory without files is no directory at all. */
static uint32_t leaf_number(struct pathkey *pk, struct name *n, const struct tree_entry *e)
{
	unsigned char key[sizeof(uint32_t) + GIT_ID_LEN] = { 0 };
	uint32_t number;

	if (e->mode && !is_empty_tree(e)) {
		memcpy(key, &e->mode, sizeof(e->mode));
		memcpy(key + sizeof(e->mode), e->id, GIT_ID_LEN);
	}
	pthread_mutex_lock(&pk->lock);
	number = keymap_intern(&n->numbers, key);
	pthread_mutex_unlock(&pk->lock);
	return number;
}

static bool recall(struct pathkey *pk, struct name *n, const struct tree_entry *e, uint32_t *ret)
{
	bool known;

	pthread_mutex_lock(&pk->lock);
	known = keymap_get(&n->memo, e->id, ret);
	pthread_mutex_unlock(&pk->lock);
	return known;
}

static uint32_t remember(struct pathkey *pk, struct name *n, const struct tree_entry *e,
			 const uint32_t *numbers)
{
	uint32_t number;

	pthread_mutex_lock(&pk->lock);
	number = keymap_intern(&n->numbers, numbers);
	if (is_dir(e)) /* another thread may have found out the same */
		keymap_put(&n->memo, e->id, number);
	pthread_mutex_unlock(&pk->lock);
	return number;
}

/* What an entry holds below @n; anything but a directory holds nothing below it. */
static int number_of(struct pathkey *pk, struct reader *reader, struct name *n,
		     const struct tree_entry *e, uint32_t *ret, struct err *err)
{
	_cleanup_free_ struct tree_entry *entries = NULL;
	_cleanup_free_ uint32_t *numbers = NULL;

	if (!n->n) {
		*ret = leaf_number(pk, n, e);
		return 0;
	}
	if (is_dir(e) && recall(pk, n, e, ret))
		return 0;
	entries = xcalloc(n->n, sizeof(*entries));
	if (is_dir(e) && find_entries(pk->repo, reader, e->id, n->names, n->n, entries, err) < 0)
		return -1;
	numbers = xmalloc(n->n * sizeof(*numbers));
	for (size_t i = 0; i < n->n; i++)
		if (number_of(pk, reader, n->children[i], &entries[i], &numbers[i], err) < 0)
			return -1;
	*ret = remember(pk, n, e, numbers);
	return 0;
}

static struct tree_entry root_entry(const git_oid *tree)
{
	struct tree_entry root = { 0 };

	if (tree) {
		root.mode = GIT_FILEMODE_TREE;
		memcpy(root.id, tree->id, GIT_ID_LEN);
	}
	return root;
}

int pathkey_of(struct pathkey *pk, struct reader *reader, const git_oid *tree, uint32_t *ret,
	       struct err *err)
{
	struct tree_entry root = root_entry(tree);

	return number_of(pk, reader, pk->root, &root, ret, err);
}
